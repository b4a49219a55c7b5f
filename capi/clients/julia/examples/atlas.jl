# Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each number,
# so that programs in other languages can be compared to the last one: julia --project=capi/clients/julia atlas.jl
# models/atlas.urdf
using Tenon

robot = Model(ARGS[1]; base = :floating)
feet = Constraints(robot)
add_weld!(feet, "l_foot")
add_weld!(feet, "r_foot")
work = Workspace(robot, feet)

v, tau = zeros(work.nv), zeros(work.nv)
for i in 6:(work.nv - 1)
    v[i + 1] = 0.01 * i
    tau[i + 1] = 10.0 - 0.5 * i
end
qdd, lambda = constrained_dynamics(work, random(work, 1), v, tau)

println(status(work))
for i in 1:length(qdd)
    println("qdd[", i - 1, "] = ", string(reinterpret(UInt64, qdd[i]); base = 16, pad = 16))
end
