"""Compares the recipes with what they package, without any of their tools, in a second.

    python3 packaging/recipes/check.py [--can-fail]

Versions, names, dependencies, options of CMake, functions and paths that a recipe names must be those of
CMakeLists.txt, THIRD_PARTY.md and pyproject.toml. --can-fail spoils one thing after the other and sees each spoiling found.
"""

import ast
import glob
import json
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
RECIPES = "packaging/recipes"
CMAKE = "CMakeLists.txt", "src/CMakeLists.txt", "capi/CMakeLists.txt", "capi/cli/CMakeLists.txt"
NAME = "tenon-dynamics"

# project in THIRD_PARTY.md: (least version, which is Debian 12's; as CMake finds it; names for Conan, vcpkg, Spack and
# conda-forge). Conan and CMake find fmt as a part of spdlog.
DEPENDENCIES = {
    "TinyXML-2": ("9", "tinyxml2", "tinyxml2", "tinyxml2", "tinyxml2"),
    "Eigen": ("3.4", "Eigen3", "eigen", "eigen3", "eigen"),
    "spdlog": ("1.10", "spdlog", "spdlog", "spdlog", "spdlog"),
    "fmt": ("9.1", None, None, "fmt", "fmt"),
    "CLI11": ("2.1", "CLI11", "cli11", "cli11", "cli11"),
}
# What THIRD_PARTY.md has besides: it comes with the compiler.
OF_COMPILERS = {"libstdc++ and libgcc", "libc++", "MinGW-w64"}
# Functions of vcpkg, as its documentation has them, and the port that brings each.
VCPKG_FUNCTIONS = {
    "vcpkg_check_features": None, "vcpkg_copy_pdbs": None, "vcpkg_copy_tools": None, "vcpkg_fixup_pkgconfig": None,
    "vcpkg_from_github": None, "vcpkg_install_copyright": None, "vcpkg_cmake_configure": "vcpkg-cmake",
    "vcpkg_cmake_install": "vcpkg-cmake", "vcpkg_cmake_config_fixup": "vcpkg-cmake-config",
}  # fmt: skip
VCPKG_FIELDS = {
    "name", "version-semver", "port-version", "description", "homepage", "documentation", "license", "supports",
    "dependencies", "features", "default-features",
}  # fmt: skip
SPACK_DIRECTIVES = {"license", "version", "variant", "depends_on", "conflicts", "homepage", "url", "git"}
SPACK_METHODS = {"cmake_args"}


class Tree:
    """The files of the repository; `spoiled` has other texts for some."""

    def __init__(self, spoiled=None):
        self.spoiled, self.faults = spoiled or {}, []

    def text(self, path):
        if path in self.spoiled:
            return self.spoiled[path]
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()

    def same(self, what, found, wanted):
        if found != wanted:
            self.faults.append(f"{what}: {found!r}, not {wanted!r}")

    def holds(self, what, good):
        if not good:
            self.faults.append(what)


def captured(pattern, text):
    match = re.search(pattern, text)
    return match.group(1) if match else None


class Truth:
    """What the recipes have to say."""

    def __init__(self, tree):
        top = tree.text("CMakeLists.txt")
        self.version = captured(r"project\(tenon VERSION ([\d.]+)", top)
        self.cmake = captured(r"cmake_minimum_required\(VERSION ([\d.]+)\)", top)
        texts = [tree.text(path) for path in CMAKE]
        self.options = {"BUILD_SHARED_LIBS"}
        for text in texts:
            self.options |= set(re.findall(r"option\((\w+)", text))
            self.options |= set(re.findall(r"set\((TENON_\w+)[^()]* CACHE ", text))
        self.found = {name for text in texts for name in re.findall(r"find_package\((\w+)", text)} - {"Threads"}
        self.eigen = captured(r"find_package\(Eigen3 ([\d.]+)", top)
        rows = re.findall(r"^\| \[?([^|]+?) \|", tree.text("packaging/THIRD_PARTY.md"), flags=re.M)
        names = {captured(r"([^\],]+)", row).strip() for row in rows} - {"project", "---"}
        self.linked = {name for name in names if not any(name.startswith(start) for start in OF_COMPILERS)}
        self.python = tree.text("capi/clients/python/pyproject.toml")


def sources(tree, truth):
    """The table above is complete."""
    tree.same("projects in THIRD_PARTY.md", truth.linked, set(DEPENDENCIES))
    tree.same("packages that CMake finds", truth.found, {entry[1] for entry in DEPENDENCIES.values()} - {None})
    tree.same("least Eigen", truth.eigen, DEPENDENCIES["Eigen"][0])
    tree.same("name in pyproject.toml", captured(r'\[project\]\nname = "([^"]+)"', truth.python), NAME)


def least(tree, manager, found, which):
    """found: {name: least version} of a recipe."""
    wanted = {entry[which]: entry[0] for entry in DEPENDENCIES.values() if entry[which]}
    tree.same(f"{manager}: dependencies", found, wanted)


def options(tree, truth, manager, text):
    named = set(re.findall(r"(?:-D|\b)(TENON_[A-Z]\w+|BUILD_SHARED_LIBS)\b", text)) - {"TENON_STATIC"}
    tree.holds(f"{manager}: sets no option of CMake", named)
    tree.same(f"{manager}: options that CMakeLists.txt has not", named - truth.options, set())


def conan(tree, truth):
    text = tree.text(f"{RECIPES}/conan/conanfile.py")
    recipe = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    said = {node.targets[0].id: ast.literal_eval(node.value) for node in recipe.body if isinstance(node, ast.Assign)}
    tree.same("Conan: name", said["name"], NAME)
    tree.holds("Conan: the version is read from CMakeLists.txt", "version" not in said)
    pattern = captured(r're\.search\(r"(.*?)", load', text) or "(?!)"
    tree.same("Conan: version", captured(pattern, tree.text("CMakeLists.txt")), truth.version)
    tree.same("Conan: license", said["license"], "MIT")
    least(tree, "Conan", dict(re.findall(r'self\.requires\("(\w+)/\[>=([\d.]+)', text)), 2)
    tree.same("Conan: CMake", captured(r'tool_requires\("cmake/\[>=([\d.]+)', text), truth.cmake)
    for pattern in said["sources"]:
        tree.holds(f"Conan: there is no {pattern}", glob.glob(os.path.join(ROOT, pattern)))
    options(tree, truth, "Conan", text)
    profile = dict(re.findall(r"^(\w+)/([\d.]+)$", tree.text(f"{RECIPES}/conan/debian12.profile"), flags=re.M))
    stand_in = tree.text(f"{RECIPES}/conan_stand_in/conanfile.py")
    profile[captured(r'name = "(.*)"', stand_in)] = captured(r'version = "(.*)"', stand_in)
    for entry in DEPENDENCIES.values():
        if entry[2]:
            fits = profile.get(entry[2], "").startswith(entry[0] + ".")
            tree.holds(f"Conan: the profile has not {entry[2]} {entry[0]}", fits)


def vcpkg(tree, truth):
    manifest, port = json.loads(tree.text(f"{RECIPES}/vcpkg/vcpkg.json")), tree.text(f"{RECIPES}/vcpkg/portfile.cmake")
    tree.same("vcpkg: fields that its documentation has not", set(manifest) - VCPKG_FIELDS, set())
    tree.same("vcpkg: name", manifest["name"], NAME)
    tree.holds("vcpkg: name of a port", re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"]))
    tree.same("vcpkg: version", manifest["version-semver"], truth.version)
    tree.holds("vcpkg: semantic version", re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", manifest["version-semver"]))
    tree.same("vcpkg: license", manifest["license"], "MIT")
    lists = [manifest["dependencies"]] + [feature.get("dependencies", []) for feature in manifest["features"].values()]
    libraries, helpers = [], set()
    for names in lists:
        order = [one if isinstance(one, str) else one["name"] for one in names]
        tree.same("vcpkg: dependencies in order", order, sorted(order))
        for one in names:
            if isinstance(one, str):
                libraries.append(one)
            else:
                tree.same(f"vcpkg: {one['name']}", one, {"name": one["name"], "host": True})
                helpers.add(one["name"])
    tree.same("vcpkg: dependencies", sorted(libraries), sorted(entry[3] for entry in DEPENDENCIES.values()))
    for name, feature in manifest["features"].items():
        tree.same(f"vcpkg: feature {name}", set(feature), {"description", "dependencies"})
    called = set(re.findall(r"\b(vcpkg_\w+)\(", port))
    tree.same("vcpkg: functions that its documentation has not", called - set(VCPKG_FUNCTIONS), set())
    tree.same("vcpkg: ports of functions", helpers, {VCPKG_FUNCTIONS.get(name) for name in called} - {None})
    tree.same("vcpkg: features", re.findall(r"^ +(\w+) TENON_\w+$", port, flags=re.M), list(manifest["features"]))
    asked = set(re.findall(r'"(\w+)" IN_LIST FEATURES', port))
    tree.same("vcpkg: features that are asked for", asked, set(manifest["features"]))
    folder = captured(r"CONFIG_PATH lib/([\w/]+)", port)
    installed = "${CMAKE_INSTALL_LIBDIR}/" + str(folder) + ")" in tree.text("capi/CMakeLists.txt")
    tree.holds(f"vcpkg: CMake installs nothing in lib/{folder}", installed)
    for path in re.findall(r"\$\{SOURCE_PATH\}/([\w./]+)", port):
        tree.holds(f"vcpkg: there is no {path}", os.path.exists(os.path.join(ROOT, path)))
    usage = tree.text(f"{RECIPES}/vcpkg/usage")
    tree.holds("vcpkg: usage", "find_package(tenon " in usage and "tenon::tenon" in usage)
    options(tree, truth, "vcpkg", port)


def spack(tree, truth):
    text = tree.text(f"{RECIPES}/spack/package.py")
    recipe = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    tree.same("Spack: class", recipe.name, "".join(part.capitalize() for part in NAME.split("-")))
    tree.same("Spack: base", [base.id for base in recipe.bases], ["CMakePackage"])
    calls = [node.value for node in recipe.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    said = [(call.func.id, ast.literal_eval(call.args[0]), {key.arg for key in call.keywords}) for call in calls]
    tree.same("Spack: directives", {name for name, _, _ in said} - SPACK_DIRECTIVES, set())
    tree.same("Spack: methods", {node.name for node in recipe.body if isinstance(node, ast.FunctionDef)}, SPACK_METHODS)
    tree.same("Spack: version", [value for name, value, _ in said if name == "version"], [truth.version])
    tree.same("Spack: license", [value for name, value, _ in said if name == "license"], ["MIT"])
    specs = [value for name, value, _ in said if name == "depends_on"]
    found = dict(re.fullmatch(r"(\w+)@([\d.]+):[\d.]*", spec).groups() for spec in specs if "@" in spec)
    tree.same("Spack: languages", {spec for spec in specs if "@" not in spec}, {"c", "cxx"})
    tree.same("Spack: CMake", found.pop("cmake", None), truth.cmake)
    least(tree, "Spack", found, 4)
    variants = {value for name, value, _ in said if name == "variant"}
    tree.same("Spack: variants", set(re.findall(r'define_from_variant\("\w+", "(\w+)"\)', text)), variants)
    tree.same("Spack: conditions", set(re.findall(r'when="\+(\w+)"', text)) - variants, set())
    options(tree, truth, "Spack", text)


def conda(tree, truth):
    text, script = tree.text(f"{RECIPES}/conda-forge/recipe.yaml"), tree.text(f"{RECIPES}/conda-forge/build.sh")
    tree.same("conda-forge: version", captured(r'context:\n  version: "(.*)"', text), truth.version)
    found = dict(re.findall(r"^        - (\w+) >=([\d.]+)", text, flags=re.M))
    tree.same("conda-forge: CMake", found.pop("cmake", None), truth.cmake)
    for name in "python", "setuptools", "numpy":
        wanted = captured(rf'(?:"{name}|requires-{name} = ")>=([\d.]+)', truth.python)
        tree.same(f"conda-forge: {name}", found.pop(name, None), wanted)
    least(tree, "conda-forge", found, 4)
    tree.same("conda-forge: license", captured(r"  license: (\S+)", text), "MIT")
    for path in re.findall(r"^    - (\S+)$", text[text.index("license_file:") :], flags=re.M):
        tree.holds(f"conda-forge: there is no {path}", os.path.exists(os.path.join(ROOT, path)))
    for path in re.findall(r"(?:install|cp -r) (?:\./)?(models|capi/\S+)", text + script):
        tree.holds(f"conda-forge: there is no {path}", glob.glob(os.path.join(ROOT, path)))
    options(tree, truth, "conda-forge", script)


def faults_of(spoiled=None):
    tree = Tree(spoiled)
    truth = Truth(tree)
    for check in sources, conan, vcpkg, spack, conda:
        try:
            check(tree, truth)
        except (AttributeError, KeyError, SyntaxError, TypeError, ValueError) as error:
            tree.faults.append(f"{check.__name__} cannot be read: {error!r}")
    return tree.faults


# What each file would be wrong with.
SPOILINGS = (
    ("CMakeLists.txt", "project(tenon VERSION 0.1.0", "project(tenon VERSION 0.2.0"),
    ("CMakeLists.txt", "find_package(spdlog REQUIRED)", "find_package(spdlog REQUIRED)\nfind_package(highway)"),
    ("CMakeLists.txt", "option(TENON_BUILD_CLI", "option(TENON_BUILD_PROGRAM"),
    ("CMakeLists.txt", "Eigen3 3.4", "Eigen3 5.0"),
    ("packaging/THIRD_PARTY.md", "| [fmt]", "| [zlib](https://zlib.net) | zlib | library |\n| [fmt]"),
    ("capi/clients/python/pyproject.toml", "numpy>=1.21", "numpy>=2.0"),
    (f"{RECIPES}/conan/conanfile.py", "spdlog/[>=1.10", "spdlog/[>=1.9"),
    (f"{RECIPES}/conan/conanfile.py", '"TENON_BUILD_TESTS"', '"TENON_TESTS"'),
    (f"{RECIPES}/conan/conanfile.py", '"include/*"', '"includes/*"'),
    (f"{RECIPES}/conan/debian12.profile", "spdlog/1.10.0", "spdlog/1.9.2"),
    (f"{RECIPES}/vcpkg/vcpkg.json", '"version-semver": "0.1.0"', '"version-semver": "0.1"'),
    (f"{RECIPES}/vcpkg/vcpkg.json", '"host": true', '"host": false'),
    (f"{RECIPES}/vcpkg/vcpkg.json", '"cli11"', '"cli12"'),
    (f"{RECIPES}/vcpkg/vcpkg.json", '"supports"', '"support"'),
    (f"{RECIPES}/vcpkg/portfile.cmake", "vcpkg_cmake_install()", "vcpkg_install_cmake()"),
    (f"{RECIPES}/vcpkg/portfile.cmake", "program TENON_BUILD_CLI", "cli TENON_BUILD_CLI"),
    (f"{RECIPES}/vcpkg/portfile.cmake", "lib/cmake/tenon", "share/tenon"),
    (f"{RECIPES}/spack/package.py", 'version("0.1.0")', 'version("0.0.9")'),
    (f"{RECIPES}/spack/package.py", "tinyxml2@9:", "tinyxml2@7:"),
    (f"{RECIPES}/spack/package.py", '"TENON_TINYXML2_SOURCE"', '"TENON_XML"'),
    (f"{RECIPES}/spack/package.py", '"shared")', '"dynamic")'),
    (f"{RECIPES}/conda-forge/recipe.yaml", 'version: "0.1.0"', 'version: "0.1.1"'),
    (f"{RECIPES}/conda-forge/recipe.yaml", "        - spdlog >=1.10\n", ""),
    (f"{RECIPES}/conda-forge/recipe.yaml", "- LICENSE", "- COPYING"),
    (f"{RECIPES}/conda-forge/build.sh", "-DTENON_BUILD_TESTS", "-DTENON_TESTS"),
)  # fmt: skip


def can_fail():
    wrong = []
    for path, good, bad in SPOILINGS:
        text = Tree().text(path)
        if good not in text:
            wrong.append(f"{path} has no {good!r} to spoil")
        elif not faults_of({path: text.replace(good, bad)}):
            wrong.append(f"{path}: nothing is said of {bad!r}")
    print(f"{len(SPOILINGS)} spoilings tried")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--can-fail"]):
        sys.exit(__doc__)
    complaints = can_fail() if sys.argv[1:] else faults_of()
    print("\n".join(complaints) or "nothing is wrong")
    sys.exit(1 if complaints else 0)
