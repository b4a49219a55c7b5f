# What the types of Julia hand to the library and back, against identities that the calls under test do not compute
# themselves; TENON_MODELS is the folder of the models.
using Tenon
using Test

const FOLDER = get(ENV, "TENON_MODELS", joinpath(@__DIR__, "../../../../models"))
robot_of(name; how...) = Model(joinpath(FOLDER, name * ".urdf"); how...)

# The status and the message of the error of a call.
function fault(call)
    try
        call()
    catch error
        error isa TenonError || rethrow()
        return error.status, error.message
    end
    return Int32(0), ""
end
fails(call, code, words) = fault(call)[1] == code && occursin(words, fault(call)[2])

allocations(qdd, work, q, v, tau) = @allocated forward_dynamics!(qdd, work, q, v, tau)

@testset "models" begin
    robot = robot_of("iiwa14")
    @test robot.name == "iiwa14" && robot.nq == 7 && robot.nv == 7 && !robot.floating_base
    @test robot.links[link_number(robot, "iiwa_link_7")] == "iiwa_link_7"
    @test joint_info(robot, "iiwa_joint_3").type == :revolute && joint_info(robot, 3).v_index == 3
    @test sum(link_info(robot, link).mass for link in robot.links) ≈ robot.total_mass
    @test fails(() -> link_info(robot, "iiwa_link_8"), Tenon.Raw.TENON_NOT_FOUND, "did you mean")
    @test fails(() -> joint_info(robot, 99), Tenon.Raw.TENON_OUT_OF_RANGE, "there is no joint 99")
    @test fails(() -> robot_of("none"), Tenon.Raw.TENON_FILE_ERROR, "none.urdf")
    @test fails(() -> parse_urdf("<robot"), Tenon.Raw.TENON_PARSE_ERROR, "XML")
end

@testset "dynamics" begin
    robot = robot_of("atlas"; base = :floating)
    feet = Constraints(robot)
    add_weld!(feet, "l_foot")
    @test add_point!(feet, "l_hand", [0.1, 0, 0]; name = "hand", weights = [1, 1, 2]) == 2
    work = Workspace(robot, feet)
    q, v, tau = random(work, 3), collect(range(-0.2, 0.15; length = work.nv)), collect(range(5, -5; length = work.nv))
    qdd, lambda = constrained_dynamics(work, q, v, tau)
    rows = constraint_rows(work, q, v)
    @test rows.J * qdd ≈ rows.rhs atol = 1e-7
    @test mass_matrix(work, q) * qdd + bias(work, q, v) ≈ tau + rows.J' * lambda rtol = 1e-7
    @test constrained_inverse_dynamics(work, q, v, qdd, lambda) ≈ tau rtol = 1e-7
    @test constrained_dynamics(work, q, v, tau; options = SolveOptions(; method = :dense))[1] ≈ qdd rtol = 1e-6
    free = forward_dynamics(work, q, v, tau)
    @test inverse_dynamics(work, q, v, free) ≈ tau rtol = 1e-8
    allocations(free, work, q, v, tau) # compiles it
    @test allocations(free, work, q, v, tau) == 0
    @test fails(() -> forward_dynamics(work, q[1:3], v, tau), Tenon.Raw.TENON_WRONG_SIZE, "q: 3 numbers; 37 are needed")
    @test status(work) == :ok

    batch = Batch(robot, feet)
    states = hcat((random(work, seed) for seed in 0:8)...)
    held, forces = constrained_dynamics(batch, states, v, tau)
    @test held[:, 4] ≈ constrained_dynamics(work, states[:, 4], v, tau)[1] rtol = 1e-7
    @test size(forces) == (9, 9)
    records = rollout(batch, states, v, tau; steps = 4, every = 2, dt = 0.002)
    next, speed = states[:, 4], copy(v)
    for _ in 1:4
        step!(work, next, speed, tau, 0.002)
    end
    @test records.q[:, 2, 4] ≈ next rtol = 1e-7
    @test fails(() -> forward_dynamics(batch, states, v[1:35], tau), Tenon.Raw.TENON_WRONG_SIZE, "36 x 9")
end

@testset "states of batches hold their own rows" begin
    robot = robot_of("atlas"; base = :floating)
    set = Constraints(robot)
    add_weld!(set, "l_foot"; frequency = 10)
    hand = add_point!(set, "l_hand"; frequency = 5, damping_ratio = 0.5)
    batch, work = Batch(robot, set), Workspace(robot, set)
    q, v, tau = hcat((random(work, seed) for seed in 0:2)...), fill(0.1, batch.nv), ones(batch.nv)
    changed(a, b) = [s for s in 1:3 if a[:, s] != b[:, s]]
    qdd() = constrained_dynamics(batch, q, v, tau)[1]
    @test fails(qdd, Tenon.Raw.TENON_INVALID_ARGUMENT, "no anchors")
    anchor_here!(batch, q)
    here, poses = qdd(), anchors(batch, 3)
    anchor_here!(work, q[:, 2])
    @test here[:, 2] ≈ constrained_dynamics(work, q[:, 2], v, tau)[1] rtol = 1e-7
    kinematics!(work, q[:, 2])
    @test poses[1:3, hand, 2] ≈ link_pose(work, "l_hand")[1:3] rtol = 1e-9
    set_anchors!(batch, poses)
    before = qdd()
    poses[3, hand, 2] += 0.1
    set_anchors!(batch, poses)
    @test anchors(batch, 3) ≈ poses rtol = 1e-9
    lifted = qdd()
    @test changed(lifted, before) == [2]
    set_active!(batch, [true true false; true true true])
    @test changed(qdd(), lifted) == [3]
    set_active!(batch, trues(2, 1))
    set_gains!(batch, reshape([10, 5], 2, 1), reshape([1, 0.5], 2, 1)) # as they were
    @test isempty(changed(qdd(), lifted))
    set_gains!(batch, [10 10 10; 5 5 9], reshape([1, 0.5], 2, 1))
    @test changed(qdd(), lifted) == [3]
    set_gains!(batch, reshape([10, 5], 2, 1), ones(2, 1))
    damped = qdd()
    @test changed(damped, lifted) == [1, 2, 3]
    set_gains!(batch, reshape([10, 5], 2, 1))
    @test isempty(changed(qdd(), damped))
    set_anchor!(batch, hand, [1, 2, 3, 0, 0, 0, 1])
    @test anchors(batch, 3)[1:3, hand, 3] == [1, 2, 3]
    @test fails(() -> anchors(batch, 2), Tenon.Raw.TENON_WRONG_SIZE, "3 states")
    @test fails(() -> set_anchors!(batch, zeros(7, 3, 3)), Tenon.Raw.TENON_WRONG_SIZE, "poses: 21 x 3 numbers; 14 x 3 are needed")
    @test fails(() -> set_active!(batch, trues(1, 3)), Tenon.Raw.TENON_WRONG_SIZE, "active: 1 x 3 numbers")
end

@testset "what is made has the shape of a state" begin
    robot = robot_of("atlas"; base = :floating)
    set = Constraints(robot)
    add_weld!(set, "l_foot")
    batch, work = Batch(robot, set), Workspace(robot, set)
    q, v = hcat((random(work, seed) for seed in 0:2)...), fill(0.1, batch.nv)
    M = mass_matrix(batch, q)
    @test size(M) == (36, 36, 3)
    @test M[:, :, 2] ≈ mass_matrix(work, q[:, 2]) rtol = 1e-9
    poses, velocities, jacobians = kinematics(batch, q, ["l_hand", 3]; v = v)
    kinematics!(work, q[:, 3], v)
    @test poses[:, 1, 3] ≈ link_pose(work, "l_hand") rtol = 1e-9
    @test velocities[:, 2, 3] ≈ jacobians[:, :, 2, 3] * v rtol = 1e-9
    @test kinematics(batch, q, [3]).velocities === nothing
    B = reshape(collect(1.0:12), 6, 2)
    X = delassus_inverse_times(batch, q, vec(B); columns = 2, mu = 10)
    @test size(X) == (12, 3)
    @test (delassus(work, q[:, 2]) .+ [i == j ? 0.1 : 0.0 for i in 1:6, j in 1:6]) * X[7:12, 2] ≈ B[:, 2] rtol = 1e-6
    own = robots(batch, 1)
    @test size(own.inertias) == (6, length(robot.links), 1) && sum(own.masses) ≈ robot.total_mass
    twin = clone(batch)
    set_parameters!(twin, 1; masses = 2 * own.masses, gravity = own.gravity)
    @test sum(robots(twin, 1).masses) ≈ 2 * robot.total_mass && sum(robots(batch, 1).masses) ≈ robot.total_mass
    @test size(all_settings(batch, 1).frames) == (7, 1, 1)

    arm = robot_of("iiwa14")
    one, many = Workspace(arm), Batch(arm)
    start, rest, gains = random(one, 1), zeros(7), fill(50.0, 7)
    held = rollout(many, start, rest, rest; steps = 3, every = 3, dt = 0.001, integrator = :runge_kutta_4)
    next, speed = copy(start), copy(rest)
    for _ in 1:3
        step!(one, next, speed, rest, 0.001; integrator = :runge_kutta_4)
    end
    @test held.q[:, 1, 1] ≈ next rtol = 1e-9
    pushed = zeros(7, 3, 1)
    target = rollout(many, start, rest, rest; steps = 3, dt = 0.001, stiffness = gains, q_target = start .+ 1, qdd_out = pushed)
    first = forward_dynamics(one, start, rest, fill(50.0, 7))
    @test size(target.v) == (7, 3, 1)
    @test pushed[:, 1, 1] ≈ first rtol = 1e-9
    @test fails(() -> rollout(many, start, rest, rest; steps = 0), Tenon.Raw.TENON_INVALID_ARGUMENT, "1 or more")
end

@testset "functions of the user" begin
    builder, angry = load_builder(joinpath(FOLDER, "iiwa14.urdf")), Ref(false)
    add_implicit!(builder, "circle", ["iiwa_joint_3", "iiwa_joint_4"], 1) do q, v
        angry[] && error("not today")
        return q[1]^2 + q[2] - 0.25, [2 * q[1], 1], 2 * v[1]^2
    end
    work = Workspace(finish(builder))
    close(builder)
    GC.gc()
    q = guess(work)
    @test q[3]^2 + q[4] ≈ 0.25 atol = 1e-9
    angry[] = true
    @test fails(() -> forward_dynamics(work, q, zeros(7), zeros(7)), Tenon.Raw.TENON_NOT_FINITE, "circle")
    heard = []
    parse_urdf("<robot name='r'><link name='a'/><wheel/></robot>"; log_level = :trace, log_callback = (level, text) -> push!(heard, level))
    @test !isempty(heard)
end

@testset "objects are freed once" begin
    robot = robot_of("iiwa14")
    work = Workspace(robot)
    close(robot)
    close(robot)
    @test fails(() -> describe(robot), Tenon.Raw.TENON_INVALID_ARGUMENT, "this Model was closed")
    @test length(neutral(work)) == 7
    close(work)
    @test fails(() -> neutral(work), Tenon.Raw.TENON_INVALID_ARGUMENT, "this Workspace was closed")
end
