// The cost model: the time of a method of constrained dynamics is a sum of counts that follow from the tree and the rows
// (CostTerm), each times a constant (choice_constants.hpp) that bench/studies/fit_costs measures.
#pragma once

#include <array>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"

namespace tenon {

// Bodies are counted by joint kind: all of them, and those that carry rows ("supports"). A row is below a
// body or coordinate that moves it.
enum CostTerm {
  cost_call,            // 1
  cost_hinges,          // bodies on a revolute or prismatic joint along a coordinate axis
  cost_obliques,        // the same along another axis
  cost_balls,           // on a joint of two or three coordinates: spherical, planar
  cost_floats,          // on a joint of more
  cost_hinge_supports,  // the same four, of the bodies that carry rows
  cost_oblique_supports,
  cost_ball_supports,
  cost_float_supports,
  cost_rows,           // m
  cost_row_bodies,     // sum over supports of the rows below
  cost_row_passes,     // four rows past a coordinate of pv_early (EarlyWork)
  cost_segments,       // of pv_early with rows
  cost_surplus_rows,   // rows that a segment of pv_early cannot eliminate
  cost_row_pairs,      // sum over supporting coordinates of (rows below)^2: m^2 d
  cost_row_paths,      // sum over supporting coordinates of (rows below) x depth: m d^2
  cost_paths,          // sum over coordinates of their depth: n d
  cost_squared_paths,  // sum over coordinates of depth^2: n d^2
  cost_rows_squared,   // m^2
  cost_rows_cubed,     // m^3
  cost_term_count
};

using CostTerms = std::array<double, cost_term_count>;
CostTerms cost_terms(const ModelData& m, const ConstraintData& c);

}  // namespace tenon
