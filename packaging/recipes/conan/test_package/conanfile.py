"""Links a program in C with the package and runs it, and the program `tenon`, on installed models."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class TestTenonConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str, run=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # nothing is written here
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        tenon = self.dependencies[self.tested_reference_str]
        models = os.path.join(tenon.package_folder, "share", "tenon", "models")
        self.run(f'"{os.path.join(self.cpp.build.bindir, "feet")}" "{os.path.join(models, "atlas.urdf")}"', env="conanrun")
        if tenon.options.program:
            self.run(f'tenon info "{os.path.join(models, "iiwa14.urdf")}"', env="conanrun")
