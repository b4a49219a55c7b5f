// Tables of kernels are written as lists of KERNEL(result, name, arguments), from which come the struct of function
// pointers and, where kernels are compiled, its contents: the entry `name` can only hold the kernel `name`.
#pragma once

#include "data/constraint_data.hpp"
#include "data/inputs.hpp"
#include "data/model_data.hpp"
#include "data/workspace_data.hpp"

#define TENON_KERNEL_ENTRY(result, name, ...) result (*name)(__VA_ARGS__);
#define TENON_KERNEL_NAME(result, name, ...) name,

// The entries of a list, and the arguments that nearly all have. T: the number.
#define TENON_KERNEL_ENTRIES(list)    \
  using Model = const ModelData&;     \
  using Rows = const ConstraintData&; \
  using In = const Inputs<T>&;        \
  using Work = WorkspaceData<T>&;     \
  list(TENON_KERNEL_ENTRY)
