// Motion constraints of links against the world: rows K_i a_i = k_i, collected in a ConstraintSet that is
// bound to one Model and immutable.
//
// A row's acceleration is what the constraint asks to equal its desired value: for a point the classical
// acceleration of that point, for a weld [angular acceleration; classical acceleration of the frame origin],
// each along the axes of the link or of the world; for a custom row K the product K a with the spatial
// acceleration of the link, in the link frame at its origin. Multipliers are forces on the robot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "tenon/model.hpp"

namespace tenon {

enum class RowAxes : std::int32_t { link = 0, world = 1 };

// Bits of ConstraintSpec::rows: which of the six rows [angular x y z; linear x y z] are held.
inline constexpr std::uint32_t rows_angular = 0x07, rows_linear = 0x38, rows_all = 0x3f;

struct ConstraintSpec {
  std::string name;  // for reports; may be empty
  int link = -1;     // index in Model::links
  Pose frame;        // constrained frame in the link frame; its axes are "the link's axes" of the rows
  std::uint32_t rows = rows_all;  // ignored for custom rows
  RowAxes axes = RowAxes::link;
  // Custom rows: K, row by row, six numbers a row [angular; linear] in the link frame. Empty for point and
  // weld.
  std::vector<double> custom;

  // Stabilisation (Baumgarte): desired acceleration -2 ratio freq (row velocity) - freq^2 (row error), the
  // error against the anchor held by the workspace. Custom rows have no position error. 0 switches it off.
  double frequency = 0;  // rad/s
  double damping_ratio = 1;

  // Per row, or empty for the defaults.
  std::vector<double>
      weight;  // > 0, default 1; where rows contradict, sum of weight * residual^2 is minimised
  std::vector<double> compliance;  // R >= 0, default 0: (J M^-1 J^T + R) lambda = k - J a_free
};

ConstraintSpec point_constraint(int link, const Vector3& point, RowAxes axes = RowAxes::link);
ConstraintSpec weld_constraint(int link, const Pose& frame, RowAxes axes = RowAxes::link);

class ConstraintSet {
 public:
  // Throws Error with the index and name of the constraint that is wrong.
  static std::shared_ptr<const ConstraintSet> bind(std::shared_ptr<const Model> model,
                                                   std::vector<ConstraintSpec> specs);

  const std::shared_ptr<const Model>& model() const { return model_; }
  const std::vector<ConstraintSpec>& specs() const { return specs_; }
  int constraint_count() const { return static_cast<int>(specs_.size()); }
  int row_count() const { return data_.row_count; }
  // Rows of a constraint follow each other, constraints in the order they were given.
  int first_row(int constraint) const { return first_row_[static_cast<std::size_t>(constraint)]; }

  const ConstraintData& data() const { return data_; }

 private:
  // The steps of bind.
  void add_items();
  void sort_items();
  void number_rows();
  void publish();

  std::shared_ptr<const Model> model_;
  std::vector<ConstraintSpec> specs_;
  std::vector<ConstraintItem> items_;
  std::vector<std::int32_t> first_row_, user_row_, support_, node_first_, node_row_first_, subtree_row_end_;
  std::vector<double> custom_, weight_, compliance_, scale_;
  ConstraintData data_{};
};

}  // namespace tenon
