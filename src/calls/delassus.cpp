// The Delassus matrix, and the functions of its methods (tenon/methods.hpp): checks inputs, chooses the
// method, writes the result in the user's order of rows.
#include "calls/delassus.hpp"

#include <algorithm>
#include <numeric>

#include "solve/prox_ltl.hpp"
#include "spatial/lanes.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"

namespace tenon {
namespace {

Status positive(bool yes) {
  return yes ? Status::ok : Status::not_positive_definite;
}
bool inertias(WorkspaceImpl& w, const double* q) {
  return w.branches && w.branches->takes_inertias() ? w.branches->sweep_inertias(q, w.w())
                                                    : w.kernels->sweep_inertias(w.md(), q, w.w());
}

// WorkspaceData::delassus by a method: from articulated inertias, unless said otherwise below.
template <DelassusMethod method>
Status fill(WorkspaceImpl& w, const double* q) {
  if (!inertias(w, q)) return Status::not_positive_definite;
  delassus_of_inertias<method>(*w.kernels, w.md(), *w.cd(), w.pv->data, *w.delassus, w.w());
  return Status::ok;
}

// Y^T Y with Y = L^-1 J^T and M = L L^T, [OSIMR] I; with loops of J G and G^T M G.
template <>
Status fill<DelassusMethod::dense>(WorkspaceImpl& w, const double* q) {
  const int rows = w.rows(), stride = whole_packs(rows), nv = w.model->nv, ny = w.model->ny;
  const bool loops = w.md().cluster_count > 0;
  double *J = w.dense_delassus.data(), *Y = J + std::ptrdiff_t{rows} * nv,
         *L = loops ? w.loops.H.data() : Y + std::ptrdiff_t{rows} * ny;
  if (loops) {
    TENON_CHECK(factor_projected_mass_matrix(w, q));
  } else {
    tree_mass_matrix(w, q, L, nv);
    if (!factor_positive(L, nv)) return Status::not_positive_definite;
  }
  std::fill_n(w.w().desired, rows, 0.0);
  w.kernels->constraint_state(w.md(), *w.cd(), w.at_rest(q), w.w());
  w.kernels->constraint_jacobian(w.md(), *w.cd(), J, rows, w.w());

  std::fill_n(w.w().delassus, stride * stride, 0.0);
  for (int r = 0; r < rows; ++r) {
    double* y = Y + std::ptrdiff_t{r} * ny;
    double* row = loops ? w.loops.spanning.data() : y;
    for (int k = 0; k < nv; ++k) row[k] = J[std::ptrdiff_t{k} * rows + w.cd()->user_row[r]];
    if (loops) to_independent_force(w, row, y);
    solve_lower(L, ny, y);
    for (int j = 0; j <= r; ++j)
      w.w().delassus[r + j * stride] = std::inner_product(y, y + ny, Y + std::ptrdiff_t{j} * ny, 0.0);
  }
  return Status::ok;
}

template <>
Status fill<DelassusMethod::ltl_osim>(WorkspaceImpl& w, const double* q) {
  if (w.cd()->inter_body_count > 0) {
    std::fill_n(w.w().desired, w.rows(), 0.0);
    return positive(start_prox_ltl({w, {}, w.at_rest(q), nullptr}));
  }
  if (w.independent)
    return positive(w.kernels->independent_ltl_osim(w.md(), *w.cd(), q, w.independent->data, w.w()));
  return positive(w.kernels->ltl_osim(w.md(), *w.cd(), q, w.w()));
}

Status fill_by(const DelassusMethodFacts& facts, WorkspaceImpl& w, const double* q, bool keeps_bodies) {
  if (!keeps_bodies && facts.method == DelassusMethod::pv_osimr && w.branches && w.branches->takes_osimr()) {
    *w.delassus;  // with the memory of limbs
    return positive(w.branches->pv_osimr(q, w.w()));
  }
#define TENON_FUNCTION(constant, name, ...) fill<DelassusMethod::name>,
  constexpr Status (*functions[])(WorkspaceImpl&, const double* q) = {TENON_DELASSUS_METHODS(TENON_FUNCTION)};
#undef TENON_FUNCTION
  return functions[&facts - delassus_method_facts](w, q);
}

// Null for a number that names no method.
const DelassusMethodFacts* facts_of(const WorkspaceImpl& w, DelassusMethod method) {
  return find_facts(method == DelassusMethod::automatic ? delassus_method(w.cd()) : method);
}

}  // namespace

Status sweep_inertias(WorkspaceImpl& w, const double* q) {
  return inertias(w, q) ? Status::ok : fail_mass_matrix(w, q);
}

Status fill_delassus(WorkspaceImpl& w, DelassusMethod method, const double* q, SplitFor split,
                     bool keeps_bodies) {
  const DelassusMethodFacts* facts = facts_of(w, method);
  if (!facts)
    return w.fail(Status::unsupported, "Delassus method %d is none of the methods of this version",
                  static_cast<int>(method));
  TENON_CHECK(check_inter_body_rows(w, delassus_method_facts, facts->method));
  if (w.rows() == 0) return Status::ok;
  w.need(of_joint_space);
  TENON_CHECK(update_loops(w, q, w.zeros.data(), split));
  const Status status = fill_by(*facts, w, q, keeps_bodies);
  return status == Status::not_positive_definite ? fail_mass_matrix(w, q) : status;
}

void symmetric_to_user(const WorkspaceImpl& w, const double* lower, double* out, int ld) {
  if (w.rows() > 0) w.kernels->symmetric_to_user(*w.cd(), w.delassus->in_order, lower, out, ld);
}

static Status delassus_of(WorkspaceImpl& w, DelassusMethod method, const double* q, double* out, int ld) {
  const DelassusMethodFacts* facts = facts_of(w, method);
  if (FoldedWorkspace* f = w.rows() > 0 && facts && facts->crosses_clusters ? folded_for(w, {}) : nullptr) {
    const Status status = delassus_of(f->workspace.impl(), method, f->map_in(w.at_rest(q)).q, out, ld);
    if (status != Status::singular_configuration)
      return status == Status::ok ? status : w.fail(status, "%s", f->workspace.message());
  }
  TENON_CHECK(fill_delassus(w, method, q, SplitFor::any));
  TENON_CHECK(check_lower(w, w.w().delassus));
  symmetric_to_user(w, w.w().delassus, out, ld);
  return Status::ok;
}

Status delassus_matrix(Workspace& workspace, DelassusMethod method, const double* q, double* out, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  return delassus_of(w, method, q, out, ld);
}

}  // namespace tenon
