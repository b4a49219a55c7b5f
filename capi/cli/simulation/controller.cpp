#include "simulation/controller.hpp"

#include <algorithm>

namespace client {
namespace {

std::vector<std::size_t> carrying_rows(const ContactSet& contacts) {
  const bool welds = std::any_of(contacts.contacts.begin(), contacts.contacts.end(),
                                 [](const Contact& c) { return c.weld; });
  std::vector<std::size_t> rows;
  for (const Contact& contact : contacts.contacts)
    if (contact.weld == welds)
      for (std::size_t i = 0; i < contact.row_count; ++i) rows.push_back(contact.first_row + i);
  return rows;
}

// The coordinates of joints on no path from the root to a contact.
std::vector<char> coordinates_beyond(const tenon_model* model, const ContactSet& contacts) {
  const std::vector<tenon_joint_info> all = joints(model);
  std::vector<char> beyond(static_cast<std::size_t>(tenon_model_nv(model)), 1);
  for (const Contact& contact : contacts.contacts)
    for (int32_t at = contact.link; at >= 0; at = link(model, at).parent_link) {
      const int32_t joint = link(model, at).joint;
      if (joint < 0) continue;
      const tenon_joint_info& moves = all[static_cast<std::size_t>(joint)];
      std::fill_n(beyond.begin() + moves.v_index, moves.nv, 0);
    }
  return beyond;
}

// Solves A x = b for a small symmetric positive definite A by elimination.
Vector solve_positive_definite(Vector A, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i + k * n] / A[k + k * n];
      for (std::size_t j = k; j < n; ++j) A[i + j * n] -= factor * A[k + j * n];
      b[i] -= factor * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k + j * n] * b[j];
    b[k] /= A[k + k * n];
  }
  return b;
}

}  // namespace

Hold::Hold(const tenon_model* model, const Held& robot, const Held& plan, const Vector& q,
           const Stabilisation& spring)
    : workspace_(robot.workspace),
      plan_(plan.workspace),
      nv_(static_cast<std::size_t>(tenon_model_nv(model))),
      rows_(robot.contacts.rows),
      spring_(spring),
      rest_(q),
      offset_(nv_, 0.0),
      rate_(nv_, 0.0),
      acceleration_(nv_, 0.0),
      beyond_(coordinates_beyond(model, plan.contacts)),
      carrying_(carrying_rows(robot.contacts)),
      away_(nv_),
      asked_(nv_),
      a_(nv_),
      torque_(nv_),
      J_(rows_ * nv_) {
  check(tenon_workspace_anchor_here(plan_, q.data(), q.size()), plan_, "anchoring the contacts");
  for (const tenon_joint_info& joint : joints(model))
    if (joint.type == TENON_JOINT_TYPE_FLOATING)
      for (int32_t i = 0; i < joint.nv; ++i) base_.push_back(static_cast<std::size_t>(joint.v_index + i));
}

void Hold::set_target(std::size_t coordinate, double offset, double rate, double acceleration) {
  offset_[coordinate] = offset;
  rate_[coordinate] = rate;
  acceleration_[coordinate] = acceleration;
}

void Hold::add(const Vector& q, const Vector& v, Vector& tau) {
  ask_accelerations(q, v);
  inverse_dynamics(q, v);
  check(tenon_constrained_dynamics(plan_, nullptr, q.data(), q.size(), v.data(), nv_, torque_.data(), nv_,
                                   nullptr, 0, nullptr, 0, a_.data(), nv_, nullptr, 0),
        plan_, "holding the posture");
  for (std::size_t i = 0; i < nv_; ++i)
    if (beyond_[i]) a_[i] = asked_[i];
  inverse_dynamics(q, v);
  if (!base_.empty()) lean_on_contacts(q, v);
  for (std::size_t i = 0; i < nv_; ++i) tau[i] += torque_[i];
}

void Hold::ask_accelerations(const Vector& q, const Vector& v) {
  check(tenon_difference(workspace_, q.data(), q.size(), rest_.data(), rest_.size(), away_.data(), nv_),
        workspace_, "holding the posture");
  const double stiffness = spring_.frequency * spring_.frequency;
  const double damping = 2 * spring_.damping_ratio * spring_.frequency;
  for (std::size_t i = 0; i < nv_; ++i)
    asked_[i] = acceleration_[i] + stiffness * (away_[i] + offset_[i]) + damping * (rate_[i] - v[i]);
  a_ = asked_;
}

void Hold::inverse_dynamics(const Vector& q, const Vector& v) {
  check(tenon_inverse_dynamics(workspace_, q.data(), q.size(), v.data(), nv_, a_.data(), nv_, nullptr, 0,
                               torque_.data(), nv_),
        workspace_, "holding the posture");
}

// Takes the load off the base: f = J_b (J_b^T J_b)^-1 load is the least |f| with J_b^T f = load. The small
// diagonal keeps directions that no contact carries, where there is no load, from dividing by zero.
void Hold::lean_on_contacts(const Vector& q, const Vector& v) {
  const std::size_t n = base_.size();
  Vector gram(n * n, 0.0), load(n);
  if (rows_ > 0)
    check(tenon_constraint_rows(workspace_, q.data(), q.size(), v.data(), nv_, nullptr, 0, J_.data(),
                                J_.size(), static_cast<int32_t>(rows_), nullptr, 0, nullptr, 0, nullptr, 0),
          workspace_, "holding the posture");
  for (std::size_t i = 0; i < n; ++i) {
    load[i] = torque_[base_[i]];
    for (std::size_t j = 0; j < n; ++j)
      for (const std::size_t row : carrying_)
        gram[i + j * n] += J_[row + base_[i] * rows_] * J_[row + base_[j] * rows_];
  }
  double small = 0;
  for (std::size_t i = 0; i < n; ++i) small += 1e-10 * gram[i + i * n];
  if (small > 0) {
    for (std::size_t i = 0; i < n; ++i) gram[i + i * n] += small;
    const Vector share = solve_positive_definite(gram, load);
    for (const std::size_t row : carrying_) {
      double force = 0;
      for (std::size_t i = 0; i < n; ++i) force += J_[row + base_[i] * rows_] * share[i];
      for (std::size_t i = 0; i < nv_; ++i) torque_[i] -= J_[row + i * rows_] * force;
    }
  }
  for (const std::size_t i : base_) torque_[i] = 0;
}

}  // namespace client
