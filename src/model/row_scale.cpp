// How easily each constraint row accelerates: diag(J M^-1 J^T), which sets the size of the proximal
// parameter.
//
// M by the composite-rigid-body algorithm ([RBDA] Table 6.2) and M = L^T L along the tree ([RBDA] Table 6.3).
// An entry of diag(J M^-1 J^T) is the squared length of L^-T J^T, and J^T is the row propagated to the root
// as a force; both need only the coordinates between the link and the root, so a row costs O(d^2). Row k of L
// stores only the ancestors of coordinate k, by their depth. Rows of closures are evaluated as if their gap
// were closed: the poses used here leave loops open.
#include "model/row_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/body_poses.hpp"
#include "model/rank.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

constexpr int sample_count = 4;

// Of a row, in the unit of K M^-1 K^T: its value, its largest possible value, and its value if its bodies,
// each with its subtree, were free.
struct RowSize {
  double square, reached, free;
};

// M and its factor at one configuration.
class FactoredTree {
 public:
  explicit FactoredTree(const Model& model) : model_(model), row_(index(model.nv)), rank_(index(model.nv)) {
    std::size_t size = 0;
    for (std::int32_t k = 0; k < model.nv; ++k) {
      const std::int32_t parent = model.v_parent[index(k)];
      rank_[index(k)] = parent < 0 ? 0 : rank_[index(parent)] + 1;
      row_[index(k)] = size;
      size += rank_[index(k)] + 1;
    }
    L_.resize(size);
    x_.resize(index(model.nv));
    diagonal_.resize(index(model.nv));
  }

  // False where M is not positive definite.
  bool set_configuration(const double* q) {
    placement_.clear();
    for (const NodeData& node : model_.nodes) placement_.push_back(joint_placement(node, q));
    world_ = body_placements(model_.nodes, q);
    measure_reach();
    composite_rigid_body();
    return factor();
  }

  // node -1: the world.
  Placement world(std::int32_t node) const { return node < 0 ? to_placement({}) : world_[index(node)]; }

  // K M^-1 K^T of one row: forces on one or two bodies at their frame origins (-1: none), which cancel inward
  // of `meet`. Its largest possible value assumes no cancellation, all joints at the distance `reach_`, and 1
  // / M_kk for M^-1_kk.
  RowSize inverse_inertia(const std::int32_t (&nodes)[2], std::int32_t meet,
                          const Force<double> (&forces)[2]) {
    std::fill(x_.begin(), x_.end(), 0.0);
    const double reached = carry(nodes[0], meet, forces[0]) + carry(nodes[1], meet, forces[1]);
    double sum = 0;
    for (std::int32_t k = model_.nv - 1; k >= 0; --k) {
      double& x = x_[index(k)];
      if (x == 0) continue;
      x /= entry(k, k);
      sum += x * x;
      for (std::int32_t j = model_.v_parent[index(k)]; j >= 0; j = model_.v_parent[index(j)])
        x_[index(j)] -= entry(k, j) * x;
    }
    return {sum, reached, free_mobility(nodes[0], forces[0]) + free_mobility(nodes[1], forces[1])};
  }

 private:
  double& entry(std::int32_t k, std::int32_t ancestor) { return L_[row_[index(k)] + rank_[index(ancestor)]]; }

  // x := S^T f of the joints from a node inward to `end`. Returns the largest possible value
  // (inverse_inertia).
  double carry(std::int32_t node, std::int32_t end, Force<double> f) {
    double reached = 0;
    const double force = std::sqrt(norm_squared(f.f)), moment = std::sqrt(norm_squared(f.n)) + reach_ * force;
    for (std::int32_t i = node; i >= 0 && i != end; i = model_.nodes[index(i)].parent) {
      const JointSubspace S = joint_subspace(model_.nodes[index(i)].kind);
      spread(model_.nodes[index(i)], f, [&](std::int32_t k, double value) {
        x_[index(k)] = value;
        const double size = S.first + (k - model_.nodes[index(i)].v_index) < 3 ? moment : force;
        reached += size * size / diagonal_[index(k)];
      });
      f = force_to_parent(placement_[index(i)], f);
    }
    return reached;
  }

  // f I^-1 f of a body with its subtree, with its mean inertia for rotation. 0 where nothing has mass.
  double free_mobility(std::int32_t node, const Force<double>& f) const {
    if (node < 0 || !(composite_[index(node)].m > 0)) return 0;
    const RigidInertia<double>& I = composite_[index(node)];
    const Vec3<double> centre = (1 / I.m) * I.h;
    const double turning = (I.I.xx + I.I.yy + I.I.zz - 2 * I.m * norm_squared(centre)) / 3;
    const double moment = norm_squared(f.n - cross(centre, f.f));
    return norm_squared(f.f) / I.m + (turning > 0 ? moment / turning : 0);
  }

  // The longest path from a root of the tree along the bodies to mass. Where the robot stands does not
  // matter.
  void measure_reach() {
    std::vector<double> distance(model_.nodes.size(), 0);
    reach_ = 0;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      const std::int32_t parent = model_.nodes[i].parent;
      if (parent >= 0) distance[i] = distance[index(parent)] + std::sqrt(norm_squared(placement_[i].p));
      const RigidInertia<double> I = body_inertia(model_.nodes[i]);
      if (!(I.m > 0)) continue;
      // The trace of the inertia about the origin contains the offset of the centre of mass and the size of
      // the body.
      reach_ = std::max(reach_, distance[i] + std::sqrt((I.I.xx + I.I.yy + I.I.zz) / (2 * I.m)));
    }
  }

  // Visits coordinate and value of S^T f for the node. Signs of the user's axes do not matter here.
  template <class Visit>
  static void spread(const NodeData& node, const Force<double>& f, Visit visit) {
    const JointSubspace S = joint_subspace(node.kind);
    for (int c = 0; c < S.count; ++c) visit(node.v_index + c, dot(coordinate_motion(S.first + c), f));
  }

  void composite_rigid_body() {
    const std::size_t n = model_.nodes.size();
    composite_.clear();
    for (const NodeData& node : model_.nodes) composite_.push_back(body_inertia(node));
    for (std::size_t i = n; i-- > 0;) {
      const std::int32_t parent = model_.nodes[i].parent;
      if (parent < 0) continue;
      composite_[index(parent)] = composite_[index(parent)] + inertia_to_parent(placement_[i], composite_[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const NodeData& node = model_.nodes[i];
      const JointSubspace S = joint_subspace(node.kind);
      for (int c = 0; c < S.count; ++c) {
        const std::int32_t k = node.v_index + c;
        Force<double> f = composite_[i] * coordinate_motion(S.first + c);
        for (std::int32_t a = static_cast<std::int32_t>(i); a >= 0; a = model_.nodes[index(a)].parent) {
          spread(model_.nodes[index(a)], f, [&](std::int32_t j, double value) {
            if (j <= k) entry(k, j) = value;
          });
          f = force_to_parent(placement_[index(a)], f);
        }
        entry(k, k) += model_.armature[index(k)];
        diagonal_[index(k)] = entry(k, k);
      }
    }
  }

  bool factor() {
    for (std::int32_t k = model_.nv - 1; k >= 0; --k) {
      double& pivot = entry(k, k);
      if (!(pivot > 0)) return false;
      pivot = std::sqrt(pivot);
      for (std::int32_t i = model_.v_parent[index(k)]; i >= 0; i = model_.v_parent[index(i)])
        entry(k, i) /= pivot;
      for (std::int32_t i = model_.v_parent[index(k)]; i >= 0; i = model_.v_parent[index(i)]) {
        const double ki = entry(k, i);
        for (std::int32_t j = i; j >= 0; j = model_.v_parent[index(j)]) entry(i, j) -= ki * entry(k, j);
      }
    }
    return true;
  }

  const Model& model_;
  double reach_ = 0;
  std::vector<std::size_t> row_, rank_;
  std::vector<double> L_, x_, diagonal_;
  std::vector<Placement> placement_, world_;
  std::vector<RigidInertia<double>> composite_;
};

struct Row {
  const ConstraintItem* item;
  bool angular;
  Force<double> force;  // on the (first) body, body frame
  bool world_axes;
  Vec3<double> axis, point;  // for rows along world axes: axis in the world, point in the body frame
};

std::vector<Row> rows_of(const ConstraintData& c) {
  std::vector<Row> rows(index(c.row_count));
  for (std::int32_t i = 0; i < c.item_count; ++i) {
    const ConstraintItem& item = c.items[i];
    std::size_t r = index(item.row_begin);
    if (item.custom >= 0) {
      for (std::int32_t j = 0; j < item.row_count; ++j, ++r) {
        const Force<double> f = load_force<double>(c.custom + 6 * (item.custom + j));
        rows[r] = {&item, norm_squared(f.n) > norm_squared(f.f), f, false, {}, {}};
      }
      continue;
    }
    const Vec3<double> p = load_vec3<double>(item.p);
    for (int b = 0; b < 6; ++b) {
      if (!(item.rows >> b & 1u)) continue;
      const int k = b % 3;
      const Vec3<double> e =
          item.world_axes ? unit_vector(k) : Vec3<double>{item.R[k], item.R[3 + k], item.R[6 + k]};
      Row& row = rows[r++];
      row = {&item, b < 3, {e, {0, 0, 0}}, item.world_axes != 0, e, p};
      if (b >= 3) row.force = {cross(p, e), e};
    }
  }
  return rows;
}

Force<double> force_of(const Row& row, const FactoredTree& tree) {
  if (!row.world_axes) return row.force;
  const Vec3<double> e = unrotate(tree.world(row.item->node).R, row.axis);
  return row.angular ? Force<double>{e, {0, 0, 0}} : Force<double>{cross(row.point, e), e};
}

// The force of a closure's row on its second body: the opposite one, at the origin of its own frame.
Force<double> second_force_of(const Row& row, const FactoredTree& tree) {
  const ConstraintItem& item = *row.item;
  const Vec3<double> e = -unrotate(tree.world(item.second).R, rotate(tree.world(item.first).R, row.axis));
  return row.angular ? Force<double>{e, {0, 0, 0}} : Force<double>{cross(load_vec3<double>(item.p2), e), e};
}

RowSize inverse_inertia_of(const Row& row, FactoredTree& tree) {
  const ConstraintItem& item = *row.item;
  if (!item.closure) return tree.inverse_inertia({item.node, -1}, -1, {force_of(row, tree), {}});
  return tree.inverse_inertia({item.first, item.second}, item.meet, {row.force, second_force_of(row, tree)});
}

// Geometric mean of the selected positive values; 0 when there are none.
template <class Select>
double geometric_mean(const std::vector<double>& values, Select select) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !select(i)) continue;
    sum += std::log(values[i]);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

// A row may be immovable in one pose (a straight leg along itself) or in all (out of the plane of a planar
// arm; at a point where the joint axes meet). A pose counts as at least a thousandth of the best one (a
// thirtieth in length). If even the best value is within rounding of what the joints could do, nothing moves
// the row: its scale is then the largest possible value, so that no large force is spent on it. Descriptions
// are rounded too: rows of Cassie's plantar rods move a ten millionth of what others do.
constexpr double still_in_a_pose = 1e-3;

RowSize typical(const std::vector<RowSize>& samples) {
  RowSize best{}, mean{};
  for (const RowSize& s : samples) {
    best.square = std::max(best.square, s.square);
    best.reached = std::max(best.reached, s.reached);
    best.free = std::max(best.free, s.free);
  }
  if (!(best.square > squared_rank_tolerance * best.reached))
    return {best.reached, best.reached, best.reached};
  for (const RowSize& s : samples) mean.square += std::log(std::max(s.square, still_in_a_pose * best.square));
  best.square = std::exp(mean.square / static_cast<double>(samples.size()));
  return best;
}

// Rows that no joint moves get the size of the others.
void fill_gaps(const Model& model, const std::vector<Row>& rows, std::vector<double>& scale) {
  const std::vector<double> known = scale;
  const double any = geometric_mean(known, [](std::size_t) { return true; });
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (scale[r] > 0) continue;
    const double alike =
        geometric_mean(known, [&](std::size_t i) { return rows[i].angular == rows[r].angular; });
    scale[r] = alike > 0 ? alike : any > 0 ? any : model.total_mass > 0 ? 1 / model.total_mass : 1;
  }
}

}  // namespace

RowScale row_scale(const Model& model, const ConstraintData& constraints) {
  const std::vector<Row> rows = rows_of(constraints);
  std::vector<std::vector<RowSize>> samples(rows.size());
  FactoredTree tree(model);
  std::vector<double> q(index(model.nq));
  for (int sample = 0; sample < sample_count; ++sample) {
    if (sample == 0)
      neutral_configuration(model.nodes, q.data());
    else
      sample_configuration(model, static_cast<std::uint64_t>(sample), q.data());
    if (!tree.set_configuration(q.data())) continue;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].item->node < 0) continue;
      const RowSize size = inverse_inertia_of(rows[r], tree);
      if (std::isfinite(size.square) && std::isfinite(size.reached)) samples[r].push_back(size);
    }
  }
  RowScale out{std::vector<double>(rows.size(), 0.0), 1};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (samples[r].empty()) continue;
    const RowSize size = typical(samples[r]);
    out.scale[r] = size.square;
    if (size.free > 0) out.least_leverage = std::min(out.least_leverage, std::sqrt(size.square / size.free));
  }
  fill_gaps(model, rows, out.scale);
  return out;
}

}  // namespace tenon
