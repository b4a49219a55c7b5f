// Compiled once per instruction set (src/CMakeLists.txt): the kernels of this set for double and float, and
// the table that names them.
#include "kernels/aba.hpp"
#include "kernels/constrained_aba.hpp"
#include "kernels/crba.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/kinematics.hpp"
#include "kernels/ltl.hpp"
#include "kernels/prox_ltl.hpp"
#include "kernels/prox_ltls.hpp"
#include "kernels/pv.hpp"
#include "kernels/pv_early.hpp"
#include "kernels/rnea.hpp"

#define TENON_STRING_(x) #x
#define TENON_STRING(x) TENON_STRING_(x)

namespace tenon {
TENON_ISA_BEGIN

namespace {

template <class T>
constexpr KernelTable<T> make_table() {
  KernelTable<T> t{};
  t.instruction_set = TENON_STRING(TENON_ISA);
  t.kinematics = kinematics<T>;
  t.frame_jacobian = frame_jacobian<T>;
  t.center_of_mass = center_of_mass<T>;
  t.world_momentum = [](const ModelData& m, T* out, const WorkspaceData<T>& w) {
    store(out, world_momentum(m, w));
  };
  t.energy = energy<T>;
  t.rnea = rnea<T>;
  t.crba = crba<T>;
  t.crba_rows = crba_rows<T>;
  t.ltl_factor = ltl_factor<T>;
  t.ltl_solve = ltl_solve<T>;
  t.ltl_multiply = ltl_multiply<T>;
  t.aba = aba<T>;
  t.constraint_state = [](const ModelData& m, const ConstraintData& c, const T* q, const T* v,
                          bool has_wrenches, WorkspaceData<T>& w) {
    sweep_velocities(m, q, v, has_wrenches, w);
    evaluate_constraint_rows(m, c, w);
  };
  t.constraint_jacobian = constraint_jacobian<T>;
  t.constraint_right_hand_side = constraint_right_hand_side<T>;
  t.constrained_aba_start = constrained_aba_start<T>;
  t.constrained_aba_iterate = constrained_aba_iterate<T>;
  t.constrained_aba_finish = constrained_aba_finish<T>;
  t.pv_reduce = pv_reduce<T>;
  t.pv_factor = pv_factor<T>;
  t.pv_step = pv_step<T>;
  t.pv_dual_hessian = pv_dual_hessian<T>;
  t.pv_roll_out = pv_roll_out<T>;
  t.pv_early_reduce = pv_early_reduce<T>;
  t.pv_early_imbalance = pv_early_imbalance<T>;
  t.pv_early_roll_out = pv_early_roll_out<T>;
  t.prox_ltl_start = prox_ltl_start<T>;
  t.prox_ltl_factor = prox_ltl_factor<T>;
  t.prox_ltl_step = prox_ltl_step<T>;
  t.prox_ltl_finish = prox_ltl_finish<T>;
  t.prox_ltls_start = prox_ltls_start<T>;
  t.prox_ltls_factor = prox_ltls_factor<T>;
  t.prox_ltls_step = prox_ltls_step<T>;
  return t;
}

}  // namespace

// Named per instruction set by the namespace; solvers/dispatch.cpp declares the ones that were built.
extern const KernelTable<double> table_double;
extern const KernelTable<float> table_float;
constexpr KernelTable<double> double_table = make_table<double>();
constexpr KernelTable<float> float_table = make_table<float>();
const KernelTable<double> table_double = double_table;
const KernelTable<float> table_float = float_table;

TENON_ISA_END
}  // namespace tenon
