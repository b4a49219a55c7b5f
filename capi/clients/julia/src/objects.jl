# What the functions of objects ask for.

Base.show(io::IO, model::Model) = print(io, "Model(", model.name, ", nq ", model.nq, ", nv ", model.nv, ")")

# ---- statuses

@inline function done(work::Workspace, code)
    work.code = code
    code < 0 && failed(work, Raw.tenon_workspace_message, code)
    return nothing
end
function done(batch::Batch, code)
    code < 0 && failed(batch, Raw.tenon_batch_message, code)
    return nothing
end

@noinline failed(object, message, code) = throw(TenonError(code, GC.@preserve object unsafe_string(message(object))))

"Of the last computation: :ok, or which caveat its answer has; of a batch that of each state."
status(work::Workspace) = Symbol(status_name(work.code))
status(batch::Batch) = [Symbol(status_name(code)) for code in batch.codes]

"Fields of tenon_solve_options over their defaults, for the argument `options`. Made once, for calls that are made often."
SolveOptions(; method = :automatic, how...) = options_of(Raw.tenon_solve_options, pairs((; method = method, how...)))

# ---- sets, and things by name

# A set has the rows of the model's loops, also where there is no other constraint.
set_of(model, ::Nothing) = finish!(Constraints(model))
set_of(model, set) = finish!(set)

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

index_of(find, object, which::AbstractString) = to_index(find(object, which))
index_of(find, object, which::Integer) = to_index(which)

# ---- sizes

constraint_count(object) = constraint_count(object.constraints)
rows_of(object, constraint) = constraint_info(object.constraints, constraint).row_count
independent_count(model, velocities) = Int(velocities ? Raw.tenon_model_ny(model) : Raw.tenon_model_nyq(model))
triangle(object) = (object.nv * (object.nv + 1)) ÷ 2

# Numbers of what a conversion writes: another library has every joint.
function converted(work, is_velocity, convention, direction)
    if constant(Raw.TENON_CONSTANT_DIRECTION, direction) != Raw.TENON_DIRECTION_TO_OTHER
        return is_velocity ? work.nv : work.nq
    end
    return is_velocity ? work.model.nv : convention_nq(work.model, convention)
end
