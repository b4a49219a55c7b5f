# Takes what it can from Debian 12 and nothing from ConanCenter: packaging/recipes/check.sh builds with it.
[settings]
os=Linux
arch={{ detect_api.detect_arch() }}
build_type=Release
compiler=clang
compiler.version=19
compiler.libcxx=libstdc++11
compiler.cppstd=17

[conf]
tools.build:compiler_executables={"c": "clang-19", "cpp": "clang++-19"}
tools.cmake.cmaketoolchain:generator=Ninja

[platform_requires]
eigen/3.4.0
spdlog/1.10.0
cli11/2.1.2

[platform_tool_requires]
cmake/3.25.1
