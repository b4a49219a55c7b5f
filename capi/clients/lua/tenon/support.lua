-- What all classes need: the library, errors, vectors, options.
local ffi = require("ffi")

local lib, constants, structs = require("tenon.library").load(require("tenon.raw"))
if math.floor(lib.tenon_version() / 100) ~= math.floor(constants.TENON_VERSION / 100) then
  error("the library is Tenon " .. ffi.string(lib.tenon_version_string()) .. ", of another version than this package")
end

local support = { lib = lib, constants = constants }

-- ---- errors

local Error = {}
Error.__index = Error
Error.__tostring = function(self)
  return self.status .. ": " .. self.message
end
support.Error = Error

function support.fail(code, message)
  local status = ffi.string(lib.tenon_status_string(code))
  error(setmetatable({ status = status, code = code, message = message }, Error), 0)
end

local function wrong(kind, ...)
  support.fail(constants["TENON_" .. kind], string.format(...))
end
support.wrong = wrong

function support.check(code, message)
  if code < 0 then
    support.fail(code, message)
  end
end

-- What C reads during a call is named after it, so that it is not collected before.
function support.keep() end

local message = ffi.new("char[1024]")

-- call(message, size) asks the library and returns its status.
function support.ask(call)
  message[0] = 0
  local code = call(message, 1024)
  if code < 0 then
    support.fail(code, ffi.string(message))
  end
end

-- ---- objects: freed by close(), or by the garbage collector

ffi.cdef("typedef struct { void *pointer; int32_t kind; } tenon_lua_handle;")
local KINDS = { "tenon_model", "tenon_constraints", "tenon_workspace", "tenon_batch" }

local function free(handle)
  if handle.pointer ~= nil then
    local kind = KINDS[handle.kind]
    lib[kind .. "_destroy"](ffi.cast(kind .. " *", handle.pointer))
    handle.pointer = nil
  end
end

local Handle = ffi.metatype("tenon_lua_handle", { __gc = free })

-- A class of objects of the library; kind: the number of its name in KINDS.
function support.class(name, kind)
  local class = { __tostring = function() return "tenon." .. name end }
  class.__index = class
  local pointer = ffi.typeof(KINDS[kind] .. " *")
  local out = ffi.typeof(KINDS[kind] .. " *[1]")

  -- create(out, message, size) asks the library for one.
  function class.made(create)
    local made = out()
    support.ask(function(text, size)
      return create(made, text, size)
    end)
    return setmetatable({ handle = Handle(made[0], kind) }, class)
  end

  -- For the functions of raw; hold this object meanwhile.
  function class:pointer()
    local handle = rawget(self, "handle")
    if handle == nil or handle.pointer == nil then
      wrong("INVALID_ARGUMENT", "this %s was closed", name)
    end
    return pointer(handle.pointer)
  end

  -- Frees it now; does nothing the second time. What was made from it stays good.
  function class:close()
    free(self.handle)
  end

  return class
end

-- ---- vectors and matrices, which count from 1

ffi.cdef("typedef struct { int32_t count; double data[?]; } tenon_lua_vector;")
local Vector

local methods = {}

-- A copy of `count` numbers from number `first` on.
function methods.part(self, first, count)
  if count < 0 or first < 1 or first + count - 1 > self.count then
    wrong("OUT_OF_RANGE", "numbers %d to %d of %d", first, first + count - 1, self.count)
  end
  local part = Vector(count, count)
  ffi.copy(part.data, self.data + (first - 1), 8 * count)
  return part
end

-- Writes numbers from number `first` on.
function methods.put(self, first, numbers)
  for i = 1, #numbers do
    self[first + i - 1] = numbers[i]
  end
  return self
end

function methods.table(self)
  local all = {}
  for i = 1, self.count do
    all[i] = self.data[i - 1]
  end
  return all
end

local function outside(self, i)
  wrong("OUT_OF_RANGE", "number %s of a vector of %d", tostring(i), self.count)
end

Vector = ffi.metatype("tenon_lua_vector", {
  __len = function(self) return self.count end,
  __index = function(self, i)
    if type(i) ~= "number" then
      return methods[i]
    end
    if i < 1 or i > self.count then
      outside(self, i)
    end
    return self.data[i - 1]
  end,
  __newindex = function(self, i, value)
    if type(i) ~= "number" or i < 1 or i > self.count then
      outside(self, i)
    end
    self.data[i - 1] = value
  end,
})

-- The product of sizes, for a vector: LuaJIT makes nothing of more than 2 GB.
function support.size(...)
  local all, good = 1, true
  for i = 1, select("#", ...) do
    local size = tonumber((select(i, ...)))
    all, good = all * size, good and size >= 0
  end
  if not (good and all < 2 ^ 28 - 1) then
    local words = {}
    for i = 1, select("#", ...) do
      words[i] = string.format("%.0f", tonumber((select(i, ...))))
    end
    wrong("OUT_OF_MEMORY", "%s numbers are more than a vector has", table.concat(words, " x "))
  end
  return all
end

-- Of zeros, or of the numbers of a table.
function support.vector(from)
  local count = support.size(type(from) == "number" and from or #from)
  local vector = Vector(count, count)
  ffi.fill(vector.data, 8 * count)
  if type(from) ~= "number" then
    vector:put(1, from)
  end
  return vector
end

-- The vector of an argument: refused where its length is another.
function support.given(numbers, count, name)
  if type(numbers) == "table" then
    numbers = support.vector(numbers)
  elseif not ffi.istype(Vector, numbers) then
    wrong("INVALID_ARGUMENT", "%s: %s, and not a vector or a table", name, type(numbers))
  end
  if numbers.count ~= count then
    wrong("WRONG_SIZE", "%s: %d numbers; %d are needed", name, numbers.count, count)
  end
  return numbers
end

-- Where it may be absent: the vector, which the caller holds, its numbers and its length.
function support.maybe(numbers, count, name)
  if numbers == nil then
    return nil, nil, 0
  end
  numbers = support.given(numbers, count, name)
  return numbers, numbers.data, count
end

-- What a result is written to: the vector given for it, or a new one.
function support.result(out, count, name)
  if out == nil then
    return support.vector(count)
  end
  if not ffi.istype(Vector, out) then
    wrong("INVALID_ARGUMENT", "%s is written: give a vector", name)
  end
  return support.given(out, count, name)
end

-- Column-major: element (i, j) is data[i + (j - 1) * rows].
local Matrix = {}
Matrix.__index = Matrix
support.Matrix = Matrix

function support.matrix(rows, columns)
  return setmetatable({ rows = rows, columns = columns, data = support.vector(support.size(rows, columns)) }, Matrix)
end

function Matrix:at(i, j)
  if i < 1 or i > self.rows or j < 1 or j > self.columns then
    wrong("OUT_OF_RANGE", "(%d, %d) of %d x %d", i, j, self.rows, self.columns)
  end
  return i + (j - 1) * self.rows
end

function Matrix:get(i, j)
  return self.data[self:at(i, j)]
end

function Matrix:set(i, j, value)
  self.data[self:at(i, j)] = value
end

function Matrix:column(j)
  return self.data:part(self:at(1, j), self.rows)
end

-- The matrix given for a result, or a new one.
function support.square(out, rows, columns, name)
  if out == nil then
    return support.matrix(rows, columns)
  end
  if getmetatable(out) ~= Matrix or out.rows ~= rows or out.columns ~= columns then
    wrong("WRONG_SIZE", "%s: a matrix of %d x %d is needed", name, rows, columns)
  end
  return out
end

-- ---- options: tables by the names of tenon.h; constants may be their names

local FIELDS = {}
for _, struct in ipairs(structs) do
  FIELDS[struct.name] = {}
  for _, field in ipairs(struct.fields) do
    FIELDS[struct.name][field] = true
  end
end

local KIND_OF = { base = "base", loop_treatment = "loop_treatment", axes = "axes", integrator = "integrator",
  instruction_set = "instruction_set", precision = "precision", split_base = "split", method = "method" }

function support.constant(kind, value)
  if type(value) ~= "string" then
    return value
  end
  local number = ffi.new("int32_t[1]")
  local name = kind == "precision" and value == "float" and "single" or value
  local known = constants["TENON_CONSTANT_" .. kind:upper()]
  if lib.tenon_constant_from_name(known, name, number) < 0 then
    local all = {}
    for i = 1, lib.tenon_constant_count(known) do
      all[i] = ffi.string(lib.tenon_constant_name(known, i - 1))
    end
    wrong("NOT_FOUND", "there is no %s '%s'; there are: %s", kind, value, table.concat(all, ", "))
  end
  return number[0]
end

function support.prepared(name)
  local struct = ffi.new(name)
  support.check(lib[name .. "_init"](struct, ffi.sizeof(struct)), name)
  return struct
end

-- The struct, and a table of what it points to: both are to be held during the call. A struct that was made so before
-- is taken as it is, and nil is nil, the defaults.
function support.options(name, values, method)
  if values == nil or type(values) == "cdata" then
    return values
  end
  local struct, held = support.prepared(name), {}
  for field, value in pairs(values) do
    local fields = FIELDS[name]
    if not fields[field] or field == "struct_size" or field == "reserved" or field:match("_count$") then
      local known = {}
      for each in pairs(fields) do
        if each ~= "struct_size" and each ~= "reserved" and not each:match("_count$") then
          known[#known + 1] = each
        end
      end
      table.sort(known)
      wrong("NOT_FOUND", "there is no option '%s'; there are: %s", tostring(field), table.concat(known, ", "))
    end
    if fields[field .. "_count"] then
      local numbers = type(value) == "table" and support.vector(value) or value
      struct[field], struct[field .. "_count"] = numbers.data, numbers.count
      held[#held + 1] = numbers
    elseif field == "gravity" then
      ffi.copy(struct.gravity, support.given(value, 3, "gravity").data, 24)
    elseif field == "rows" and type(value) == "string" then
      local bits = constants["TENON_ROWS_" .. value:upper()]
      if bits == nil then
        wrong("NOT_FOUND", "there are no rows '%s'; there are: angular, linear, all, hinge", value)
      end
      struct.rows = bits
    elseif field == "solve" then
      local solve, more = support.options("tenon_solve_options", value)
      struct.solve, held[#held + 1], held[#held + 2] = solve, solve, more or false
    elseif type(value) == "boolean" then
      struct[field] = value and 1 or 0
    elseif KIND_OF[field] then
      struct[field] = support.constant(field == "method" and method or KIND_OF[field], value)
    else
      held[#held + 1] = value -- a text lives as long
      struct[field] = value
    end
  end
  return struct, held
end

-- ---- names and numbers of links, joints and constraints, which count from 1

-- The library's index of a name or of a number; find: a function of the library.
function support.index(find, pointer, what, which, count)
  if type(which) == "string" then
    local index = ffi.new("int32_t[1]", -1)
    support.ask(function(text, size)
      return find(pointer, which, index, text, size)
    end)
    return index[0]
  end
  if type(which) ~= "number" or which < 1 or which > count or which ~= math.floor(which) then
    wrong("OUT_OF_RANGE", "there is no %s %s, only 1 to %d", what, tostring(which), count)
  end
  return which - 1
end

-- A number that counts from 1, of an index; nil of none.
function support.number(index)
  return index >= 0 and index + 1 or nil
end

return support
