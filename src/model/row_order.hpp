// Between the user's order of constraint rows and that of sweeps (ConstraintData::user_row), for any scalar. c null: no rows. user
// null: zeros, and not wanted.
#pragma once

#include "data/constraint_data.hpp"

namespace tenon {

template <class T>
void rows_from_user(const ConstraintData* c, const T* user, T* rows) {
  for (int r = 0; c && r < c->row_count; ++r) rows[r] = user ? user[c->user_row[r]] : T(0);
}
template <class T>
void rows_to_user(const ConstraintData* c, const T* rows, T* user) {
  for (int r = 0; c && user && r < c->row_count; ++r) user[c->user_row[r]] = rows[r];
}

}  // namespace tenon
