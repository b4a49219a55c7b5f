-- Batches: what a workspace computes, of many states, in double precision. Vectors have the numbers of one state after
-- those of another: q is states x nq. An input of the numbers of one state is the same for all; nil is none. Without joints
-- a state has no numbers, and a call is of one. A state that fails spoils only itself: its status is negative, and the call
-- fails when the others are done.
local ffi = require("ffi")
local support = require("tenon.support")
local lib = support.lib

local Batch = support.class("Batch", 4)
local NONE = {}

-- tenon.Batch.new(robot, feet, { threads = 2 }); constraints and options may be nil.
function Batch.new(model, constraints, how)
  local options = support.options("tenon_batch_options", how)
  if options ~= nil and options.precision ~= support.constants.TENON_PRECISION_DOUBLE then
    support.wrong("UNSUPPORTED", "a batch of this class is of doubles; tenon.raw has single precision")
  end
  local set = constraints or require("tenon.constraints").new(model)
  local rows = set:finish():pointer()
  local batch = Batch.made(function(out, text, size)
    return lib.tenon_batch_create(model:pointer(), rows, options, out, text, size)
  end)
  batch.model, batch.constraints, batch.nq, batch.nv, batch.m = model, set, model.nq, model.nv, set:row_count()
  batch.constraint_count = set:count()
  batch.width = lib.tenon_batch_width(batch:pointer())
  batch.codes, batch.states = ffi.new("int32_t[1]"), 0
  return batch
end

-- Of each state of the last call.
function Batch:status()
  local all = {}
  for i = 1, self.states do
    all[i] = ffi.string(lib.tenon_status_string(self.codes[i - 1]))
  end
  return all
end

-- A vector of all states.
local function vector(numbers, name)
  if type(numbers) == "table" then
    return support.vector(numbers)
  end
  return support.given(numbers, type(numbers) == "cdata" and numbers.count or 0, name)
end

-- A vector, and how many states it is of, `count` numbers of each.
local function states_of(numbers, count, name)
  numbers = vector(numbers, name)
  local states = count == 0 and 1 or math.floor(numbers.count / count)
  if numbers.count ~= states * count then
    support.wrong("WRONG_SIZE", "%s: %d numbers, not states x %d", name, numbers.count, count)
  end
  return numbers, states
end

local function begin(self, q)
  q, self.states = states_of(q, self.nq, "q")
  self.codes = ffi.new("int32_t[?]", math.max(self.states, 1))
  return q, self.states
end

local function told(numbers, count, state_stride, record_stride)
  local array = ffi.new("tenon_batch_array")
  array.struct_size, array.data, array.size, array.count = ffi.sizeof(array), numbers.data, numbers.count, count
  array.number_stride, array.state_stride, array.record_stride = 1, state_stride, record_stride
  return array
end

-- What the library is told of an input, and the vector that the caller holds.
local function input(numbers, count, states, name)
  if numbers == nil then
    return nil
  end
  numbers = vector(numbers, name)
  if numbers.count ~= count and numbers.count ~= count * states then
    support.wrong("WRONG_SIZE", "%s: %d numbers; %d times %d are needed", name, numbers.count, states, count)
  end
  local stride = numbers.count == count and 0 or count
  return told(numbers, count, stride, 0), numbers
end

-- The same of a result, of `records` records of each state.
local function output(out, count, states, records, name)
  out = support.result(out, support.size(states, records, count), name)
  return told(out, count, count * records, records > 1 and count or 0), out
end

local function done(self, code)
  if code < 0 then
    support.fail(code, ffi.string(lib.tenon_batch_message(self:pointer())))
  end
end

-- ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

-- The pose, 7, at which a constraint is held in all states.
function Batch:set_anchor(constraint, pose)
  local i = self.constraints:index(constraint)
  pose = support.given(pose, 7, "pose")
  done(self, lib.tenon_batch_set_anchor(self:pointer(), i, pose.data, 7))
  support.keep(pose)
end

-- states x constraints x 7.
function Batch:set_anchors(poses)
  local count = 7 * self.constraint_count
  local held, n = states_of(poses, count, "poses")
  done(self, lib.tenon_batch_set_anchors(self:pointer(), n, (input(held, count, n, "poses"))))
  support.keep(held)
end

-- What was set, states x constraints x 7.
function Batch:anchors(states)
  if states ~= math.floor(states) then
    support.wrong("INVALID_ARGUMENT", "states: a whole number is needed")
  end
  local array, poses = output(nil, 7 * self.constraint_count, states, 1, "poses")
  done(self, lib.tenon_batch_anchors(self:pointer(), states, array))
  return poses
end

-- The anchors of all constraints are where they are at q.
function Batch:anchor_here(q)
  local held, n = begin(self, q)
  done(self, lib.tenon_batch_anchor_here(self:pointer(), n, (input(held, self.nq, n, "q")), self.codes, n))
  support.keep(held)
end

-- Which constraints are on, states x constraints: a table of true and false, or numbers, 1 or 0.
function Batch:set_active(active)
  local numbers = active
  if type(active) == "table" then
    numbers = {}
    for i = 1, #active do
      numbers[i] = active[i] == true and 1 or active[i] or 0
    end
  end
  local held, n = states_of(numbers, self.constraint_count, "active")
  done(self, lib.tenon_batch_set_active(self:pointer(), n, (input(held, self.constraint_count, n, "active"))))
  support.keep(held)
end

-- states x constraints. damping_ratios: nil is 1.
function Batch:set_gains(frequencies, damping_ratios)
  local count = self.constraint_count
  local held, n = states_of(frequencies, count, "frequencies")
  if damping_ratios == nil then
    damping_ratios = {}
    for i = 1, count do
      damping_ratios[i] = 1
    end
  end
  local f = input(held, count, n, "frequencies")
  local r, held_r = input(damping_ratios, count, n, "damping_ratios")
  done(self, lib.tenon_batch_set_gains(self:pointer(), n, f, r))
  support.keep(held, held_r)
end

-- ---- computations

local function dynamics(self, call, q, v, third, name, how)
  how = how or NONE
  local held, n = begin(self, q)
  local x = input(held, self.nq, n, "q")
  local y, held_v = input(v, self.nv, n, "v")
  local z, held_third = input(third, self.nv, n, name)
  local w, held_w = input(how.wrenches, 6 * self.model.link_count, n, "wrenches")
  local r, out = output(how.out, self.nv, n, 1, "out")
  done(self, call(self:pointer(), n, x, y, z, w, r, self.codes, n))
  support.keep(held, held_v, held_third, held_w)
  return out
end

-- qdd of all states: states x nv. how: wrenches, out.
function Batch:forward_dynamics(q, v, tau, how)
  return dynamics(self, lib.tenon_batch_forward_dynamics, q, v, tau, "tau", how)
end

-- tau of all states: states x nv.
function Batch:inverse_dynamics(q, v, a, how)
  return dynamics(self, lib.tenon_batch_inverse_dynamics, q, v, a, "a", how)
end

-- Accelerations, states x nv, and forces of the rows, states x m. how: wrenches, desired, solve, out, lambda.
function Batch:constrained_dynamics(q, v, tau, how)
  how = how or NONE
  local held, n = begin(self, q)
  local x = input(held, self.nq, n, "q")
  local y, held_v = input(v, self.nv, n, "v")
  local z, held_tau = input(tau, self.nv, n, "tau")
  local w, held_w = input(how.wrenches, 6 * self.model.link_count, n, "wrenches")
  local k, held_k = input(how.desired, self.m, n, "desired")
  local r, qdd = output(how.out, self.nv, n, 1, "out")
  local f, lambda = output(how.lambda, self.m, n, 1, "lambda")
  local options = support.options("tenon_solve_options", how.solve)
  local call = lib.tenon_batch_constrained_dynamics
  local code = call(self:pointer(), options, n, x, y, z, w, k, r, f, nil, 0, self.codes, n)
  done(self, code)
  support.keep(held, held_v, held_tau, held_w, held_k)
  return qdd, lambda
end

-- Steps in time; tau is the same in all of them. how: fields of tenon_rollout_options, wrenches. Positions and velocities,
-- states x records x numbers.
function Batch:rollout(q, v, tau, how)
  local steps = {}
  for field, value in pairs(how or NONE) do
    steps[field] = field ~= "wrenches" and value or nil
  end
  local options, held_options = support.options("tenon_rollout_options", steps)
  local held, n = begin(self, q)
  local records = math.floor(tonumber(options.steps) / math.max(tonumber(options.every), 1))
  local x = input(held, self.nq, n, "q")
  local y, held_v = input(v, self.nv, n, "v")
  local z, held_tau = input(tau, self.nv, n, "tau")
  local w, held_w = input((how or NONE).wrenches, 6 * self.model.link_count, n, "wrenches")
  local qs, q_out = output(nil, self.nq, n, records, "q")
  local vs, v_out = output(nil, self.nv, n, records, "v")
  local code = lib.tenon_batch_rollout(self:pointer(), options, n, x, y, z, w, qs, vs, self.codes, n)
  done(self, code)
  support.keep(held, held_options, held_v, held_tau, held_w)
  return q_out, v_out
end

return Batch
