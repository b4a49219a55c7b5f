-- Constraints: what is held on the links of a model. Filled, then finished, by finish() or the first workspace or batch;
-- immutable from then on. Each add_... returns the number of the constraint; how: fields of tenon_constraint_options.
local ffi = require("ffi")
local support = require("tenon.support")
local lib = support.lib

local Constraints = support.class("Constraints", 2)

-- tenon.Constraints.new(robot)
function Constraints.new(model)
  local set = Constraints.made(function(out, text, size)
    return lib.tenon_constraints_create(model:pointer(), out, text, size)
  end)
  set.model = model
  return set
end

-- add(set, options, index, text, size) asks the library.
local function added(self, how, add)
  local options, held = support.options("tenon_constraint_options", how)
  local index, p = ffi.new("int32_t[1]", -1), self:pointer()
  support.ask(function(text, size)
    return add(p, options, index, text, size)
  end)
  support.keep(held)
  return index[0] + 1
end

-- A point of a link, 3, m; nil: its origin.
function Constraints:add_point(link, point, how)
  local i, held, x, n = self.model:link_index(link), support.maybe(point, 3, "point")
  local number = added(self, how, function(p, ...)
    return lib.tenon_constraints_add_point(p, i, x, n, ...)
  end)
  support.keep(held)
  return number
end

-- A frame of a link, pose of 7; nil: the link's own.
function Constraints:add_weld(link, pose, how)
  local i, held, x, n = self.model:link_index(link), support.maybe(pose, 7, "pose")
  local number = added(self, how, function(p, ...)
    return lib.tenon_constraints_add_weld(p, i, x, n, ...)
  end)
  support.keep(held)
  return number
end

-- K a = k with the spatial acceleration a of the link in its frame; K: a matrix of 6 columns.
function Constraints:add_rows(link, K, how)
  local i = self.model:link_index(link)
  if K.columns ~= 6 then
    support.wrong("WRONG_SIZE", "K has %d columns, 6 are needed: [angular; linear]", K.columns)
  end
  return added(self, how, function(p, ...)
    return lib.tenon_constraints_add_rows(p, i, K.rows, K.data.data, K.data.count, math.max(K.rows, 1), ...)
  end)
end

-- Keeps a frame of one link together with a frame of another; second: nil is the world.
function Constraints:add_closure(link, second, pose, second_pose, how)
  local i = self.model:link_index(link)
  local j = second == nil and support.constants.TENON_WORLD or self.model:link_index(second)
  local held, x, n = support.maybe(pose, 7, "pose")
  local second_held, y, m = support.maybe(second_pose, 7, "second_pose")
  local number = added(self, how, function(p, ...)
    return lib.tenon_constraints_add_closure(p, i, x, n, j, y, m, ...)
  end)
  support.keep(held, second_held)
  return number
end

-- Does nothing the second time.
function Constraints:finish()
  local p = self:pointer()
  if not self.finished then
    support.ask(function(text, size)
      return lib.tenon_constraints_finish(p, text, size)
    end)
  end
  self.finished = true
  return self
end

function Constraints:count()
  return lib.tenon_constraints_constraint_count(self:pointer())
end

-- The length of lambda. Finishes the set.
function Constraints:row_count()
  return lib.tenon_constraints_row_count(self:finish():pointer())
end

-- The library's index of a constraint, of its name or number.
function Constraints:index(constraint)
  local find = lib.tenon_constraints_find_constraint
  return support.index(find, self:pointer(), "constraint", constraint, self:count())
end

return Constraints
