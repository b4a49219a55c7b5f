#include <algorithm>
#include <array>
#include <iterator>

#include "calls/delassus.hpp"
#include "kernels/delassus/symmetric_to_user.hpp"
#include "spatial/lanes.hpp"
#include "spatial/rotation.hpp"
#include "spatial/spatial.hpp"
#include "tenonx/recording.hpp"

namespace tenon::trace {
namespace {

constexpr Array q = {"q", "positions", Size::nq};
constexpr Array v = {"v", "velocities", Size::nv};
constexpr Array tau = {"tau", "generalised forces, N m or N", Size::nv};
constexpr Array qdd = {"qdd", "accelerations", Size::nv};
constexpr Array a = {"a", "accelerations", Size::nv};
constexpr Array b = {"b", "a vector of generalised forces", Size::nv};
constexpr Array desired = {"desired", "desired accelerations of the rows, m/s^2 or rad/s^2", Size::rows};

constexpr Array rate = {"rate", "rates of the positions, of quaternions by their entries", Size::nq};
constexpr Array poses = {"poses", "of each link: position (3), rotation to world axes (9, column-major)",
                         Size::link_poses};
constexpr Array bias_out = {"c", "bias forces, N m or N", Size::nv};
constexpr Array M_out = {"M", "mass matrix, column-major, both triangles", Size::nv_by_nv};
constexpr Array L_out = {"L", "M = L^T D L: unit lower triangular, column-major", Size::nv_by_nv};
constexpr Array inv_d_out = {"inv_d", "1 / D", Size::nv};
constexpr Array x_out = {"x", "M^-1 b", Size::nv};
constexpr Array lambda_out = {"lambda", "forces on the robot along the rows, N or N m", Size::rows};
constexpr Array b_of_rows = {"b", "a vector of the rows", Size::rows};
constexpr Array delassus = {"delassus", "J M^-1 J^T, column-major, both triangles", Size::rows_by_rows};
constexpr Array inverse = {"inverse", "(J M^-1 J^T + R + 1/mu)^-1, column-major, both triangles",
                           Size::rows_by_rows};
constexpr Array x_of_rows = {"x", "(J M^-1 J^T + R + 1/mu)^-1 b", Size::rows};
constexpr Array closed_q = {"q", "positions, loops closed", Size::nq};
constexpr Array closed_v = {"v", "velocities, as the loops allow", Size::nv};
constexpr Array yddot = {"yddot", "accelerations of the independent coordinates", Size::ny};
constexpr Array tau_y = {"tau_y", "generalised forces of the independent coordinates, N m or N", Size::ny};

// ---- without constraints

// The rate of q exp(t v) by t at 0, q and v of one joint: R(q) v for positions of a free base, q [w / 2, 0] for a
// quaternion, of any norm (integrate_joint in kernels/joint/integrate.hpp moves along it).
void rate_of_joint(std::int32_t kind, const Recorded* q_in, const Recorded* v_in, Recorded* out) {
  const auto turn = [&](const Recorded* quaternion, Recorded* of_quaternion) {
    const Recorded half[4] = {v_in[0] * 0.5, v_in[1] * 0.5, v_in[2] * 0.5, 0.0};
    std::copy_n(quaternion, 4, of_quaternion);
    multiply_quaternion(of_quaternion, half);
  };
  switch (kind) {
    case joint_spherical:
      return turn(q_in, out);
    case joint_floating:
      store(out, rotate_by(q_in + 3, load_vec3<Recorded>(v_in + 3)));
      return turn(q_in + 3, out + 3);
    case joint_planar: {
      const Recorded sine = sin(q_in[2]), cosine = cos(q_in[2]);
      out[0] = cosine * v_in[1] - sine * v_in[2];
      out[1] = sine * v_in[1] + cosine * v_in[2];
      out[2] = v_in[0];
      return;
    }
    default:
      out[0] = v_in[0];
  }
}

void run_position_rate(Subject& s, In in, Out out) {
  for (int i = 0; i < s.m().node_count; ++i) {
    const NodeData& n = s.m().nodes[i];
    rate_of_joint(n.kind, in[0] + n.q_index, in[1] + n.v_index, out[0] + n.q_index);
  }
}

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

// 1 / mu of each constraint row; not proximal: zeros.
NumbersOf<double> proximal_terms(const Subject& s, bool proximal = true) {
  NumbersOf<double> inv_mu(s.rows());
  for (int r = 0; proximal && r < s.rows(); ++r) inv_mu[r] = proximal_term({}, s.c(), r, s.options.mu);
  return inv_mu;
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
  s.kernels.prox_ltl_gram(s.m(), s.c(), s.w);
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

// ---- the Delassus matrix
//
// And its damped inverse (Lambda^-1 + E)^-1, E = R + 1 / mu, in two forms: as a matrix, or factored and
// applied to one vector.

// Fills WorkspaceData::delassus.
template <DelassusMethod method>
void fill(Subject& s, const Recorded* q_in) {
  if constexpr (method == DelassusMethod::ltl_osim) {
    s.kernels.ltl_osim(s.m(), s.c(), q_in, s.w);
  } else {
    s.kernels.sweep_inertias(s.m(), q_in, s.w);
    delassus_of_inertias<method>(s.kernels, s.m(), s.c(), s.pv.data, s.delassus, s.w);
  }
}

template <DelassusMethod method>
void run_matrix(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  s.kernels.symmetric_to_user(s.c(), s.delassus.in_order, s.w.delassus, out[0], s.rows());
}

// E of the rows, rounded up to whole packs.
Numbers damping(const Subject& s) {
  Numbers E(proximal_terms(s));
  for (int r = 0; r < s.rows(); ++r) E[r] = E[r] + s.c().compliance[r];
  E.resize(index(whole_packs(s.rows())), Recorded(0));
  return E;
}

// Returns b in the kernels' order of rows.
Numbers take_b(const Subject& s, const Recorded* given) {
  Numbers rows(whole_packs(s.rows()));
  rows_from_user(&s.c(), given, rows.data());
  return rows;
}

// L D L^T of Lambda^-1 + E.
struct DenseFactor {
  DenseFactor(Subject& s)
      : stride(whole_packs(s.rows())), F(stride * stride), inv_d(stride), scratch(4 * stride) {
    s.kernels.factor_dense(s.w.delassus, damping(s).data(), s.rows(), stride, F.data(), inv_d.data(),
                           scratch.data());
  }
  int stride;
  Numbers F, inv_d, scratch;
};

template <DelassusMethod method>
void run_inverse(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  const int stride = whole_packs(s.rows());
  Numbers X(stride * stride), scratch(stride * (stride + 8));
  s.kernels.invert_dense(s.w.delassus, damping(s).data(), s.rows(), stride, X.data(), scratch.data());
  s.kernels.symmetric_to_user(s.c(), s.delassus.in_order, X.data(), out[0], s.rows());
}

template <DelassusMethod method>
void run_cholesky(Subject& s, In in, Out out) {
  fill<method>(s, in[0]);
  const DenseFactor f(s);
  Numbers rows = take_b(s, in[1]);
  s.kernels.solve_dense(f.F.data(), f.inv_d.data(), f.stride, rows.data());
  rows_to_user(&s.c(), rows.data(), out[0]);
}

void run_pv_osimf(Subject& s, In in, Out out) {
  const Numbers E = damping(s), given = take_b(s, in[1]);
  s.kernels.sweep_inertias(s.m(), in[0], s.w);
  s.kernels.pv_osimf_factor(s.m(), s.c(), E.data(), false, s.pv.data, s.osimf.data, s.w);
  Numbers rows(whole_packs(s.rows()));
  s.kernels.pv_osimf_apply(given.data(), E.data(), rows.data(), s.osimf.data);
  rows_to_user(&s.c(), rows.data(), out[0]);
}

void run_pv_osimf_inverse(Subject& s, In in, Out out) {
  const Numbers E = damping(s);
  s.kernels.sweep_inertias(s.m(), in[0], s.w);
  s.kernels.pv_osimf_factor(s.m(), s.c(), E.data(), true, s.pv.data, s.osimf.data, s.w);
  s.kernels.pv_osimf_form(E.data(), s.caba.data.matrix, s.osimf.data);
  upper_to_user(s.c(), s.caba.data.matrix, s.caba.data.stride, out[0], s.rows());
}

void factor_caba(Subject& s, const Recorded* q_in) {
  const Numbers E = damping(s);
  std::copy_n(E.begin(), s.rows(), s.caba.data.damping);
  s.kernels.caba_osim_factor(s.m(), s.c(), q_in, s.caba.data, s.w);
}

void run_caba_osim(Subject& s, In in, Out out) {
  factor_caba(s, in[0]);
  s.kernels.caba_osim_form(s.caba.data);
  upper_to_user(s.c(), s.caba.data.matrix, s.caba.data.stride, out[0], s.rows());
}

void run_caba_osimf(Subject& s, In in, Out out) {
  factor_caba(s, in[0]);
  const Numbers given = take_b(s, in[1]);
  Numbers rows(whole_packs(s.rows()));
  s.kernels.caba_osimf_apply(given.data(), rows.data(), s.caba.data);
  rows_to_user(&s.c(), rows.data(), out[0]);
}

// Rows of the table.
constexpr Algorithm of_loops(const char* name, const char* summary, const Array& result, Run run) {
  return {{name, summary, false, true, true, true}, {closed_q, closed_v, tau}, {result}, run};
}
// loops: constraint rows may be on any body of a cluster; rotors are bodies. closures: rows between two moving links.
constexpr Algorithm constrained(const char* name, const char* summary, bool fixed_path, bool loops,
                                bool closures, Run run) {
  return {{name, summary, true, fixed_path, loops, false, closures},
          {q, v, tau, desired},
          {qdd, lambda_out},
          run};
}
constexpr Algorithm matrix(const char* name, const char* summary, Run run) {
  return {{name, summary, true, true}, {q}, {delassus}, run};
}
constexpr Algorithm formed(const char* name, const char* summary, bool fixed_path, Run run) {
  return {{name, summary, true, fixed_path}, {q}, {inverse}, run};
}
constexpr Algorithm applied(const char* name, const char* summary, bool fixed_path, Run run) {
  return {{name, summary, true, fixed_path}, {q, b_of_rows}, {x_of_rows}, run};
}

constexpr Algorithm table[] = {
    {{"kinematics", "poses of all links", false, true, true}, {q}, {poses}, run_kinematics},
    {{"position_rate", "rates of the positions at a velocity, which those of quaternions are not", false,
      true, true},
     {q, v},
     {rate},
     run_position_rate},
    {{"rnea", "inverse dynamics ([RBDA] Table 5.1), of the spanning tree where there are loops", false, true,
      true},
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
    of_loops("c_aba", "forward dynamics over clusters ([LOOPS1] Alg. 1), rotors folded into their carriers",
             qdd, run_c_aba_folded),
    of_loops("c_aba_unfolded", "forward dynamics over clusters ([LOOPS1] Alg. 1), every rotor a body", qdd,
             run_c_aba),
    of_loops("approximate_aba",
             "forward dynamics of the independent joints ([LOOPS1] II-D), what moves with them as armature",
             yddot, run_approximate),
    of_loops("projection", "forward dynamics by (G^T M G)^-1 ([LOOPS1] II-D)", qdd, run_projection),
    of_loops("multipliers", "forward dynamics by Lagrange multipliers ([LOOPS1] II-D), loop rows independent",
             qdd, run_multipliers),
    {{"c_rnea",
      "inverse dynamics over clusters ([LOOPS1] V): G^T RNEA(q, v, G yddot + g), rotors folded into their "
      "carriers",
      false, true, true, true},
     {closed_q, closed_v, yddot},
     {tau_y},
     run_c_rnea},
    constrained("constrained_aba", "constrained dynamics ([CABA] Alg. 1 to 3), proximal iterations", true,
                true, false, run_constrained_aba<false>),
    constrained("pv", "constrained dynamics ([CABA] II-F), rows independent", true, true, true,
                run_pv<false>),
    constrained("prox_pv", "constrained dynamics ([CABA] Alg. 4), proximal iterations", true, true, true,
                run_pv<true>),
    constrained("pv_soft", "constrained dynamics ([CABA] VII-A), one penalty step", true, true, false,
                run_constrained_aba<true>),
    constrained("pv_early", "constrained dynamics ([CABA] VII-B)", false, false, false, run_pv_early),
    constrained("ltl", "constrained dynamics ([CABA] Eq. 11), rows independent", true, false, true,
                run_ltl<false>),
    constrained("prox_ltl", "constrained dynamics ([CABA] II-C1), proximal iterations", true, false, true,
                run_ltl<true>),
    constrained("prox_ltls", "constrained dynamics ([CABA] II-C2), proximal iterations", true, false, false,
                run_prox_ltls),
    matrix("ltl_osim", "Delassus matrix by the sparse factor of M ([OSIMR] II-A)",
           run_matrix<DelassusMethod::ltl_osim>),
    matrix("kjr", "Delassus matrix in three sweeps (Kreutz-Delgado, Jain, Rodriguez)",
           run_matrix<DelassusMethod::kjr>),
    matrix("efpa", "Delassus matrix by extended force propagators ([OSIMR] Alg. 2)",
           run_matrix<DelassusMethod::efpa>),
    matrix("pv_osim", "Delassus matrix in one sweep ([OSIMR] Alg. 1)", run_matrix<DelassusMethod::pv_osim>),
    matrix("pv_osimr", "Delassus matrix from branch to branch ([OSIMR] Alg. 3)",
           run_matrix<DelassusMethod::pv_osimr>),
    formed("ltl_inverse", "damped inverse from ltl_osim", true, run_inverse<DelassusMethod::ltl_osim>),
    formed("pv_osimr_inverse", "damped inverse from pv_osimr", true, run_inverse<DelassusMethod::pv_osimr>),
    formed("pv_osimf_inverse", "damped inverse, branches of the base apart ([CABA] VI-B)", true,
           run_pv_osimf_inverse),
    formed("caba_osim", "damped inverse without the matrix ([CABA] Alg. 5)", false, run_caba_osim),
    applied("ltl_cholesky", "damped inverse times b by ltl_osim and Cholesky", true,
            run_cholesky<DelassusMethod::ltl_osim>),
    applied("pv_osimr_cholesky", "damped inverse times b by pv_osimr and Cholesky", true,
            run_cholesky<DelassusMethod::pv_osimr>),
    applied("pv_osimf", "damped inverse times b, branches of the base apart ([CABA] VI-B)", true,
            run_pv_osimf),
    applied("caba_osimf", "damped inverse times b, never formed ([CABA] VI-B)", false, run_caba_osimf),
};
// All methods but dense; trees have eight algorithms, loops six, and the damped inverse has eight forms.
static_assert(std::size(table) ==
              8 + 6 + std::size(method_facts) - 1 + std::size(delassus_method_facts) - 1 + 8);

}  // namespace

List<Algorithm> algorithms() {
  return {table, std::size(table)};
}

std::size_t number(Size size, const Model& model, const ConstraintSet* constraints) {
  const auto nv = index(model.nv);
  const auto rows = constraints ? index(constraints->row_count()) : 0;
  switch (size) {
    case Size::nq:
      return index(model.nq);
    case Size::nv:
      return nv;
    case Size::ny:
      return index(model.ny);
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

namespace tenon {

List<TraceableAlgorithm> traceable_algorithms() noexcept {
  static const auto all = [] {
    std::array<TraceableAlgorithm, std::size(trace::table)> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = trace::table[i].about;
    return list;
  }();
  return {all.data(), all.size()};
}

}  // namespace tenon
