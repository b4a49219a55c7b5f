# Copyright Tenon's authors. See LICENSE of the project.
#
# SPDX-License-Identifier: MIT

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class TenonDynamics(CMakePackage):
    """Dynamics of articulated robots under motion constraints and kinematic loops."""

    license("MIT")

    # No release has an address yet: `spack dev-build tenon-dynamics@0.1.0` builds the sources in the current folder.
    version("0.1.0")

    variant("shared", default=True, description="Build a shared library")
    variant("program", default=True, description="Build the command-line program tenon")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("eigen@3.4:5", type="build")
    depends_on("spdlog@1.10:", type="build")
    depends_on("fmt@9.1:", type="build")
    depends_on("tinyxml2@9:")
    depends_on("cli11@2.1:", type="build", when="+program")

    conflicts("%msvc", msg="Tenon is built by g++ and clang; MSVC was never tried")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TENON_BUILD_CLI", "program"),
            self.define("TENON_BUILD_TESTS", False),
            self.define("TENON_CXX_RUNTIME_INSIDE", False),
            # The tinyxml2 of Spack, also where somebody put its source into build/tinyxml2.
            self.define("TENON_TINYXML2_SOURCE", "none"),
        ]
