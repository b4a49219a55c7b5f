# A thousand states of Atlas on both feet in one call, then some of them 50 ms on: julia --project=capi/clients/julia
# thousand_states.jl models/atlas.urdf
using Printf
using Tenon

robot = Model(ARGS[1]; base = :floating)
feet = Constraints(robot)
for foot in ("l_foot", "r_foot")
    add_weld!(feet, foot)
end
batch = Batch(robot, feet; threads = 2)
work = Workspace(robot, feet)

states = 1000
q = zeros(batch.nq, states)
for s in 1:states
    random!(view(q, :, s), work, s - 1)
end
rest = zeros(batch.nv) # velocities and torques, the same for all
qdd, lambda = constrained_dynamics(batch, q, rest, rest)
@printf("%d states of %s: nq %d, nv %d, %d rows\n", states, robot.name, batch.nq, batch.nv, batch.m)
@printf("the left foot of state 7 is pushed up by %.1f N\n", lambda[6, 8])

single, force = constrained_dynamics(work, view(q, :, 8), rest, rest)
difference_of_both = maximum(abs.(single .- qdd[:, 8]))
println("agrees with a single call: ", difference_of_both <= 1e-8 * maximum(abs.(single)))

after = rollout(batch, view(q, :, 1:16), rest, rest; dt = 0.001, steps = 50, every = 50)
@printf("after 50 ms the fastest joint of 16 states turns at %.1f rad/s\n", maximum(abs.(after.v)))
