// Rotors at almost no cost. A rotor whose centre of mass lies on its axis and whose inertia is symmetric
// about it does not change the inertia of its carrier when it turns. So its mass and inertia are added to the
// carrier's, and only its spin is left: momentum along the axis, and a gyroscopic moment
// (kernels/cluster/cluster.hpp). If the axis is a principal one but the inertia is not symmetric about it,
// the difference turns with the rotor and is added to the carrier's inertia in every evaluation. If a single
// hinge with a parallel axis drives it, the cluster of both becomes an ordinary node: with ratio r and spin
// inertia J, D gains r^2 J and U gains r J along the axis, which costs as much as an armature.
//
// [LOOPS1] sweeps such rotors as bodies and costs 52 to 98 % more than the approximation by armatures.
#include "model/compile.hpp"

#include <algorithm>
#include <cmath>

#include "model/body_poses.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

// Limits of rounding errors: of a rotor's inertia divided by its trace, of its first moment divided by the
// root of trace times mass, of the cross product of two unit axes.
constexpr double rounding = 1e-12;

int hinge_axis(std::int32_t kind) {
  const JointSubspace& S = joint_subspace(kind);
  return S.count == 1 && S.first < 3 && kind != joint_screw ? S.first : -1;
}
Mat3<double> tree_rotation(const NodeData& n) {
  return load_mat3<double>(n.R);
}
// Coordinate axis k of a body in the frame of its parent, at home.
Vec3<double> axis_on_parent(const NodeData& n, int k) {
  return tree_rotation(n) * unit_vector(k);
}
// The axis of a hinge in the frame of its parent, in the sign of the body frame.
Vec3<double> axis_on_parent(const NodeData& n) {
  return axis_on_parent(n, hinge_axis(n.kind));
}
// Element (i, j) of a symmetric matrix stored as xx xy xz yy yz zz.
double element(const double* I, int i, int j) {
  constexpr int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  return I[place[i][j]];
}

// x x^T - y y^T and x y^T + y x^T.
void store_wobble(const Vec3<double>& x, const Vec3<double>& y, double (&wobble)[2][6]) {
  double a[3], b[3];
  store(a, x);
  store(b, y);
  for (int i = 0, e = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++e) {
      wobble[0][e] = a[i] * a[j] - b[i] * b[j];
      wobble[1][e] = a[i] * b[j] + b[i] * a[j];
    }
}

double trace(const NodeData& n) {
  return n.I[0] + n.I[3] + n.I[5];
}
Placement home(const NodeData& n) {
  return {{tree_rotation(n)}, load_vec3<double>(n.p)};
}
// The symmetric part of the inertia.
RigidInertia<double> symmetric_inertia(const NodeData& n) {
  const int k = hinge_axis(n.kind);
  const double along = element(n.I, k, k), across = (trace(n) - along) / 2;
  const double d[3] = {k == 0 ? along : across, k == 1 ? along : across, k == 2 ? along : across};
  return {n.mass, load_vec3<double>(n.h), {d[0], 0, 0, d[1], 0, d[2]}};
}
// Adds what does not turn with a rotor to its carrier.
void carry(const NodeData& rotor, NodeData& carrier) {
  set_inertia(carrier, body_inertia(carrier) + inertia_to_parent(home(rotor), symmetric_inertia(rotor)));
}

class RotorFolder {
 public:
  explicit RotorFolder(const Model& model) : outer_(model), folds_(model.nodes.size(), false) {}

  std::unique_ptr<Model::Folding> run() {
    find_rotors();
    if (std::find(folds_.begin(), folds_.end(), true) == folds_.end()) return nullptr;
    folding_ = std::make_unique<Model::Folding>();
    inner_ = std::make_shared<Model>();
    number();
    copy_description();
    take_over_inertias();
    copy_clusters();
    add_rotors();
    copy_callbacks();
    const double* gravity = outer_.data().gravity;
    inner_->publish({gravity[0], gravity[1], gravity[2]});
    folding_->model = inner_;
    publish_spanning();
    return std::move(folding_);
  }

 private:
  void find_rotors() {
    std::vector<bool> bears(outer_.nodes.size(), false);
    for (const NodeData& n : outer_.nodes)
      if (n.parent >= 0) bears[index(n.parent)] = true;
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      const NodeData& n = outer_.nodes[i];
      const std::int32_t cluster = outer_.loops.node_cluster[i];
      folds_[i] = cluster >= 0 && outer_.loops.clusters[index(cluster)].constant_G != 0 && !bears[i] &&
                  outer_.loops.y_index[index(n.v_index)] < 0 && is_rotor(n);
    }
  }

  // A hinge body with its centre of mass on the axis, which is a principal axis.
  static bool is_rotor(const NodeData& n) {
    const int k = hinge_axis(n.kind);
    if (k < 0) return false;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double small = rounding * trace(n), small_moment = rounding * std::sqrt(trace(n) * n.mass);
    return std::abs(element(n.I, i, k)) <= small && std::abs(element(n.I, j, k)) <= small &&
           std::abs(n.h[i]) <= small_moment && std::abs(n.h[j]) <= small_moment;
  }

  // Half the difference of the two inertias normal to the axis, and their product of inertia.
  struct Asymmetry {
    double a, b;
  };
  static Asymmetry asymmetry(const NodeData& n) {
    const int k = hinge_axis(n.kind), i = (k + 1) % 3, j = (k + 2) % 3;
    const Asymmetry s = {(element(n.I, i, i) - element(n.I, j, j)) / 2, element(n.I, i, j)};
    const double small = rounding * trace(n);
    return std::abs(s.a) <= small && std::abs(s.b) <= small ? Asymmetry{0, 0} : s;
  }
  int nv_of(std::size_t node) const { return outer_.joints[node].nv; }
  int nq_of(std::size_t node) const { return outer_.joints[node].nq; }

  bool wobbles(std::int32_t i) const {
    const NodeData& n = outer_.nodes[index(i)];
    const Asymmetry s = asymmetry(n);
    return n.parent >= 0 && (s.a != 0 || s.b != 0);
  }

  // Nodes and coordinates that remain keep their order; rotors that wobble come before the others.
  void number() {
    inner_q_.assign(index(outer_.nq), -1);
    inner_v_.assign(index(outer_.nv), -1);
    inner_node_.assign(outer_.nodes.size(), -1);
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      const NodeData& n = outer_.nodes[i];
      if (folds_[i]) {
        folding_->rotor_node.push_back(static_cast<std::int32_t>(i));
        continue;
      }
      inner_node_[i] = count_of(folding_->node);
      folding_->node.push_back(static_cast<std::int32_t>(i));
      const auto keep = [](std::int32_t first, int count, std::vector<std::int32_t>& inner,
                           std::vector<std::int32_t>& kept) {
        for (int k = first; k < first + count; ++k) inner[index(k)] = count_of(kept), kept.push_back(k);
      };
      keep(n.q_index, nq_of(i), inner_q_, folding_->q);
      keep(n.v_index, nv_of(i), inner_v_, folding_->v);
    }
    std::vector<std::int32_t>& rotors = folding_->rotor_node;
    std::stable_partition(rotors.begin(), rotors.end(), [&](std::int32_t i) { return wobbles(i); });
  }
  std::int32_t inner_node(std::int32_t node) const { return node < 0 ? -1 : inner_node_[index(node)]; }
  std::int32_t inner_v(std::int32_t k) const { return k < 0 ? -1 : inner_v_[index(k)]; }

  void copy_description() {
    Model& m = *inner_;
    m.name = outer_.name;
    m.nq = count_of(folding_->q);
    m.nv = count_of(folding_->v);
    m.depth = outer_.depth;
    m.total_mass = outer_.total_mass;
    m.floating_base = outer_.floating_base;
    for (const std::int32_t i : folding_->node) {
      NodeData n = outer_.nodes[index(i)];
      n.parent = inner_node(n.parent);
      n.q_index = inner_q_[index(n.q_index)];
      n.v_index = inner_v_[index(n.v_index)];
      Model::Joint joint = outer_.joints[index(i)];
      joint.q_index = n.q_index;
      joint.v_index = n.v_index;
      m.nodes.push_back(n);
      m.joints.push_back(joint);
    }
    for (const std::int32_t k : folding_->v) {
      m.v_parent.push_back(inner_v(outer_.v_parent[index(k)]));
      m.v_node.push_back(inner_node(outer_.v_node[index(k)]));
      m.v_sign.push_back(outer_.v_sign[index(k)]);
      m.armature.push_back(outer_.armature[index(k)]);
    }
    m.links = outer_.links;
    for (Model::Link& link : m.links) {
      if (link.body >= 0 && folds_[index(link.body)]) {
        const NodeData& rotor = outer_.nodes[index(link.body)];
        link.in_body = to_pose(home(rotor)) * link.in_body;
        link.body = rotor.parent;
      }
      link.body = inner_node(link.body);
      link.joint = link.joint < 0 ? -1 : inner_node_[index(link.joint)];
    }
  }

  void take_over_inertias() {
    for (const std::int32_t i : folding_->rotor_node) {
      const NodeData& rotor = outer_.nodes[index(i)];
      if (rotor.parent < 0) continue;
      carry(rotor, inner_->nodes[index(inner_node(rotor.parent))]);
    }
  }

  // A cluster becomes ordinary nodes if all its bodies are folded, or all but one hinge whose rotors are on
  // its parent and parallel to it.
  bool becomes_ordinary(const ClusterData& c) const {
    std::int32_t hinge = -1;
    for (std::int32_t i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
      if (folds_[index(i)]) continue;
      if (hinge >= 0) return false;
      hinge = i;
    }
    if (hinge < 0) return true;
    if (c.y_count != 1 || hinge_axis(outer_.nodes[index(hinge)].kind) < 0) return false;
    const Vec3<double> axis = axis_on_parent(outer_.nodes[index(hinge)]);
    for (std::int32_t i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
      const NodeData& n = outer_.nodes[index(i)];
      if (i == hinge) continue;
      if (n.parent != c.parent || norm_squared(cross(axis_on_parent(n), axis)) > rounding * rounding)
        return false;
    }
    return true;
  }

  void copy_clusters() {
    const Model::Loops& from = outer_.loops;
    Model::Loops& to = inner_->loops;
    to.node_cluster.assign(inner_->nodes.size(), -1);
    for (const std::int32_t k : from.independent) to.independent.push_back(inner_v(k));
    for (const std::int32_t k : folding_->v) to.y_index.push_back(from.y_index[index(k)]);
    for (const ClusterData& c : from.clusters) {
      inner_cluster_.push_back(becomes_ordinary(c) ? -1 : count_of(to.clusters));
      if (inner_cluster_.back() >= 0) copy_cluster(c);
    }
  }

  void copy_cluster(const ClusterData& c) {
    const Model::Loops& from = outer_.loops;
    Model::Loops& to = inner_->loops;
    ClusterData made = c;
    made.parent = inner_node(c.parent);
    made.node_begin = made.node_count = made.v_count = made.q_count = made.d_count = 0;
    made.d_begin = count_of(to.dependent);
    made.G_begin = count_of(to.G_initial);
    std::vector<std::int32_t> kept;  // outer velocity coordinates
    for (std::int32_t i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
      if (folds_[index(i)]) continue;
      const NodeData& n = outer_.nodes[index(i)];
      if (made.node_count++ == 0) {
        made.node_begin = inner_node(i);
        made.q_begin = inner_q_[index(n.q_index)];
        made.v_begin = inner_v(n.v_index);
      }
      to.node_cluster[index(inner_node(i))] = count_of(to.clusters);
      made.q_count += nq_of(index(i));
      for (std::int32_t k = n.v_index; k < n.v_index + nv_of(index(i)); ++k) {
        kept.push_back(k);
        if (from.y_index[index(k)] < 0) to.dependent.push_back(inner_v(k)), ++made.d_count;
      }
    }
    made.v_count = count_of(kept);
    for (std::int32_t y = 0; y < c.y_count; ++y)
      for (const std::int32_t k : kept) to.G_initial.push_back(outer_G(c, k, y));
    copy_constraints(c, made);
    to.clusters.push_back(made);
  }
  double outer_G(const ClusterData& c, std::int32_t k, std::int32_t y) const {
    return outer_.loops.G_initial[index(c.G_begin + y * c.v_count + k - c.v_begin)];
  }

  // With a constant G, couplings need not be evaluated, so they are not copied.
  void copy_constraints(const ClusterData& c, ClusterData& made) {
    const Model::Loops& from = outer_.loops;
    Model::Loops& to = inner_->loops;
    made.row_begin = count_of(to.offset);
    made.row_count = 0;
    made.K_begin = to.K_size;
    made.constraint_begin = made.constraint_end = count_of(to.constraints);
    if (c.constant_G != 0) return;
    made.row_count = c.row_count;
    to.K_size += made.row_count * made.v_count;
    const std::int32_t shift = made.row_begin - c.row_begin;
    for (std::int32_t r = c.row_begin; r < c.row_begin + c.row_count; ++r)
      to.offset.push_back(from.offset[index(r)]);
    for (std::int32_t l = c.constraint_begin; l < c.constraint_end; ++l) {
      LoopConstraintData loop = from.constraints[index(l)];
      const std::int32_t entries = loop.entry_begin;
      loop.cluster = count_of(to.clusters);
      loop.row_begin += shift;
      loop.predecessor = inner_node(loop.predecessor);
      loop.successor = inner_node(loop.successor);
      loop.ancestor = inner_node(loop.ancestor);
      loop.entry_begin = count_of(to.coupling_entries);
      for (std::int32_t e = entries; e < loop.entry_end; ++e) {
        CouplingEntry entry = from.coupling_entries[index(e)];
        to.coupling_entries.push_back(
            {entry.row + shift, inner_q_[index(entry.q_index)], inner_v(entry.v_index), entry.coefficient});
      }
      loop.entry_end = count_of(to.coupling_entries);
      to.constraints.push_back(loop);
      to.names.push_back(from.names[index(l)]);
    }
    made.constraint_end = count_of(to.constraints);
  }

  void copy_callbacks() {
    Model::Loops& to = inner_->loops;
    to.callbacks = outer_.loops.callbacks;
    to.callback_scratch = outer_.loops.callback_scratch;
    for (Model::LoopCallback& callback : to.callbacks) {
      for (std::int32_t& k : callback.q_index) k = inner_q_[index(k)];
      for (std::int32_t& k : callback.v_index) k = inner_v(k);
    }
    for (const std::int32_t k : folding_->q)
      if (!outer_.loops.closed.empty()) to.closed.push_back(outer_.loops.closed[index(k)]);
  }

  void add_rotors() {
    Model& m = *inner_;
    m.spin.assign(index(m.nv), 0.0);
    m.cluster_F_initial.assign(6 * m.loops.G_initial.size(), 0.0);
    m.cluster_D_initial.assign(m.loops.G_initial.size(), 0.0);
    m.cluster_U_initial.assign(6 * index(m.nv), 0.0);
    for (const std::int32_t i : folding_->rotor_node) {
      const NodeData& n = outer_.nodes[index(i)];
      const ClusterData& c = outer_.loops.clusters[index(outer_.loops.node_cluster[index(i)])];
      const int k = hinge_axis(n.kind);
      const double spin_inertia = element(n.I, k, k);
      RotorData rotor{};
      rotor.carrier = inner_node(n.parent);
      rotor.q_index = n.q_index;
      rotor.v_index = n.v_index;
      store(rotor.momentum, (n.sign * spin_inertia) * axis_on_parent(n));
      store(rotor.axis, n.sign * axis_on_parent(n));
      const Asymmetry wobble = asymmetry(n);
      rotor.wobbles = wobbles(i);
      rotor.a = wobble.a;
      rotor.b = n.sign * wobble.b;
      store_wobble(axis_on_parent(n, (k + 1) % 3), n.sign * axis_on_parent(n, (k + 2) % 3), rotor.wobble);
      rotor.inertia = spin_inertia + outer_.armature[index(n.v_index)];
      rotor.drive_begin = count_of(m.rotor_drives);
      for (std::int32_t y = 0; y < c.y_count; ++y) {
        const double ratio = outer_G(c, n.v_index, y);
        if (ratio != 0)
          m.rotor_drives.push_back({inner_v(outer_.loops.independent[index(c.y_begin + y)]), ratio});
      }
      rotor.drive_end = count_of(m.rotor_drives);
      folding_->spanning_rotors.push_back(rotor);
      const std::int32_t cluster = inner_cluster_[index(outer_.loops.node_cluster[index(i)])];
      if (cluster < 0)
        give_to_hinge(rotor);
      else
        give_to_cluster(n, c, m.loops.clusters[index(cluster)], rotor);
      m.rotors.push_back(rotor);
    }
  }

  void give_to_hinge(RotorData& rotor) {
    Model& m = *inner_;
    for (std::int32_t e = rotor.drive_begin; e < rotor.drive_end; ++e) {
      const RotorDrive& drive = m.rotor_drives[index(e)];
      const NodeData& hinge = m.nodes[index(m.v_node[index(drive.v_index)])];
      m.armature[index(drive.v_index)] += drive.ratio * drive.ratio * rotor.inertia;
      m.spin[index(drive.v_index)] +=
          hinge.sign * drive.ratio * dot(load_vec3<double>(rotor.momentum), axis_on_parent(hinge));
    }
    rotor.inertia = 0;
  }

  void give_to_cluster(const NodeData& n, const ClusterData& outer, const ClusterData& c,
                       const RotorData& rotor) {
    Model& m = *inner_;
    for (std::int32_t y = 0; y < c.y_count; ++y) {
      const double Gy = outer_G(outer, n.v_index, y);
      for (std::int32_t z = 0; z <= y; ++z)
        m.cluster_D_initial[index(c.G_begin + y * c.y_count + z)] +=
            Gy * outer_G(outer, n.v_index, z) * rotor.inertia;
      double* F =
          n.parent == outer.parent
              ? &m.cluster_U_initial[6 * index(c.v_begin + y)]
              : &m.cluster_F_initial[6 * index(c.G_begin + (rotor.carrier - c.node_begin) * c.y_count + y)];
      for (int e = 0; e < 3; ++e) F[e] += Gy * rotor.momentum[e];
    }
  }

  void publish_spanning() {
    Model::Folding& f = *folding_;
    f.spanning_nodes = inner_->nodes;
    for (std::size_t i = 0; i < f.node.size(); ++i) {
      const NodeData& n = outer_.nodes[index(f.node[i])];
      f.spanning_nodes[i].q_index = n.q_index;
      f.spanning_nodes[i].v_index = n.v_index;
    }
    f.spanning_armature = outer_.armature;
    f.spanning = inner_->data();
    f.spanning.nq = outer_.nq;
    f.spanning.nv = outer_.nv;
    f.spanning.nodes = f.spanning_nodes.data();
    f.spanning.rotors = f.spanning_rotors.data();
    f.spanning.armature = f.spanning_armature.data();
    f.spanning.spin = nullptr;
    f.spanning.cluster_count = f.spanning.varying_clusters = 0;
    f.rotors_alone_follow = inner_->nv == outer_.ny && outer_.data().varying_clusters == 0;
  }

  const Model& outer_;
  std::vector<bool> folds_;  // per node
  std::unique_ptr<Model::Folding> folding_;
  std::shared_ptr<Model> inner_;
  std::vector<std::int32_t> inner_q_, inner_v_, inner_node_, inner_cluster_;  // -1: folded
};

}  // namespace

std::unique_ptr<Model::Folding> fold_rotors(const Model& model) {
  return RotorFolder(model).run();
}

void fold_inertias(const Model::Folding& folding, const std::vector<NodeData>& nodes,
                   std::vector<NodeData>& folded) {
  for (std::size_t i = 0; i < folded.size(); ++i)
    set_inertia(folded[i], body_inertia(nodes[index(folding.node[i])]));
  for (std::size_t r = 0; r < folding.rotor_node.size(); ++r) {
    const std::int32_t carrier = folding.model->rotors[r].carrier;
    if (carrier >= 0) carry(nodes[index(folding.rotor_node[r])], folded[index(carrier)]);
  }
}

}  // namespace tenon
