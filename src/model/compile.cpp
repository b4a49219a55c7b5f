// Mechanism to Model: numbers bodies and coordinates, chooses body frames, lumps inertias.
//
// Frames. Call the pose at q = 0 home. A hinge (revolute or prismatic) whose axis is a coordinate axis of the
// parent's body frame gets a body frame parallel to that frame at home, with origin at the joint: its tree
// rotation is the identity and its motion planar. Any other hinge gets a frame with z along the axis and x
// chosen so that as many outer hinges as possible lie along its coordinate axes again. Spherical and floating
// joints keep the link frame, to which their coordinates refer; a planar joint gets z along the normal. Every
// pose is composed from the description once, link by link, in the body frame; only the decision "along a
// coordinate axis" has a tolerance.
#include "model/compile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "mechanism/description.hpp"
#include "model/body_poses.hpp"
#include "model/loops/loops.hpp"
#include "scalar/counted.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

// Sine of the angle below which an axis counts as a coordinate axis: well above the rounding errors of
// composed rotations (1e-15 a joint), well below the required accuracy.
constexpr double alignment_tolerance = 1e-12;
constexpr Mat identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

Vec to_vec(const Vector3& a) {
  return load_vec3<double>(a.data());
}
Mat columns(const Vec& x, const Vec& y, const Vec& z) {
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
Vec normalized(const Vec& a) {
  return (1 / std::sqrt(norm_squared(a))) * a;
}
bool is_hinge(JointType type) {
  return has_axis(type) && velocity_count(type) == 1;
}
bool parallel(const Vec& a, const Vec& b) {
  return norm_squared(cross(a, b)) < alignment_tolerance * alignment_tolerance;
}

// The coordinate axis parallel to a unit vector, or -1.
int coordinate_axis(const Vec& a) {
  for (int k = 0; k < 3; ++k) {
    if (parallel(a, unit_vector(k))) return k;
  }
  return -1;
}
double component(const Vec& a, int k) {
  return dot(a, unit_vector(k));
}

// Axes [x y normal] of a planar joint in its joint frame: x and y turned by the shortest rotation that takes
// z to the normal; by half a turn about x where the normal is -z.
Mat planar_axes(const Vec& n) {
  const double across = n.x * n.x + n.y * n.y;
  if (n.z < 0 && across < 1e-20) return columns(unit_vector(0), -unit_vector(1), -unit_vector(2));
  // R = 1 + [w] + [w]^2 / (1 + z . n), w = z x n. Where z . n is negative, 1 + z . n = |w|^2 / (1 - z . n).
  const double scale = n.z < 0 ? (1 - n.z) / across : 1 / (1 + n.z);
  return columns({1 - scale * n.x * n.x, -scale * n.x * n.y, -n.x},
                 {-scale * n.x * n.y, 1 - scale * n.y * n.y, -n.y}, n);
}

class Compiler {
 public:
  Compiler(const Mechanism& mechanism, const CompileOptions& options, Model& model)
      : mechanism_(mechanism),
        options_(options),
        model_(model),
        description_(check_description(mechanism, options)),
        bodies_(description_.joints_below.size()) {}

  std::vector<char> run() {
    model_.name = mechanism_.name;
    model_.warnings = mechanism_.warnings;
    model_.floating_base = options_.floating_base;
    order_joints();
    const bool loops =
        options_.loops != LoopTreatment::open &&
        !(description_.loops.empty() && description_.couplings.empty() && description_.implicits.empty());
    if (loops) order_by_cluster();
    place_root();
    joint_node_.assign(description_.joints.size(), -1);
    for (const std::size_t joint : order_) attach(joint);
    add_links();
    add_frames();
    lump_inertias(model_.links, model_.nodes);
    return loops ? compile_loops(mechanism_, description_, joint_node_, model_) : std::vector<char>();
  }

 private:
  // The body that holds a link, and the link frame in it.
  struct Carrier {
    int body = -1;
    Placement in_body{{identity}, {0, 0, 0}};
  };

  // Orders joints depth first, as described; computes home rotations of all links and home axes of all joints
  // in the root frame.
  void order_joints() {
    home_.assign(description_.joints_below.size(), identity);
    home_axis_.resize(description_.joints.size());
    std::vector<std::size_t> open;
    const auto push = [&](std::size_t link) {
      const std::vector<std::size_t>& below = description_.joints_below[link];
      open.insert(open.end(), below.rbegin(), below.rend());
    };
    push(description_.root);
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      const Description::Joint& joint = description_.joints[i];
      home_[joint.child] = home_[joint.parent] * load_mat3<double>(joint.data.origin.rotation.data());
      home_axis_[i] = home_[joint.child] * to_vec(joint.data.axis);
      order_.push_back(i);
      push(joint.child);
    }
  }

  // Makes the bodies of each cluster contiguous (model/loops/loops.hpp).
  void order_by_cluster() {
    std::vector<int> link_body(home_.size(), -1), joint_body(description_.joints.size(), -1);
    std::vector<std::int32_t> parent;
    if (options_.floating_base) {
      link_body[description_.root] = 0;
      parent.push_back(-1);
    }
    for (const std::size_t i : order_) {
      const Description::Joint& joint = description_.joints[i];
      link_body[joint.child] = link_body[joint.parent];
      if (joint.data.type == JointType::fixed) continue;
      joint_body[i] = link_body[joint.child] = count_of(parent);
      parent.push_back(link_body[joint.parent]);
    }
    const std::vector<std::int32_t> number =
        number_by_cluster(parent, form_clusters(parent, tied_bodies(description_, joint_body)));
    const auto place = [&](std::size_t i) {
      const int body = link_body[description_.joints[i].child];
      return body < 0 ? -1 : number[index(body)];
    };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
  }

  void place_root() {
    if (!options_.floating_base) return;
    MechanismJoint base;
    base.name = options_.floating_joint_name;
    base.type = JointType::floating;
    bodies_[description_.root].body =
        add_node(base, -1, static_cast<int>(description_.root), -1, joint_floating, 1, {0, 0, 0}, identity);
  }

  void attach(std::size_t number) {
    const Description::Joint& joint = description_.joints[number];
    const Carrier& parent = bodies_[joint.parent];
    Carrier& child = bodies_[joint.child];
    // The joint frame in the parent's body frame; at home it is the frame of the child link.
    const Placement X = compose(parent.in_body, to_placement(joint.data.origin));
    if (joint.data.type == JointType::fixed) {
      child = {parent.body, X};
      return;
    }
    NodeFrame frame = {joint_floating, 1, X.R.R};
    Mat link_in_body = identity;
    if (joint.data.type == JointType::spherical) frame.kind = joint_spherical;
    if (joint.data.type == JointType::planar) {
      const Mat axes = planar_axes(to_vec(joint.data.axis));
      frame = {joint_planar, 1, X.R.R * axes};
      link_in_body = transpose(axes);
    }
    if (is_hinge(joint.data.type)) {
      // Without normalisation the rounding errors of X, which is transposed below, would double at each
      // hinge.
      frame = hinge_frame(joint, parent.body, normalized(X.R.R * to_vec(joint.data.axis)));
      link_in_body = transpose(frame.R) * X.R.R;
    }
    child.body = add_node(joint.data, joint.parent_link, joint.child_link, parent.body, frame.kind,
                          frame.sign, X.p, frame.R);
    child.in_body = {{link_in_body}, {0, 0, 0}};
    joint_node_[number] = child.body;
    // The second joint of a universal one has no parent link in the description.
    if (joint.parent >= description_.link_count)
      model_.joints.back().origin = model_.joints[index(parent.body)].origin;
  }

  struct NodeFrame {
    JointKind kind;
    double sign;
    Mat R;  // of the body frame in the parent's body frame, at home
  };

  NodeFrame hinge_frame(const Description::Joint& joint, int parent, const Vec& axis) const {
    const bool slides = joint.data.type == JointType::prismatic;
    // Without pitch a screw is a revolute joint.
    if (joint.data.type == JointType::screw && joint.data.pitch != 0)
      return {joint_screw, 1, realigned(joint.child, parent, axis)};
    const int k = coordinate_axis(axis);
    if (k >= 0) {
      const int kind = (slides ? joint_prismatic_x : joint_revolute_x) + k;
      return {static_cast<JointKind>(kind), component(axis, k) < 0 ? -1.0 : 1.0, identity};
    }
    return {slides ? joint_prismatic_oblique : joint_revolute_oblique, 1,
            realigned(joint.child, parent, axis)};
  }

  // z along the axis, x such that most outer hinges lie along coordinate axes.
  Mat realigned(std::size_t child, int parent, const Vec& axis) const {
    const Mat parent_home = parent < 0 ? identity : body_home_[index(parent)];
    const Vec z = parent_home * axis;
    int most = 0;
    // If no outer hinge suggests an x, take the coordinate axis most nearly normal to z.
    int k = 0;
    for (int j = 1; j < 3; ++j) {
      if (std::abs(component(axis, j)) < std::abs(component(axis, k)) - same_component) k = j;
    }
    Vec x = unit_vector(k);
    const std::vector<Vec> axes = hinge_axes_beyond(child);
    std::vector<Vec> tried;
    for (const Vec& a : axes) {
      if (std::abs(dot(a, z)) > alignment_tolerance) continue;
      const Vec b = cross(z, a);
      bool known = false;
      for (const Vec& t : tried) known = known || parallel(t, a) || parallel(t, b);
      if (known) continue;
      tried.push_back(a);
      int count = 0;
      for (const Vec& other : axes) count += parallel(other, z) || parallel(other, a) || parallel(other, b);
      if (count > most) {
        most = count;
        x = transpose_times(parent_home, a);
      }
    }
    x = normalized(x - dot(x, axis) * axis);
    return columns(x, cross(axis, x), axis);
  }

  // Home axes, in the root frame, of the outer hinges whose frames follow from this link's frame: up to the
  // next joint with a frame of its own, and at most 64, so that compilation stays O(n).
  std::vector<Vec> hinge_axes_beyond(std::size_t link) const {
    constexpr std::size_t most_axes = 64;
    std::vector<Vec> axes;
    std::vector<std::size_t> open = {link};
    while (!open.empty() && axes.size() < most_axes) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t i : description_.joints_below[at]) {
        const Description::Joint& joint = description_.joints[i];
        if (is_hinge(joint.data.type)) axes.push_back(home_axis_[i]);
        if (is_hinge(joint.data.type) || joint.data.type == JointType::fixed) open.push_back(joint.child);
      }
    }
    return axes;
  }

  int add_node(const MechanismJoint& joint, int parent_link, int child_link, int parent, JointKind kind,
               double sign, const Vec& p, const Mat& R) {
    const int node = model_.body_count();
    NodeData data{};
    data.parent = parent;
    data.kind = kind;
    data.q_index = model_.nq;
    data.v_index = model_.nv;
    data.sign = sign;
    data.pitch = kind == joint_screw ? joint.pitch : 0;
    store(data.p, p);
    store(data.R, R);
    int last = -1;
    if (parent >= 0) {
      const Model::Joint& above = model_.joints[index(parent)];
      last = above.v_index + above.nv - 1;
    }
    add_joint(joint, parent_link, child_link);
    for (int k = 0; k < model_.joints.back().nv; ++k) {
      model_.v_parent.push_back(k == 0 ? last : data.v_index + k - 1);
      model_.v_node.push_back(node);
      model_.v_sign.push_back(sign);
      model_.armature.push_back(joint.armature);
    }
    model_.nodes.push_back(data);
    body_home_.push_back(parent < 0 ? R : body_home_[index(parent)] * R);
    depth_.push_back(parent < 0 ? 1 : depth_[index(parent)] + 1);
    model_.depth = std::max(model_.depth, depth_.back());
    return node;
  }

  void add_joint(const MechanismJoint& joint, int parent_link, int child_link) {
    Model::Joint made{
        joint.name, joint.type, parent_link,  child_link,     model_.nq,     model_.nv,      0,
        0,          joint.axis, joint.limits, joint.armature, joint.damping, joint.friction, joint.origin};
    made.nq = position_count(joint.type);
    made.nv = velocity_count(joint.type);
    if (!has_axis(joint.type)) made.axis = {0, 0, 0};
    if (joint.type == JointType::screw) made.pitch = joint.pitch;
    if (joint.type == JointType::continuous) {
      made.limits.lower = -std::numeric_limits<double>::infinity();
      made.limits.upper = std::numeric_limits<double>::infinity();
    }
    model_.nq += made.nq;
    model_.nv += made.nv;
    model_.joints.push_back(std::move(made));
  }

  void add_links() {
    for (std::size_t i = 0; i < description_.link_count; ++i) {
      const MechanismLink& link = mechanism_.links[i];
      Model::Link made{link.name, bodies_[i].body, to_pose(bodies_[i].in_body), -1,
                       -1,        link.mass,       link.center_of_mass,         link.inertia,
                       false};
      if (i == description_.root) {
        made.joint = made.body;
      } else {
        const Description::Joint& joint = description_.joints[index(description_.joint_above[i])];
        made.parent_link = joint.parent_link;
        if (joint.data.type != JointType::fixed) made.joint = made.body;
      }
      model_.total_mass += link.mass;
      model_.links.push_back(std::move(made));
    }
  }

  void add_frames() {
    for (const MechanismFrame& frame : mechanism_.frames) {
      const int link = model_.find_link(frame.link);
      const Model::Link& carrier = model_.links[index(link)];
      Pose placement = frame.placement;
      placement.rotation = nearest_rotation(placement.rotation);
      model_.links.push_back(
          {frame.name, carrier.body, carrier.in_body * placement, link, -1, 0, {}, {}, true});
    }
  }

  const Mechanism& mechanism_;
  const CompileOptions& options_;
  Model& model_;
  const Description description_;
  std::vector<Carrier> bodies_;     // per link
  std::vector<std::size_t> order_;  // joints, depth first
  std::vector<Mat> home_;           // per link: rotation in the root frame at home
  std::vector<Vec> home_axis_;      // per joint: axis in the root frame at home
  std::vector<Mat> body_home_;      // per node: rotation of the body frame in the root frame at home
  std::vector<int> depth_;          // per node
  std::vector<int> joint_node_;     // per joint of the description: the node it moves, -1 if fixed
};

}  // namespace

std::vector<char> compile_description(const Mechanism& mechanism, const CompileOptions& options,
                                      Model& model) {
  return Compiler(mechanism, options, model).run();
}

void add_inertia(const Model::Link& link, double mass, const Vector3& center_of_mass,
                 const std::array<double, 6>& I, std::vector<NodeData>& nodes) {
  const RigidInertia<double> at_center = {mass, {0, 0, 0}, {I[0], I[1], I[2], I[3], I[4], I[5]}};
  const Placement X = compose(to_placement(link.in_body), {{identity}, to_vec(center_of_mass)});
  NodeData& body = nodes[index(link.body)];
  set_inertia(body, body_inertia(body) + inertia_to_parent(X, at_center));
}

void lump_inertias(const std::vector<Model::Link>& links, std::vector<NodeData>& nodes) {
  for (NodeData& node : nodes) set_inertia(node, {});
  for (const Model::Link& link : links)
    if (link.body >= 0 && !link.is_frame)
      add_inertia(link, link.mass, link.center_of_mass, link.inertia, nodes);
}

// Makes data() point to the compiled arrays.
void Model::publish(const Vector3& gravity) {
  ModelData& d = data_;
  d.node_count = body_count();
  d.nq = nq;
  d.nv = nv;
  d.nodes = nodes.data();
  d.v_parent = v_parent.data();
  d.v_node = v_node.data();
  d.armature = armature.data();
  d.v_sign = v_sign.data();
  std::copy(gravity.begin(), gravity.end(), d.gravity);

  const auto count = [](const auto& list) { return count_of(list); };
  if (loops.clusters.empty()) {
    loops.node_cluster.assign(nodes.size(), -1);
    loops.independent.clear();
    for (std::int32_t k = 0; k < nv; ++k) loops.independent.push_back(k);
    loops.y_index = loops.independent;
  }
  loops.independent_q.clear();
  for (const Joint& joint : joints) {
    if (loops.y_index.empty()) break;  // coordinates are still being chosen
    const auto first = loops.y_index.begin() + joint.v_index;
    if (std::find(first, first + joint.nv, -1) != first + joint.nv) continue;
    for (int k = 0; k < joint.nq; ++k) loops.independent_q.push_back(joint.q_index + k);
  }
  d.cluster_count = count(loops.clusters);
  d.ny = ny = count(loops.independent);
  d.loop_constraint_count = count(loops.constraints);
  d.loop_row_count = count(loops.offset);
  d.loop_K_size = loops.K_size;
  d.G_size = count(loops.G_initial);
  d.loop_scratch_size = d.varying_clusters = 0;
  for (const ClusterData& c : loops.clusters) d.varying_clusters += c.constant_G == 0;
  for (const ClusterData& c : loops.clusters)
    if (c.constant_G == 0)
      d.loop_scratch_size = std::max(d.loop_scratch_size, counted(c.row_count * (std::int64_t{c.v_count} + 1),
                                                                  "the rows of one of its loops"));
  d.clusters = loops.clusters.data();
  d.node_cluster = loops.node_cluster.data();
  d.y_index = loops.y_index.data();
  d.independent = loops.independent.data();
  d.dependent = loops.dependent.data();
  d.loop_constraints = loops.constraints.data();
  d.coupling_entries = loops.coupling_entries.data();
  d.loop_offset = loops.offset.data();
  d.G_initial = loops.G_initial.data();
  if (!loops.clusters.empty() || !rotors.empty()) spin.resize(index(nv), 0.0);
  d.rotor_count = count(rotors);
  d.wobbling_rotors = 0;
  for (const RotorData& rotor : rotors) d.wobbling_rotors += rotor.wobbles;
  d.rotors = rotors.data();
  d.rotor_drives = rotor_drives.data();
  d.spin = spin.data();
  d.cluster_F_initial = cluster_F_initial.data();
  d.cluster_D_initial = cluster_D_initial.data();
  d.cluster_U_initial = cluster_U_initial.data();
}

template <class List>
static int find_name(const List& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

int Model::find_link(std::string_view link_name) const {
  return find_name(links, link_name);
}
int Model::root_link() const {
  const auto is_root = [](const Link& link) { return link.parent_link < 0 && !link.is_frame; };
  return static_cast<int>(std::find_if(links.begin(), links.end(), is_root) - links.begin());
}
int Model::find_joint(std::string_view joint_name) const {
  return find_name(joints, joint_name);
}

}  // namespace tenon
