# Errors, constants by their names, arrays.

"A call that failed: nothing was written. The message tells what, where and how to mend it."
struct TenonError <: Exception
    status::Int32
    message::String
end

Base.showerror(io::IO, fault::TenonError) = print(io, "TenonError: ", status_name(fault.status), ": ", fault.message)

"The name of a status: \"ok\", \"not_found\", ..."
status_name(code) = unsafe_string(Raw.tenon_status_string(code))

function check(code, what)
    code < 0 && throw(TenonError(code, what))
    return code
end

# call(message, size) asks the library and returns its status.
function ask(call)
    message = zeros(Cchar, 1024)
    code = call(message, length(message))
    code < 0 && throw(TenonError(code, GC.@preserve message unsafe_string(pointer(message))))
    return code
end

# The pointer of an object for a call.
@inline function alive(pointer, name)
    pointer == C_NULL && closed(name)
    return pointer
end

@noinline closed(name) = throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "this $name was closed"))

# A struct with the defaults of the library.
function prepared(struct_, init)
    made = struct_()
    check(init(Ref(made), sizeof(struct_)), "options")
    return made
end

# A constant, or that of a name: :floating.
function constant(kind, name::Symbol)
    value = Ref{Int32}(0)
    check(Raw.tenon_constant_from_name(kind, String(name), value), "there is no constant '$name' of this kind; tenon.h has the names")
    return value[]
end
constant(kind, value::Integer) = Int32(value)
name_of(kind, value) = Symbol(unsafe_string(Raw.tenon_constant_name(kind, value)))

# Arrays whose numbers stand in a row: these are not copied.
const Numbers = Union{DenseVector{Float64}, Base.FastContiguousSubArray{Float64, 1, <:DenseArray}}
const Table = Union{DenseMatrix{Float64}, Base.FastContiguousSubArray{Float64, 2, <:DenseArray}}

@noinline function wrong_size(name, given, needed)
    throw(TenonError(Raw.TENON_WRONG_SIZE, "$name: $given numbers; $needed are needed"))
end

# An input: refused before the call where its length is another; one that is no row of Float64 is copied.
@inline function given(x::Numbers, count, name)
    length(x) == count || wrong_size(name, length(x), count)
    return x
end
given(x::AbstractVector{<:Real}, count, name) = given(Vector{Float64}(x), count, name)

# The same of one that may be absent.
optional(::Nothing, count, name) = C_NULL
optional(x, count, name) = given(x, count, name)

@inline function matrix(x::Table, rows, columns, name)
    size(x) == (rows, columns) || wrong_size(name, join(size(x), " x "), "$rows x $columns")
    return x
end
