// Compiles a group of kernels (kernels/kernel_table.hpp). <group>_kernels.cpp of its folder does so once for each
// instruction set, and for scalars of other headers (src/CMakeLists.txt).
#pragma once

#include "kernels/kernel_table.hpp"

#ifdef TENON_SCALAR
#include TENON_SCALAR_HEADER
#else
#define TENON_SCALAR double
#endif

// Defines the function that returns the group, each entry of its list the kernel of that name.
#define TENON_KERNEL_GROUP(type, function, list)                \
  namespace tenon {                                             \
  TENON_ISA_BEGIN                                               \
  template <class T>                                            \
  const type<T>& function() {                                   \
    static constexpr type<T> table = {list(TENON_KERNEL_NAME)}; \
    return table;                                               \
  }                                                             \
  template const type<TENON_SCALAR>& function<TENON_SCALAR>();  \
  TENON_ISA_END                                                 \
  }
