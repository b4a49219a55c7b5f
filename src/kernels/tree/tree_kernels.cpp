// Compiles TreeKernels (kernels/kernel_table.hpp).
#include "kernels/kernel_group.hpp"
#include "kernels/tree/aba.hpp"
#include "kernels/tree/crba.hpp"
#include "kernels/tree/kinematics.hpp"
#include "kernels/tree/ltl.hpp"
#include "kernels/tree/rnea.hpp"

TENON_KERNEL_GROUP(TreeKernels, tree_kernels, kinematics<T>, frame_jacobian<T>, center_of_mass<T>,
                   world_momentum<T>, energy<T>, rnea<T>, crba<T>, crba_rows<T>, ltl_factor<T>, ltl_solve<T>,
                   ltl_multiply<T>, aba<T>, sweep_body_forces<T>, add_rotor_forces<T>, sweep_joint_forces<T>,
                   sweep_velocities<T>, sweep_articulated_inertia<T>, sweep_accelerations<T>)
