// The library's recursive algorithms on numbers that carry exact derivatives, dual or hyper-dual: they share no formula of
// derivatives with what they judge.
#pragma once

#include <vector>

#include "kernels/constrained/constrained_aba.hpp"
#include "kernels/tree/aba.hpp"
#include "kernels/tree/rnea.hpp"
#include "plan/arena.hpp"
#include "state/coordinates.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {

template <class N>
class ExactDynamics {
 public:
  using Numbers = std::vector<N>;
  struct Residual {
    Numbers r, s;
  };

  // wrenches: on links, as in Inputs. The workspace has the gravity, and maps them to bodies.
  ExactDynamics(Workspace& workspace, const std::vector<double>& on_links)
      : m(workspace.impl().md()),
        c(workspace.impl().cd()),
        tables(m, c),
        arena(m, c, static_cast<std::size_t>(tables.entry_count)) {
    static_cast<SweepTables&>(arena.data) = tables;
    arena.data.gravity = gravity;
    for (int e = 0; e < 3; ++e) gravity[e] = N(workspace.gravity()[static_cast<std::size_t>(e)]);
    if (on_links.empty()) return;
    load_wrenches(workspace.impl(), on_links.data());
    const double* of_bodies = workspace.impl().w().wrench;
    for (int e = 0; e < 6 * m.node_count; ++e) wrenches.emplace_back(of_bodies[e]);
  }

  Numbers inverse(const Numbers& q, const Numbers& v, const Numbers& a) {
    Numbers tau(v.size());
    rnea(m, {q.data(), v.data(), nullptr, acting(), nullptr, a.data()}, tau.data(), arena.data);
    return tau;
  }
  Numbers forward(const Numbers& q, const Numbers& v, const Numbers& tau) {
    Numbers qdd(v.size());
    aba(m, {q.data(), v.data(), tau.data(), acting()}, qdd.data(), arena.data);
    return qdd;
  }
  // ID - J^T lambda, and J qdd + gamma + R lambda - k; rows in the user's order.
  Residual residual(const Inputs<N>& in, const Numbers& lambda, const Numbers& desired) {
    const std::size_t n = static_cast<std::size_t>(m.nv), rows = lambda.size();
    Residual left = {Numbers(n), Numbers(rows)};
    Numbers J(n * rows), rhs(rows), zero(n);
    if (rows > 0) {
      for (std::size_t i = 0; i < rows; ++i)
        arena.data.desired[i] = desired[static_cast<std::size_t>(c->user_row[i])];
      constraint_state(m, *c, {in.q, in.v, zero.data()}, arena.data);
      constraint_jacobian(m, *c, J.data(), static_cast<int>(rows), arena.data);
      constraint_right_hand_side(m, *c, in.v, rhs.data(), arena.data);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const auto user = static_cast<std::size_t>(c->user_row[i]);
      left.s[user] = N(c->compliance[i]) * lambda[user] - rhs[i];
      for (std::size_t j = 0; j < n; ++j) left.s[user] = left.s[user] + J[j * rows + user] * in.qdd[j];
    }
    rnea(m, {in.q, in.v, nullptr, acting(), nullptr, in.qdd}, left.r.data(), arena.data);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < rows; ++i) left.r[j] = left.r[j] - J[j * rows + i] * lambda[i];
    return left;
  }

  const ModelData& m;
  const ConstraintData* c;

 protected:
  const N* acting() const { return wrenches.empty() ? nullptr : wrenches.data(); }

  SweepMemory tables;
  Arena<N> arena;
  N gravity[3];
  Numbers wrenches;
};

}  // namespace tenon::testing
