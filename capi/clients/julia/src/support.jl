# Errors, constants by their names, arrays, options.

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

# A text of the library.
function told(text)
    text == C_NULL && throw(TenonError(Raw.TENON_OUT_OF_RANGE, "there is none of this number"))
    return unsafe_string(text)
end

# ---- constants and numbers

# A constant, or that of a name: :floating.
function constant(kind, name::Symbol)
    value = Ref{Int32}(0)
    check(Raw.tenon_constant_from_name(kind, String(name), value), "there is no constant '$name' of this kind; tenon.h has the names")
    return value[]
end
constant(kind, value::Integer) = Int32(value)
name_of(kind, value) = Symbol(unsafe_string(Raw.tenon_constant_name(kind, value)))

function loop_method_of(name::Symbol)
    value = Ref{Int32}(0)
    check(Raw.tenonx_loop_method_from_name(String(name), value), "there is no method '$name' for loops")
    return value[]
end
loop_method_of(value::Integer) = Int32(value)

# Numbers count from 1, indices from 0; NONE and WORLD are both.
to_index(number::Integer) = number > 0 ? Int32(number - 1) : number == 0 ? Int32(-3) : Int32(number)
from_index(index) = index < 0 ? Int(index) : Int(index) + 1

"In the place of a link: the world; of any number: there is none."
const WORLD = Int(Raw.TENON_WORLD)
const NONE = Int(Raw.TENON_NONE)

# ---- arrays

# Arrays whose numbers stand in a row: these are not copied.
const Numbers = Union{DenseVector{Float64}, Base.FastContiguousSubArray{Float64, 1, <:DenseArray}}
const Table = Union{DenseMatrix{Float64}, Base.FastContiguousSubArray{Float64, 2, <:DenseArray}}

@noinline function wrong_size(name, given, needed)
    throw(TenonError(Raw.TENON_WRONG_SIZE, "$name: $given numbers; $needed are needed"))
end
@noinline function not_written(name, kind)
    throw(TenonError(Raw.TENON_INVALID_ARGUMENT, "$name is written: give a $kind of Float64 whose numbers stand in a row"))
end

numbers_in(::Nothing) = 0
numbers_in(x) = length(x)
leading(::Nothing) = 1
leading(x) = max(size(x, 1), 1)
rows_in(K) = Int32(size(K, 1))
columns_of(B) = Int32(size(B, 2))

# An input: refused before the call where its length is another; one that is no row of Float64 is copied.
@inline function given(x::Numbers, count, name)
    length(x) == count || wrong_size(name, length(x), count)
    return x
end
given(x::AbstractArray{<:Real}, count, name) = given(Vector{Float64}(vec(x)), count, name)
given(x::Real, count, name) = given([Float64(x)], count, name)

# The same of one that may be absent.
optional(::Nothing, count, name) = C_NULL
optional(x, count, name) = given(x, count, name)

# An output; nothing: not wanted.
@inline function written(x::Numbers, count, name)
    length(x) == count || wrong_size(name, length(x), count)
    return x
end
written(::Nothing, count, name) = C_NULL
written(x, count, name) = not_written(name, "vector")

@inline function table(x::Table, rows, columns, name)
    size(x) == (rows, columns) || wrong_size(name, join(size(x), " x "), "$rows x $columns")
    return x
end
table(::Nothing, rows, columns, name) = C_NULL
table(x, rows, columns, name) = not_written(name, "matrix")

# A result of derivatives: of one that options want row-major the transpose.
turned(how, rows, columns) = get(how, :row_major, false) != 0 ? (columns, rows) : (rows, columns)

given_table(x::Table, rows, columns, name) = table(x, rows, columns, name)
given_table(x::AbstractMatrix{<:Real}, rows, columns, name) = table(Matrix{Float64}(x), rows, columns, name)
given_table(x::AbstractVector{<:Real}, rows, columns, name) = given(x, rows, name)

indices(::Nothing) = C_NULL
indices(numbers) = Int32[to_index(number) for number in numbers]
whole_numbers(::Nothing) = C_NULL
whole_numbers(numbers) = Vector{Int32}(numbers)
texts(names) = [String(name) for name in names]
texts(name::AbstractString) = [String(name)]

# Ratios of a coupling, dependent x independent; one number, or those of one independent joint.
ratio_table(ratios::Real) = fill(Float64(ratios), 1, 1)
ratio_table(ratios) = Matrix{Float64}(reshape(collect(ratios), size(ratios, 1), size(ratios, 2)))

# ---- functions of the user

mutable struct User
    call::Any
end
called(user) = (unsafe_pointer_to_objref(user)::User).call

function log_of_user(user::Ptr{Cvoid}, level::Int32, text::Ptr{Cchar})
    try
        called(user)(name_of(Raw.TENON_CONSTANT_LOG_LEVEL, level), unsafe_string(text))
    catch fault
        @error "a log callback threw" exception = fault
    end
    return nothing
end

# What a constraint by a function is: what it returns is written into outputs.
function computed(user, inputs, outputs)
    try
        for (output, result) in zip(outputs, called(user)(inputs...))
            output .= vec(collect(Float64, result))
        end
    catch fault
        @error "a constraint threw" exception = fault
        return Raw.TENON_NOT_FINITE
    end
    return Raw.TENON_OK
end

# ---- structs

# A struct with the defaults of the library.
function prepared(struct_)
    made = struct_()
    check(prepare(made), "options")
    return made
end

# Options, and what they point at.
struct Chosen{T}
    options::Base.RefValue{T}
    kept::Vector{Any}
end

reference(::Nothing) = C_NULL
reference(chosen::Chosen) = chosen.options

# Fields over the defaults; nothing: a default.
function options_of(struct_, how)
    isempty(how) && return nothing
    chosen, kept = prepared(struct_), Any[]
    for (name, value) in how
        if !(name in fieldnames(struct_)) || name in (:struct_size, :reserved)
            names = filter(field -> !(field in (:struct_size, :reserved)), collect(fieldnames(struct_)))
            throw(TenonError(Raw.TENON_NOT_FOUND, "there is no option '$name'; there are: $(join(names, ", "))"))
        end
        value === nothing || set_option!(chosen, name, value, kept)
    end
    return Chosen(Ref(chosen), kept)
end

function set_option!(chosen, name, value, kept)
    key, type = (typeof(chosen), name), fieldtype(typeof(chosen), name)
    if haskey(COUNTS, key)
        numbers = Vector{Float64}(value)
        push!(kept, numbers)
        setproperty!(chosen, COUNTS[key], length(numbers))
        setproperty!(chosen, name, pointer(numbers))
    elseif name === :log_callback
        user = User(value)
        push!(kept, user)
        chosen.log_user = pointer_from_objref(user)
        chosen.log_callback = @cfunction(log_of_user, Cvoid, (Ptr{Cvoid}, Int32, Ptr{Cchar}))
    elseif value isa AbstractString
        text = String(value)
        push!(kept, text)
        setproperty!(chosen, name, pointer(text))
    elseif value isa Chosen
        push!(kept, value)
        setproperty!(chosen, name, Base.unsafe_convert(type, value.options))
    elseif value isa BatchArray
        push!(kept, value)
        setproperty!(chosen, name, Base.unsafe_convert(type, value.array))
    elseif type <: Tuple
        numbers = given(value, fieldcount(type), name)
        setproperty!(chosen, name, Tuple(numbers))
    else
        setproperty!(chosen, name, option(key, type, value))
    end
    return nothing
end

option(key, type, value::Real) = key in PLACES ? to_index(value) : type(value)
option(key, type, values) = reduce(|, (option(key, type, value) for value in values); init = type(0))
function option(key, type, name::Symbol)
    haskey(KINDS, key) && return constant(KINDS[key], name)
    haskey(MASKS, key) && return type(1) << constant(MASKS[key], name)
    names = get(BITS, key, nothing)
    names !== nothing && haskey(names, name) && return type(names[name])
    there = names === nothing ? "" : "; there are: $(join(keys(names), ", "))"
    throw(TenonError(Raw.TENON_NOT_FOUND, "there are no $(last(key)) '$name'$there"))
end
