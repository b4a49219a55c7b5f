#include <algorithm>

#include "spatial/spatial.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

using namespace arrays;

constexpr Array a = {"a", "accelerations", Size::nv};
constexpr Array b = {"b", "a vector of generalised forces", Size::nv};
constexpr Array desired = {"desired", "desired accelerations of the rows, m/s^2 or rad/s^2", Size::rows};

constexpr Array poses = {"poses", "of each link: position (3), rotation to world axes (9, column-major)",
                         Size::link_poses};
constexpr Array bias_out = {"c", "bias forces, N m or N", Size::nv};
constexpr Array M_out = {"M", "mass matrix, column-major, both triangles", Size::nv_by_nv};
constexpr Array L_out = {"L", "M = L^T D L: unit lower triangular, column-major", Size::nv_by_nv};
constexpr Array inv_d_out = {"inv_d", "1 / D", Size::nv};
constexpr Array x_out = {"x", "M^-1 b", Size::nv};
constexpr Array lambda_out = {"lambda", "forces on the robot along the rows, N or N m", Size::rows};

// ---- without constraints

void run_kinematics(Subject& s, In in, Out out) {
  s.kernels.kinematics(s.m(), in[0], nullptr, nullptr, s.w);
  Recorded* pose = out[0];
  for (const Model::Link& link : s.model.links) {
    if (link.is_frame) continue;
    const Mat3<Recorded> R = load_mat3<Recorded>(s.w.R0 + 9 * link.body);
    store(pose, load_vec3<Recorded>(s.w.p0 + 3 * link.body) +
                    R * load_vec3<Recorded>(link.in_body.translation.data()));
    store(pose + 3, transpose(R * load_mat3<Recorded>(link.in_body.rotation.data())));
    pose += 12;
  }
}

void run_rnea(Subject& s, In in, Out out) {
  s.kernels.rnea(s.m(), {in[0], in[1], nullptr, nullptr, nullptr, in[2]}, out[0], s.w);
}

void run_bias(Subject& s, In in, Out out) {
  s.kernels.rnea(s.m(), {in[0], in[1]}, out[0], s.w);
}

void run_crba(Subject& s, In in, Out out) {
  s.kernels.crba(s.m(), in[0], out[0], s.m().nv, s.w);
}

void run_ltl_factor(Subject& s, In in, Out out) {
  const int nv = s.m().nv;
  s.kernels.crba_rows(s.m(), in[0], s.w.L, s.w);
  s.kernels.ltl_factor(s.m(), s.w.L, out[1], s.w);
  std::fill_n(out[0], nv * nv, Recorded(0));
  for (int k = 0; k < nv; ++k) {
    const Recorded* row = s.w.L + s.w.row_first[k];
    int place = s.w.dof_depth[k];
    out[0][k + k * nv] = Recorded(1);
    for (int i = s.m().v_parent[k]; i >= 0; i = s.m().v_parent[i]) out[0][k + i * nv] = row[--place];
  }
}

void run_ltl_solve(Subject& s, In in, Out out) {
  s.kernels.crba_rows(s.m(), in[0], s.w.L, s.w);
  s.kernels.ltl_factor(s.m(), s.w.L, s.w.L_inv_d, s.w);
  std::copy_n(in[1], s.m().nv, out[0]);
  s.kernels.ltl_solve(s.m(), s.w.L, s.w.L_inv_d, out[0], s.w);
}

void run_aba(Subject& s, In in, Out out) {
  s.kernels.aba(s.m(), {in[0], in[1], in[2]}, out[0], s.w);
}

// ---- constrained dynamics: q, v, tau, desired -> qdd, lambda

// Returns f after `iterations` plain steps from f = 0. evaluate(f, step) computes a step.
template <class Evaluate>
Numbers iterate(const Subject& s, int iterations, const Evaluate& evaluate) {
  Numbers f(s.rows()), step(s.rows());
  for (int i = 0; i < iterations; ++i) {
    evaluate(f, step);
    for (int r = 0; r < s.rows(); ++r) f[r] = f[r] + step[r];
  }
  return f;
}

// Sets desired accelerations; evaluates loops and rows at the state, which it returns.
Inputs<Recorded> start(Subject& s, In in) {
  rows_from_user(&s.c(), in[3], s.w.desired);
  update_loops(s, in[0], in[1]);
  const Inputs<Recorded> at = {in[0], in[1], in[2]};
  s.kernels.constraint_state(s.m(), s.c(), at, s.w);
  return at;
}

// once: pv_soft, a single penalty step.
template <bool once>
void run_constrained_aba(Subject& s, In in, Out out) {
  const Inputs<Recorded> at = start(s, in);
  NumbersOf<double> inv_mu = proximal_terms(s);
  ProximalPoint<Recorded> x;
  x.inv_mu = inv_mu.data();
  bool started = false;
  iterate(s, once ? 1 : s.options.iterations, [&](Numbers& f, Numbers& step) {
    x.f = f.data(), x.step = step.data();
    if (!started)
      s.kernels.constrained_aba_start(s.m(), s.c(), at, out[0], x, s.w);
    else
      s.kernels.constrained_aba_iterate(s.m(), s.c(), false, at, out[0], x, s.w);
    started = true;
  });
  s.kernels.constrained_aba_finish(s.m(), s.c(), at, out[0], s.w);
  rows_to_user<Recorded>(&s.c(), s.w.row_lambda, out[1]);
}

template <bool proximal>
void run_pv(Subject& s, In in, Out out) {
  const NumbersOf<double> inv_mu = proximal_terms(s, proximal);
  const Inputs<Recorded> at = start(s, in);
  s.kernels.pv_reduce(s.m(), s.split_base(), at, s.pv.data, s.w);
  Numbers compliance(s.rows());
  for (int r = 0; r < s.rows(); ++r) {
    compliance[r] = s.c().compliance[r];
    s.pv.data.row_damping[r] = s.c().compliance[r] + inv_mu[r];
  }
  s.kernels.pv_factor(s.m(), s.split_base(), s.c().scale, s.pv.data);
  const Numbers f = iterate(s, proximal ? s.options.iterations : 1, [&](const Numbers& f_, Numbers& step) {
    s.kernels.pv_step(s.m(), s.split_base(), compliance.data(), f_.data(), step.data(), s.pv.data);
  });
  s.kernels.pv_roll_out(s.m(), s.c(), at, f.data(), out[0], s.pv.data, s.w);
  rows_to_user(&s.c(), f.data(), out[1]);
}

void run_pv_early(Subject& s, In in, Out out) {
  const Inputs<Recorded> at = start(s, in);
  Numbers lambda(s.rows());
  s.kernels.pv_early_reduce(s.m(), s.c(), at, s.pv_early.data, s.w);
  s.kernels.pv_early_roll_out(s.m(), s.c(), at, lambda.data(), out[0], s.pv_early.data, s.w);
  rows_to_user(&s.c(), lambda.data(), out[1]);
}

template <bool proximal>
void run_ltl(Subject& s, In in, Out out) {
  rows_from_user(&s.c(), in[3], s.w.desired);
  s.kernels.joint_space_state(s.m(), s.c(), {in[0], in[1], in[2]}, s.w);
  s.kernels.prox_ltl_start(s.m(), s.c(), s.w);
  s.kernels.prox_ltl_factor(s.c(), Numbers(proximal_terms(s, proximal)).data(), s.w);
  const Numbers f = iterate(s, proximal ? s.options.iterations : 1, [&](const Numbers& f_, Numbers& step) {
    s.kernels.prox_ltl_step(s.c(), f_.data(), step.data(), s.w);
  });
  s.kernels.prox_ltl_finish(s.m(), s.c(), f.data(), out[0], s.w);
  rows_to_user(&s.c(), f.data(), out[1]);
}

void run_prox_ltls(Subject& s, In in, Out out) {
  rows_from_user(&s.c(), in[3], s.w.desired);
  s.kernels.joint_space_state(s.m(), s.c(), {in[0], in[1], in[2]}, s.w);
  s.kernels.prox_ltls_start(s.m(), s.c(), out[0], s.w);
  s.kernels.prox_ltls_factor(s.m(), s.c(), Numbers(proximal_terms(s)).data(), s.w);
  bool moved = false;
  iterate(s, s.options.iterations, [&](const Numbers& f, Numbers& step) {
    s.kernels.prox_ltls_step(s.m(), s.c(), f.data(), moved, false, step.data(), out[0], s.w);
    moved = true;
  });
  rows_to_user<Recorded>(&s.c(), s.w.row_lambda, out[1]);
}

std::array<Algorithm, tree_algorithm_count> without_constraints() {
  return {{
      {{"kinematics", "poses of all links", false, true, true}, {q}, {poses}, run_kinematics},
      {{"rnea", "inverse dynamics ([RBDA] Table 5.1), of the spanning tree where there are loops", false,
        true, true},
       {q, v, a},
       {tau},
       run_rnea},
      {{"bias", "bias forces by RNEA without acceleration, of the spanning tree where there are loops", false,
        true, true},
       {q, v},
       {bias_out},
       run_bias},
      {{"crba", "mass matrix ([RBDA] 6.2)", false, true}, {q}, {M_out}, run_crba},
      {{"ltl_factor", "mass matrix by CRBA and its sparse factor ([RBDA] 6.5)", false, true},
       {q},
       {L_out, inv_d_out},
       run_ltl_factor},
      {{"ltl_solve", "M^-1 b by CRBA and sparse factor ([RBDA] 6.5)", false, true},
       {q, b},
       {x_out},
       run_ltl_solve},
      {{"aba", "forward dynamics ([RBDA] Table 7.1)", false, true}, {q, v, tau}, {qdd}, run_aba},
  }};
}

std::array<Algorithm, constrained_algorithm_count> constrained_dynamics() {
  // loops: constraint rows may be on any body of a cluster; rotors are bodies. closures: rows between two moving links.
  const auto method = [](const char* name, const char* summary, bool fixed_path, bool loops, bool closures,
                         auto run) {
    return Algorithm{{name, summary, true, fixed_path, loops, false, closures},
                     {q, v, tau, desired},
                     {qdd, lambda_out},
                     run};
  };
  return {{
      method("constrained_aba", "constrained dynamics ([CABA] Alg. 1 to 3), proximal iterations", true, true,
             false, run_constrained_aba<false>),
      method("pv", "constrained dynamics ([CABA] II-F), rows independent", true, true, true, run_pv<false>),
      method("prox_pv", "constrained dynamics ([CABA] Alg. 4), proximal iterations", true, true, true,
             run_pv<true>),
      method("pv_soft", "constrained dynamics ([CABA] VII-A), one penalty step", true, true, false,
             run_constrained_aba<true>),
      method("pv_early", "constrained dynamics ([CABA] VII-B)", false, false, false, run_pv_early),
      method("ltl", "constrained dynamics ([CABA] Eq. 11), rows independent", true, false, true,
             run_ltl<false>),
      method("prox_ltl", "constrained dynamics ([CABA] II-C1), proximal iterations", true, false, true,
             run_ltl<true>),
      method("prox_ltls", "constrained dynamics ([CABA] II-C2), proximal iterations", true, false, false,
             run_prox_ltls),
  }};
}

}  // namespace

NumbersOf<double> proximal_terms(const Subject& s, bool proximal) {
  NumbersOf<double> inv_mu(s.rows());
  for (int r = 0; proximal && r < s.rows(); ++r) inv_mu[r] = proximal_term({}, s.c(), r, s.options.mu);
  return inv_mu;
}

const std::array<Algorithm, algorithm_count>& algorithms() {
  static const std::array<Algorithm, algorithm_count> all = [] {
    std::array<Algorithm, algorithm_count> list;
    auto next = list.begin();
    const auto append = [&](const auto& more) { next = std::copy(more.begin(), more.end(), next); };
    append(without_constraints());
    append(loop_algorithms());
    append(constrained_dynamics());
    append(delassus_algorithms());
    return list;
  }();
  return all;
}

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

}  // namespace tenon::trace
