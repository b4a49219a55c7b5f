"""The robots that come with Tenon: tenon.models.path("atlas") is the file of one, tenon.models.names() are all.

LICENSES.md beside the files has the notices of the projects whose figures they are made of.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
# In a wheel they lie here; in a checkout of the sources in its folder models.
FOLDER = _HERE if (_HERE / "atlas.urdf").exists() else Path(*_HERE.parts[:-5], "models")


def names() -> list[str]:
    """Of all models, as path takes them."""
    return sorted(path.stem for path in FOLDER.glob("*.urdf"))


def path(name: str) -> Path:
    """The URDF file of a model, by its name with or without .urdf."""
    found = FOLDER / (name if name.endswith(".urdf") else name + ".urdf")
    if not found.exists():
        raise FileNotFoundError(f"there is no model '{name}'; there are: {', '.join(names()) or 'none, in ' + str(FOLDER)}")
    return found
