"""Stands in for the tinyxml2 of ConanCenter: a static library, by the same names, of the source in build/tinyxml2. That of
Debian cannot: what is in a profile's platform_requires is not linked to programs that use a static Tenon.
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class TinyXml2Conan(ConanFile):
    name = "tinyxml2"
    version = "9.0.0"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain"
    exports_sources = "CMakeLists.txt"

    def export_sources(self):
        source = os.path.join(self.recipe_folder, "../../../build/tinyxml2")
        copy(self, "tinyxml2.*", source, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["tinyxml2"]
        self.cpp_info.set_property("cmake_file_name", "tinyxml2")
        self.cpp_info.set_property("cmake_target_name", "tinyxml2::tinyxml2")
