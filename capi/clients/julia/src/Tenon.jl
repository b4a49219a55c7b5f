"""
Dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops.

Links, joints, constraints and coordinates count from 1, links and joints may be named; only the library's own messages count
from 0. The functions that end in `!` write into the arrays they are given and allocate nothing. What fails throws
`TenonError`. `Tenon.Raw` has every function of tenon.h, which is the manual of every call.
"""
module Tenon

using Libdl

# Found as the system finds it, or already there: __init__ loads the file that TENON_LIBRARY names.
const libtenon = Sys.iswindows() ? "tenon.dll" : Sys.isapple() ? "libtenon.0.1.dylib" : "libtenon.so.0.1"

"The C interface, by the names of tenon.h."
module Raw

using ..Tenon: libtenon
include("raw.jl")

end

function __init__()
    path = get(ENV, "TENON_LIBRARY", "")
    isempty(path) || Libdl.dlopen(path)
    if isempty(path) && Libdl.dlopen(libtenon; throw_error = false) === nothing
        error(
            "there is no library for $(Sys.MACHINE): this package brings none, and the system has no $(libtenon). Take that " *
            "of a release or a wheel, or build Tenon, and set TENON_LIBRARY to the path of the library",
        )
    end
    if Raw.tenon_version() ÷ 100 != Raw.TENON_VERSION ÷ 100
        error("the library is Tenon $(version()), of another version than this package")
    end
    return nothing
end

"The version of the library, as text."
version() = unsafe_string(Raw.tenon_version_string())

include("support.jl")
include("model.jl")
include("constraints.jl")
include("workspace.jl")
include("batch.jl")

export Model, Constraints, Workspace, Batch, SolveOptions, TenonError
export parse_urdf, link_number, joint_number, link_info, joint_info, describe
export add_point!, add_weld!, add_rows!, finish!, constraint_count, row_count
export status, report, set_gravity!, set_active!, anchor_here!, set_anchor!, set_anchors!, anchors, set_gains!
export neutral, neutral!, random, random!, integrate, integrate!, difference, difference!
export kinematics!, link_pose, link_pose!, link_velocity, link_velocity!, jacobian, jacobian!, energy
export forward_dynamics, forward_dynamics!, inverse_dynamics, inverse_dynamics!, bias, bias!, gravity_force, gravity_force!
export mass_matrix, mass_matrix!, constrained_dynamics, constrained_dynamics!, constrained_inverse_dynamics
export constrained_inverse_dynamics!, constraint_rows, delassus, delassus!, step!, rollout

end
