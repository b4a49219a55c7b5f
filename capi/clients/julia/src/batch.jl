# Batches: many states in one call.

"""
    Batch(model, constraints = nothing; threads = 1, precision = :double)

What a workspace computes, of many states. A state is a column: q is nq x states; an input that is a vector, or has one column,
is the same for all. Arrays are of Float64, or Float32 of precision :single; strides of views, and of PermutedDimsArray, are
taken without a copy. A state that fails spoils only itself: `status(batch)` has its status, and the call throws when the
others are done. Settings of constraints of many states are for calls of as many; those of one state hold in all.
"""
mutable struct Batch{T}
    pointer::Ptr{Raw.tenon_batch}
    model::Model
    constraints::Constraints
    nq::Int
    nv::Int
    m::Int
    constraint_count::Int
    codes::Vector{Int32}
    iterations::Vector{Int32}
end

function Batch(model::Model, constraints::Union{Nothing, Constraints} = nothing; precision = :double, how...)
    set = finish!(constraints === nothing ? Constraints(model) : constraints)
    single = constant(Raw.TENON_CONSTANT_PRECISION, precision) == Raw.TENON_PRECISION_SINGLE
    p = made_of(Raw.tenon_batch, Raw.tenon_batch_options, pairs((; precision = precision, how...))) do chosen, made, message, size
        Raw.tenon_batch_create(model, set, chosen, made, message, size)
    end
    batch = Batch{single ? Float32 : Float64}(p, model, set, model.nq, model.nv, row_count(set), constraint_count(set),
        Int32[], Int32[])
    return finalizer(free, batch)
end

"Another batch, with all that setters said."
function clone(batch::Batch{T}) where {T}
    made = Ref{Ptr{Raw.tenon_batch}}(C_NULL)
    ask((message, size) -> Raw.tenon_batch_clone(batch, made, message, size))
    other = Batch{T}(made[], batch.model, batch.constraints, batch.nq, batch.nv, batch.m, batch.constraint_count, Int32[], Int32[])
    return finalizer(free, other)
end

number_type(::Batch{T}) where {T} = T
constraint_count(batch::Batch) = batch.constraint_count

"Of each state of the last call: :ok, :not_finite, ..."
status(batch::Batch) = [Symbol(status_name(code)) for code in batch.codes]

function done(batch::Batch, code)
    code < 0 && throw(TenonError(code, GC.@preserve batch unsafe_string(Raw.tenon_batch_message(batch))))
    return nothing
end

# ---- arrays

# What the library is told of an array, which it holds.
struct BatchArray
    array::Base.RefValue{Raw.tenon_batch_array}
    held::Any
end

reference(told_of::BatchArray) = told_of.array

states_of(x) = size(x, max(ndims(x), 2))

function begin_states(batch::Batch, x, count, name)
    size(x, 1) == count || ndims(x) > 2 || wrong_size(name, join(size(x), " x "), "$count x states")
    states = states_of(x)
    for codes in (batch.codes, batch.iterations)
        length(codes) == states || resize!(codes, states)
        fill!(codes, 0)
    end
    return states
end

const Strided{T} = Union{StridedArray{T}, PermutedDimsArray{T, N, P, Q, <:StridedArray{T}} where {N, P, Q}}

# Numbers x records x states. strides: of each of these.
function told_of(x, count, strides_of)
    array = prepared(Raw.tenon_batch_array)
    reach = [isempty(x) ? 0 : (n - 1) * s for (n, s) in zip(size(x), strides(x))]
    array.first = -sum(min.(reach, 0))
    array.data = pointer(x) - array.first * sizeof(eltype(x))
    array.size = isempty(x) ? 0 : 1 + sum(abs.(reach))
    array.count = count
    array.number_stride, array.record_stride, array.state_stride = strides_of
    return BatchArray(Ref(array), x)
end

input(batch, ::Nothing, count, states, name, steps = 1) = nothing
function input(batch, x::AbstractArray, count, states, name, steps = 1)
    T = number_type(batch)
    x isa Strided{T} || (x = Array{T}(x))
    if ndims(x) > 2 && steps == 1 && x isa Array
        x = reshape(x, prod(size(x)[1:(end - 1)]), size(x, ndims(x)))
    end
    columns, records = states_of(x), ndims(x) == 3 ? size(x, 2) : 1
    fits = size(x, 1) == count && (columns == 1 || columns == states) && (records == 1 || records == steps)
    fits || wrong_size(name, join(size(x), " x "), "$count x $states")
    return told_of(x, count, (stride(x, 1), records == 1 ? 0 : stride(x, 2), columns == 1 && (states != 1 || ndims(x) == 1) ?
        0 : stride(x, max(ndims(x), 2))))
end

output(batch, ::Nothing, count, states, name, records = 0) = nothing
function output(batch, x, count, states, name, records = 0)
    x isa Strided{number_type(batch)} || throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "$name is written: give an array of " *
        "$(number_type(batch)) with strides"))
    shape = records == 0 ? (count, states) : (count, records, states)
    if ndims(x) > length(shape) && x isa Array
        x = reshape(x, prod(size(x)[1:(end - 1)]), size(x, ndims(x)))
    end
    size(x) == shape || wrong_size(name, join(size(x), " x "), join(shape, " x "))
    return told_of(x, count, (stride(x, 1), records > 1 ? stride(x, 2) : 0, stride(x, length(shape))))
end

# ---- what is not one call with its arguments

"In which coordinates states are, :spanning or :independent. Changes nq and nv."
function set_coordinates!(batch::Batch, positions, velocities)
    kinds = constant(Raw.TENON_CONSTANT_COORDINATES, positions), constant(Raw.TENON_CONSTANT_COORDINATES, velocities)
    done(batch, Raw.tenon_batch_set_coordinates(batch, kinds[1], kinds[2]))
    model = batch.model
    batch.nq = kinds[1] == Raw.TENON_COORDINATES_INDEPENDENT ? independent_count(model, false) : model.nq
    batch.nv = kinds[2] == Raw.TENON_COORDINATES_INDEPENDENT ? independent_count(model, true) : model.nv
    return nothing
end

# Poses, 7 x constraints x states, as a column for each state; those of one state hold in all.
function pose_columns(batch, poses)
    size(poses, 1) == 7 * batch.constraint_count && ndims(poses) == 2 && return poses
    if size(poses, 1) != 7 || size(poses, 2) != batch.constraint_count
        wrong_size("poses of a state", "$(size(poses, 1)) x $(size(poses, 2))", "7 x $(batch.constraint_count)")
    end
    return reshape(poses, 7 * batch.constraint_count, size(poses, 3))
end

"7 x constraints x states."
function set_anchors!(batch::Batch, poses::AbstractArray{<:Real})
    held = pose_columns(batch, poses)
    x = input(batch, held, 7 * batch.constraint_count, size(held, 2), "poses")
    return GC.@preserve x done(batch, Raw.tenon_batch_set_anchors(batch, size(held, 2), reference(x)))
end

"What was set, 7 x constraints x states."
function anchors!(poses, batch::Batch)
    held = pose_columns(batch, poses)
    x = output(batch, held, 7 * batch.constraint_count, size(held, 2), "poses")
    GC.@preserve x done(batch, Raw.tenon_batch_anchors(batch, size(held, 2), reference(x)))
    return poses
end
anchors(batch::Batch, states::Integer) = anchors!(zeros(number_type(batch), 7, batch.constraint_count, states), batch)

# What was set, by the names of arrays; those of one state are the same in all.
function told!(call, batch, states, counts, order, outs)
    arrays = Dict(name => output(batch, x, counts[name], states, String(name)) for (name, x) in outs)
    GC.@preserve arrays done(batch, call(batch, states, (reference(get(arrays, name, nothing)) for name in order)...))
    return (; outs...)
end
made_for(batch, states, counts) = [name => zeros(number_type(batch), counts[name], states) for name in keys(counts)]

function counts_of_robots(batch)
    links, nv = link_count(batch.model), batch.model.nv
    return (masses = links, centers_of_mass = 3 * links, inertias = 6 * links, payload_masses = links,
        payload_centers_of_mass = 3 * links, payload_inertias = 6 * links, armatures = nv, damping = nv, friction = nv,
        gravity = 3)
end
"""
    robots(batch, states)

What was set for the robots, by the names that set_parameters! has: columns for each state.
"""
robots(batch::Batch, states::Integer) = robots!(batch, states; made_for(batch, states, counts_of_robots(batch))...)
function robots!(batch::Batch, states::Integer; outs...)
    counts = counts_of_robots(batch)
    return told!(Raw.tenon_batch_robots, batch, states, counts, keys(counts), outs)
end

function counts_of_settings(batch)
    n, m = batch.constraint_count, batch.m
    return (active = n, frequencies = n, damping_ratios = n, anchors = 7 * n, frames = 7 * n, weights = m, compliance = m)
end
"""
    all_settings(batch, states)

The same for the constraints.
"""
all_settings(batch::Batch, states::Integer) =
    all_settings!(batch, states; made_for(batch, states, counts_of_settings(batch))...)
function all_settings!(batch::Batch, states::Integer; outs...)
    counts = counts_of_settings(batch)
    return told!(Raw.tenon_batch_constraints, batch, states, counts, keys(counts), outs)
end

"Constraints x states; damping ratios are 1 where they are not given."
function set_gains!(batch::Batch, frequencies::AbstractArray{<:Real}, damping_ratios = ones(batch.constraint_count))
    n = states_of(frequencies)
    x = input(batch, frequencies, batch.constraint_count, n, "frequencies")
    y = input(batch, damping_ratios, batch.constraint_count, n, "damping_ratios")
    return GC.@preserve x y done(batch, Raw.tenon_batch_set_gains(batch, n, reference(x), reference(y)))
end

"""
    set_parameters!(batch, states; masses, centers_of_mass, inertias, armatures, damping, friction, gravity, weights, ...)

Robots of their own: columns for each state, or one for all; of links masses, links x states, centres of mass, 3 links, and
inertias, 6 links, and so on as tenon_batch_parameters has them.
"""
function set_parameters!(batch::Batch, states::Integer; how...)
    links, joints, m = link_count(batch.model), batch.model.nv, batch.m
    counts = (masses = links, centers_of_mass = 3 * links, inertias = 6 * links,
        payload_masses = links, payload_centers_of_mass = 3 * links, payload_inertias = 6 * links, armatures = joints, damping = joints,
        friction = joints, gravity = 3, weights = m, compliance = m, frames = 7 * batch.constraint_count)
    arrays = [name => input(batch, x, counts[name], states, String(name)) for (name, x) in how]
    chosen = options_of(Raw.tenon_batch_parameters, arrays)
    return GC.@preserve chosen done(batch, Raw.tenon_batch_set_parameters(batch, states, reference(chosen)))
end

"""
    kinematics!(poses, velocities, jacobians, batch, q, links; v, axes)

Of links by name or number, 7 links, 6 links and 6 nv links x states; nothing: not wanted.
"""
function kinematics!(poses, velocities, jacobians, batch::Batch, q, links; v = nothing, axes = :world)
    n, count = begin_states(batch, q, batch.nq, "q"), length(links)
    numbers = Int32[link_index(batch.model, link) for link in links]
    x, y = input(batch, q, batch.nq, n, "q"), input(batch, v, batch.nv, n, "v")
    p, w = output(batch, poses, 7 * count, n, "poses"), output(batch, velocities, 6 * count, n, "velocities")
    J = output(batch, jacobians, 6 * batch.nv * count, n, "jacobians")
    GC.@preserve x y p w J done(batch, Raw.tenon_batch_kinematics(batch, n, numbers, count,
        constant(Raw.TENON_CONSTANT_AXES, axes), reference(x), reference(y), reference(p), reference(w), reference(J),
        batch.codes, length(batch.codes)))
    return poses, velocities, jacobians
end
function kinematics(batch::Batch, q, links; v, axes = :world)
    made(count) = zeros(number_type(batch), count, states_of(q))
    k = length(links)
    return kinematics!(made(7 * k), made(6 * k), made(6 * batch.nv * k), batch, q, links; v = v, axes = axes)
end

"X = (A + R + 1 / mu)^-1 B: m columns x states, column by column. Options: tenon_damped_options."
function delassus_inverse_times!(X, batch::Batch, q, B; columns = 1, how...)
    n, count = begin_states(batch, q, batch.nq, "q"), batch.m * columns
    chosen, x = options_of(Raw.tenon_damped_options, how), input(batch, q, batch.nq, n, "q")
    b, r = input(batch, B, count, n, "B"), output(batch, X, count, n, "X")
    GC.@preserve chosen x b r done(batch, Raw.tenon_batch_delassus_inverse_times(batch, reference(chosen), n, columns,
        reference(x), reference(b), reference(r), batch.codes, length(batch.codes)))
    return X
end
function delassus_inverse_times(batch::Batch, q, B; columns = 1, how...)
    X = zeros(number_type(batch), batch.m * columns, states_of(q))
    return delassus_inverse_times!(X, batch, q, B; columns = columns, how...)
end

# Arrays among the options of rollouts: numbers of a step, and whether they differ from step to step.
function rollout_arrays(batch, states, steps, records, how)
    nq, nv, m, made = batch.nq, batch.nv, batch.m, Pair{Symbol, Any}[]
    inputs = (stiffness = (nv, 1), damping = (nv, 1), q_target = (nq, steps), v_target = (nv, steps))
    outputs = (qdd_out = nv, lambda_out = m)
    for (name, x) in how
        if haskey(inputs, name)
            push!(made, name => input(batch, x, inputs[name][1], states, String(name), inputs[name][2]))
        elseif haskey(outputs, name)
            push!(made, name => output(batch, x, outputs[name], states, String(name), records))
        else
            push!(made, name => x)
        end
    end
    return made
end

"""
    rollout!(q_out, v_out, batch, q, v, tau; wrenches, steps = 1, every = 1, dt, integrator, solve, stiffness, q_target, ...)

Steps in time; tau and wrenches are the same in all of them, or numbers x steps x states. Positions and velocities: numbers x
records x states; nothing: not wanted. Options: tenon_rollout_options; solve: SolveOptions.
"""
function rollout!(q_out, v_out, batch::Batch, q, v, tau; wrenches = nothing, steps = 1, every = 1, how...)
    if steps < 1 || every < 1
        throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "steps and every are 1 or more"))
    end
    n, nq, nv, records = begin_states(batch, q, batch.nq, "q"), batch.nq, batch.nv, steps ÷ every
    arrays = rollout_arrays(batch, n, steps, records, how)
    chosen = options_of(Raw.tenon_rollout_options, [:steps => steps, :every => every, arrays...])
    x, y, z = input(batch, q, nq, n, "q"), input(batch, v, nv, n, "v"), input(batch, tau, nv, n, "tau", steps)
    w = input(batch, wrenches, 6 * link_count(batch.model), n, "wrenches", steps)
    r, s = output(batch, q_out, nq, n, "q_out", records), output(batch, v_out, nv, n, "v_out", records)
    GC.@preserve chosen x y z w r s done(batch, Raw.tenon_batch_rollout(batch, reference(chosen), n, reference(x),
        reference(y), reference(z), reference(w), reference(r), reference(s), batch.codes, length(batch.codes)))
    return (q = q_out, v = v_out)
end
function rollout(batch::Batch, q, v, tau; steps = 1, every = 1, options = nothing, how...)
    records, n, T = steps ÷ max(every, 1), states_of(q), number_type(batch)
    solve = options === nothing ? how : (; how..., solve = options)
    return rollout!(zeros(T, batch.nq, records, n), zeros(T, batch.nv, records, n), batch, q, v, tau; steps = steps,
        every = every, solve...)
end
