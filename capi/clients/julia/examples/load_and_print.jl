# Loads a robot and prints what it is: julia --project=capi/clients/julia load_and_print.jl models/iiwa14.urdf
using Printf
using Tenon

robot = Model(ARGS[1])
@printf("%s: %d joints, nq %d, nv %d, %.1f kg\n", robot.name, length(robot.joints), robot.nq, robot.nv, robot.total_mass)
print(describe(robot))
for name in robot.joints
    joint = joint_info(robot, name)
    @printf("%s: %s, from %.2f to %.2f\n", name, joint.type, joint.lower, joint.upper)
end

work = Workspace(robot)
q = random(work, 1)
kinematics!(work, q)
pose = link_pose(work, length(robot.links))
@printf("the last link is at %.3f %.3f %.3f\n", pose[1], pose[2], pose[3])
print("held against gravity by")
for tau in gravity_force(work, q)
    @printf(" %.2f", tau)
end
println()
