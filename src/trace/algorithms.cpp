#include "trace/algorithms.hpp"

#include <algorithm>

#include "scalar/recorded.hpp"
#include "spatial/spatial.hpp"

namespace tenon::trace {
namespace {

constexpr Array q = {"q", "positions", Size::nq};
constexpr Array v = {"v", "velocities", Size::nv};
constexpr Array a = {"a", "accelerations", Size::nv};
constexpr Array tau_in = {"tau", "generalised forces, N m or N", Size::nv};
constexpr Array b = {"b", "a vector of generalised forces", Size::nv};
constexpr Array desired = {"desired", "desired accelerations of the rows, m/s^2 or rad/s^2", Size::rows};

constexpr Array poses = {"poses", "of each link: position (3), rotation to world axes (9, column-major)",
                         Size::link_poses};
constexpr Array tau_out = {"tau", "generalised forces, N m or N", Size::nv};
constexpr Array bias_out = {"c", "bias forces, N m or N", Size::nv};
constexpr Array M_out = {"M", "mass matrix, column-major, both triangles", Size::nv_by_nv};
constexpr Array L_out = {"L", "M = L^T D L: unit lower triangular, column-major", Size::nv_by_nv};
constexpr Array inv_d_out = {"inv_d", "1 / D", Size::nv};
constexpr Array x_out = {"x", "M^-1 b", Size::nv};
constexpr Array qdd_out = {"qdd", "accelerations", Size::nv};
constexpr Array lambda_out = {"lambda", "forces on the robot along the rows, N or N m", Size::rows};

// ---- without constraints

template <class T>
void run_kinematics(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.kinematics(s.m(), in[0], nullptr, nullptr, s.w);
  T* pose = out[0];
  for (const Model::Link& link : s.model.links) {
    if (link.is_frame) continue;
    const Mat3<T> R = load_mat3<T>(s.w.R0 + 9 * link.body);
    store(pose, load_vec3<T>(s.w.p0 + 3 * link.body) + R * load_vec3<T>(link.in_body.translation.data()));
    store(pose + 3, transpose(R * load_mat3<T>(link.in_body.rotation.data())));
    pose += 12;
  }
}

template <class T>
void run_rnea(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.rnea(s.m(), in[0], in[1], in[2], false, out[0], s.w);
}

template <class T>
void run_bias(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.rnea(s.m(), in[0], in[1], nullptr, false, out[0], s.w);
}

template <class T>
void run_crba(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.crba(s.m(), in[0], out[0], s.m().nv, s.w);
}

template <class T>
void run_ltl_factor(Subject<T>& s, const T* const* in, T* const* out) {
  const int nv = s.m().nv;
  s.kernels.crba_rows(s.m(), in[0], s.w.L, s.w);
  s.kernels.ltl_factor(s.m(), s.w.L, out[1], s.w);
  std::fill_n(out[0], nv * nv, T(0));
  for (int k = 0; k < nv; ++k) {
    const T* row = s.w.L + s.w.row_first[k];
    int place = s.w.dof_depth[k];
    out[0][k + k * nv] = T(1);
    for (int i = s.m().v_parent[k]; i >= 0; i = s.m().v_parent[i]) out[0][k + i * nv] = row[--place];
  }
}

template <class T>
void run_ltl_solve(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.crba_rows(s.m(), in[0], s.w.L, s.w);
  s.kernels.ltl_factor(s.m(), s.w.L, s.w.L_inv_d, s.w);
  std::copy_n(in[1], s.m().nv, out[0]);
  s.kernels.ltl_solve(s.m(), s.w.L, s.w.L_inv_d, out[0], s.w);
}

template <class T>
void run_aba(Subject<T>& s, const T* const* in, T* const* out) {
  s.kernels.aba(s.m(), in[0], in[1], in[2], false, out[0], s.w);
}

// ---- constrained dynamics: q, v, tau, desired -> qdd, lambda

template <class T>
struct Rows {
  explicit Rows(const Subject<T>& s) : numbers(static_cast<std::size_t>(s.rows()), T(0)) {}
  explicit Rows(std::vector<T> given) : numbers(std::move(given)) {}
  T* data() { return numbers.data(); }
  T& operator[](int r) { return numbers[static_cast<std::size_t>(r)]; }
  std::vector<T> numbers;
};

template <class T>
void take_desired(Subject<T>& s, const T* const* in) {
  for (int r = 0; r < s.rows(); ++r) s.w.desired[r] = in[3][s.c().user_row[r]];
}
template <class T>
void give_lambda(const Subject<T>& s, const T* lambda, T* const* out) {
  for (int r = 0; r < s.rows(); ++r) out[1][s.c().user_row[r]] = lambda[r];
}
template <class T>
void add_to(Rows<T>& f, Rows<T>& step, int rows) {
  for (int r = 0; r < rows; ++r) f[r] = f[r] + step[r];
}

template <class T>
void iterate_constrained_aba(Subject<T>& s, int iterations, const T* const* in, T* const* out) {
  take_desired(s, in);
  update_loops(s, in[0], in[1]);
  WorkspaceData<T>& w = s.w;
  s.kernels.constraint_state(s.m(), s.c(), in[0], in[1], false, w);
  Rows<T> inv_mu(proximal_terms(s)), f(s), step(s);
  for (int r = 0; r < s.rows(); ++r) {
    w.mu_row[r] = T(1) / (T(s.c().compliance[r]) + inv_mu[r]);
    w.row_force[r] = T(0);
  }
  for (int i = 0; i < iterations; ++i) {
    for (int r = 0; r < s.rows(); ++r) {
      const T force = w.mu_row[r] * (w.k[r] + inv_mu[r] * f[r]);
      step[r] = force - w.row_force[r];
      w.row_force[r] = force;
    }
    if (i == 0)
      s.kernels.constrained_aba_start(s.m(), s.c(), in[1], in[2], out[0], w);
    else
      s.kernels.constrained_aba_iterate(s.m(), s.c(), step.data(), false, in[2], out[0], w);
    for (int r = 0; r < s.rows(); ++r)
      step[r] = w.mu_row[r] * (w.k[r] - w.Ka[r] - T(s.c().compliance[r]) * f[r]);
    add_to(f, step, s.rows());
  }
  s.kernels.constrained_aba_finish(s.m(), s.c(), in[1], out[0], w);
  give_lambda(s, w.row_lambda, out);
}

template <class T>
void run_constrained_aba(Subject<T>& s, const T* const* in, T* const* out) {
  iterate_constrained_aba(s, s.options.iterations, in, out);
}
template <class T>
void run_pv_soft(Subject<T>& s, const T* const* in, T* const* out) {
  iterate_constrained_aba(s, 1, in, out);
}

// iterations 0: exactly; else with proximal terms.
template <class T>
void iterate_pv(Subject<T>& s, int iterations, const T* const* in, T* const* out) {
  take_desired(s, in);
  update_loops(s, in[0], in[1]);
  s.kernels.constraint_state(s.m(), s.c(), in[0], in[1], false, s.w);
  s.kernels.pv_reduce(s.m(), s.split_base, in[1], in[2], s.pv, s.w);
  Rows<T> compliance(s), inv_mu(s), f(s), step(s);
  if (iterations > 0) inv_mu.numbers = proximal_terms(s);
  for (int r = 0; r < s.rows(); ++r) {
    compliance[r] = T(s.c().compliance[r]);
    s.pv.row_damping[r] = compliance[r] + inv_mu[r];
  }
  s.kernels.pv_factor(s.m(), s.split_base, s.c().scale, s.pv);
  for (int i = 0; i < std::max(iterations, 1); ++i) {
    s.kernels.pv_step(s.m(), s.split_base, compliance.data(), f.data(), step.data(), s.pv);
    add_to(f, step, s.rows());
  }
  s.kernels.pv_roll_out(s.m(), s.c(), in[1], f.data(), out[0], s.pv, s.w);
  give_lambda(s, f.data(), out);
}

template <class T>
void run_pv(Subject<T>& s, const T* const* in, T* const* out) {
  iterate_pv(s, 0, in, out);
}
template <class T>
void run_prox_pv(Subject<T>& s, const T* const* in, T* const* out) {
  iterate_pv(s, s.options.iterations, in, out);
}

template <class T>
void run_pv_early(Subject<T>& s, const T* const* in, T* const* out) {
  take_desired(s, in);
  Rows<T> lambda(s);
  s.kernels.constraint_state(s.m(), s.c(), in[0], in[1], false, s.w);
  s.kernels.pv_early_reduce(s.m(), in[1], in[2], s.pv_early, s.w);
  s.kernels.pv_early_roll_out(s.m(), s.c(), in[1], lambda.data(), out[0], s.pv_early, s.w);
  give_lambda(s, lambda.data(), out);
}

template <class T>
void run_prox_ltl(Subject<T>& s, const T* const* in, T* const* out) {
  take_desired(s, in);
  s.kernels.prox_ltl_start(s.m(), s.c(), in[0], in[1], in[2], false, s.w);
  Rows<T> inv_mu(proximal_terms(s)), f(s), step(s);
  s.kernels.prox_ltl_factor(s.c(), inv_mu.data(), s.w);
  for (int i = 0; i < s.options.iterations; ++i) {
    s.kernels.prox_ltl_step(s.c(), f.data(), step.data(), s.w);
    add_to(f, step, s.rows());
  }
  s.kernels.prox_ltl_finish(s.m(), s.c(), f.data(), out[0], s.w);
  give_lambda(s, f.data(), out);
}

template <class T>
void run_prox_ltls(Subject<T>& s, const T* const* in, T* const* out) {
  take_desired(s, in);
  s.kernels.prox_ltls_start(s.m(), s.c(), in[0], in[1], in[2], false, out[0], s.w);
  Rows<T> inv_mu(proximal_terms(s)), f(s), step(s);
  s.kernels.prox_ltls_factor(s.m(), s.c(), inv_mu.data(), s.w);
  for (int i = 0; i < s.options.iterations; ++i) {
    s.kernels.prox_ltls_step(s.m(), s.c(), f.data(), i > 0, step.data(), out[0], s.w);
    add_to(f, step, s.rows());
  }
  give_lambda(s, s.w.row_lambda, out);
}

template <class T>
std::array<Algorithm<T>, tree_algorithm_count> without_constraints() {
  return {{
      {{"kinematics", "poses of all links", false, true, true}, {q}, {poses}, run_kinematics<T>},
      {{"rnea", "inverse dynamics ([RBDA] Table 5.1), of the spanning tree where there are loops", false,
        true, true},
       {q, v, a},
       {tau_out},
       run_rnea<T>},
      {{"bias", "bias forces by RNEA without acceleration, of the spanning tree where there are loops", false,
        true, true},
       {q, v},
       {bias_out},
       run_bias<T>},
      {{"crba", "mass matrix ([RBDA] 6.2)", false, true}, {q}, {M_out}, run_crba<T>},
      {{"ltl_factor", "mass matrix by CRBA and its sparse factor ([RBDA] 6.5)", false, true},
       {q},
       {L_out, inv_d_out},
       run_ltl_factor<T>},
      {{"ltl_solve", "M^-1 b by CRBA and sparse factor ([RBDA] 6.5)", false, true},
       {q, b},
       {x_out},
       run_ltl_solve<T>},
      {{"aba", "forward dynamics ([RBDA] Table 7.1)", false, true}, {q, v, tau_in}, {qdd_out}, run_aba<T>},
  }};
}

template <class T>
std::array<Algorithm<T>, constrained_algorithm_count> constrained_dynamics() {
  // loops: constraint rows may be on any body of a cluster; rotors are bodies.
  const auto method = [](const char* name, const char* summary, bool fixed_path, bool loops, auto run) {
    return Algorithm<T>{
        {name, summary, true, fixed_path, loops}, {q, v, tau_in, desired}, {qdd_out, lambda_out}, run};
  };
  return {{
      method("constrained_aba", "constrained dynamics ([CABA] Alg. 1 to 3), proximal iterations", true, true,
             run_constrained_aba<T>),
      method("pv", "constrained dynamics ([CABA] II-F), rows independent", true, true, run_pv<T>),
      method("prox_pv", "constrained dynamics ([CABA] Alg. 4), proximal iterations", true, true,
             run_prox_pv<T>),
      method("pv_soft", "constrained dynamics ([CABA] VII-A), one penalty step", true, true, run_pv_soft<T>),
      method("pv_early", "constrained dynamics ([CABA] VII-B)", false, false, run_pv_early<T>),
      method("prox_ltl", "constrained dynamics ([CABA] II-C1), proximal iterations", true, false,
             run_prox_ltl<T>),
      method("prox_ltls", "constrained dynamics ([CABA] II-C2), proximal iterations", true, false,
             run_prox_ltls<T>),
  }};
}

}  // namespace

std::size_t number(Size size, const Model& model, const ConstraintSet* constraints) {
  const auto nv = static_cast<std::size_t>(model.nv);
  const auto rows = constraints ? static_cast<std::size_t>(constraints->row_count()) : 0;
  switch (size) {
    case Size::nq:
      return static_cast<std::size_t>(model.nq);
    case Size::nv:
      return nv;
    case Size::ny:
      return static_cast<std::size_t>(model.ny);
    case Size::nv_by_nv:
      return nv * nv;
    case Size::rows:
      return rows;
    case Size::rows_by_rows:
      return rows * rows;
    case Size::link_poses:
      break;
  }
  return 12 * static_cast<std::size_t>(std::count_if(model.links.begin(), model.links.end(),
                                                     [](const Model::Link& link) { return !link.is_frame; }));
}

namespace {

template <class T>
std::array<Algorithm<T>, algorithm_count> all_algorithms() {
  std::array<Algorithm<T>, algorithm_count> all;
  auto next = all.begin();
  const auto append = [&](const auto& more) { next = std::copy(more.begin(), more.end(), next); };
  append(without_constraints<T>());
  append(loop_algorithms<T>());
  append(constrained_dynamics<T>());
  append(delassus_algorithms<T>());
  return all;
}

}  // namespace

template <class T>
const std::array<Algorithm<T>, algorithm_count>& algorithms() {
  static const std::array<Algorithm<T>, algorithm_count> all = all_algorithms<T>();
  return all;
}

template const std::array<Algorithm<double>, algorithm_count>& algorithms<double>();
template const std::array<Algorithm<Recorded>, algorithm_count>& algorithms<Recorded>();

}  // namespace tenon::trace
