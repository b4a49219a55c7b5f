-- Workspaces: the memory of computations on one state at a time. Vectors go in and out without a copy, tables are copied;
-- what does not fit is refused before the call. In `how`: wrenches, 6 for each link, [moment about its origin; force] along
-- link axes, and where results are written: with them, and with options made before, a call allocates no vector.
local ffi = require("ffi")
local support = require("tenon.support")
local lib, given, maybe, result, square = support.lib, support.given, support.maybe, support.result, support.square
local keep = support.keep

local Workspace = support.class("Workspace", 3)
local NONE = {}

-- tenon.Workspace.new(robot, feet, { methods = ... }); constraints and options may be nil.
function Workspace.new(model, constraints, how)
  local options, held = support.options("tenon_workspace_options", how)
  local set = constraints and constraints:finish():pointer() or nil
  local work = Workspace.made(function(out, text, size)
    return lib.tenon_workspace_create(model:pointer(), set, options, out, text, size)
  end)
  work.model, work.constraints, work.code = model, constraints, 0
  work.wrench_count = 6 * model.link_count
  keep(held)
  return work:sizes()
end

function Workspace:sizes()
  local p = self:pointer()
  self.nq, self.nv = lib.tenon_workspace_position_count(p), lib.tenon_workspace_velocity_count(p)
  self.m = lib.tenon_workspace_row_count(p)
  return self
end

local function done(self, code)
  self.code = code
  if code < 0 then
    support.fail(code, ffi.string(lib.tenon_workspace_message(self:pointer())))
  end
end

-- Of the last computation: "ok", or which caveat its answer has.
function Workspace:status()
  return ffi.string(lib.tenon_status_string(self.code))
end

-- How the last constrained solve went.
function Workspace:report()
  local report = support.prepared("tenon_solve_report")
  support.check(lib.tenon_workspace_report(self:pointer(), report), "report")
  local method = lib.tenon_constant_name(support.constants.TENON_CONSTANT_METHOD, report.method)
  return { method = ffi.string(method), iterations = report.iterations,
    rank = report.rank, primal_residual = report.primal_residual, dual_residual = report.dual_residual, mu = report.mu }
end

-- ---- settings

function Workspace:gravity()
  local gravity = support.vector(3)
  done(self, lib.tenon_workspace_gravity(self:pointer(), gravity.data, 3))
  return gravity
end

function Workspace:set_gravity(gravity)
  gravity = given(gravity, 3, "gravity")
  done(self, lib.tenon_workspace_set_gravity(self:pointer(), gravity.data, 3))
end

local function constraint_index(self, constraint)
  if self.constraints == nil then
    support.wrong("OUT_OF_RANGE", "this Workspace was made without constraints")
  end
  return self.constraints:index(constraint)
end

function Workspace:set_active(constraint, active)
  done(self, lib.tenon_workspace_set_active(self:pointer(), constraint_index(self, constraint), active and 1 or 0))
end

function Workspace:set_gains(constraint, frequency, damping_ratio)
  local i = constraint_index(self, constraint)
  done(self, lib.tenon_workspace_set_gains(self:pointer(), i, frequency, damping_ratio or 1))
end

-- The anchors of all constraints are where they are at q.
function Workspace:anchor_here(q)
  q = given(q, self.nq, "q")
  done(self, lib.tenon_workspace_anchor_here(self:pointer(), q.data, self.nq))
end

-- ---- configurations

function Workspace:zeros()
  return support.vector(self.nv)
end

function Workspace:neutral(out)
  local q = result(out, self.nq, "out")
  done(self, lib.tenon_neutral(self:pointer(), q.data, self.nq))
  return q
end

-- Within the limits, the same for the same seed everywhere.
function Workspace:random(seed, out)
  local q = result(out, self.nq, "out")
  done(self, lib.tenon_random(self:pointer(), seed, q.data, self.nq))
  return q
end

-- out may be q itself.
function Workspace:integrate(q, v, dt, out)
  q, v = given(q, self.nq, "q"), given(v, self.nv, "v")
  local next = result(out, self.nq, "out")
  done(self, lib.tenon_integrate(self:pointer(), q.data, self.nq, v.data, self.nv, dt, next.data, self.nq))
  return next
end

-- The velocity that leads from one configuration to another in unit time.
function Workspace:difference(from, to, out)
  from, to = given(from, self.nq, "from"), given(to, self.nq, "to")
  local v = result(out, self.nv, "out")
  done(self, lib.tenon_difference(self:pointer(), from.data, self.nq, to.data, self.nq, v.data, self.nv))
  return v
end

-- ---- kinematics

-- What follows answers for this state. v and a may be nil.
function Workspace:kinematics(q, v, a)
  q = given(q, self.nq, "q")
  local held_v, y, nv = maybe(v, self.nv, "v")
  local held_a, z, na = maybe(a, self.nv, "a")
  done(self, lib.tenon_kinematics(self:pointer(), q.data, self.nq, y, nv, z, na))
  keep(held_v, held_a)
end

-- [x y z qx qy qz qw] in the world.
function Workspace:link_pose(link, out)
  local i, pose = self.model:link_index(link), result(out, 7, "out")
  done(self, lib.tenon_link_pose(self:pointer(), i, pose.data, 7, nil, 0))
  return pose
end

-- [angular; linear at the link's origin], along axes "world" or "link".
function Workspace:link_velocity(link, axes, out)
  local i, velocity = self.model:link_index(link), result(out, 6, "out")
  local along = support.constant("axes", axes or "world")
  done(self, lib.tenon_link_velocity(self:pointer(), i, along, velocity.data, 6))
  return velocity
end

-- 6 x nv: J v = [angular velocity of the link; velocity of how.point, or of its origin] along how.axes.
function Workspace:jacobian(link, how)
  how = how or NONE
  local i, J = self.model:link_index(link), square(how.out, 6, self.nv, "out")
  local held, x, n = maybe(how.point, 3, "point")
  local along = support.constant("axes", how.axes or "world")
  done(self, lib.tenon_point_jacobian(self:pointer(), i, x, n, along, J.data.data, J.data.count, 6))
  keep(held)
  return J
end

-- Kinetic and potential, J.
function Workspace:energy()
  local both = ffi.new("double[2]")
  done(self, lib.tenon_energy(self:pointer(), both, both + 1))
  return both[0], both[1]
end

-- ---- dynamics

local function dynamics(self, call, q, v, third, name, how)
  how = how or NONE
  q, v, third = given(q, self.nq, "q"), given(v, self.nv, "v"), given(third, self.nv, name)
  local held, w, n = maybe(how.wrenches, self.wrench_count, "wrenches")
  local out = result(how.out, self.nv, "out")
  done(self, call(self:pointer(), q.data, self.nq, v.data, self.nv, third.data, self.nv, w, n, out.data, self.nv))
  keep(held)
  return out
end

-- qdd = M^-1 (tau + external - c).
function Workspace:forward_dynamics(q, v, tau, how)
  return dynamics(self, lib.tenon_forward_dynamics, q, v, tau, "tau", how)
end

-- tau = M a + c - external.
function Workspace:inverse_dynamics(q, v, a, how)
  return dynamics(self, lib.tenon_inverse_dynamics, q, v, a, "a", how)
end

-- c(q, v).
function Workspace:bias(q, v, out)
  q, v = given(q, self.nq, "q"), given(v, self.nv, "v")
  local c = result(out, self.nv, "out")
  done(self, lib.tenon_bias(self:pointer(), q.data, self.nq, v.data, self.nv, nil, 0, c.data, self.nv))
  return c
end

function Workspace:gravity_force(q, out)
  q = given(q, self.nq, "q")
  local g = result(out, self.nv, "out")
  done(self, lib.tenon_gravity_force(self:pointer(), q.data, self.nq, g.data, self.nv))
  return g
end

function Workspace:mass_matrix(q, out)
  q = given(q, self.nq, "q")
  local M = square(out, self.nv, self.nv, "out")
  done(self, lib.tenon_mass_matrix(self:pointer(), q.data, self.nq, M.data.data, M.data.count, math.max(self.nv, 1)))
  return M
end

-- ---- dynamics with constraints

-- qdd and lambda. how: wrenches, desired, solve (fields of tenon_solve_options), out and lambda.
function Workspace:constrained_dynamics(q, v, tau, how)
  how = how or NONE
  q, v, tau = given(q, self.nq, "q"), given(v, self.nv, "v"), given(tau, self.nv, "tau")
  local held_w, w, nw = maybe(how.wrenches, self.wrench_count, "wrenches")
  local held_k, k, nk = maybe(how.desired, self.m, "desired")
  local options = support.options("tenon_solve_options", how.solve)
  local qdd, lambda = result(how.out, self.nv, "out"), result(how.lambda, self.m, "lambda")
  done(self, lib.tenon_constrained_dynamics(self:pointer(), options, q.data, self.nq, v.data, self.nv, tau.data, self.nv,
    w, nw, k, nk, qdd.data, self.nv, lambda.data, self.m))
  keep(held_w, held_k)
  return qdd, lambda
end

-- tau = M a + c - J^T lambda.
function Workspace:constrained_inverse_dynamics(q, v, a, lambda, out)
  q, v, a = given(q, self.nq, "q"), given(v, self.nv, "v"), given(a, self.nv, "a")
  lambda = given(lambda, self.m, "lambda")
  local tau = result(out, self.nv, "out")
  done(self, lib.tenon_constrained_inverse_dynamics(self:pointer(), q.data, self.nq, v.data, self.nv, a.data, self.nv,
    nil, 0, lambda.data, self.m, tau.data, self.nv))
  return tau
end

-- The rows at a state: J qdd = rhs, with the position errors and the velocities of the rows.
function Workspace:constraint_rows(q, v)
  q, v = given(q, self.nq, "q"), given(v, self.nv, "v")
  local m, J = self.m, support.matrix(self.m, self.nv)
  local rhs, position_error, velocity = support.vector(m), support.vector(m), support.vector(m)
  done(self, lib.tenon_constraint_rows(self:pointer(), q.data, self.nq, v.data, self.nv, nil, 0, J.data.data,
    J.data.count, math.max(m, 1), rhs.data, m, position_error.data, m, velocity.data, m))
  return { J = J, rhs = rhs, position_error = position_error, velocity = velocity }
end

-- J M^-1 J^T. how: method, out.
function Workspace:delassus(q, how)
  q, how = given(q, self.nq, "q"), how or NONE
  local A = square(how.out, self.m, self.m, "out")
  local options = support.options("tenon_delassus_options", { method = how.method }, "delassus_method")
  done(self, lib.tenon_delassus(self:pointer(), options, q.data, self.nq, A.data.data, A.data.count, math.max(self.m, 1)))
  return A
end

local STEPS = { semi_implicit_euler = lib.tenon_step_semi_implicit_euler, runge_kutta_4 = lib.tenon_step_runge_kutta_4 }

-- One step in time: the vectors q and v change in place. how: integrator, wrenches, solve.
function Workspace:step(q, v, tau, dt, how)
  how = how or NONE
  local step = STEPS[how.integrator or "semi_implicit_euler"]
  if step == nil then
    support.constant("integrator", how.integrator) -- says which there are
    support.wrong("NOT_FOUND", "integrators are named: 'semi_implicit_euler', 'runge_kutta_4'")
  end
  if q == nil or v == nil then
    support.wrong("INVALID_ARGUMENT", "q and v are written: give vectors")
  end
  q, v, tau = result(q, self.nq, "q"), result(v, self.nv, "v"), given(tau, self.nv, "tau")
  local held, w, n = maybe(how.wrenches, self.wrench_count, "wrenches")
  local options = support.options("tenon_solve_options", how.solve)
  done(self, step(self:pointer(), options, dt, q.data, self.nq, v.data, self.nv, tau.data, self.nv, w, n, nil, 0, nil, 0))
  keep(held)
end

return Workspace
