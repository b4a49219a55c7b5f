"""Tenon for Conan 2: `conan create packaging/recipes/conan` builds the sources of this repository."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.1"


class TenonConan(ConanFile):
    name = "tenon-dynamics"
    description = "Dynamics of articulated robots under motion constraints and kinematic loops"
    license = "MIT"
    topics = ("robotics", "rigid-body", "dynamics", "urdf", "simulation")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "program": [True, False]}
    default_options = {
        "shared": True,
        "fPIC": True,
        "program": True,
        # Only headers of these two are compiled in; the target of the headers is there with this option alone.
        "spdlog/*:header_only": True,
        "fmt/*:header_only": True,
    }
    implements = ["auto_shared_fpic"]
    # What the build reads, from the root of the repository.
    sources = (
        "CMakeLists.txt", "LICENSE", "src/*", "capi/*", "include/*", "models/*", "packaging/cmake/*",
        "packaging/THIRD_PARTY.md",
    )  # fmt: skip

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "../../..")

    def set_version(self):
        found = re.search(r"project\(tenon VERSION ([0-9.]+)", load(self, os.path.join(self._root, "CMakeLists.txt")))
        self.version = found.group(1)

    def export_sources(self):
        for pattern in self.sources:
            copy(self, pattern, self._root, self.export_sources_folder, excludes=("*/target/*", "*/node_modules/*"))

    def requirements(self):
        # Headers, of which compiled code stays inside: no user of Tenon sees them.
        self.requires("eigen/[>=3.4 <6]", visible=False)
        self.requires("spdlog/[>=1.10 <2]", visible=False)
        # fmt comes with spdlog, in the version that fits.
        self.requires("tinyxml2/[>=9 <12]")
        if self.options.program:
            self.requires("cli11/[>=2.1 <3]", visible=False)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")

    def validate(self):
        check_min_cppstd(self, 17)
        if self.options.program and not self.options.get_safe("fPIC", True):
            raise ConanInvalidConfiguration("The program comes with a module: fPIC=False goes with program=False.")
        if self.settings.compiler == "msvc":
            raise ConanInvalidConfiguration("Tenon is built by g++ and clang, or MinGW; MSVC was never tried.")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TENON_BUILD_TESTS"] = False
        toolchain.cache_variables["TENON_BUILD_CLI"] = bool(self.options.program)
        toolchain.cache_variables["TENON_CXX_RUNTIME_INSIDE"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        for folder in "cmake", "pkgconfig":  # Conan writes its own
            rmdir(self, os.path.join(self.package_folder, "lib", folder))
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", self.source_folder, licenses)
        copy(self, "THIRD_PARTY.md", os.path.join(self.source_folder, "packaging"), licenses)
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))  # the same licences

    def package_info(self):
        self.cpp_info.libs = ["tenon"]
        self.cpp_info.resdirs = ["share"]
        self.cpp_info.set_property("cmake_file_name", "tenon")
        self.cpp_info.set_property("cmake_target_name", "tenon::tenon")
        self.cpp_info.set_property("pkg_config_name", "tenon")
        if not self.options.shared:
            self.cpp_info.defines = ["TENON_STATIC"]
            runtime = stdcpp_library(self)
            if runtime:
                self.cpp_info.system_libs.append(runtime)
            if self.settings.os in ("Linux", "FreeBSD"):
                self.cpp_info.system_libs += ["m", "pthread"]
