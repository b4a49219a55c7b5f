# How sources of tests are compiled: quickly, for the compiler takes longer for most of them than they run.
include_guard()

# Compiler caches share nothing between trees of what is made with precompiled headers, whose paths are in it.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(TENON_PRECOMPILE "Read the headers of GoogleTest and Eigen once for all tests, by clang" ${precompile})

# tenon_precompile(target header...): reads headers of the system once for all sources of the target.
function(tenon_precompile target)
  if(NOT TENON_PRECOMPILE OR MSVC OR TENON_SANITIZE OR CMAKE_CROSSCOMPILING OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")  # for caches
endfunction()

# tenon_run_once(target): not optimised, which is where zig looks for undefined behaviour without being asked.
function(tenon_run_once target)
  if(NOT MSVC AND NOT TENON_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
endfunction()
