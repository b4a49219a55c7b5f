// Compiled once per instruction set (src/CMakeLists.txt).
#include "kernels/constrained/joint_space_kernels.hpp"

namespace tenon {
TENON_ISA_BEGIN

template const JointSpaceKernels<double>& joint_space_kernels<double>();
template const JointSpaceKernels<float>& joint_space_kernels<float>();

TENON_ISA_END
}  // namespace tenon
