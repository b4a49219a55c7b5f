// The kernels compiled for recorders, in a namespace of their own like those of an instruction set
// (src/CMakeLists.txt). Packs of four are four recorders, one after the other.
#include "trace/kernels.hpp"

#include "spatial/lanes.hpp"

namespace tenon {
namespace trace {

struct FourRecorded {
  Recorded x[4];
  const Recorded& operator[](int i) const { return x[i]; }
};
inline FourRecorded operator+(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2], a.x[3] + b.x[3]}};
}
inline FourRecorded operator-(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2], a.x[3] - b.x[3]}};
}
inline FourRecorded operator-(const FourRecorded& a) {
  return {{-a.x[0], -a.x[1], -a.x[2], -a.x[3]}};
}
inline FourRecorded operator*(const FourRecorded& a, const FourRecorded& b) {
  return {{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2], a.x[3] * b.x[3]}};
}

}  // namespace trace

template <>
struct FourOf<trace::Recorded> {
  using type = trace::FourRecorded;
  template <int i, int j, int k, int l>
  static void shuffle(const type& a, const type& b, type& out) {
    const auto lane = [&](int n) { return n < 4 ? a[n] : b[n - 4]; };
    out = {{lane(i), lane(j), lane(k), lane(l)}};
  }
};

}  // namespace tenon

#include "kernels/aba.hpp"
#include "kernels/caba_osimf.hpp"
#include "kernels/cluster_constraints.hpp"
#include "kernels/constrained_aba.hpp"
#include "kernels/crba.hpp"
#include "kernels/dense_inverse.hpp"
#include "kernels/efpa.hpp"
#include "kernels/kinematics.hpp"
#include "kernels/kjr.hpp"
#include "kernels/ltl.hpp"
#include "kernels/ltl_delassus.hpp"
#include "kernels/prox_ltl.hpp"
#include "kernels/prox_ltls.hpp"
#include "kernels/pv.hpp"
#include "kernels/pv_early.hpp"
#include "kernels/pv_osim.hpp"
#include "kernels/pv_osimf.hpp"
#include "kernels/pv_osimr.hpp"
#include "kernels/rnea.hpp"

namespace tenon::trace {
namespace {

using T = Recorded;

void add_tree(TreeKernels<T>& t) {
  t.kinematics = kinematics<T>;
  t.rnea = rnea<T>;
  t.crba = crba<T>;
  t.crba_rows = crba_rows<T>;
  t.ltl_factor = ltl_factor<T>;
  t.ltl_solve = ltl_solve<T>;
  t.aba = aba<T>;
}

void add_constrained(ConstrainedAbaKernels<T>& t) {
  t.constraint_state = [](const ModelData& m, const ConstraintData& c, const T* q, const T* v,
                          bool has_wrenches, WorkspaceData<T>& w) {
    sweep_velocities(m, q, v, has_wrenches, w);
    evaluate_constraint_rows(m, c, w);
  };
  t.constrained_aba_start = constrained_aba_start<T>;
  t.constrained_aba_iterate = constrained_aba_iterate<T>;
  t.constrained_aba_finish = constrained_aba_finish<T>;
}

void add_pv(PvKernels<T>& t) {
  t.pv_reduce = pv_reduce<T>;
  t.pv_factor = pv_factor<T>;
  t.pv_step = pv_step<T>;
  t.pv_roll_out = pv_roll_out<T>;
  t.pv_early_reduce = pv_early_reduce<T>;
  t.pv_early_roll_out = pv_early_roll_out<T>;
}

void add_joint_space(JointSpaceKernels<T>& t) {
  t.prox_ltl_start = prox_ltl_start<T>;
  t.prox_ltl_factor = prox_ltl_factor<T>;
  t.prox_ltl_step = prox_ltl_step<T>;
  t.prox_ltl_finish = prox_ltl_finish<T>;
  t.prox_ltls_start = prox_ltls_start<T>;
  t.prox_ltls_factor = prox_ltls_factor<T>;
  t.prox_ltls_step = prox_ltls_step<T>;
}

void add_loops(LoopKernels<T>& t) {
  t.loop_constraints = loop_constraints<T>;
  t.cluster_constraints = [](const ModelData& m, const T* q, const T* v, WorkspaceData<T>& w) {
    joint_angles(m, q, w);
    return cluster_constraints(m, q, v, w);
  };
}

void add_delassus(DelassusKernels<T>& t) {
  t.ltl_osim = ltl_delassus<T>;
  t.kjr = kjr<T>;
  t.efpa = efpa<T>;
  t.pv_osim = pv_osim<T>;
  t.pv_osimr = pv_osimr<T>;
}

void add_damped_inverse(DampedInverseKernels<T>& t) {
  t.caba_osim_factor = caba_osim_factor<T>;
  t.caba_osim_form = caba_osim_form<T>;
  t.caba_osimf_apply = caba_osimf_apply<T>;
  t.pv_osimf_factor = pv_osimf_factor<T>;
  t.pv_osimf_apply = pv_osimf_apply<T>;
  t.pv_osimf_form = pv_osimf_form<T>;
  t.dense_factor = factor_dense<T>;
  t.dense_solve = solve_dense<T>;
  t.dense_inverse = invert_dense<T>;
}

}  // namespace

const KernelTable<Recorded>& recorded_kernels() {
  static const KernelTable<Recorded> table = [] {
    KernelTable<Recorded> t{};
    t.instruction_set = "recorder";
    add_tree(t);
    add_constrained(t);
    add_pv(t);
    add_joint_space(t);
    add_loops(t);
    add_delassus(t);
    add_damped_inverse(t);
    return t;
  }();
  return table;
}

}  // namespace tenon::trace
