#include "peer/generalized_rbda/loops_peer.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

#include "grbda/Dynamics/ClusterTreeModel.h"
#include "grbda/Robots/JVRC1_Humanoid.hpp"
#include "grbda/Robots/MIT_Humanoid.hpp"
#include "grbda/Robots/MiniCheetah.hpp"
#include "grbda/Robots/TelloWithArms.hpp"

namespace bench {
namespace {

using Vector = grbda::DVec<double>;
using Matrix = grbda::DMat<double>;
using grbda::JointCoordinate;
using Body = grbda::Body<double>;
using Tree = grbda::ClusterTreeModel<double>;
namespace joints = grbda::ClusterJoints;

const char* const end_name = "tenon_bench_end";

// ---- models

struct FromText : Tree {
  explicit FromText(const std::string& urdf) { buildFromUrdfModelInterface(urdf::parseURDF(urdf)); }
};

std::unique_ptr<Tree> from_urdf(const std::string& robot, const std::string& text) {
  static const std::map<std::string, std::string> files = {{"mini_cheetah", "mini_cheetah"},
                                                           {"mit_humanoid", "mit_humanoid"},
                                                           {"jvrc1", "jvrc1_humanoid"},
                                                           {"four_bar", "four_bar"},
                                                           {"six_bar", "six_bar"}};
  const auto file = files.find(robot);
  if (file != files.end())
    return std::make_unique<Tree>(std::string(TENON_LOOPS_MODELS) + "/" + file->second + ".urdf");
  return text.empty() ? nullptr : std::make_unique<FromText>(text);
}

// Chains of `tenon generate` by its specialised cluster joints.
class ChainBuilder {
 public:
  explicit ChainBuilder(const std::string& text) : urdf_(urdf::parseURDF(text)) {
    if (!urdf_) throw std::runtime_error("generalized_rbda cannot read the chain");
  }

  std::unique_ptr<Tree> rotors() {
    for (int i = 1; has("link_" + std::to_string(i)); ++i) {
      const std::string name = "link_" + std::to_string(i);
      Body link = body(name), rotor = body(name + "_rotor");
      joints::GearedTransmissionModule<double> gear{link,       rotor,      name, name + "_rotor",
                                                    axis(name), axis(name), ratio};
      tree_->appendRegisteredBodiesAsCluster<joints::RevoluteWithRotor<double>>(name, gear);
    }
    return std::move(tree_);
  }
  // The rotor of the second link turns with the sum of both joints: ratios of belts are one.
  std::unique_ptr<Tree> belts() {
    for (int i = 1; has("link_" + std::to_string(i)); ++i) {
      const std::string name = "link_" + std::to_string(i), upper = name + "_upper";
      Body link_1 = body(upper), rotor_1 = body(upper + "_rotor"), rotor_2 = body(name + "_rotor"),
           link_2 = body(name);
      const auto turns = axis(name);
      joints::ParallelBeltTransmissionModule<1> first{link_1, rotor_1, turns,
                                                      turns,  ratio,   grbda::Vec1<double>(1)};
      joints::ParallelBeltTransmissionModule<2> second{link_2, rotor_2, turns,
                                                       turns,  ratio,   grbda::Vec2<double>(1, 1)};
      tree_->appendRegisteredBodiesAsCluster<joints::RevolutePairWithRotor<double>>(name, first, second);
    }
    return std::move(tree_);
  }

 private:
  static constexpr double ratio = 6;

  bool has(const std::string& link) const { return urdf_->getLink(link) != nullptr; }
  grbda::ori::CoordinateAxis axis(const std::string& link) const {
    return grbda::ori::urdfAxisToCoordinateAxis(urdf_->getLink(link)->parent_joint->axis);
  }
  Body body(const std::string& name) {
    const auto link = urdf_->getLink(name);
    const std::string parent = link->getParent()->name;
    return tree_->registerBody(
        name, grbda::SpatialInertia<double>(link->inertial),
        parent == urdf_->getRoot()->name ? "ground" : parent,
        grbda::spatial::Transform<double>(link->parent_joint->parent_to_joint_origin_transform));
  }

  urdf::ModelInterfaceSharedPtr urdf_;
  std::unique_ptr<Tree> tree_ = std::make_unique<Tree>();
};

std::unique_ptr<Tree> from_classes(const std::string& robot, const std::string& text) {
  using grbda::ori_representation::Quaternion;
  if (robot == "mini_cheetah")
    return std::make_unique<Tree>(grbda::MiniCheetah<double, Quaternion>().buildClusterTreeModel());
  if (robot == "mit_humanoid")
    return std::make_unique<Tree>(grbda::MIT_Humanoid<double, Quaternion>().buildClusterTreeModel());
  if (robot == "jvrc1") return std::make_unique<Tree>(grbda::JVRC1_Humanoid().buildClusterTreeModel());
  if (robot == "tello") return std::make_unique<Tree>(grbda::TelloWithArms<double>().buildClusterTreeModel());
  if (robot.rfind("rotor chain", 0) == 0) return ChainBuilder(text).rotors();
  if (robot.rfind("belt chain", 0) == 0) return ChainBuilder(text).belts();
  return nullptr;
}

// -1 of links whose joint has a negative axis: its reader forgets the sign, so that their coordinates are ours
// with the other sign.
std::map<std::string, double> signs_of(const std::string& text) {
  std::map<std::string, double> signs;
  if (text.empty()) return signs;
  const auto model = urdf::parseURDF(text);
  for (const auto& [name, link] : model->links_)
    if (link->parent_joint) {
      const urdf::Vector3& axis = link->parent_joint->axis;
      signs[name] = axis.x + axis.y + axis.z < 0 ? -1 : 1;
    }
  return signs;
}

// Its class of JVRC1 writes left_hip_p where the model in URDF+ has left-hip-pitch; Tello's left-elbow-link is left-elbow.
std::string name_in_urdf(const std::string& name) {
  static const std::map<std::string, std::string> words = {{"y", "yaw"}, {"p", "pitch"}, {"r", "roll"}};
  const std::string end = "-link";
  if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
    return name.substr(0, name.size() - end.size());
  std::string whole, word;
  std::istringstream rest(name);
  while (std::getline(rest, word, '_')) {
    const auto found = words.find(word);
    whole += (whole.empty() ? "" : "-") + (found == words.end() ? word : found->second);
  }
  return whole;
}

// ---- states

// y with G y = x, for x in the range of G.
Vector independent(const Matrix& G, const Vector& x) {
  return (G.transpose() * G).ldlt().solve(G.transpose() * x);
}

class Peer : public LoopsPeer {
 public:
  Peer(std::unique_ptr<Tree> tree, const std::vector<PeerLink>& links, const std::string& end,
       std::map<std::string, double> signs)
      : tree_(std::move(tree)), our_end_(tree_->getNumEndEffectors() == 0), signs_(std::move(signs)) {
    const PeerLink missing = {"", -1, -1, 1};
    std::map<std::string, PeerLink> by_name;
    for (const PeerLink& link : links) by_name[link.name] = link;
    std::size_t bodies = 0;
    std::string unknown = ", and for itself";
    for (const auto& cluster : tree_->clusters()) {
      links_.emplace_back();
      for (const Body& body : cluster->bodies_) {
        auto found = by_name.find(body.name_);
        if (found == by_name.end()) found = by_name.find(name_in_urdf(body.name_));
        links_.back().push_back(found == by_name.end() ? missing : found->second);
        if (found == by_name.end())
          unknown += " " + body.name_;
        else
          ++bodies;
      }
    }
    if (bodies != links.size())
      throw std::runtime_error("generalized_rbda has " + std::to_string(bodies) + " of " +
                               std::to_string(links.size()) + " links" + unknown);
    if (our_end_ && !end.empty()) tree_->appendEndEffector(end, grbda::Vec3<double>::Zero(), end_name);
  }

  void add_state(const double* q, const double* v, const double* tau, const double* a) override {
    State state;
    const int nv = tree_->getNumDegreesOfFreedom();
    state.tau = state.acceleration = Vector::Zero(nv);
    for (std::size_t c = 0; c < links_.size(); ++c) {
      const auto& cluster = tree_->clusters()[c];
      const int first = cluster->velocity_index_, count = cluster->num_velocities_;
      if (is_free(c)) {
        const int p = links_[c].front().q_index, k = links_[c].front().v_index;
        Vector position(7);
        position << q[p], q[p + 1], q[p + 2], q[p + 6], q[p + 3], q[p + 4], q[p + 5];
        state.joints.emplace_back(JointCoordinate<double>(position, false),
                                  JointCoordinate<double>(Eigen::Map<const Vector>(v + k, 6), false));
        state.tau.segment(first, 6) = Eigen::Map<const Vector>(tau + k, 6);
        state.acceleration.segment(first, 6) = Eigen::Map<const Vector>(a + k, 6);
        continue;
      }
      const auto constraint = cluster->joint_->cloneLoopConstraint();
      const JointCoordinate<double> all_q(gathered(c, q, true), true), all_v(gathered(c, v), true);
      if (constraint->isImplicit() && !constraint->isValidSpanningPosition(all_q)) {
        // Its differentials of Tello have other equations than ours: a state that closes them.
        own_states_ = true;
        state.joints.push_back(cluster->joint_->randomJointState());
        continue;
      }
      constraint->updateJacobians(all_q);
      constraint->updateBiases({all_q, all_v});
      Matrix G = constraint->G();
      for (std::size_t i = 0; i < links_[c].size(); ++i)
        if (links_[c][i].v_index < 0) G.row(static_cast<Eigen::Index>(i)).setZero();
      const bool implicit = constraint->isImplicit();
      state.joints.emplace_back(
          JointCoordinate<double>(implicit ? Vector(all_q) : independent(G, all_q), implicit),
          JointCoordinate<double>(independent(G, all_v), false));
      state.tau.segment(first, count) = G.transpose() * gathered(c, tau);
      state.acceleration.segment(first, count) = independent(G, gathered(c, a) - constraint->g());
    }
    states_.push_back(std::move(state));
  }

  void run(Task task, int number) override {
    const State& state = states_[static_cast<std::size_t>(number)];
    tree_->setState(state.joints);
    if (task == Task::forward_dynamics) vector_ = tree_->forwardDynamics(state.tau);
    if (task == Task::inverse_dynamics) vector_ = tree_->inverseDynamics(state.acceleration);
    if (task == Task::inverse_osim) osim_ = tree_->inverseOperationalSpaceInertiaMatrix();
  }

  void result(Task task, double* out) const override {
    if (task == Task::inverse_osim) {
      Eigen::Map<Matrix>(out, osim_.rows(), osim_.cols()) = osim_;
      return;
    }
    for (std::size_t c = 0; c < links_.size(); ++c) {
      const auto& cluster = tree_->clusters()[c];
      Vector all = vector_.segment(cluster->velocity_index_, cluster->num_velocities_);
      if (!is_free(c)) {
        const Matrix& G = cluster->joint_->G();
        all = task == Task::forward_dynamics ? Vector(G * all + cluster->joint_->g())
                                             : Vector(G * (G.transpose() * G).ldlt().solve(all));
      }
      int k = 0;
      for (const PeerLink& link : links_[c])
        for (int i = 0; i < link.nv; ++i, ++k)
          if (link.v_index >= 0) out[link.v_index + i] = sign(link) * all[k];
    }
  }

  bool comparable(Task task) const override {
    return !own_states_ && (task != Task::inverse_osim || our_end_);
  }

 private:
  struct State {
    grbda::ModelState<double> joints;
    Vector tau, acceleration;
  };

  bool is_free(std::size_t cluster) const { return links_[cluster].front().nv == 6; }
  double sign(const PeerLink& link) const {
    const auto found = signs_.find(link.name);
    return found == signs_.end() ? 1 : found->second;
  }
  Vector gathered(std::size_t cluster, const double* x, bool positions = false) const {
    Vector of_cluster(links_[cluster].size());
    for (std::size_t i = 0; i < links_[cluster].size(); ++i) {
      const PeerLink& link = links_[cluster][i];
      of_cluster[static_cast<Eigen::Index>(i)] =
          link.v_index < 0 ? 0 : sign(link) * x[positions ? link.q_index : link.v_index];
    }
    return of_cluster;
  }

  std::unique_ptr<Tree> tree_;
  bool our_end_, own_states_ = false;
  std::map<std::string, double> signs_;
  // Per cluster, in the order of its bodies; v_index -1: a rotor that our model does not have, which moves as its loop
  // asks.
  std::vector<std::vector<PeerLink>> links_;
  std::vector<State> states_;
  Vector vector_;
  Matrix osim_;
};

std::unique_ptr<LoopsPeer> make(LoopsPeerModel model, const std::string& robot, const std::string& urdf,
                                const std::vector<PeerLink>& links, const std::string& end) {
  std::unique_ptr<Tree> tree =
      model == LoopsPeerModel::classes ? from_classes(robot, urdf) : from_urdf(robot, urdf);
  if (!tree) return nullptr;
  return std::make_unique<Peer>(std::move(tree), links, end, signs_of(urdf));
}

}  // namespace
}  // namespace bench

extern "C" __attribute__((visibility("default"))) void tenon_bench_loops_peer(bench::LoopsPeerBuild* build) {
  const auto number = [](int n) { return std::to_string(n); };
  build->compiler = TENON_LOOPS_COMPILER;
  build->description = "generalized_rbda 45fa7c4, Eigen " + number(EIGEN_WORLD_VERSION) + "." +
                       number(EIGEN_MAJOR_VERSION) + "." + number(EIGEN_MINOR_VERSION) + ", CasADi " +
                       casadi::CasadiMeta::version() + ", " + TENON_LOOPS_BUILD;
  build->make = bench::make;
}
