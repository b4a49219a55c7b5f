-- What the classes of LuaJIT hand to the library and back, against identities that the calls under test do not compute
-- themselves: layer.lua models, with TENON_LIBRARY and LUA_PATH.
local tenon = require("tenon")
local folder = arg[1]
local checks, failures = 0, 0

local function check(good, what)
  checks = checks + 1
  if not good then
    failures = failures + 1
    print("failed: " .. tostring(what))
  end
end

local function same(a, b, what)
  check(a == b, string.format("%s: %s, and not %s", what or "", tostring(a), tostring(b)))
end

local function close(a, b, tolerance, what)
  local good = #a == #b
  for i = 1, math.min(#a, #b) do
    good = good and math.abs(a[i] - b[i]) <= tolerance * (1 + math.abs(b[i]))
  end
  check(good, what)
end

-- The call gives an error of this status, in whose message the words are.
local function fails(status, words, call, ...)
  local good, fault = pcall(call, ...)
  check(not good, "nothing failed: " .. words)
  if not good then
    local found = getmetatable(fault) == tenon.Error and fault.status == status and fault.message:find(words, 1, true)
    check(found and fault.code < 0, tostring(fault))
  end
end

local function filled(n, of)
  local x = tenon.vector(n)
  for i = 1, n do
    x[i] = of(i - 1)
  end
  return x
end

local function plus(a, b, factor)
  return filled(#a, function(i) return a[i + 1] + (factor or 1) * b[i + 1] end)
end

local function times(A, x)
  return filled(A.rows, function(i)
    local sum = 0
    for j = 1, A.columns do
      sum = sum + A:get(i + 1, j) * x[j]
    end
    return sum
  end)
end

local function transposed_times(A, x)
  return filled(A.columns, function(j)
    local sum, column = 0, A:column(j + 1)
    for i = 1, A.rows do
      sum = sum + column[i] * x[i]
    end
    return sum
  end)
end

local function text_of(name)
  local file = assert(io.open(folder .. "/" .. name .. ".urdf"))
  local text = file:read("*a")
  file:close()
  return text
end

local function load(name, how)
  return tenon.Model.load(folder .. "/" .. name .. ".urdf", how)
end

local function models()
  local robot = load("iiwa14")
  same(robot.name .. robot.nq .. robot.nv .. tostring(robot.floating_base), "iiwa1477false")
  same(robot.links[robot:link("iiwa_link_7").number], "iiwa_link_7")
  same(robot:joint(3).name, "iiwa_joint_3")
  same(robot:joint("iiwa_joint_3").type, "revolute")
  same(robot:joint("iiwa_joint_3").number, 3)
  same(robot:joint("iiwa_joint_3").v_index, 3)
  same(robot.links[robot:joint(3).child_link], "iiwa_link_3")
  same(robot:link(1).parent_link, nil)
  local mass = 0
  for i = 1, robot.link_count do
    mass = mass + robot:link(i).mass
  end
  check(math.abs(mass - robot.total_mass) < 1e-10, "masses")
  check(robot:describe():find("iiwa_joint_7", 1, true), "describe")
  same(#robot.warnings, 0)
  fails("not_found", "did you mean", robot.link, robot, "iiwa_link_8")
  fails("out_of_range", "there is no joint 99, only 1 to 7", robot.joint, robot, 99)
  fails("out_of_range", "there is no joint 0", robot.joint, robot, 0)
  fails("file_error", "none.urdf", tenon.Model.load, "none.urdf")
  fails("parse_error", "", tenon.Model.parse, "<robot")
  local bad = text_of("iiwa14"):gsub('<child link="iiwa_link_4"', '<child link="gone"')
  fails("invalid_model", "gone", tenon.Model.parse, bad)
  fails("not_found", "fixed, floating", tenon.Model.load, folder .. "/iiwa14.urdf", { base = "flying" })
  fails("not_found", "no option 'bas'; there are: base,", tenon.Model.load, folder .. "/iiwa14.urdf", { bas = "fixed" })
  local how = { base = "floating", floating_joint_name = "free", gravity = { 0, 0, -1 } }
  local floating = tenon.Model.parse(text_of("iiwa14"), how)
  same(floating.joints[1], "free")
  same(tenon.Workspace.new(floating):gravity()[3], -1)
end

local function dynamics()
  local robot = load("atlas", { base = "floating" })
  local work = tenon.Workspace.new(robot)
  local q = work:random(3)
  local v = filled(work.nv, function(i) return -0.2 + 0.01 * i end)
  local tau = filled(work.nv, function(i) return 5 - 0.3 * i end)
  local qdd = work:forward_dynamics(q, v, tau)
  close(plus(times(work:mass_matrix(q), qdd), work:bias(q, v)), tau, 1e-8, "M qdd + c = tau")
  close(work:inverse_dynamics(q, v, qdd), tau, 1e-8, "inverse dynamics")
  local hand = robot:link("l_hand").number
  local wrenches = tenon.vector(6 * robot.link_count)
  wrenches[6 * (hand - 1) + 4] = -10
  work:kinematics(q, v)
  local J = work:jacobian(hand, { axes = "link" })
  close(times(J, v), work:link_velocity("l_hand", "link"), 1e-10, "J v")
  local push = transposed_times(J, { 0, 0, 0, 10, 0, 0 })
  close(work:inverse_dynamics(q, v, qdd, { wrenches = wrenches }), plus(tau, push), 1e-8, "wrenches")
  close(work:difference(q, work:integrate(q, v, 0.01)), plus(work:zeros(), v, 0.01), 1e-10, "difference")
  local kinetic, twice = work:energy(), times(work:mass_matrix(q), v)
  local sum = 0
  for i = 1, work.nv do
    sum = sum + v[i] * twice[i]
  end
  close({ kinetic }, { sum / 2 }, 1e-9, "kinetic energy")
  local out = work:zeros()
  check(work:forward_dynamics(q:table(), v:table(), tau, { out = out }) == out, "out")
  close(out, qdd, 0, "out")

  -- What does not fit is refused before the call: the last status and the result stay.
  fails("wrong_size", "q: 3 numbers; 37 are needed", work.forward_dynamics, work, { 1, 2, 3 }, v, tau, { out = out })
  fails("wrong_size", "tau: 35 numbers; 36 are needed", work.forward_dynamics, work, q, v, tau:part(1, 35), { out = out })
  fails("wrong_size", "wrenches: 5 numbers", work.forward_dynamics, work, q, v, tau, { wrenches = tenon.vector(5) })
  fails("wrong_size", "out: 2 numbers; 36 are needed", work.forward_dynamics, work, q, v, tau, { out = tenon.vector(2) })
  fails("wrong_size", "out: a matrix of 36 x 36", work.mass_matrix, work, q, tenon.matrix(36, 35))
  fails("invalid_argument", "q: nil, and not a vector", work.forward_dynamics, work)
  fails("invalid_argument", "out is written", work.neutral, work, { 1, 2 })
  same(work:status(), "ok")
  close(out, qdd, 0, "nothing was called")
  q[6] = 0 / 0
  fails("not_finite", "q", work.forward_dynamics, work, q, v, tau)
  same(work:status(), "not_finite")
  fails("out_of_range", "number 38 of a vector of 37", function() return q[38] end)
  fails("out_of_range", "number 0 of a vector of 37", function() q[0] = 1 end)
  fails("out_of_range", "(7, 1) of 6 x 36", J.get, J, 7, 1)
  fails("out_of_range", "numbers 30 to 39 of 37", q.part, q, 30, 10)
end

local function constraints()
  local robot = load("atlas", { base = "floating" })
  local set = tenon.Constraints.new(robot)
  set:add_weld("l_foot")
  same(set:add_point("l_hand", { 0.1, 0, 0 }, { name = "hand", weights = { 1, 1, 2 } }), 2)
  local K = tenon.matrix(2, 6)
  K:set(1, 4, 1)
  K:set(2, 2, 1)
  set:add_rows("r_foot", K)
  fails("wrong_size", "6 are needed", set.add_rows, set, "r_foot", tenon.matrix(6, 2))
  fails("wrong_size", "point: 1 numbers; 3 are needed", set.add_point, set, "l_hand", { 0.1 })
  fails("wrong_size", "weights", set.add_weld, set, "l_hand", nil, { weights = { 1, 2 } })
  same(set:count(), 3)
  same(set:row_count(), 11)
  fails("invalid_argument", "finish", set.add_weld, set, 1)
  local work, free = tenon.Workspace.new(robot, set), tenon.Workspace.new(robot)
  local q = work:random(5)
  local v = filled(work.nv, function(i) return 0.1 - 0.01 * i end)
  local tau = filled(work.nv, function(i) return -3 + 0.2 * i end)
  local qdd, lambda = work:constrained_dynamics(q, v, tau)
  same(work:status(), "ok")
  check(work:report().primal_residual < 1e-6, "report")
  local rows = work:constraint_rows(q, v)
  close(times(rows.J, qdd), rows.rhs, 1e-7, "J qdd = rhs")
  local moved = plus(times(work:mass_matrix(q), qdd), work:bias(q, v))
  close(moved, plus(tau, transposed_times(rows.J, lambda)), 1e-7, "equation of motion")
  close(work:constrained_inverse_dynamics(q, v, qdd, lambda), tau, 1e-7, "inverse")
  local desired = filled(11, function(i) return -0.5 + 0.1 * i end)
  close(times(rows.J, (work:constrained_dynamics(q, v, tau, { desired = desired }))), plus(rows.rhs, desired), 1e-7, "desired")
  local wrenches, hand = tenon.vector(6 * robot.link_count), robot:link("r_hand").number
  wrenches[6 * (hand - 1) + 4] = 50
  work:kinematics(q, v)
  local push = transposed_times(work:jacobian(hand, { axes = "link" }), { 0, 0, 0, 50, 0, 0 })
  local pushed = work:constrained_dynamics(q, v, tau, { wrenches = wrenches })
  close(pushed, (work:constrained_dynamics(q, v, plus(tau, push))), 1e-7, "wrenches on a robot that is held")
  local dense = tenon.solve_options({ method = "dense" })
  close(work:constrained_dynamics(q, v, tau, { solve = dense }), qdd, 1e-6, "dense")
  same(work:report().method, "dense")
  local zero, unit = free:zeros(), tenon.vector(11) -- a column of the Delassus matrix by forward dynamics from rest
  unit[5] = 1
  local answer = free:forward_dynamics(q, zero, plus(free:bias(q, zero), transposed_times(rows.J, unit)))
  close(work:delassus(q, { method = "pv_osimr" }):column(5), times(rows.J, answer), 1e-7, "Delassus matrix")
  local next, speed = q:part(1, work.nq), v:part(1, work.nv)
  work:step(next, speed, tau, 0.001)
  close(work:difference(q, next), plus(zero, speed, 0.001), 1e-9, "step")
  fails("not_found", "semi_implicit_euler", work.step, work, next, speed, tau, 0.001, { integrator = "euler" })
  work:set_active("hand", false)
  local other, change = work:constrained_dynamics(q, v, tau), 0
  for i = 1, work.nv do
    change = math.max(change, math.abs(other[i] - qdd[i]))
  end
  check(change > 1e-3, "active")
  fails("not_found", "foot", work.set_active, work, "foot", false)
  fails("out_of_range", "no constraint 4", work.set_active, work, 4, false)
  local loop = tenon.Constraints.new(robot)
  same(loop:add_closure("l_hand", "r_hand", nil, nil, { rows = "linear", name = "clap" }), 1)
  same(loop:row_count(), 3)
end

local function batches()
  local robot = load("atlas", { base = "floating" })
  local set = tenon.Constraints.new(robot)
  set:add_weld("l_foot")
  local batch, work = tenon.Batch.new(robot, set), tenon.Workspace.new(robot, set)
  local states, nq, nv = 9, batch.nq, batch.nv
  local q, tau = tenon.vector(states * nq), filled(states * nv, function() return 1 end)
  local v = filled(nv, function() return 0.1 end)
  for s = 0, states - 1 do
    q:put(s * nq + 1, work:random(s))
  end
  tau[3 * nv + 9] = 20
  local free = batch:forward_dynamics(q, v, tau)
  close(batch:inverse_dynamics(q, v, free), tau, 1e-7, "inverse dynamics of a batch")
  local held, forces = batch:constrained_dynamics(q, v, tau)
  for s = 0, states - 1 do
    local qdd, lambda = work:constrained_dynamics(q:part(s * nq + 1, nq), v, tau:part(s * nv + 1, nv))
    close(held:part(s * nv + 1, nv), qdd, 1e-7, "state " .. s)
    close(forces:part(s * 6 + 1, 6), lambda, 1e-7, "forces of state " .. s)
  end
  local how = { steps = 4, every = 2, dt = 0.002, solve = { method = "dense" } }
  local q_out, v_out = batch:rollout(q, v, tau, how)
  local q3, v3 = q:part(3 * nq + 1, nq), v:part(1, nv)
  for _ = 1, 4 do
    work:step(q3, v3, tau:part(3 * nv + 1, nv), 0.002)
  end
  close(q_out:part(7 * nq + 1, nq), q3, 1e-7, "positions of a rollout")
  close(v_out:part(7 * nv + 1, nv), v3, 1e-7, "velocities of a rollout")
  q[4 * nq + 1] = 0 / 0
  fails("not_finite", "4", batch.forward_dynamics, batch, q, v, tau)
  same(batch:status()[5], "not_finite")
  same(batch:status()[6], "ok")
  fails("wrong_size", "v: 35 numbers; 9 times 36 are needed", batch.forward_dynamics, batch, q, v:part(1, 35), tau)
  fails("wrong_size", "q: 38 numbers, not states x 37", batch.forward_dynamics, batch, tenon.vector(38), v, tau)
  fails("wrong_size", "out: 36 numbers; 324", batch.forward_dynamics, batch, q, v, tau, { out = tenon.vector(36) })
  local none = tenon.Batch.new(robot)
  local _, nothing = none:constrained_dynamics(q:part(1, nq), v, tau:part(1, nv))
  same(#nothing, 0)
  fails("unsupported", "doubles", tenon.Batch.new, robot, nil, { precision = "single" })
  fails("unsupported", "doubles", tenon.Batch.new, robot, nil, { precision = "float" })
  fails("not_found", "there is no precision 'half'; there are: double, single", tenon.Batch.new, robot, nil,
    { precision = "half" })
end

local function anchors()
  local robot = load("atlas", { base = "floating" })
  local set = tenon.Constraints.new(robot)
  set:add_weld("l_foot", nil, { frequency = 10 })
  set:add_point("l_hand", nil, { name = "hand", frequency = 5, damping_ratio = 0.5 })
  local batch, work = tenon.Batch.new(robot, set), tenon.Workspace.new(robot, set)
  local nq, nv = batch.nq, batch.nv
  local q, v = tenon.vector(3 * nq), filled(nv, function() return 0.1 end)
  local tau = filled(nv, function() return 1 end)
  for s = 0, 2 do
    q:put(s * nq + 1, work:random(s))
  end
  -- The numbers of the states in which a and b differ.
  local function changed(a, b)
    local all = ""
    for s = 0, 2 do
      local equal = true
      for i = s * nv + 1, s * nv + nv do
        equal = equal and a[i] == b[i]
      end
      all = all .. (equal and "" or s)
    end
    return all
  end
  fails("invalid_argument", "no anchors", batch.constrained_dynamics, batch, q, v, tau)
  batch:anchor_here(q)
  same(#batch:status(), 3)
  local here, poses = batch:constrained_dynamics(q, v, tau), batch:anchors(3)
  for s = 0, 2 do
    local each = q:part(s * nq + 1, nq)
    work:anchor_here(each)
    close(here:part(s * nv + 1, nv), (work:constrained_dynamics(each, v, tau)), 1e-7, "anchors of state " .. s)
    work:kinematics(each)
    close(poses:part(14 * s + 8, 3), work:link_pose("l_hand"):part(1, 3), 1e-9, "the hand of state " .. s)
  end
  batch:set_anchors(poses)
  local before = batch:constrained_dynamics(q, v, tau)
  poses[14 + 7 + 3] = poses[14 + 7 + 3] + 0.1 -- of the second state and constraint
  batch:set_anchors(poses:table())
  close(batch:anchors(3), poses, 1e-9, "anchors")
  local lifted = batch:constrained_dynamics(q, v, tau)
  same(changed(lifted, before), "1", "the anchor of one state")
  batch:set_active({ true, true, true, 1, false, true })
  local let_go, forces = batch:constrained_dynamics(q, v, tau)
  same(changed(let_go, lifted), "2", "the activity of one state")
  check(forces[2 * 9 + 6] == 0 and forces[2 * 9 + 7] ~= 0 and forces[9 + 6] ~= 0, "forces of what is let go")
  batch:set_active(filled(2, function() return 1 end))
  batch:set_gains({ 10, 5 }, { 1, 0.5 }) -- as they were
  same(changed(batch:constrained_dynamics(q, v, tau), lifted), "", "the same gains")
  batch:set_gains({ 10, 5, 10, 5, 10, 9 }, { 1, 0.5 })
  same(changed(batch:constrained_dynamics(q, v, tau), lifted), "2", "gains of one state")
  batch:set_gains({ 10, 5 }, { 1, 1 })
  local damped = batch:constrained_dynamics(q, v, tau)
  same(changed(damped, lifted), "012", "damping of all states")
  batch:set_gains({ 10, 5 })
  same(changed(batch:constrained_dynamics(q, v, tau), damped), "", "damping of 1")
  fails("wrong_size", "those of 3 states", batch.constrained_dynamics, batch, q:part(1, nq), v, tau)
  batch:set_anchor("hand", { 1, 2, 3, 0, 0, 0, 1 })
  local fixed = batch:anchors(3)
  check(fixed[8] == 1 and fixed[14 + 9] == 2 and fixed[28 + 10] == 3, "an anchor of all states")
  fails("not_found", "foot", batch.set_anchor, batch, "foot", { 1, 2, 3, 0, 0, 0, 1 })
  fails("wrong_size", "pose: 6 numbers; 7 are needed", batch.set_anchor, batch, 2, tenon.vector(6))
  fails("wrong_size", "poses: 13 numbers, not states x 14", batch.set_anchors, batch, tenon.vector(13))
  fails("wrong_size", "active: 3 numbers, not states x 2", batch.set_active, batch, { true, true, true })
  fails("wrong_size", "damping_ratios: 6 numbers; 2 times 2", batch.set_gains, batch, { 0, 0, 0, 0 }, tenon.vector(6))
  fails("invalid_argument", "poses: nil", batch.set_anchors, batch)
  fails("out_of_memory", "numbers are more than a vector has", batch.anchors, batch, 2 ^ 32)
  fails("out_of_memory", "numbers are more than a vector has", batch.anchors, batch, -1)
  fails("invalid_argument", "a whole number", batch.anchors, batch, 2.5)
  fails("wrong_size", "3 states", batch.anchors, batch, 2)
end

local function limits()
  local batch, one = tenon.Batch.new(load("iiwa14")), tenon.vector(7)
  -- 7 times the first is 5, modulo 2^64, and the second 3, modulo 2^32.
  for _, steps in ipairs({ 2635249153387078803ULL, 613566757, 2 ^ 28, 2 ^ 32 / 7 + 1, -1, 2 ^ 60 }) do
    fails("out_of_memory", "numbers are more than a vector has", batch.rollout, batch, one, one, one, { steps = steps })
  end
  fails("out_of_memory", "65536 x 65536 numbers", tenon.matrix, 65536, 65536)
  fails("out_of_memory", "-1 x -1 numbers", tenon.matrix, -1, -1)
  local text = "<robot name='stone'><link name='a'/></robot>"
  local still, none = tenon.Batch.new(tenon.Model.parse(text)), tenon.vector(0)
  same(#still:forward_dynamics(none, none, none), 0, "no joints")
  same(#still:inverse_dynamics(none, none, none, { wrenches = tenon.vector(6) }), 0, "wrenches without joints")
  same(#still:constrained_dynamics(none, none, none), 0, "constraints without joints")
  same(#still:rollout(none, none, none, { steps = 3 }), 0, "a rollout without joints")
  same(#still:status(), 1, "one state")
  same(#batch:forward_dynamics(none, none, one), 0, "no state")
  same(#batch:rollout(none, none, none, { steps = 3 }), 0, "a rollout without states")
  same(#batch:status(), 0, "no status")
  fails("wrong_size", "q: 7 numbers, not states x 0", still.forward_dynamics, still, one, none, none)
end

local function memory()
  local file = assert(io.open("/proc/self/statm"))
  local pages = tonumber(file:read("*a"):match("%d+ (%d+)"))
  file:close()
  return pages * 4096
end

local function forgotten(count)
  for _ = 1, count do
    tenon.Workspace.new(load("iiwa14")):zeros()
  end
  collectgarbage()
  collectgarbage()
end

local function freed()
  local robot = load("atlas")
  local set = tenon.Constraints.new(robot)
  local work = tenon.Workspace.new(robot, set)
  robot:close()
  robot:close()
  fails("invalid_argument", "this Model was closed", robot.describe, robot)
  fails("invalid_argument", "this Model was closed", tenon.Workspace.new, robot)
  same(#work:neutral(), work.nq, "what was made from it stays good")
  set:close()
  fails("invalid_argument", "this Constraints was closed", set.count, set)
  work:close()
  work:close()
  fails("invalid_argument", "this Workspace was closed", work.neutral, work)
  local batch = tenon.Batch.new(load("iiwa14"))
  batch:close()
  fails("invalid_argument", "this Batch was closed", batch.forward_dynamics, batch, work.zeros({ nv = 7 }),
    work.zeros({ nv = 7 }), work.zeros({ nv = 7 }))
  forgotten(300)
  local before = memory()
  for _ = 1, 10 do
    forgotten(300)
  end
  local kept = (memory() - before) / 1024
  check(kept < 20 * 1024, "3000 forgotten workspaces keep " .. kept .. " KiB")

  -- A call in a loop that is compiled: the same, and no vector is made.
  robot = load("iiwa14")
  work = tenon.Workspace.new(robot)
  local q, zero, how = work:random(1), work:zeros(), { out = work:zeros() }
  local wanted = work:forward_dynamics(q, zero, zero)
  local good = true
  for _ = 1, 20000 do
    good = good and work:forward_dynamics(q, zero, zero, how)[3] == wanted[3]
  end
  check(good, "twenty thousand calls")
end

models()
dynamics()
constraints()
batches()
anchors()
limits()
freed()
print(checks .. " checks, " .. failures .. " failed")
os.exit(failures == 0 and 0 or 1)
