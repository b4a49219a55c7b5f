// Writes the settings of constraints: which are active, their gains, weights and compliance; what follows from them is
// computed by the calls that use it (WorkspaceImpl::follow_settings). And those of the robot: inertias of links, what
// links carry, armatures and friction of joints; what follows from these is computed at once (state/own_inertias.hpp).
#include <algorithm>

#include "model/compile.hpp"
#include "scalar/finite.hpp"
#include "scalar/index.hpp"
#include "scalar/out_of_range.hpp"
#include "state/coordinates.hpp"
#include "state/own_inertias.hpp"
#include "tenon/conventions.hpp"
#include "tenon/dynamics.hpp"

namespace tenon {

namespace {

Status check_constraint(WorkspaceImpl& w, int constraint) {
  const int count = w.constraints ? w.constraints->constraint_count() : 0;
  if (constraint >= 0 && constraint < count) return Status::ok;
  return w.fail(Status::out_of_range, "%s",
                OutOfRange("constraint", constraint, index(count), "constraints").text);
}

// Loops that are closed by constraint rows come after the user's constraints.
bool is_loop_of_model(const WorkspaceImpl& w, int constraint) {
  return constraint >= w.constraints->constraint_count() - static_cast<int>(w.model->row_loops.size());
}

const char* name_of(const WorkspaceImpl& w, int constraint) {
  return w.constraints->specs()[index(constraint)].name.c_str();
}

// The settings of a constraint, to be changed.
Settings::Constraint& changed(WorkspaceImpl& w, int constraint) {
  ++w.settings->revision;
  return w.settings->constraints[index(constraint)];
}

Status check_active(WorkspaceImpl& w, int constraint, bool active) {
  if (active || !is_loop_of_model(w, constraint)) return Status::ok;
  return w.fail(
      Status::invalid_argument,
      "constraint %d is the loop '%s' of the model, which cannot be switched off; make the model with "
      "this loop open and close it by a constraint",
      constraint, name_of(w, constraint));
}

Status check_gains(WorkspaceImpl& w, int constraint, double frequency, double damping_ratio) {
  const auto gain = [](double x) { return x >= 0 && x <= 1e300; };
  if (gain(frequency) && gain(damping_ratio)) return Status::ok;
  const bool finite = all_finite(&frequency, 1) && all_finite(&damping_ratio, 1);
  return w.fail(finite ? Status::invalid_argument : Status::not_finite,
                "frequency %g and damping ratio %g of constraint %d '%s' must be finite and not negative",
                frequency, damping_ratio, constraint, name_of(w, constraint));
}

// Numbers of the rows of a constraint. zero: a number may be zero.
Status check_rows(WorkspaceImpl& w, int constraint, const char* what, const double* x, bool zero) {
  const int rows = w.constraints->row_count(constraint);
  for (int r = 0; x && r < rows; ++r) {
    const bool finite = all_finite(x + r, 1);
    if (finite && (x[r] > 0 || (zero && x[r] == 0))) continue;
    return w.fail(finite ? Status::invalid_argument : Status::not_finite,
                  "%s[%d] of constraint %d '%s' is %g; give finite numbers %s", what, r, constraint,
                  name_of(w, constraint), x[r], zero ? "of zero or more" : "above zero");
  }
  return Status::ok;
}

// pose: x y z, quaternion x y z w.
Status check_pose(WorkspaceImpl& w, int constraint, const char* what, const double* pose) {
  if (!all_finite(pose, 7))
    return w.fail(Status::not_finite,
                  "the %s of constraint %d '%s' holds NaN or infinity; give finite numbers", what, constraint,
                  name_of(w, constraint));
  double square = 0;
  for (int e = 3; e < 7; ++e) square += pose[e] * pose[e];
  if (std::abs(std::sqrt(square) - 1) <= unit_norm_tolerance) return Status::ok;
  return w.fail(
      Status::not_normalized,
      "numbers 3 to 6 of the %s of constraint %d '%s' are the quaternion x y z w, and its norm is off 1 "
      "by more than 1e-6; divide it by its norm",
      what, constraint, name_of(w, constraint));
}

Pose pose_of(const double* x) {
  return {rotation_from_quaternion({x[3], x[4], x[5], x[6]}), {x[0], x[1], x[2]}};
}

// Checks and writes numbers of the rows of a constraint, or `usual` where x is null. zero: a number may be zero.
Status set_rows(WorkspaceImpl& w, int constraint, const char* what, const double* x, bool zero, double usual,
                std::vector<double>& to) {
  TENON_CHECK(check_constraint(w, constraint));
  const int rows = w.constraints->row_count(constraint);
  TENON_CHECK(check_rows(w, constraint, what, x, zero));
  ++w.settings->revision;
  const auto first = to.begin() + w.constraints->first_row(constraint);
  if (x)
    std::copy_n(x, rows, first);
  else
    std::fill_n(first, rows, usual);
  return Status::ok;
}

}  // namespace

Status set_constraint_active(Workspace& workspace, int constraint, bool active) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  TENON_CHECK(check_active(w, constraint, active));
  changed(w, constraint).active = active;
  return Status::ok;
}

Status set_constraint_gains(Workspace& workspace, int constraint, double frequency, double damping_ratio) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  TENON_CHECK(check_gains(w, constraint, frequency, damping_ratio));
  Settings::Constraint& own = changed(w, constraint);
  own.frequency = frequency, own.damping_ratio = damping_ratio;
  return Status::ok;
}

static Status check_frame(WorkspaceImpl& w, int constraint) {
  TENON_CHECK(check_constraint(w, constraint));
  if (has_frame(w.constraints->specs()[index(constraint)])) return Status::ok;
  return w.fail(
      Status::invalid_argument,
      "constraint %d '%s' is a closure, or has rows of its own, and no frame that is held at an anchor",
      constraint, name_of(w, constraint));
}

Status set_constraint_frame(Workspace& workspace, int constraint, const Pose& frame) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_frame(w, constraint));
  Settings::Constraint& own = changed(w, constraint);
  own.moved = true, own.frame = frame;
  return Status::ok;
}

Status constraint_frame(Workspace& workspace, int constraint, Pose& frame) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_frame(w, constraint));
  frame = w.settings->constraints[index(constraint)].frame;
  return Status::ok;
}

Status set_constraint_weights(Workspace& workspace, int constraint, const double* weights) {
  WorkspaceImpl& w = begin(workspace);
  return set_rows(w, constraint, "weights", weights, false, 1, w.settings->weight);
}

Status set_constraint_compliance(Workspace& workspace, int constraint, const double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  return set_rows(w, constraint, "compliance", compliance, true, 0, w.settings->compliance);
}

Status constraint_settings(Workspace& workspace, int constraint, ConstraintSettings& settings,
                           double* weights, double* compliance) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_constraint(w, constraint));
  const Settings::Constraint& own = w.settings->constraints[index(constraint)];
  settings = {own.active, own.frequency, own.damping_ratio};
  const auto first = w.constraints->first_row(constraint);
  const int rows = w.constraints->row_count(constraint);
  if (weights) std::copy_n(w.settings->weight.begin() + first, rows, weights);
  if (compliance) std::copy_n(w.settings->compliance.begin() + first, rows, compliance);
  return Status::ok;
}

static Status check_constraints(WorkspaceImpl& w, const ConstraintArrays& given) {
  for (int c = 0; c < w.constraints->constraint_count(); ++c) {
    const std::size_t i = index(c);
    const ConstraintSpec& spec = w.constraints->specs()[i];
    const int row = w.constraints->first_row(c);
    if (given.active) {
      if (given.active[i] != 0 && given.active[i] != 1)
        return w.fail(Status::invalid_argument,
                      "active of constraint %d '%s' is %d; give 1, or 0 for one switched off", c,
                      name_of(w, c), static_cast<int>(given.active[i]));
      TENON_CHECK(check_active(w, c, given.active[i] == 1));
    }
    const Settings::Constraint& own = w.settings->constraints[i];
    TENON_CHECK(check_gains(w, c, given.frequencies ? given.frequencies[i] : own.frequency,
                            given.damping_ratios ? given.damping_ratios[i] : own.damping_ratio));
    if (given.anchors && !spec.closure) TENON_CHECK(check_pose(w, c, "anchor", given.anchors + 7 * i));
    if (given.frames && has_frame(spec)) TENON_CHECK(check_pose(w, c, "frame", given.frames + 7 * i));
    TENON_CHECK(check_rows(w, c, "weights", given.weights ? given.weights + row : nullptr, false));
    TENON_CHECK(check_rows(w, c, "compliance", given.compliance ? given.compliance + row : nullptr, true));
  }
  return Status::ok;
}

Status set_constraints(Workspace& workspace, const ConstraintArrays& given) {
  WorkspaceImpl& w = begin(workspace);
  if (!w.constraints) return Status::ok;
  TENON_CHECK(check_constraints(w, given));
  Settings& settings = *w.settings;
  for (std::size_t i = 0; i < settings.constraints.size(); ++i) {
    Settings::Constraint& own = settings.constraints[i];
    const ConstraintSpec& spec = w.constraints->specs()[i];
    if (given.active) own.active = given.active[i] == 1;
    if (given.frequencies) own.frequency = given.frequencies[i];
    if (given.damping_ratios) own.damping_ratio = given.damping_ratios[i];
    if (given.anchors && !spec.closure) own.anchor = pose_of(given.anchors + 7 * i);
    if (given.frames && has_frame(spec)) own.moved = true, own.frame = pose_of(given.frames + 7 * i);
  }
  if (given.weights) std::copy_n(given.weights, settings.weight.size(), settings.weight.begin());
  if (given.compliance)
    std::copy_n(given.compliance, settings.compliance.size(), settings.compliance.begin());
  ++settings.revision;
  return Status::ok;
}

// ---- the robot

namespace {

LinkInertia of_model(const Model::Link& link) {
  return {link.mass, link.center_of_mass, link.inertia};
}

// Room for what setters say of the robot, which starts as the model has it.
void make_room(WorkspaceImpl& w) {
  Settings& settings = *w.settings;
  if (settings.payloads.empty()) settings.payloads.resize(w.model->links.size());
  if (settings.links.empty()) {
    std::vector<LinkInertia> links;
    for (const Model::Link& link : w.model->links) links.push_back(of_model(link));
    settings.links = std::move(links);
  }
  make_own_inertias(w);
}

Status check_inertia(WorkspaceImpl& w, int link, const char* what, const LinkInertia& x) {
  const char* name = w.model->links[index(link)].name.c_str();
  if (!all_finite(&x.mass, 1) || !all_finite(x.center_of_mass.data(), 3) || !all_finite(x.inertia.data(), 6))
    return w.fail(
        Status::not_finite,
        "%s of link %d '%s': mass, centre of mass or inertia is NaN or infinity; give finite numbers", what,
        link, name);
  if (x.mass >= 0) return Status::ok;
  return w.fail(Status::invalid_inertia, "%s of link %d '%s': the mass is %g kg; give zero or more", what,
                link, name, x.mass);
}

// Exchanges a number of the settings for another, and back where a builder would refuse the robot that it makes, unless
// the model itself is one that takes inertias as they are.
template <class T>
Status exchange(WorkspaceImpl& w, T& own, T& other) {
  std::swap(own, other);
  take_own_inertias(w);
  try {
    const std::string wrong = wrong_inertia(*w.model, nodes_without_loads(w), w.own_armature);
    if (wrong.empty() || !wrong_inertia(*w.model, w.model->nodes, w.model->armature).empty())
      return Status::ok;
    w.fail(Status::invalid_inertia, "%s", wrong.c_str());
  } catch (...) {
    std::swap(own, other);
    take_own_inertias(w);
    throw;
  }
  std::swap(own, other);
  take_own_inertias(w);
  return Status::invalid_inertia;
}

}  // namespace

Status set_link_inertia(Workspace& workspace, int link, const LinkInertia& inertia) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_inertia(w, link, "inertia", inertia));
  if (w.model->links[index(link)].is_frame)
    return w.fail(
        Status::invalid_argument,
        "link %d '%s' is an extra frame, which has no mass of its own; give that of its link, or a payload",
        link, w.model->links[index(link)].name.c_str());
  make_room(w);
  LinkInertia other = inertia;
  return exchange(w, w.settings->links[index(link)], other);
}

// A body that can have its inertia can carry a payload that can have its own.
Status set_payload(Workspace& workspace, int link, const LinkInertia& payload) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_inertia(w, link, "payload", payload));
  if (has_negative_moment(payload.inertia))
    return w.fail(
        Status::invalid_inertia,
        "payload of link %d '%s': a principal moment of its inertia is negative; give an inertia about the "
        "centre of mass",
        link, w.model->links[index(link)].name.c_str());
  make_room(w);
  w.settings->payloads[index(link)] = payload;
  take_own_inertias(w);
  return Status::ok;
}

static Status check_joints(WorkspaceImpl& w, const char* what, const double* x) {
  for (int k = 0; x && k < w.model->nv; ++k) {
    const bool finite = all_finite(x + k, 1);
    if (finite && x[k] >= 0) continue;
    return w.fail(finite ? Status::invalid_argument : Status::not_finite,
                  "%s[%d], of joint '%s', is %g; give finite numbers of zero or more", what, k,
                  w.model->joints[index(w.model->v_node[index(k)])].name.c_str(), x[k]);
  }
  return Status::ok;
}

Status set_joint_parameters(Workspace& workspace, const double* armatures, const double* damping,
                            const double* friction) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(check_joints(w, "armatures", armatures));
  TENON_CHECK(check_joints(w, "damping", damping));
  TENON_CHECK(check_joints(w, "friction", friction));
  Settings& settings = *w.settings;
  const std::size_t nv = index(w.model->nv);
  if (nv == 0) return Status::ok;
  if (damping || friction)
    for (std::vector<double>* x : {&settings.damping, &settings.dry, &settings.friction_room}) x->resize(nv);
  if (armatures) {
    make_room(w);
    std::vector<double> other(armatures, armatures + nv);
    if (settings.armature.empty()) settings.armature = w.model->armature;
    TENON_CHECK(exchange(w, settings.armature, other));
  }
  if (damping) std::copy_n(damping, nv, settings.damping.begin());
  if (friction) std::copy_n(friction, nv, settings.dry.begin());
  const auto zero = [](double x) { return x == 0; };
  const bool none = std::all_of(settings.damping.begin(), settings.damping.end(), zero) &&
                    std::all_of(settings.dry.begin(), settings.dry.end(), zero);
  settings.friction = {};
  if (!none) settings.apply_friction();
  return Status::ok;
}

LinkInertia link_inertia(const Workspace& workspace, int link) {
  const WorkspaceImpl& w = workspace.impl();
  return w.settings->links.empty() ? of_model(w.model->links[index(link)]) : w.settings->links[index(link)];
}

LinkInertia payload(const Workspace& workspace, int link) {
  const Settings& settings = *workspace.impl().settings;
  return settings.payloads.empty() ? LinkInertia{} : settings.payloads[index(link)];
}

void joint_parameters(const Workspace& workspace, double* armatures, double* damping, double* friction) {
  const WorkspaceImpl& w = workspace.impl();
  const auto give = [&](const std::vector<double>& x, double* to) {
    for (int k = 0; to && k < w.model->nv; ++k) to[k] = x.empty() ? 0 : x[index(k)];
  };
  give(w.settings->armature.empty() ? w.model->armature : w.settings->armature, armatures);
  give(w.settings->damping, damping);
  give(w.settings->dry, friction);
}

}  // namespace tenon
