"""
    Batch(model, constraints = nothing; threads = 1)

What a workspace computes, of many states, in double precision. A state is a column: q is nq x states; an input that is a
vector, or has one column, is the same for all. A state that fails spoils only itself: `status(batch)` has its status, and the
call throws when the others are done.
"""
mutable struct Batch
    pointer::Ptr{Raw.tenon_batch}
    model::Model
    constraints::Constraints
    nq::Int
    nv::Int
    m::Int
    codes::Vector{Int32}
    arrays::Vector{Base.RefValue{Raw.tenon_batch_array}}

    function Batch(model::Model, constraints::Union{Nothing, Constraints} = nothing; threads::Integer = 1)
        set = finish!(constraints === nothing ? Constraints(model) : constraints)
        chosen = prepared(Raw.tenon_batch_options, Raw.tenon_batch_options_init)
        chosen.threads = threads
        made = Ref{Ptr{Raw.tenon_batch}}(C_NULL)
        ask() do message, size
            Raw.tenon_batch_create(model, set, Ref(chosen), made, message, size)
        end
        arrays = [Ref(Raw.tenon_batch_array()) for _ in 1:6]
        return finalizer(free, new(made[], model, set, model.nq, model.nv, row_count(set), Int32[], arrays))
    end
end

function free(batch::Batch)
    pointer, batch.pointer = batch.pointer, C_NULL
    pointer == C_NULL || Raw.tenon_batch_destroy(pointer)
    return nothing
end

Base.close(batch::Batch) = finalize(batch)
Base.unsafe_convert(::Type{Ptr{Raw.tenon_batch}}, batch::Batch) = alive(batch.pointer, "Batch")

"Of each state of the last call: :ok, :not_finite, ..."
status(batch::Batch) = [Symbol(status_name(code)) for code in batch.codes]

function begin_states(batch::Batch, q)
    size(q, 1) == batch.nq || wrong_size("q", "$(size(q, 1)) x $(size(q, 2))", "$(batch.nq) x states")
    states = size(q, 2)
    length(batch.codes) == states || resize!(batch.codes, states)
    fill!(batch.codes, 0)
    return states
end

function tell!(array, x, count, state_stride, record_stride)
    there = array[]
    there.struct_size = sizeof(there)
    there.reserved = 0
    there.first = 0
    there.data = pointer(x)
    there.size = length(x)
    there.count = count
    there.number_stride = 1
    there.state_stride = state_stride
    there.record_stride = record_stride
    return array
end

# What the library is told of an input of a column for each state, or of one for all; the caller holds x.
function input(array, x::Union{Numbers, Table}, count, states, name)
    columns = size(x, 2)
    if size(x, 1) != count || !(columns == 1 || columns == states)
        wrong_size(name, "$(size(x, 1)) x $columns", "$count x $states")
    end
    return tell!(array, x, count, columns == 1 ? 0 : count, 0)
end

# The same of a result; of records of each state, too.
function output(array, x, count, records, states, name)
    length(x) == count * records * states || wrong_size(name, length(x), count * records * states)
    return isempty(x) ? C_NULL : tell!(array, x, count, count * records, records > 1 ? count : 0)
end

function done(batch::Batch, code)
    if code < 0
        text = GC.@preserve batch unsafe_string(Raw.tenon_batch_message(batch))
        throw(TenonError(code, text))
    end
    return nothing
end

# ---- settings of constraints, which count from 1: those of many states are for calls of as many; those of one state hold in
# all

"The pose, 7, at which a constraint is held in all states."
function set_anchor!(batch::Batch, constraint::Integer, pose)
    return done(batch, Raw.tenon_batch_set_anchor(batch, constraint - 1, given(pose, 7, "pose"), 7))
end

# Poses, 7 x constraints x states, as a column for each state.
function columns(batch::Batch, poses)
    count = constraint_count(batch.constraints)
    if size(poses, 1) != 7 || size(poses, 2) != count
        wrong_size("poses of a state", "$(size(poses, 1)) x $(size(poses, 2))", "7 x $count")
    end
    return reshape(poses, 7 * count, size(poses, 3))
end

"7 x constraints x states."
function set_anchors!(batch::Batch, poses::AbstractArray{<:Real})
    held = columns(batch, Array{Float64}(poses))
    count, n = size(held, 1), size(held, 2)
    GC.@preserve held begin
        done(batch, Raw.tenon_batch_set_anchors(batch, n, input(batch.arrays[1], held, count, n, "poses")))
    end
    return nothing
end

"What was set, 7 x constraints x states."
function anchors(batch::Batch, states::Integer)
    poses = zeros(7, constraint_count(batch.constraints), states)
    held = columns(batch, poses)
    GC.@preserve poses held begin
        x = output(batch.arrays[1], held, size(held, 1), 1, states, "poses")
        done(batch, Raw.tenon_batch_anchors(batch, states, x))
    end
    return poses
end

"The anchors of all constraints are where they are at q."
function anchor_here!(batch::Batch, q::Table)
    n = begin_states(batch, q)
    GC.@preserve q begin
        x = input(batch.arrays[1], q, batch.nq, n, "q")
        done(batch, Raw.tenon_batch_anchor_here(batch, n, x, batch.codes, length(batch.codes)))
    end
    return nothing
end

"Which constraints are on, constraints x states."
function set_active!(batch::Batch, active::AbstractMatrix{Bool})
    held = Matrix{Float64}(active)
    count, n = constraint_count(batch.constraints), size(held, 2)
    GC.@preserve held begin
        done(batch, Raw.tenon_batch_set_active(batch, n, input(batch.arrays[1], held, count, n, "active")))
    end
    return nothing
end

"Constraints x states; damping ratios are 1 where they are not given."
function set_gains!(batch::Batch, frequencies::AbstractMatrix{<:Real},
        damping_ratios::AbstractMatrix{<:Real} = ones(size(frequencies, 1), 1))
    held, ratios = Matrix{Float64}(frequencies), Matrix{Float64}(damping_ratios)
    count, n = constraint_count(batch.constraints), size(held, 2)
    GC.@preserve held ratios begin
        x = input(batch.arrays[1], held, count, n, "frequencies")
        y = input(batch.arrays[2], ratios, count, n, "damping_ratios")
        done(batch, Raw.tenon_batch_set_gains(batch, n, x, y))
    end
    return nothing
end

# ---- computations

"qdd of all states, nv x states."
function forward_dynamics!(qdd::Table, batch::Batch, q::Table, v, tau)
    n, nv = begin_states(batch, q), batch.nv
    GC.@preserve qdd q v tau begin
        x, y = input(batch.arrays[1], q, batch.nq, n, "q"), input(batch.arrays[2], v, nv, n, "v")
        z, r = input(batch.arrays[3], tau, nv, n, "tau"), output(batch.arrays[4], qdd, nv, 1, n, "qdd")
        done(batch, Raw.tenon_batch_forward_dynamics(batch, n, x, y, z, C_NULL, r, batch.codes, length(batch.codes)))
    end
    return qdd
end
forward_dynamics(batch::Batch, q, v, tau) = forward_dynamics!(zeros(batch.nv, size(q, 2)), batch, q, v, tau)

"tau of all states, nv x states."
function inverse_dynamics!(tau::Table, batch::Batch, q::Table, v, a)
    n, nv = begin_states(batch, q), batch.nv
    GC.@preserve tau q v a begin
        x, y = input(batch.arrays[1], q, batch.nq, n, "q"), input(batch.arrays[2], v, nv, n, "v")
        z, r = input(batch.arrays[3], a, nv, n, "a"), output(batch.arrays[4], tau, nv, 1, n, "tau")
        done(batch, Raw.tenon_batch_inverse_dynamics(batch, n, x, y, z, C_NULL, r, batch.codes, length(batch.codes)))
    end
    return tau
end
inverse_dynamics(batch::Batch, q, v, a) = inverse_dynamics!(zeros(batch.nv, size(q, 2)), batch, q, v, a)

"Accelerations, nv x states, and forces of the rows, m x states. options: SolveOptions."
function constrained_dynamics!(qdd::Table, lambda::Table, batch::Batch, q::Table, v, tau; options = nothing)
    n, nv, chosen = begin_states(batch, q), batch.nv, solve_reference(options)
    GC.@preserve qdd lambda q v tau begin
        x, y = input(batch.arrays[1], q, batch.nq, n, "q"), input(batch.arrays[2], v, nv, n, "v")
        z, r = input(batch.arrays[3], tau, nv, n, "tau"), output(batch.arrays[4], qdd, nv, 1, n, "qdd")
        f = output(batch.arrays[5], lambda, batch.m, 1, n, "lambda")
        done(batch, Raw.tenon_batch_constrained_dynamics(batch, chosen, n, x, y, z, C_NULL, C_NULL, r, f, C_NULL, 0,
            batch.codes, length(batch.codes)))
    end
    return qdd, lambda
end
function constrained_dynamics(batch::Batch, q, v, tau; options = nothing)
    qdd, lambda = zeros(batch.nv, size(q, 2)), zeros(batch.m, size(q, 2))
    return constrained_dynamics!(qdd, lambda, batch, q, v, tau; options = options)
end

"Steps in time; tau is the same in all of them. Positions and velocities: numbers x records x states."
function rollout(batch::Batch, q::Table, v, tau; dt = 0.001, steps = 1, every = 1, integrator = :semi_implicit_euler,
        options = nothing)
    if steps < 1 || every < 1
        throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "steps and every are 1 or more"))
    end
    n, nv, records = begin_states(batch, q), batch.nv, steps ÷ every
    q_out, v_out = zeros(batch.nq, records, n), zeros(nv, records, n)
    chosen = prepared(Raw.tenon_rollout_options, Raw.tenon_rollout_options_init)
    chosen.integrator = constant(Raw.TENON_CONSTANT_INTEGRATOR, integrator)
    chosen.dt = dt
    chosen.steps = steps
    chosen.every = every
    solve = options === nothing ? SolveOptions() : options
    reference = solve.reference
    GC.@preserve reference q v tau q_out v_out begin
        chosen.solve = Base.unsafe_convert(Ptr{Raw.tenon_solve_options}, reference)
        x, y = input(batch.arrays[1], q, batch.nq, n, "q"), input(batch.arrays[2], v, nv, n, "v")
        z, r = input(batch.arrays[3], tau, nv, n, "tau"), output(batch.arrays[4], q_out, batch.nq, records, n, "q")
        s = output(batch.arrays[5], v_out, nv, records, n, "v")
        done(batch, Raw.tenon_batch_rollout(batch, Ref(chosen), n, x, y, z, C_NULL, r, s, batch.codes, length(batch.codes)))
    end
    return (q = q_out, v = v_out)
end
