# Cross-compiles with zig (PyPI ziglang), which brings the headers and C libraries of all its targets, and clang's code
# generator. packaging/release.sh writes the wrappers that this file names, one folder a system: build/zig/<system>.
#   -DTENON_SYSTEM=linux-x86_64 | linux-aarch64 | windows-x86_64 | macos-arm64 | macos-x86_64
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TENON_SYSTEM)
if(NOT TENON_SYSTEM MATCHES "^(linux|windows|macos)-(x86_64|aarch64|arm64)$")
  message(FATAL_ERROR "zig.cmake: -DTENON_SYSTEM is '${TENON_SYSTEM}'; packaging/release.sh has the names it may have.")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_2})
if(CMAKE_MATCH_1 STREQUAL "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_PROJECT_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/macos_elsewhere.cmake)
elseif(CMAKE_MATCH_1 STREQUAL "windows")
  set(CMAKE_SYSTEM_NAME Windows)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

get_filename_component(TENON_ZIG ${CMAKE_CURRENT_LIST_DIR}/../../build/zig/${TENON_SYSTEM} ABSOLUTE)
set(CMAKE_C_COMPILER ${TENON_ZIG}/cc)
set(CMAKE_CXX_COMPILER ${TENON_ZIG}/c++)
set(CMAKE_AR ${TENON_ZIG}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${TENON_ZIG}/ranlib CACHE FILEPATH "")
set(CMAKE_RC_COMPILER ${TENON_ZIG}/rc)
# There is no tool to change rpaths, so they are those of an installed program from the start.
set(CMAKE_INSTALL_NAME_TOOL true)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_BUILD_WITH_INSTALL_NAME_DIR ON)
set(CMAKE_INSTALL_NAME_DIR @rpath)

set(CMAKE_FIND_ROOT_PATH ${TENON_ZIG})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
# Packages of headers alone (Eigen, spdlog, CLI11) serve any processor, so this machine's are taken; /usr/include
# comes last, so that the C library's headers are those of the target.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake /usr/share/eigen3/cmake)
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include")
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")
