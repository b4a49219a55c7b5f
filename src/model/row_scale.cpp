// How easily each constraint row accelerates: diag(J M^-1 J^T), which sets the size of the proximal
// parameter.
//
// By articulated inertias ([RBDA] Table 7.1), coordinate by coordinate: with U = IA S, D = S^T U + armature
// and u = S^T (f + r), the force f of a row goes inward together with r, the reaction of the coordinates that
// it has passed, which each changes by -U u / D. An entry of diag(J M^-1 J^T) is the sum of u^2 / D over the
// coordinates between the link and the root. O(n) for a configuration, O(d) for a row. Rows of closures are
// evaluated as if their gap were closed: the poses used here leave loops open.
#include "model/row_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "data/rank.hpp"
#include "model/body_poses.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

constexpr int sample_count = 4;

// Of a row, in the unit of K M^-1 K^T: its value, its largest possible value, and its value if its bodies,
// each with its subtree, were free; and whether a joint moves it by more than rounding.
struct RowSize {
  double square, reached, free;
  bool moved;
};

// The tree and its articulated inertias at one configuration.
class ArticulatedTree {
 public:
  explicit ArticulatedTree(const Model& model)
      : model_(model), U_(index(model.nv)), D_(index(model.nv)), diagonal_(index(model.nv)) {}

  // False where M is not positive definite.
  bool set_configuration(const double* q) {
    placement_.clear();
    for (const NodeData& node : model_.nodes) placement_.push_back(joint_placement(node, q));
    world_ = body_placements(model_.nodes, q);
    reach_ = reach_of(model_.nodes, placement_);
    composite_inertias();
    return articulate();
  }

  // node -1: the world.
  Placement world(std::int32_t node) const { return node < 0 ? to_placement({}) : world_[index(node)]; }

  // Of coordinate k, with what it carries articulated.
  double inertia(std::size_t k) const { return D_[k]; }

  // K M^-1 K^T of one row: forces on one or two bodies at their frame origins (-1: none), which cancel inward
  // of `meet`. Its largest possible value assumes no cancellation, all joints at the distance `reach_`, and 1
  // / M_kk for M^-1_kk.
  RowSize inverse_inertia(const std::int32_t (&nodes)[2], std::int32_t meet,
                          const Force<double> (&forces)[2]) const {
    RowSize size{};
    Force<double> reaction{}, of_second{};
    carry(nodes[0], meet, forces[0], reaction, size);
    carry(nodes[1], meet, forces[1], of_second, size);
    reaction = reaction + of_second;
    carry(meet, -1, {}, reaction, size);
    size.free = free_mobility(nodes[0], forces[0]) + free_mobility(nodes[1], forces[1]);
    return size;
  }

 private:
  // Adds u^2 / D from a node inward to `end`. reaction: of the coordinates passed, on the node, then on `end`.
  // A joint moves the row if u is more than rounding of the force with the arm reach_. This is asked of each joint
  // by itself: a light link at the tip, divided by its tiny D, would hide what heavy joints do.
  void carry(std::int32_t node, std::int32_t end, Force<double> f, Force<double>& reaction,
             RowSize& size) const {
    const double force = std::sqrt(norm_squared(f.f)), moment = std::sqrt(norm_squared(f.n)) + reach_ * force;
    for (std::int32_t i = node; i >= 0 && i != end; i = model_.nodes[index(i)].parent) {
      for_coordinates(i, [&](std::size_t k, const Motion<double>& S) {
        const double u = dot(S, f + reaction), most = norm_squared(S.w) > 0 ? moment : force;
        size.square += u * u / D_[k];
        size.reached += most * most / diagonal_[k];
        size.moved = size.moved || (most > 0 && std::abs(u) > rank_tolerance * most);
        reaction = reaction - scaled(u / D_[k], U_[k]);
      });
      f = force_to_parent(placement_[index(i)], f);
      reaction = force_to_parent(placement_[index(i)], reaction);
    }
  }
  static Force<double> scaled(double s, const Force<double>& f) { return {s * f.n, s * f.f}; }

  // Calls f(coordinate, its column of S) for the coordinates of a node, the last first. Signs of the user's axes
  // do not matter here.
  template <class F>
  void for_coordinates(std::int32_t node, const F& f) const {
    const NodeData& n = model_.nodes[index(node)];
    for (int c = joint_subspace(n.kind).count - 1; c >= 0; --c)
      f(index(n.v_index + c), subspace_column(n, c));
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

  void composite_inertias() {
    composite_.clear();
    for (const NodeData& node : model_.nodes) composite_.push_back(body_inertia(node));
    for (std::int32_t i = count_of(composite_) - 1; i >= 0; --i) {
      for_coordinates(i, [&](std::size_t k, const Motion<double>& S) {
        diagonal_[k] = dot(S, composite_[index(i)] * S) + model_.armature[k];
      });
      const std::int32_t parent = model_.nodes[index(i)].parent;
      if (parent < 0) continue;
      composite_[index(parent)] =
          composite_[index(parent)] + inertia_to_parent(placement_[index(i)], composite_[index(i)]);
    }
  }

  bool articulate() {
    articulated_.clear();
    for (const NodeData& node : model_.nodes) articulated_.push_back(articulated(body_inertia(node)));
    bool definite = true;
    for (std::int32_t i = count_of(articulated_) - 1; i >= 0; --i) {
      ArticulatedInertia<double>& I = articulated_[index(i)];
      for_coordinates(i, [&](std::size_t k, const Motion<double>& S) {
        U_[k] = I * S;
        D_[k] = dot(S, U_[k]) + model_.armature[k];
        definite = definite && D_[k] > 0;
        I = I + scaled_square(-1 / D_[k], U_[k]);
      });
      if (!definite) return false;
      const std::int32_t parent = model_.nodes[index(i)].parent;
      if (parent >= 0)
        articulated_[index(parent)] =
            articulated_[index(parent)] + inertia_to_parent(placement_[index(i)], I);
    }
    return true;
  }

  const Model& model_;
  double reach_ = 0;
  std::vector<Force<double>> U_;
  std::vector<double> D_, diagonal_;
  std::vector<Placement> placement_, world_;
  std::vector<RigidInertia<double>> composite_;
  std::vector<ArticulatedInertia<double>> articulated_;
};

struct Row {
  const ConstraintItem* item;
  bool angular;
  Force<double> force;  // on the (first) body, body frame
  bool world_axes;
  Vec3<double> axis, point;  // for rows along world axes: axis in the world, point in the body frame
};

// Of a unit moment, or of a unit force at a point.
Force<double> along(bool angular, const Vec3<double>& axis, const Vec3<double>& point) {
  return angular ? Force<double>{axis, {0, 0, 0}} : Force<double>{cross(point, axis), axis};
}

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
      rows[r++] = {&item, b < 3, along(b < 3, e, p), item.world_axes != 0, e, p};
    }
  }
  return rows;
}

// The force of a closure's row on its second body is the opposite one, at the origin of its own frame.
RowSize inverse_inertia_of(const Row& row, const ArticulatedTree& tree) {
  const ConstraintItem& item = *row.item;
  if (!item.closure) {
    const Force<double> turned = along(row.angular, unrotate(tree.world(item.node).R, row.axis), row.point);
    return tree.inverse_inertia({item.node, -1}, -1, {row.world_axes ? turned : row.force, {}});
  }
  const Vec3<double> e = -unrotate(tree.world(item.second).R, rotate(tree.world(item.first).R, row.axis));
  return tree.inverse_inertia({item.first, item.second}, item.meet,
                              {row.force, along(row.angular, e, load_vec3<double>(item.p2))});
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
// thirtieth in length). If in all poses each joint moves the row within rounding of what it could, nothing moves
// the row: its scale is then the largest possible value, so that no large force is spent on it. Descriptions
// are rounded too: rows of Cassie's plantar rods move a ten millionth of what others do.
constexpr double least_share_in_a_pose = 1e-3;

RowSize typical(const std::vector<RowSize>& samples) {
  RowSize best{}, mean{};
  for (const RowSize& s : samples) {
    best.square = std::max(best.square, s.square);
    best.reached = std::max(best.reached, s.reached);
    best.free = std::max(best.free, s.free);
    best.moved = best.moved || s.moved;
  }
  if (!best.moved) return {best.reached, best.reached, best.reached, false};
  for (const RowSize& s : samples)
    mean.square += std::log(std::max(s.square, least_share_in_a_pose * best.square));
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
  ArticulatedTree tree(model);
  std::vector<double> q(index(model.nq));
  RowScale out{std::vector<double>(rows.size(), 0.0), 1, std::vector<double>(index(model.nv), 0.0)};
  for (int sample = 0; sample < sample_count; ++sample) {
    if (sample == 0)
      neutral_configuration(model.nodes, q.data());
    else
      sample_configuration(model, static_cast<std::uint64_t>(sample), q.data());
    if (!tree.set_configuration(q.data())) continue;
    for (std::size_t k = 0; k < out.joint_inertia.size(); ++k)
      out.joint_inertia[k] = std::max(out.joint_inertia[k], tree.inertia(k));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].item->node < 0) continue;
      const RowSize size = inverse_inertia_of(rows[r], tree);
      if (std::isfinite(size.square) && std::isfinite(size.reached)) samples[r].push_back(size);
    }
  }
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
