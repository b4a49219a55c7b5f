// Compiles IndependentSpaceKernels (kernels/kernel_table.hpp).
#include "kernels/cluster/independent_space.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(IndependentSpaceKernels, independent_space_kernels, independent_mass_rows<T>,
                   independent_ltl_osim<T>, independent_prox_ltl_start<T>, independent_prox_ltls_start<T>,
                   independent_prox_ltls_factor<T>)
