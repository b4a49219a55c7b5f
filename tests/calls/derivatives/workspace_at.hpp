// What tests of derivatives by parameters and by loads are taken at.
#pragma once

#include <algorithm>
#include <memory>

#include "support/moving.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

// One workspace at a state, in its coordinates.
struct At {
  Workspace& w;
  Inputs<double> in;

  int n() const { return velocity_count(w); }
  int nv() const { return w.model().nv; }
  int m() const { return w.constraints() ? w.constraints()->row_count() : 0; }
  int links() const { return static_cast<int>(w.model().links.size()); }
  int columns() const { return 10 * links(); }
};

// Contacts of a mechanism that leave it freedoms.
inline std::shared_ptr<const ConstraintSet> contacts(const std::shared_ptr<const Model>& model,
                                                     Random& random) {
  ConstraintOptions few;
  few.most_rows = model->ny / 2, few.compliance = 0.2;
  return ConstraintSet::bind(model, random_constraints(random, *model, few));
}

// Rows on a tree, soft ones and twice the same among them.
inline std::shared_ptr<const ConstraintSet> rows_on_tree(MovingTree& t) {
  ConstraintOptions some;
  some.most_rows = std::max(1, t.nv() / 2), some.compliance = 0.3, some.duplicates = 0.6;
  return ConstraintSet::bind(t.robot.model, random_constraints(t.random, *t.robot.model, some));
}

}  // namespace tenon::testing
