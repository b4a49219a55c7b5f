# Models, builders, constraint sets and workspaces: how they are made and freed.

"""
    Model(path; base = :fixed, gravity, floating_joint_name, loop_treatment, ignore_loops, log_callback, ...)

A robot from a URDF file: immutable, and any number of threads may read it. `close` frees it now, the garbage collector some
time after nobody holds it; what was made from it stays good. Options: tenon_model_options; log_callback(level, text).
"""
mutable struct Model
    pointer::Ptr{Raw.tenon_model}
    name::String
    nq::Int
    nv::Int
    floating_base::Bool
    total_mass::Float64
    body_count::Int
    depth::Int
    links::Vector{String}
    joints::Vector{String}
    warnings::Vector{String}
    kept::Any # functions that it calls

    # Takes over a model that calls of Tenon.Raw made.
    function Model(p::Ptr{Raw.tenon_model}, kept = nothing)
        links = [unsafe_string(Raw.tenon_model_link_name(p, i - 1)) for i in 1:Raw.tenon_model_link_count(p)]
        joints = [unsafe_string(Raw.tenon_model_joint_name(p, i - 1)) for i in 1:Raw.tenon_model_joint_count(p)]
        warnings = [unsafe_string(Raw.tenon_model_warning(p, i - 1)) for i in 1:Raw.tenon_model_warning_count(p)]
        model = new(p, unsafe_string(Raw.tenon_model_name(p)), Raw.tenon_model_nq(p), Raw.tenon_model_nv(p),
            Raw.tenon_model_floating_base(p) == 1, Raw.tenon_model_total_mass(p), Raw.tenon_model_body_count(p),
            Raw.tenon_model_depth(p), links, joints, warnings, kept)
        return finalizer(free, model)
    end
end

# make(options, made, message, size) asks the library, which writes the pointer.
function made_of(make, type, struct_, how)
    chosen, made = options_of(struct_, how), Ref{Ptr{type}}(C_NULL)
    GC.@preserve chosen ask((message, size) -> make(reference(chosen), made, message, size))
    return made[]
end

function Model(path::AbstractString; how...)
    return Model(made_of(Raw.tenon_model, Raw.tenon_model_options, how) do chosen, made, message, size
        Raw.tenon_model_load_urdf(String(path), chosen, made, message, size)
    end)
end

"The same from URDF text."
function parse_urdf(urdf::AbstractString; how...)
    text = String(urdf)
    return Model(made_of(Raw.tenon_model, Raw.tenon_model_options, how) do chosen, made, message, size
        Raw.tenon_model_parse_urdf(text, sizeof(text), chosen, made, message, size)
    end)
end

"""
    Builder(name)

A robot in the making: links, then the joints between them, then what ties them into loops; `finish` makes a model of it.
"""
mutable struct Builder
    pointer::Ptr{Raw.tenon_builder}
    kept::Vector{Any} # functions, which live as long as the models

    Builder(p::Ptr{Raw.tenon_builder}) = finalizer(free, new(p, Any[]))
end

function Builder(name::AbstractString)
    made = Ref{Ptr{Raw.tenon_builder}}(C_NULL)
    ask((message, size) -> Raw.tenon_builder_create(String(name), made, message, size))
    return Builder(made[])
end

"A builder that starts from a URDF file; from URDF text."
function load_builder(path::AbstractString; how...)
    return Builder(made_of(Raw.tenon_builder, Raw.tenon_model_options, how) do chosen, made, message, size
        Raw.tenon_builder_load_urdf(String(path), chosen, made, message, size)
    end)
end
function parse_builder(urdf::AbstractString; how...)
    text = String(urdf)
    return Builder(made_of(Raw.tenon_builder, Raw.tenon_model_options, how) do chosen, made, message, size
        Raw.tenon_builder_parse_urdf(text, sizeof(text), chosen, made, message, size)
    end)
end

"Checks what was added and makes a model of it; options as of Model."
function finish(builder::Builder; how...)
    return Model(made_of(Raw.tenon_model, Raw.tenon_model_options, how) do chosen, made, message, size
        Raw.tenon_builder_finish(builder, chosen, made, message, size)
    end, builder.kept)
end

mutable struct ImplicitUser
    compute::Any
end

function implicit_of_user(user::Ptr{Cvoid}, nq::Int32, nv::Int32, rows::Int32, q::Ptr{Float64}, v::Ptr{Float64},
        phi::Ptr{Float64}, K::Ptr{Float64}, Kdot_v::Ptr{Float64})
    outputs = (unsafe_wrap(Array, phi, rows), unsafe_wrap(Array, K, rows * nv), unsafe_wrap(Array, Kdot_v, rows))
    try
        compute = (unsafe_pointer_to_objref(user)::ImplicitUser).compute
        results = compute(copy(unsafe_wrap(Array, q, nq)), copy(unsafe_wrap(Array, v, nv)))
        for (output, result) in zip(outputs, results)
            output .= vec(collect(Float64, result))
        end
    catch fault
        @error "a constraint threw" exception = fault
        return Raw.TENON_NOT_FINITE
    end
    return Raw.TENON_OK
end

"""
    add_implicit!(compute, builder, name, joints, rows)

A constraint phi(q) = 0 on some joints that only a function knows: compute(q, v) returns phi (rows), K = d phi / dt by v (rows x
velocities) and (dK/dt) v (rows), from the positions and velocities of these joints. Where it throws, the computation fails.
Batches call it by their threads, which Julia does not know: make them with threads = 1.
"""
function add_implicit!(compute, builder::Builder, name, joints, rows)
    user = ImplicitUser(compute)
    push!(builder.kept, user)
    called = @cfunction(implicit_of_user, Int32, (Ptr{Cvoid}, Int32, Int32, Int32, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
        Ptr{Float64}, Ptr{Float64}))
    ask((message, size) -> Raw.tenon_builder_add_implicit(builder, String(name), texts(joints), numbers_in(joints), rows,
        called, pointer_from_objref(user), C_NULL, message, size))
    return nothing
end

"""
    Constraints(model)

What is held on the links of a model: filled, then finished, by `finish!` or the first workspace or batch; immutable from then
on. Each `add_...!` returns the number of the constraint; its options are those of tenon_constraint_options.
"""
mutable struct Constraints
    pointer::Ptr{Raw.tenon_constraints}
    model::Model
    finished::Bool

    function Constraints(model::Model)
        made = Ref{Ptr{Raw.tenon_constraints}}(C_NULL)
        ask((message, size) -> Raw.tenon_constraints_create(model, made, message, size))
        return finalizer(free, new(made[], model, false))
    end
end

"Does nothing the second time."
function finish!(set::Constraints)
    if !set.finished
        ask((message, size) -> Raw.tenon_constraints_finish(set, message, size))
        set.finished = true
    end
    return set
end

"""
    Workspace(model, constraints = nothing; instruction_set, methods, products, ...)

The memory of computations on one state at a time, for one task at a time. `wrenches`: 6 for each link, [moment about its
origin; force] along link axes; nothing: none. Options: tenon_workspace_options.
"""
mutable struct Workspace
    pointer::Ptr{Raw.tenon_workspace}
    model::Model
    constraints::Union{Nothing, Constraints}
    nq::Int
    nv::Int
    m::Int
    code::Int32

    function Workspace(model::Model, constraints::Union{Nothing, Constraints} = nothing; how...)
        set = constraints === nothing ? C_NULL : finish!(constraints)
        p = made_of(Raw.tenon_workspace, Raw.tenon_workspace_options, how) do chosen, made, message, size
            Raw.tenon_workspace_create(model, set, chosen, made, message, size)
        end
        return finalizer(free, count!(new(p, model, constraints, 0, 0, 0, 0)))
    end
    Workspace(p, other::Workspace) = finalizer(free, count!(new(p, other.model, other.constraints, 0, 0, 0, 0)))
end

"Another workspace, with all that setters said."
function clone(work::Workspace)
    made = Ref{Ptr{Raw.tenon_workspace}}(C_NULL)
    ask((message, size) -> Raw.tenon_workspace_clone(work, made, message, size))
    return Workspace(made[], work)
end

function count!(work)
    work.nq = Raw.tenon_workspace_position_count(work)
    work.nv = Raw.tenon_workspace_velocity_count(work)
    work.m = Raw.tenon_workspace_row_count(work)
    return work
end

Base.show(io::IO, model::Model) = print(io, "Model(", model.name, ", nq ", model.nq, ", nv ", model.nv, ")")

# ---- what the generated functions ask for

open_pointer(::Nothing) = C_NULL
open_pointer(set::Constraints) = finish!(set)

"The number of a link, of its name or number; of a joint."
link_number(model::Model, link) = known_number(find_link, model, link, model.links, "link")
joint_number(model::Model, joint) = known_number(find_joint, model, joint, model.joints, "joint")

known_number(find, model, which::AbstractString, names, what) = find(model, which)
function known_number(find, model, which::Integer, names, what)
    if !(which in eachindex(names) || which == WORLD || which == NONE)
        throw(TenonError(Raw.TENON_OUT_OF_RANGE, "there is no $what $which, only 1 to $(length(names))"))
    end
    return Int(which)
end

link_index(model::Model, link::AbstractString) = to_index(find_link(model, link))
link_index(model::Model, link::Integer) = to_index(link)
link_index(builder::Builder, link::AbstractString) = to_index(find_link(builder, link))
link_index(builder::Builder, link::Integer) = to_index(link)
joint_index(model::Model, joint::AbstractString) = to_index(find_joint(model, joint))
joint_index(model::Model, joint::Integer) = to_index(joint)

constraint_index(object, constraint::Integer) = to_index(constraint)
constraint_index(set::Constraints, name::AbstractString) = to_index(find_constraint(set, name))
function constraint_index(object, name::AbstractString)
    object.constraints === nothing && throw(TenonError(Raw.TENON_NOT_FOUND, "there is no constraint '$name', nor any other"))
    return constraint_index(object.constraints, name)
end

rows_of(work, constraint) = work.constraints === nothing ? 0 : constraint_info(work.constraints, constraint).row_count
independent_count(model, velocities) = Int(velocities ? Raw.tenon_model_ny(model) : Raw.tenon_model_nyq(model))
constraint_count(work::Workspace) = constraint_count(finish!(work.constraints === nothing ? Constraints(work.model) : work.constraints))
triangle(object) = (object.nv * (object.nv + 1)) ÷ 2

# Numbers of what a conversion writes: another library has every joint.
function converted(work, is_velocity, convention, direction)
    if constant(Raw.TENON_CONSTANT_DIRECTION, direction) != Raw.TENON_DIRECTION_TO_OTHER
        return is_velocity ? work.nv : work.nq
    end
    return is_velocity ? work.model.nv : convention_nq(work.model, convention)
end

# ---- computations

@inline function done(work::Workspace, code)
    work.code = code
    code < 0 && failed(work)
    return nothing
end

@noinline function failed(work::Workspace)
    throw(TenonError(work.code, GC.@preserve work unsafe_string(Raw.tenon_workspace_message(work))))
end

"Of the last computation: :ok, or which caveat its answer has."
status(work::Workspace) = Symbol(status_name(work.code))

"Fields of tenon_solve_options over their defaults, for the argument `options`. Made once, for calls that are made often."
SolveOptions(; method = :automatic, how...) = options_of(Raw.tenon_solve_options, pairs((; method = method, how...)))

"In which coordinates, :spanning or :independent, computations take and return states. Changes nq and nv."
function set_coordinates!(work::Workspace, positions, velocities)
    kinds = constant(Raw.TENON_CONSTANT_COORDINATES, positions), constant(Raw.TENON_CONSTANT_COORDINATES, velocities)
    done(work, Raw.tenon_workspace_set_coordinates(work, kinds[1], kinds[2]))
    count!(work)
    return nothing
end

"One step in time: q and v change in place. integrator: :semi_implicit_euler or :runge_kutta_4."
function step!(work::Workspace, q::Numbers, v::Numbers, tau, dt::Real; integrator = :semi_implicit_euler,
        wrenches = nothing, options = nothing)
    if constant(Raw.TENON_CONSTANT_INTEGRATOR, integrator) == Raw.TENON_INTEGRATOR_RUNGE_KUTTA_4
        step_runge_kutta_4!(q, v, work, dt, tau; wrenches = wrenches, options = options)
    else
        step_semi_implicit_euler!(q, v, work, dt, tau; wrenches = wrenches, options = options)
    end
    return q, v
end
