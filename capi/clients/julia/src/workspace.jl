"""
    Workspace(model, constraints = nothing)

The memory of computations on one state at a time, for one task at a time. `wrenches`: 6 for each link, [moment about its
origin; force] along link axes; nothing: none.
"""
mutable struct Workspace
    pointer::Ptr{Raw.tenon_workspace}
    model::Model
    constraints::Union{Nothing, Constraints}
    nq::Int
    nv::Int
    m::Int
    wrench_count::Int
    code::Int32

    function Workspace(model::Model, constraints::Union{Nothing, Constraints} = nothing)
        made = Ref{Ptr{Raw.tenon_workspace}}(C_NULL)
        set = constraints === nothing ? C_NULL : finish!(constraints)
        ask() do message, size
            Raw.tenon_workspace_create(model, set, C_NULL, made, message, size)
        end
        p = made[]
        work = new(p, model, constraints, Raw.tenon_workspace_position_count(p), Raw.tenon_workspace_velocity_count(p),
            Raw.tenon_workspace_row_count(p), 6 * length(model.links), 0)
        return finalizer(free, work)
    end
end

function free(work::Workspace)
    pointer, work.pointer = work.pointer, C_NULL
    pointer == C_NULL || Raw.tenon_workspace_destroy(pointer)
    return nothing
end

Base.close(work::Workspace) = finalize(work)
Base.unsafe_convert(::Type{Ptr{Raw.tenon_workspace}}, work::Workspace) = alive(work.pointer, "Workspace")

@inline function done(work::Workspace, code)
    work.code = code
    code < 0 && failed(work)
    return nothing
end

@noinline function failed(work::Workspace)
    text = GC.@preserve work unsafe_string(Raw.tenon_workspace_message(work))
    throw(TenonError(work.code, text))
end

"Of the last computation: :ok, or which caveat its answer has."
status(work::Workspace) = Symbol(status_name(work.code))

"How the last constrained solve went."
function report(work::Workspace)
    known = prepared(Raw.tenon_solve_report, Raw.tenon_solve_report_init)
    check(Raw.tenon_workspace_report(work, Ref(known)), "report")
    return (method = name_of(Raw.TENON_CONSTANT_METHOD, known.method), iterations = Int(known.iterations),
        rank = Int(known.rank), primal_residual = known.primal_residual, dual_residual = known.dual_residual, mu = known.mu)
end

"""
    SolveOptions(; method = :automatic, ...)

Fields of tenon_solve_options over their defaults. Made once, for calls that are made often.
"""
struct SolveOptions
    reference::Base.RefValue{Raw.tenon_solve_options}

    function SolveOptions(; method = :automatic, fields...)
        chosen = prepared(Raw.tenon_solve_options, Raw.tenon_solve_options_init)
        chosen.method = constant(Raw.TENON_CONSTANT_METHOD, method)
        for (name, value) in fields
            setproperty!(chosen, name, value)
        end
        return new(Ref(chosen))
    end
end

solve_reference(::Nothing) = C_NULL
solve_reference(options::SolveOptions) = options.reference

# ---- settings

function set_gravity!(work::Workspace, gravity)
    return done(work, Raw.tenon_workspace_set_gravity(work, given(gravity, 3, "gravity"), 3))
end

"Constraints count from 1."
function set_active!(work::Workspace, constraint::Integer, active::Bool)
    return done(work, Raw.tenon_workspace_set_active(work, constraint - 1, active))
end

"The anchors of all constraints are where they are at q."
anchor_here!(work::Workspace, q) = done(work, Raw.tenon_anchor_here(work, given(q, work.nq, "q"), work.nq))

# ---- configurations

function neutral!(q::Numbers, work::Workspace)
    done(work, Raw.tenon_neutral(work, given(q, work.nq, "q"), work.nq))
    return q
end
neutral(work::Workspace) = neutral!(zeros(work.nq), work)

"Within the limits, the same for the same seed everywhere."
function random!(q::Numbers, work::Workspace, seed::Integer)
    done(work, Raw.tenon_random(work, seed, given(q, work.nq, "q"), work.nq))
    return q
end
random(work::Workspace, seed::Integer) = random!(zeros(work.nq), work, seed)

"`next` may be q itself."
function integrate!(next::Numbers, work::Workspace, q, v, dt::Real)
    nq, nv = work.nq, work.nv
    x, y, z = given(q, nq, "q"), given(v, nv, "v"), given(next, nq, "next")
    done(work, Raw.tenon_integrate(work, x, nq, y, nv, dt, z, nq))
    return next
end
integrate(work::Workspace, q, v, dt::Real) = integrate!(zeros(work.nq), work, q, v, dt)

"The velocity that leads from one configuration to another in unit time."
function difference!(v::Numbers, work::Workspace, from, to)
    nq, nv = work.nq, work.nv
    x, y, z = given(from, nq, "from"), given(to, nq, "to"), given(v, nv, "v")
    done(work, Raw.tenon_difference(work, x, nq, y, nq, z, nv))
    return v
end
difference(work::Workspace, from, to) = difference!(zeros(work.nv), work, from, to)

# ---- kinematics

"What follows answers for this state."
function kinematics!(work::Workspace, q, v = nothing, a = nothing)
    nq, nv = work.nq, work.nv
    x, y, z = given(q, nq, "q"), optional(v, nv, "v"), optional(a, nv, "a")
    return done(work, Raw.tenon_kinematics(work, x, nq, y, nv, z, nv))
end

"[x y z qx qy qz qw] in the world."
function link_pose!(pose::Numbers, work::Workspace, link)
    i, x = link_index(work.model, link), given(pose, 7, "pose")
    done(work, Raw.tenon_link_pose(work, i, x, 7, C_NULL, 0))
    return pose
end
link_pose(work::Workspace, link) = link_pose!(zeros(7), work, link)

"[angular; linear at the link's origin], along axes :world or :link."
function link_velocity!(velocity::Numbers, work::Workspace, link, axes = :world)
    i, along, x = link_index(work.model, link), constant(Raw.TENON_CONSTANT_AXES, axes), given(velocity, 6, "velocity")
    done(work, Raw.tenon_link_velocity(work, i, along, x, 6))
    return velocity
end
link_velocity(work::Workspace, link, axes = :world) = link_velocity!(zeros(6), work, link, axes)

"6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]."
function jacobian!(J::Table, work::Workspace, link, axes = :world; point = nothing)
    i, along, x = link_index(work.model, link), constant(Raw.TENON_CONSTANT_AXES, axes), optional(point, 3, "point")
    A = matrix(J, 6, work.nv, "J")
    done(work, Raw.tenon_point_jacobian(work, i, x, 3, along, A, length(A), 6))
    return J
end
function jacobian(work::Workspace, link, axes = :world; point = nothing)
    return jacobian!(zeros(6, work.nv), work, link, axes; point = point)
end

"Kinetic and potential, J."
function energy(work::Workspace)
    kinetic, potential = Ref(0.0), Ref(0.0)
    done(work, Raw.tenon_energy(work, kinetic, potential))
    return (kinetic = kinetic[], potential = potential[])
end

# ---- dynamics

"qdd = M^-1 (tau + external - c)."
function forward_dynamics!(qdd::Numbers, work::Workspace, q, v, tau; wrenches = nothing)
    nq, nv = work.nq, work.nv
    x, y, z, r = given(q, nq, "q"), given(v, nv, "v"), given(tau, nv, "tau"), given(qdd, nv, "qdd")
    w = optional(wrenches, work.wrench_count, "wrenches")
    done(work, Raw.tenon_forward_dynamics(work, x, nq, y, nv, z, nv, w, work.wrench_count, r, nv))
    return qdd
end
function forward_dynamics(work::Workspace, q, v, tau; wrenches = nothing)
    return forward_dynamics!(zeros(work.nv), work, q, v, tau; wrenches = wrenches)
end

"tau = M a + c - external."
function inverse_dynamics!(tau::Numbers, work::Workspace, q, v, a; wrenches = nothing)
    nq, nv = work.nq, work.nv
    x, y, z, r = given(q, nq, "q"), given(v, nv, "v"), given(a, nv, "a"), given(tau, nv, "tau")
    w = optional(wrenches, work.wrench_count, "wrenches")
    done(work, Raw.tenon_inverse_dynamics(work, x, nq, y, nv, z, nv, w, work.wrench_count, r, nv))
    return tau
end
function inverse_dynamics(work::Workspace, q, v, a; wrenches = nothing)
    return inverse_dynamics!(zeros(work.nv), work, q, v, a; wrenches = wrenches)
end

"c(q, v)."
function bias!(c::Numbers, work::Workspace, q, v)
    nq, nv = work.nq, work.nv
    x, y, r = given(q, nq, "q"), given(v, nv, "v"), given(c, nv, "c")
    done(work, Raw.tenon_bias(work, x, nq, y, nv, C_NULL, 0, r, nv))
    return c
end
bias(work::Workspace, q, v) = bias!(zeros(work.nv), work, q, v)

function gravity_force!(g::Numbers, work::Workspace, q)
    x, r = given(q, work.nq, "q"), given(g, work.nv, "g")
    done(work, Raw.tenon_gravity_force(work, x, work.nq, r, work.nv))
    return g
end
gravity_force(work::Workspace, q) = gravity_force!(zeros(work.nv), work, q)

function mass_matrix!(M::Table, work::Workspace, q)
    x, A = given(q, work.nq, "q"), matrix(M, work.nv, work.nv, "M")
    done(work, Raw.tenon_mass_matrix(work, x, work.nq, A, length(A), max(work.nv, 1)))
    return M
end
mass_matrix(work::Workspace, q) = mass_matrix!(zeros(work.nv, work.nv), work, q)

# ---- dynamics with constraints

"Accelerations, and the forces of the constraint rows. desired: accelerations of the rows; options: SolveOptions."
function constrained_dynamics!(qdd::Numbers, lambda::Numbers, work::Workspace, q, v, tau; wrenches = nothing,
        desired = nothing, options = nothing)
    nq, nv, m = work.nq, work.nv, work.m
    x, y, z = given(q, nq, "q"), given(v, nv, "v"), given(tau, nv, "tau")
    w, k = optional(wrenches, work.wrench_count, "wrenches"), optional(desired, m, "desired")
    r, f, chosen = given(qdd, nv, "qdd"), given(lambda, m, "lambda"), solve_reference(options)
    done(work, Raw.tenon_constrained_dynamics(work, chosen, x, nq, y, nv, z, nv, w, work.wrench_count, k, m, r, nv, f, m))
    return qdd, lambda
end
function constrained_dynamics(work::Workspace, q, v, tau; how...)
    return constrained_dynamics!(zeros(work.nv), zeros(work.m), work, q, v, tau; how...)
end

"tau = M a + c - J' lambda."
function constrained_inverse_dynamics!(tau::Numbers, work::Workspace, q, v, a, lambda)
    nq, nv, m = work.nq, work.nv, work.m
    x, y, z = given(q, nq, "q"), given(v, nv, "v"), given(a, nv, "a")
    f, r = given(lambda, m, "lambda"), given(tau, nv, "tau")
    done(work, Raw.tenon_constrained_inverse_dynamics(work, x, nq, y, nv, z, nv, C_NULL, 0, f, m, r, nv))
    return tau
end
function constrained_inverse_dynamics(work::Workspace, q, v, a, lambda)
    return constrained_inverse_dynamics!(zeros(work.nv), work, q, v, a, lambda)
end

"The rows at a state: J qdd = rhs, with the position errors and the velocities of the rows."
function constraint_rows(work::Workspace, q, v)
    nq, nv, m = work.nq, work.nv, work.m
    x, y, J = given(q, nq, "q"), given(v, nv, "v"), zeros(m, nv)
    rhs, position_error, velocity = zeros(m), zeros(m), zeros(m)
    done(work, Raw.tenon_constraint_rows(work, x, nq, y, nv, C_NULL, 0, J, length(J), max(m, 1), rhs, m, position_error, m,
        velocity, m))
    return (J = J, rhs = rhs, position_error = position_error, velocity = velocity)
end

"J M^-1 J'. method: of TENON_DELASSUS_METHOD_*, as :pv_osimr."
function delassus!(A::Table, work::Workspace, q; method = :automatic)
    x, held = given(q, work.nq, "q"), matrix(A, work.m, work.m, "A")
    chosen = prepared(Raw.tenon_delassus_options, Raw.tenon_delassus_options_init)
    chosen.method = constant(Raw.TENON_CONSTANT_DELASSUS_METHOD, method)
    done(work, Raw.tenon_delassus(work, Ref(chosen), x, work.nq, held, length(held), max(work.m, 1)))
    return A
end
delassus(work::Workspace, q; method = :automatic) = delassus!(zeros(work.m, work.m), work, q; method = method)

"One step in time: q and v change in place. integrator: :semi_implicit_euler or :runge_kutta_4."
function step!(work::Workspace, q::Numbers, v::Numbers, tau, dt::Real; integrator = :semi_implicit_euler,
        wrenches = nothing, options = nothing)
    nq, nv, forces = work.nq, work.nv, work.wrench_count
    x, y, z = given(q, nq, "q"), given(v, nv, "v"), given(tau, nv, "tau")
    w, chosen = optional(wrenches, forces, "wrenches"), solve_reference(options)
    if integrator === :runge_kutta_4
        done(work, Raw.tenon_step_runge_kutta_4(work, chosen, dt, x, nq, y, nv, z, nv, w, forces, C_NULL, 0, C_NULL, 0))
    elseif integrator === :semi_implicit_euler
        done(work, Raw.tenon_step_semi_implicit_euler(work, chosen, dt, x, nq, y, nv, z, nv, w, forces, C_NULL, 0, C_NULL,
            0))
    else
        throw(TenonError(Raw.TENON_NOT_FOUND, "there is no integrator '$integrator'"))
    end
    return q, v
end
