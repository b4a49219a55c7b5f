# How headers that most sources of a target include are read once for all of them, and not for each.
include_guard()

# Compiler caches share nothing between trees of what is made with precompiled headers, whose paths are in it. Without tests
# there are few sources.
set(precompile ${TENON_BUILD_TESTS})
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
endif()
option(TENON_PRECOMPILE "Read headers once for all sources of a target, by clang; objects are the same" ${precompile})

# tenon_precompile(target header...): a source without the target's options of optimisation must not take it
# (SKIP_PRECOMPILE_HEADERS).
function(tenon_precompile target)
  if(NOT TENON_PRECOMPILE OR MSVC OR CMAKE_CROSSCOMPILING OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # For caches. And what headers ask of templates is made once.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>"
                                           $<$<COMPILE_LANGUAGE:CXX>:-fpch-instantiate-templates>)
endfunction()
