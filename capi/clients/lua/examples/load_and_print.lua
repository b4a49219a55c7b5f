-- Loads a robot and prints what it is: luajit load_and_print.lua models/iiwa14.urdf
local tenon = require("tenon")

local function text(numbers, count, format)
  local words = {}
  for i = 1, count do
    words[i] = string.format(format, numbers[i])
  end
  return table.concat(words, " ")
end

local robot = tenon.Model.load(arg[1] or "models/iiwa14.urdf")
print(string.format("%s: %d joints, nq %d, nv %d, %.1f kg", robot.name, robot.joint_count, robot.nq, robot.nv,
  robot.total_mass))
io.write(robot:describe())
for _, name in ipairs(robot.joints) do
  local joint = robot:joint(name)
  print(string.format("%s: %s, from %.2f to %.2f", name, joint.type, joint.lower, joint.upper))
end

local work = tenon.Workspace.new(robot)
local q = work:random(1)
work:kinematics(q)
print("the last link is at " .. text(work:link_pose(robot.link_count), 3, "%.3f"))
print("held against gravity by " .. text(work:gravity_force(q), work.nv, "%.2f"))
