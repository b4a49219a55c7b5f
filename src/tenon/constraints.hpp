// Motion constraints: rows K_i a_i = k_i in a ConstraintSet, which is bound to one Model and immutable. include/tenon.h
// says what each kind holds (tenon_constraints_add_point, _weld, _rows, _closure).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/constraint_data.hpp"
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
  std::vector<double> custom;               // K, row by row; empty for point and weld
  double frequency = 0, damping_ratio = 1;  // stabilisation
  // A closure: `frame` is held against second_frame of second_link. One of the two may be the world, -1.
  bool closure = false;
  int second_link = -1;
  Pose second_frame;

  std::vector<double> weight, compliance;  // per row, or empty for the defaults, 1 and 0
};

// Whether it holds a frame at an anchor.
inline bool has_frame(const ConstraintSpec& spec) {
  return !spec.closure && spec.custom.empty();
}

ConstraintSpec point_constraint(int link, const Vector3& point, RowAxes axes = RowAxes::link);
ConstraintSpec weld_constraint(int link, const Pose& frame, RowAxes axes = RowAxes::link);
ConstraintSpec closure_constraint(int link, const Pose& frame, int second_link, const Pose& second_frame,
                                  std::uint32_t rows = rows_all);

class ConstraintSet {
 public:
  // Throws Error with the index and name of the wrong constraint. After the specs, Model::row_loops are added
  // as closures under their own names.
  static std::shared_ptr<const ConstraintSet> bind(std::shared_ptr<const Model> model,
                                                   std::vector<ConstraintSpec> specs);

  const std::shared_ptr<const Model>& model() const { return model_; }
  const std::vector<ConstraintSpec>& specs() const { return specs_; }
  int constraint_count() const { return static_cast<int>(specs_.size()); }
  int row_count() const { return data_.row_count; }
  // Rows of a constraint are contiguous; constraints are in the order given.
  int first_row(int constraint) const { return first_row_[static_cast<std::size_t>(constraint)]; }
  int row_count(int constraint) const { return first_row(constraint + 1) - first_row(constraint); }

  const ConstraintData& data() const { return data_; }
  // The same constraints on the folded model (Model::Folding); null where there is none or a constrained link
  // is a folded rotor.
  const std::shared_ptr<const ConstraintSet>& folded() const { return folded_; }

 private:
  // The steps of bind.
  void add_items();
  void sort_items();
  void number_rows();
  void bound_moved_rows();
  void publish();
  void fold();

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const ConstraintSet> folded_;
  std::vector<ConstraintSpec> specs_;
  std::vector<ConstraintItem> items_;
  std::vector<std::int32_t> first_row_, user_row_, support_, node_row_first_, subtree_row_end_, inter_body_,
      moved_begin_, moved_end_;
  std::vector<double> custom_, anchors_, frames_, gains_, active_, weight_, compliance_, scale_, root_scale_,
      per_root_scale_, joint_inertia_;
  ConstraintData data_{};
};

}  // namespace tenon
