-- Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
-- number, so that programs in other languages can be compared to the last one: luajit atlas.lua models/atlas.urdf
local ffi = require("ffi")
local tenon = require("tenon")

local robot = tenon.Model.load(arg[1] or "models/atlas.urdf", { base = "floating" })
local feet = tenon.Constraints.new(robot)
feet:add_weld("l_foot")
feet:add_weld("r_foot")
local work = tenon.Workspace.new(robot, feet)

local v, tau = work:zeros(), work:zeros()
for i = 6, work.nv - 1 do
  v[i + 1] = 0.01 * i
  tau[i + 1] = 10.0 - 0.5 * i
end
local qdd = work:constrained_dynamics(work:random(1), v, tau)

print(work:status())
local number = ffi.new("union { double number; uint32_t half[2]; }")
for i = 1, #qdd do
  number.number = qdd[i]
  print("qdd[" .. i - 1 .. "] = " .. bit.tohex(number.half[1]) .. bit.tohex(number.half[0]))
end
