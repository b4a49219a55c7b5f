-- A thousand states of Atlas on both feet in one call, then some of them 50 ms on: luajit thousand_states.lua
-- models/atlas.urdf
local tenon = require("tenon")

local robot = tenon.Model.load(arg[1] or "models/atlas.urdf", { base = "floating" })
local feet = tenon.Constraints.new(robot)
for _, foot in ipairs({ "l_foot", "r_foot" }) do
  feet:add_weld(foot)
end
local batch = tenon.Batch.new(robot, feet, { threads = 2 })
local work = tenon.Workspace.new(robot, feet)

local states, nq, nv, m = 1000, batch.nq, batch.nv, batch.m
local q = tenon.vector(states * nq)
for s = 0, states - 1 do
  q:put(s * nq + 1, work:random(s))
end
local zero = work:zeros() -- velocities and torques, the same for all
local qdd, lambda = batch:constrained_dynamics(q, zero, zero)
print(string.format("%d states of %s: nq %d, nv %d, %d rows", states, robot.name, nq, nv, m))
print(string.format("the left foot of state 7 is pushed up by %.1f N", lambda[7 * m + 6]))

local single = work:constrained_dynamics(q:part(7 * nq + 1, nq), zero, zero)
local largest, difference = 0, 0
for i = 1, nv do
  largest = math.max(largest, math.abs(single[i]))
  difference = math.max(difference, math.abs(single[i] - qdd[7 * nv + i]))
end
print("agrees with a single call: " .. tostring(difference <= 1e-8 * largest))

local _, v = batch:rollout(q:part(1, 16 * nq), zero, zero, { dt = 0.001, steps = 50, every = 50 })
local fastest = 0
for i = 1, #v do
  fastest = math.max(fastest, math.abs(v[i]))
end
print(string.format("after 50 ms the fastest joint of 16 states turns at %.1f rad/s", fastest))
