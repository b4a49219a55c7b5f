// How easily each constraint row accelerates: its diagonal entry of J M^-1 J^T.
#pragma once

#include <vector>

#include "data/constraint_data.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct RowScale {
  // Per row the geometric mean over the neutral and three seeded random configurations. A row that nothing
  // moves gets the mean of the others. Always positive and finite.
  std::vector<double> scale;
  double least_leverage;              // ConstraintData::least_leverage
  std::vector<double> joint_inertia;  // ConstraintData::joint_inertia
};
RowScale row_scale(const Model& model, const ConstraintData& constraints);

}  // namespace tenon
