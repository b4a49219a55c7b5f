"""
Dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops.

Links, joints, constraints and coordinates count from 1, links and joints may be named; only the library's own messages count
from 0. The functions that end in `!` write into the arrays they are given. What fails throws
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

include("support.jl")
include("types.jl")
include("objects.jl")
include("batch.jl")
include("methods.jl")

export Model, Builder, Constraints, Workspace, Batch, SolveOptions, TenonError, status, link_number, joint_number

end
