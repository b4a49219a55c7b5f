// Compiles ConstrainedAbaKernels (kernels/kernel_table.hpp).
#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/kernel_group.hpp"

TENON_KERNEL_GROUP(ConstrainedAbaKernels, constrained_kernels, constraint_state<T>, constraint_jacobian<T>,
                   constraint_right_hand_side<T>, constrained_aba_start<T>, constrained_aba_iterate<T>,
                   constrained_aba_finish<T>, evaluate_constraint_rows<T>, sweep_augmented_inertia<false, T>,
                   roll_out_supports<false, T>, sweep_force_changes<false, false, T>,
                   sweep_force_changes<true, false, T>, sweep_motion_changes<false, T>)
