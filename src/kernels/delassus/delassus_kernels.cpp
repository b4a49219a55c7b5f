// Compiles DelassusKernels (kernels/kernel_table.hpp).
#include "kernels/delassus/efpa.hpp"
#include "kernels/delassus/kjr.hpp"
#include "kernels/delassus/ltl_delassus.hpp"
#include "kernels/delassus/pv_osim.hpp"
#include "kernels/delassus/pv_osimr.hpp"
#include "kernels/delassus/symmetric_to_user.hpp"
#include "kernels/kernel_group.hpp"
#include "kernels/tree/inverse_mass.hpp"

TENON_KERNEL_GROUP(DelassusKernels, delassus_kernels, TENON_DELASSUS_KERNELS)
