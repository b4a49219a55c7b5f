# Arrays of batches. A state is a column: q is nq x states; an input that is a vector, or has one column, is the same for all.
# Strides of views, and of PermutedDimsArray, are taken without a copy.

number_type(::Batch{T}) where {T} = T
real_of(how) = constant(Raw.TENON_CONSTANT_PRECISION, get(how, :precision, :double)) == Raw.TENON_PRECISION_SINGLE ? Float32 : Float64

# What the library is told of an array, which it holds.
struct BatchArray
    array::Base.RefValue{Raw.tenon_batch_array}
    held::Any
end

reference(told_of::BatchArray) = told_of.array

# What has as many numbers as a state is of one.
states_of(x, count) = size(x, 1) != count && length(x) == count ? 1 : size(x, max(ndims(x), 2))

function begin_states(batch::Batch, x, count, name)
    states = states_of(x, count)
    size(x, 1) == count || ndims(x) > 2 || length(x) == count || wrong_size(name, join(size(x), " x "), "$count x states")
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

# Numbers of a state that have a shape, as a matrix has, are a column all the same.
function columns_of_states(x, count, dimensions)
    x isa Array || return x
    size(x, 1) != count && length(x) == count && return reshape(x, count, 1)
    return ndims(x) > dimensions ? reshape(x, prod(size(x)[1:(end - 1)]), size(x, ndims(x))) : x
end

input(batch, ::Nothing, count, states, name, steps = 1) = nothing
function input(batch, x::AbstractArray, count, states, name, steps = 1)
    T = number_type(batch)
    x = columns_of_states(x isa Strided{T} ? x : Array{T}(x), count, steps == 1 ? 2 : 3)
    columns, records = size(x, max(ndims(x), 2)), ndims(x) == 3 ? size(x, 2) : 1
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
    x = columns_of_states(x, count, length(shape))
    size(x) == shape || wrong_size(name, join(size(x), " x "), join(shape, " x "))
    return told_of(x, count, (stride(x, 1), records > 1 ? stride(x, 2) : 0, stride(x, length(shape))))
end

# How many steps and records there are.
function steps_of(how)
    steps, every = get(how, :steps, 1), get(how, :every, 1)
    (steps < 1 || every < 1) && throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "steps and every are 1 or more"))
    return steps, steps ÷ every
end

# Options whose arrays are of states, as ARRAYS tells.
function with_arrays(batch, struct_, how, states)
    steps, records = steps_of(how)
    function array(name, x)
        count, each, is_output = get(ARRAYS, (struct_, name), (nothing, nothing, false))
        count === nothing && return x
        is_output && return output(batch, x, count(batch), states, String(name), records)
        return input(batch, x, count(batch), states, String(name), each === :step ? steps : 1)
    end
    return [name => array(name, x) for (name, x) in how]
end
