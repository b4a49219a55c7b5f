"""
    Model(path; base = :fixed, gravity, floating_joint_name, ignore_loops, ignore_mimic, tolerant_inertias)

A robot from a URDF file: immutable, and any number of threads may read it. `close` frees it now, the garbage collector some
time after nobody holds it; what was made from it stays good.
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

    # Takes over a model that calls of Tenon.Raw made.
    function Model(p::Ptr{Raw.tenon_model})
        links = [unsafe_string(Raw.tenon_model_link_name(p, i - 1)) for i in 1:Raw.tenon_model_link_count(p)]
        joints = [unsafe_string(Raw.tenon_model_joint_name(p, i - 1)) for i in 1:Raw.tenon_model_joint_count(p)]
        warnings = [unsafe_string(Raw.tenon_model_warning(p, i - 1)) for i in 1:Raw.tenon_model_warning_count(p)]
        model = new(p, unsafe_string(Raw.tenon_model_name(p)), Raw.tenon_model_nq(p), Raw.tenon_model_nv(p),
            Raw.tenon_model_floating_base(p) == 1, Raw.tenon_model_total_mass(p), Raw.tenon_model_body_count(p),
            Raw.tenon_model_depth(p), links, joints, warnings)
        return finalizer(free, model)
    end
end

function free(model::Model)
    pointer, model.pointer = model.pointer, C_NULL
    pointer == C_NULL || Raw.tenon_model_destroy(pointer)
    return nothing
end

Base.close(model::Model) = finalize(model)
Base.unsafe_convert(::Type{Ptr{Raw.tenon_model}}, model::Model) = alive(model.pointer, "Model")
Base.show(io::IO, model::Model) = print(io, "Model(", model.name, ", nq ", model.nq, ", nv ", model.nv, ")")

Model(path::AbstractString; options...) = from_urdf(; options...) do chosen, made, message, size
    Raw.tenon_model_load_urdf(String(path), chosen, made, message, size)
end

"The same from URDF text."
parse_urdf(urdf::AbstractString; options...) = from_urdf(; options...) do chosen, made, message, size
    text = String(urdf)
    Raw.tenon_model_parse_urdf(text, sizeof(text), chosen, made, message, size)
end

function from_urdf(read; base = :fixed, gravity = nothing, floating_joint_name = nothing, ignore_loops = false,
        ignore_mimic = false, tolerant_inertias = false)
    chosen = prepared(Raw.tenon_model_options, Raw.tenon_model_options_init)
    chosen.base = constant(Raw.TENON_CONSTANT_BASE, base)
    if gravity !== nothing
        numbers = given(gravity, 3, "gravity")
        chosen.gravity = (numbers[1], numbers[2], numbers[3])
    end
    chosen.ignore_loops = ignore_loops
    chosen.ignore_mimic = ignore_mimic
    chosen.tolerant_inertias = tolerant_inertias
    name = floating_joint_name === nothing ? "" : String(floating_joint_name)
    made = Ref{Ptr{Raw.tenon_model}}(C_NULL)
    GC.@preserve name begin
        if floating_joint_name !== nothing
            chosen.floating_joint_name = pointer(name)
        end
        ask() do message, size
            read(Ref(chosen), made, message, size)
        end
    end
    return Model(made[])
end

# The number of a name or of a number, which is looked at; find: a function of the library.
function number(model, find, which::AbstractString, names, what)
    index = Ref{Int32}(-1)
    ask() do message, size
        find(model, String(which), index, message, size)
    end
    return Int(index[]) + 1
end
function number(model, find, which::Integer, names, what)
    if !(which in eachindex(names))
        throw(TenonError(Raw.TENON_OUT_OF_RANGE, "there is no $what $which, only 1 to $(length(names))"))
    end
    return Int(which)
end

"The number of a link, of its name or number."
link_number(model::Model, link) = number(model, Raw.tenon_model_find_link, link, model.links, "link")

"The number of a joint, of its name or number."
joint_number(model::Model, joint) = number(model, Raw.tenon_model_find_joint, joint, model.joints, "joint")

link_index(model, link) = Int32(link_number(model, link) - 1)

# A number that counts from 1, of an index; 0: none.
from_index(index) = max(Int(index), -1) + 1

"What is known of a link. 0: none, or the world."
function link_info(model::Model, link)
    info = prepared(Raw.tenon_link_info, Raw.tenon_link_info_init)
    check(Raw.tenon_model_link_info(model, link_index(model, link), Ref(info)), "link")
    return (name = GC.@preserve(model, unsafe_string(info.name)), parent_link = from_index(info.parent_link),
        joint = from_index(info.joint), body = from_index(info.body), is_frame = info.is_frame == 1, mass = info.mass,
        center_of_mass = collect(info.center_of_mass), inertia = collect(info.inertia))
end

"What is known of a joint; `q_index` and `v_index` are those of its first position and velocity."
function joint_info(model::Model, joint)
    info = prepared(Raw.tenon_joint_info, Raw.tenon_joint_info_init)
    check(Raw.tenon_model_joint_info(model, joint_number(model, joint) - 1, Ref(info)), "joint")
    return (name = GC.@preserve(model, unsafe_string(info.name)),
        type = name_of(Raw.TENON_CONSTANT_JOINT_TYPE, info.type), parent_link = from_index(info.parent_link),
        child_link = from_index(info.child_link), q_index = from_index(info.q_index), nq = Int(info.nq),
        v_index = from_index(info.v_index), nv = Int(info.nv), axis = collect(info.axis), origin = collect(info.origin),
        lower = info.lower, upper = info.upper, velocity = info.velocity, effort = info.effort, armature = info.armature,
        pitch = info.pitch)
end

"The tree as indented text, a line for each body."
function describe(model::Model)
    needed = Ref{Csize_t}(0)
    check(Raw.tenon_model_describe(model, C_NULL, 0, needed), "describe")
    text = zeros(Cchar, needed[])
    check(Raw.tenon_model_describe(model, text, length(text), C_NULL), "describe")
    return GC.@preserve text unsafe_string(pointer(text))
end
