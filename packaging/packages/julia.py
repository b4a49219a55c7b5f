"""The package for Julia, as a folder for Pkg.develop: its sources, with the raw declarations, which the repository does not
hold. It brings no library."""

from release import files_of, write_tar

FOLDER = "julia"


def pack(release, out, work):
    """Writes tenon-julia-<version>.tar.gz."""
    release.same_version(f"{FOLDER}/Project.toml", r'^version = "([\d.]+)"')
    files = {**files_of(FOLDER, "**/*.jl", "Project.toml", "README.md"), **release.licences}
    top = f"tenon-julia-{release.version}"
    write_tar(out / f"{top}.tar.gz", {f"{top}/{name}": data for name, data in files.items()})
    return [out / f"{top}.tar.gz"]
