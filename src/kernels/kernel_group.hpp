// Compiles a group of kernels (kernels/kernel_table.hpp). <group>_kernels.cpp of its folder does so once
// for each instruction set, and once for recorders (src/CMakeLists.txt).
#pragma once

#include "kernels/kernel_table.hpp"

#ifdef TENON_FOR_RECORDERS
#include "scalar/recorded.hpp"
#define TENON_SCALAR trace::Recorded
#else
#define TENON_SCALAR double
#endif

// Defines the function that returns the group. Arguments: its kernels in the order of the struct.
#define TENON_KERNEL_GROUP(Group, function, ...)                \
  namespace tenon {                                             \
  TENON_ISA_BEGIN                                               \
  template <class T>                                            \
  const Group<T>& function() {                                  \
    static constexpr Group<T> table = {__VA_ARGS__};            \
    return table;                                               \
  }                                                             \
  template const Group<TENON_SCALAR>& function<TENON_SCALAR>(); \
  TENON_ISA_END                                                 \
  }
