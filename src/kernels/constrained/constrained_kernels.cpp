// Compiles ConstrainedAbaKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(ConstrainedAbaKernels, constrained_kernels, constraint_state<T>, constraint_jacobian<T>,
                   constraint_right_hand_side<T>, constrained_aba_start<T>, constrained_aba_iterate<T>,
                   constrained_aba_finish<T>, evaluate_constraint_rows<T>, augmented_inertia_of_trunk<T>,
                   roll_out_trunk<T>, force_changes_of_trunk<false, T>, force_changes_of_trunk<true, T>,
                   motion_changes_of_trunk<T>)
