"""Tenon: dynamics of articulated robots whose links are held and whose joints are tied by kinematic loops.

    import tenon
    robot = tenon.Model.load(tenon.models.path("atlas"), base="floating")
    work = tenon.Workspace(robot, tenon.Constraints(robot, welds=["l_foot", "r_foot"]))
    qdd, force = work.constrained_dynamics(work.neutral(), work.zeros(), work.zeros())

A model and a constraint set are immutable and may be shared by threads; a workspace holds the memory of computations
and belongs to one thread at a time; a batch computes many states in one call. Units are SI and radians, spatial
vectors [angular; linear], quaternions x y z w, poses [x y z qx qy qz qw]. Arrays are float64; what is contiguous goes
in and out without a copy, and every result can be written into an array of yours (out=...). Matrices are column-major,
those of derivatives row-major with row_major=True.
What goes wrong raises tenon.Error with a status and a message. tenon.h, which is installed beside the library, is the
manual of every call.
"""

from pathlib import Path as _Path

if not (_Path(__file__).parent / "functions.py").exists():
    raise ImportError("this checkout lacks what programs write of the package: run packaging/api/generate.sh, then import again")

from . import functions, models
from ._arrays import pose
from ._core import Error
from .batch import Batch
from .builder import Builder
from .constraints import Constraints
from .functions import build_info, version_string as version
from .model import Model
from .types import *  # noqa: F403  enumerations, records, and what stands alone
from .types import __all__ as _types
from .workspace import Workspace

__version__ = version()
__all__ = ["Batch", "Builder", "Constraints", "Error", "Model", "Workspace", "build_info", "functions", "models", "pose", "version"]
__all__ += _types
