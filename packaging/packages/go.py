"""The Go module, as a folder to name in go.mod: its sources, with the raw declarations, which the repository does not hold.
It brings no library."""

from release import files_of, write_tar

FOLDER = "go"


def pack(release, out, work):
    """Writes tenon-go-<version>.tar.gz."""
    files = {**files_of(FOLDER, "**/*.go", "go.mod", "go.sum", "README.md"), **release.licences}
    top = f"tenon-go-{release.version}"
    write_tar(out / f"{top}.tar.gz", {f"{top}/{name}": data for name, data in files.items()})
    return [out / f"{top}.tar.gz"]
