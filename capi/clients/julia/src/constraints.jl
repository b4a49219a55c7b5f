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
        ask() do message, size
            Raw.tenon_constraints_create(model, made, message, size)
        end
        return finalizer(free, new(made[], model, false))
    end
end

function free(set::Constraints)
    pointer, set.pointer = set.pointer, C_NULL
    pointer == C_NULL || Raw.tenon_constraints_destroy(pointer)
    return nothing
end

Base.close(set::Constraints) = finalize(set)
Base.unsafe_convert(::Type{Ptr{Raw.tenon_constraints}}, set::Constraints) = alive(set.pointer, "Constraints")

rows_of(rows::Integer) = rows
function rows_of(rows::Symbol)
    rows === :angular && return Raw.TENON_ROWS_ANGULAR
    rows === :linear && return Raw.TENON_ROWS_LINEAR
    rows === :hinge && return Raw.TENON_ROWS_HINGE
    rows === :all && return Raw.TENON_ROWS_ALL
    throw(TenonError(Raw.TENON_NOT_FOUND, "there are no rows '$rows'; there are: angular, linear, all, hinge"))
end

# add(options, index, message, size) asks the library.
function added(add; axes = :link, rows = :all, name = nothing, frequency = 0.0, damping_ratio = 1.0, weights = nothing,
        compliance = nothing)
    chosen = prepared(Raw.tenon_constraint_options, Raw.tenon_constraint_options_init)
    chosen.axes = constant(Raw.TENON_CONSTANT_AXES, axes)
    chosen.rows = rows_of(rows)
    chosen.frequency = frequency
    chosen.damping_ratio = damping_ratio
    called = name === nothing ? "" : String(name)
    weighed = weights === nothing ? Float64[] : Vector{Float64}(weights)
    soft = compliance === nothing ? Float64[] : Vector{Float64}(compliance)
    index = Ref{Int32}(-1)
    GC.@preserve called weighed soft begin
        if name !== nothing
            chosen.name = pointer(called)
        end
        if weights !== nothing
            chosen.weights = pointer(weighed)
            chosen.weights_count = length(weighed)
        end
        if compliance !== nothing
            chosen.compliance = pointer(soft)
            chosen.compliance_count = length(soft)
        end
        ask() do message, size
            add(Ref(chosen), index, message, size)
        end
    end
    return Int(index[]) + 1
end

"A point of a link, 3, m; nothing: its origin."
function add_point!(set::Constraints, link, point = nothing; options...)
    x, i = optional(point, 3, "point"), link_index(set.model, link)
    return added(; options...) do chosen, index, message, size
        Raw.tenon_constraints_add_point(set, i, x, 3, chosen, index, message, size)
    end
end

"A frame of a link, pose of 7; nothing: the link's own."
function add_weld!(set::Constraints, link, pose = nothing; options...)
    x, i = optional(pose, 7, "pose"), link_index(set.model, link)
    return added(; options...) do chosen, index, message, size
        Raw.tenon_constraints_add_weld(set, i, x, 7, chosen, index, message, size)
    end
end

"K a = k with the spatial acceleration a of the link in its frame; K has 6 columns."
function add_rows!(set::Constraints, link, K::AbstractMatrix; options...)
    i, rows = link_index(set.model, link), size(K, 1)
    held = matrix(Matrix{Float64}(K), rows, 6, "K")
    return added(; options...) do chosen, index, message, size
        Raw.tenon_constraints_add_rows(set, i, rows, held, length(held), max(rows, 1), chosen, index, message, size)
    end
end

"Does nothing the second time."
function finish!(set::Constraints)
    if !set.finished
        ask() do message, size
            Raw.tenon_constraints_finish(set, message, size)
        end
        set.finished = true
    end
    return set
end

constraint_count(set::Constraints) = Int(Raw.tenon_constraints_constraint_count(set))

"The length of lambda. Finishes the set."
row_count(set::Constraints) = Int(Raw.tenon_constraints_row_count(finish!(set)))
