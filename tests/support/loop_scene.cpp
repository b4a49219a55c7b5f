#include "support/loop_scene.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "reference/kkt_solver.hpp"
#include "support/mechanism_tree.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/status.hpp"

namespace tenon::testing {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::uint32_t rows_of(JointType type) {
  switch (type) {
    case JointType::prismatic:
      return 0x1f;
    case JointType::planar:
      return 0x23;
    case JointType::spherical:
      return 0x38;
    case JointType::fixed:
      return 0x3f;
    default:
      return 0x3b;
  }
}

int count_bits(std::uint32_t bits) {
  int count = 0;
  for (; bits != 0; bits >>= 1) count += static_cast<int>(bits & 1u);
  return count;
}

Pose world_pose(Workspace& w, int link) {
  Pose pose;
  double R[9];
  if (link_pose(w, link, pose.translation.data(), nullptr, R) != Status::ok)
    throw std::runtime_error(w.message());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) pose.rotation[3 * i + j] = R[i + 3 * j];
  return pose;
}

const MechanismJoint* joint_above(const Mechanism& m, const std::string& link) {
  for (const MechanismJoint& joint : m.joints)
    if (joint.child == link) return &joint;
  return nullptr;
}

// Moving joints on the way from a link to the root, the nearest first.
std::vector<const MechanismJoint*> path_to_root(const Mechanism& m, const std::string& link) {
  std::vector<const MechanismJoint*> way;
  for (const MechanismJoint* joint = joint_above(m, link); joint; joint = joint_above(m, joint->parent))
    if (joint->type != JointType::fixed) way.push_back(joint);
  return way;
}

// Those on only one of the two ways: {to a, to b}.
std::pair<std::vector<const MechanismJoint*>, std::vector<const MechanismJoint*>> between(
    const Mechanism& m, const std::string& a, const std::string& b) {
  std::vector<const MechanismJoint*> up = path_to_root(m, a), down = path_to_root(m, b);
  while (!up.empty() && !down.empty() && up.back() == down.back()) up.pop_back(), down.pop_back();
  return {up, down};
}

int freedom(const std::vector<const MechanismJoint*>& joints) {
  int count = 0;
  for (const MechanismJoint* joint : joints) count += velocity_count(joint->type);
  return count;
}

bool one_dof(const MechanismJoint& joint) {
  return velocity_count(joint.type) == 1 && joint.type != JointType::universal;
}

std::string any_link(Random& random, const Mechanism& m) {
  return m.links[static_cast<std::size_t>(random.integer(0, static_cast<int>(m.links.size()) - 1))].name;
}

// Closed at the configuration that w holds; false where too few joints lie between the ends.
bool add_loop(Random& random, Workspace& w, Mechanism& m, const std::string& name) {
  static constexpr JointType types[] = {JointType::revolute,  JointType::continuous, JointType::prismatic,
                                        JointType::planar,    JointType::spherical,  JointType::fixed,
                                        JointType::spherical, JointType::planar};
  MechanismLoop loop;
  loop.name = name;
  loop.type = types[random.integer(0, 7)];
  loop.predecessor = any_link(random, m);
  loop.successor = any_link(random, m);
  const auto [up, down] = between(m, loop.predecessor, loop.successor);
  if (freedom(up) + freedom(down) <= count_bits(rows_of(loop.type))) return false;
  loop.predecessor_frame = random.pose(0.3);
  loop.successor_frame = inverse(world_pose(w, w.model().find_link(loop.successor))) *
                         world_pose(w, w.model().find_link(loop.predecessor)) * loop.predecessor_frame;
  loop.axis = random.chance(0.5) ? Vector3{0, 0, -2} : random.direction();
  m.loops.push_back(loop);
  return true;
}

bool add_gear(Random& random, Mechanism& m, const Model& open, const VectorXd& q, const std::string& name) {
  MechanismGear gear{name, any_link(random, m), any_link(random, m), random.uniform(-3, 3), 0};
  const auto [up, down] = between(m, gear.predecessor, gear.successor);
  if (up.empty() || down.empty()) return false;
  double a = 0, b = 0;
  for (const auto* way : {&up, &down})
    for (const MechanismJoint* joint : *way) {
      if (!one_dof(*joint)) return false;
      const int index = open.joints[static_cast<std::size_t>(open.find_joint(joint->name))].q_index;
      (way == &up ? a : b) += q(index);
    }
  gear.offset = b - gear.ratio * a;
  m.gears.push_back(gear);
  return true;
}

bool add_coupling(Random& random, Mechanism& m, const Model& open, const VectorXd& q,
                  const std::string& name) {
  std::vector<std::string> joints;
  for (const MechanismJoint& joint : m.joints)
    if (one_dof(joint)) joints.push_back(joint.name);
  if (joints.size() < 3) return false;
  MechanismCoupling coupling;
  coupling.name = name;
  // The order of the description decides who follows, so that nobody follows himself.
  std::vector<int> chosen;
  while (chosen.size() < 3) {
    const int i = random.integer(0, static_cast<int>(joints.size()) - 1);
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  }
  std::sort(chosen.begin(), chosen.end());
  const auto position = [&](int i) {
    return q(
        open.joints[static_cast<std::size_t>(open.find_joint(joints[static_cast<std::size_t>(i)]))].q_index);
  };
  coupling.dependent = {joints[static_cast<std::size_t>(chosen[2])]};
  coupling.independent = {joints[static_cast<std::size_t>(chosen[0])],
                          joints[static_cast<std::size_t>(chosen[1])]};
  coupling.ratios = {random.uniform(-2, 2), random.uniform(-2, 2)};
  coupling.offsets = {position(chosen[2]) - coupling.ratios[0] * position(chosen[0]) -
                      coupling.ratios[1] * position(chosen[1])};
  m.couplings.push_back(coupling);
  return true;
}

// Coordinates of one model by the joints' names in another: index[k] of `to` for coordinate k of `from`.
std::vector<int> coordinate_map(const Model& from, const Model& to, bool positions) {
  std::vector<int> index(static_cast<std::size_t>(positions ? from.nq : from.nv));
  for (const Model::Joint& joint : from.joints) {
    const Model::Joint& other = to.joints[static_cast<std::size_t>(to.find_joint(joint.name))];
    for (int k = 0; k < (positions ? joint.nq : joint.nv); ++k)
      index[static_cast<std::size_t>((positions ? joint.q_index : joint.v_index) + k)] =
          (positions ? other.q_index : other.v_index) + k;
  }
  return index;
}

VectorXd moved(const VectorXd& x, const std::vector<int>& index) {
  VectorXd y(x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) y(index[static_cast<std::size_t>(k)]) = x(k);
  return y;
}

// Rows of couplings and gears in the velocity coordinates of the open model.
MatrixXd coupling_rows(const LoopScene& scene) {
  std::vector<std::map<std::string, double>> rows;
  for (const MechanismCoupling& c : scene.mechanism.couplings)
    for (std::size_t i = 0; i < c.dependent.size(); ++i) {
      rows.push_back({{c.dependent[i], 1}});
      for (std::size_t j = 0; j < c.independent.size(); ++j)
        rows.back()[c.independent[j]] -= c.ratios[i * c.independent.size() + j];
    }
  for (const MechanismGear& gear : scene.mechanism.gears) {
    const auto [up, down] = between(scene.mechanism, gear.predecessor, gear.successor);
    rows.push_back({});
    for (const MechanismJoint* joint : up) rows.back()[joint->name] = -gear.ratio;
    for (const MechanismJoint* joint : down) rows.back()[joint->name] = 1;
  }
  MatrixXd J = MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), scene.open->nv);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto& [name, coefficient] : rows[r])
      J(static_cast<Eigen::Index>(r),
        scene.open->joints[static_cast<std::size_t>(scene.open->find_joint(name))].v_index) = coefficient;
  return J;
}

ConstraintSpec closure_of(const MechanismLoop& loop, const Model& model) {
  const bool about_axis = loop.type != JointType::spherical && loop.type != JointType::fixed;
  const Pose along = {about_axis ? reference::basis_along(loop.axis) : identity3, {0, 0, 0}};
  return closure_constraint(model.find_link(loop.predecessor), loop.predecessor_frame * along,
                            model.find_link(loop.successor), loop.successor_frame * along,
                            rows_of(loop.type));
}

}  // namespace

LoopScene loop_scene(const Mechanism& mechanism, const CompileOptions& options) {
  LoopScene scene{mechanism, options, nullptr, nullptr, {}, 0};
  scene.model = Model::compile(mechanism, options);
  scene.options.loops = LoopTreatment::open;
  scene.open = Model::compile(mechanism, scene.options);
  scene.options = options;
  scene.q = Eigen::Map<const VectorXd>(scene.model->loops.closed.data(), scene.model->nq);
  return scene;
}

LoopScene random_loop_scene(std::uint64_t seed, int most) {
  Random random(seed);
  MechanismOptions shape;
  shape.links = random.integer(6, 16);
  shape.shape = static_cast<Shape>(random.integer(0, 3));
  const Robot tree = random_robot(seed, shape, random.chance(0.5));
  VectorXd q(tree.model->nq);
  random_configuration(*tree.model, seed, q.data());
  Workspace w(tree.model);
  if (kinematics(w, q.data(), nullptr, nullptr) != Status::ok) throw std::runtime_error(w.message());
  LoopScene scene{tree.mechanism, tree.options, tree.model, tree.model, q, 0};
  const int wanted = random.integer(1, most);
  for (int i = 0, tries = 0; i < wanted && tries < 40; ++tries) {
    Mechanism next = scene.mechanism;
    const std::string name = "tie_" + std::to_string(i);
    const double kind = random.uniform(0, 1);
    const bool added = kind < 0.6   ? add_loop(random, w, next, name)
                       : kind < 0.8 ? add_gear(random, next, *tree.model, q, name)
                                    : add_coupling(random, next, *tree.model, q, name);
    if (!added) continue;
    try {
      scene.model = Model::compile(next, scene.options);
    } catch (const Error&) {
      ++scene.refused;
      continue;
    }
    scene.mechanism = next;
    ++i;
  }
  scene.q = moved(q, coordinate_map(*tree.model, *scene.model, true));
  return scene;
}

Eigen::VectorXd open_positions(const LoopScene& scene, const Eigen::VectorXd& q) {
  return moved(q, coordinate_map(*scene.model, *scene.open, true));
}
Eigen::VectorXd open_velocities(const LoopScene& scene, const Eigen::VectorXd& v) {
  return moved(v, coordinate_map(*scene.model, *scene.open, false));
}
Eigen::VectorXd embedded_velocities(const LoopScene& scene, const Eigen::VectorXd& v) {
  return moved(v, coordinate_map(*scene.open, *scene.model, false));
}

Eigen::VectorXd multiplier_accelerations(const LoopScene& scene, const std::vector<ConstraintSpec>& contacts,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& tau, const double* wrenches,
                                         Posedness* posedness, const std::vector<double>& contact_scale) {
  std::vector<ConstraintSpec> specs = contacts;
  for (const MechanismLoop& loop : scene.mechanism.loops) specs.push_back(closure_of(loop, *scene.open));
  const MatrixXd J = coupling_rows(scene);
  const VectorXd zero = VectorXd::Zero(J.rows());
  CompileOptions options = scene.options;
  options.loops = LoopTreatment::open;
  reference::BasicKktSolver<long double> solver(tree_of(scene.mechanism, options, *scene.open), specs,
                                                {-1, static_cast<int>(J.rows())});
  const VectorXd qo = open_positions(scene, q), vo = open_velocities(scene, v),
                 to = open_velocities(scene, tau);
  reference::KktInputs in;
  in.q = qo.data(), in.v = vo.data(), in.tau = to.data(), in.wrenches = wrenches;
  in.gravity = options.gravity;
  in.given_J = J.data(), in.given_rhs = zero.data();
  std::vector<double> scale = contact_scale;
  int rows = 0;
  for (const ConstraintSpec& spec : specs) rows += row_count(spec);
  scale.resize(static_cast<std::size_t>(rows), 0.0);
  in.scale = scale.data();
  VectorXd qdd(scene.open->nv);
  SolveReport report;
  const Status status = solver.solve(in, {}, qdd.data(), nullptr, report);
  if (static_cast<std::int32_t>(status) < 0)
    throw std::runtime_error("the mass matrix is not positive definite");
  if (posedness) *posedness = {solver.min_kept_over_max(), status == Status::ok};
  return embedded_velocities(scene, qdd);
}

PartlyEmbedded partly_embedded(const LoopScene& scene, const std::vector<bool>& embedded) {
  PartlyEmbedded part{scene, {}};
  part.scene.mechanism.loops.clear();
  for (std::size_t i = 0; i < embedded.size(); ++i)
    if (embedded[i]) part.scene.mechanism.loops.push_back(scene.mechanism.loops[i]);
  part.scene.model = Model::compile(part.scene.mechanism, scene.options);
  part.scene.q = in_order_of(*part.scene.model, *scene.model, scene.q, true);
  for (std::size_t i = 0; i < embedded.size(); ++i)
    if (!embedded[i]) part.closures.push_back(closure_of(scene.mechanism.loops[i], *part.scene.model));
  return part;
}

LoopScene with_row_loops(const LoopScene& scene, const std::vector<bool>& embedded) {
  LoopScene made = scene;
  for (std::size_t i = 0; i < embedded.size(); ++i)
    made.mechanism.loops[i].treatment = embedded[i] ? LoopTreatment::embed : LoopTreatment::rows;
  made.model = Model::compile(made.mechanism, scene.options);
  made.q = in_order_of(*made.model, *scene.model, scene.q, true);
  return made;
}

Eigen::VectorXd in_order_of(const Model& to, const Model& from, const Eigen::VectorXd& x, bool positions) {
  return moved(x, coordinate_map(from, to, positions));
}

}  // namespace tenon::testing
