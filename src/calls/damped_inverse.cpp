// The damped inverse (Lambda^-1 + E)^-1 of the Delassus matrix, and the functions of its methods
// (tenon/methods.hpp): checks inputs, chooses the method, writes the result in the user's order of rows.
#include "plan/memory/row_memory.hpp"

#include <algorithm>
#include <cmath>

#include "calls/delassus.hpp"
#include "data/rank.hpp"
#include "kernels/delassus/symmetric_to_user.hpp"
#include "model/row_order.hpp"
#include "spatial/lanes.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/projection.hpp"

namespace tenon {

namespace {

Status give_upper(WorkspaceImpl& w, const double* upper, int stride, double* out, int ld) {
  TENON_CHECK(check_upper(w, upper, w.rows(), stride));
  upper_to_user(*w.cd(), upper, stride, out, ld);
  return Status::ok;
}

// ---- methods that factor the matrix

// positive: of all pivots of the Delassus matrix plus E.
Status check_pivots(WorkspaceImpl& w, bool positive) {
  if (positive) return Status::ok;
  TENON_CHECK(check_lower(w, w.w().delassus));
  return w.fail(Status::not_positive_definite,
                "the Delassus matrix plus 1 / mu is not positive definite to rounding; give a smaller mu");
}

// Forms the matrix by a method for it and factors its sum with E.
template <DelassusMethod method>
Status factor_matrix(WorkspaceImpl& w, const double* q) {
  TENON_CHECK(fill_delassus(w, method, q, SplitFor::any));
  DampedInverseMemory& d = *w.damped;
  return check_pivots(
      w, w.kernels->factor_dense(w.w().delassus, d.damping.data(), w.rows(), whole_packs(w.rows()),
                                 d.factor.data(), d.inv_d.data(), d.scratch.data()) > 0);
}

void solve_factor(WorkspaceImpl& w) {
  DampedInverseMemory& d = *w.damped;
  std::copy(d.b.begin(), d.b.end(), d.x.begin());
  w.kernels->solve_dense(d.factor.data(), d.inv_d.data(), whole_packs(w.rows()), d.x.data());
}

Status invert_formed(WorkspaceImpl& w) {
  DampedInverseMemory& d = *w.damped;
  return check_pivots(w, w.kernels->invert_dense(w.w().delassus, d.damping.data(), w.rows(),
                                                 whole_packs(w.rows()), d.inverse.data(), d.scratch.data()));
}

template <DelassusMethod method>
Status invert_matrix(WorkspaceImpl& w, const double* q) {
  TENON_CHECK(fill_delassus(w, method, q, SplitFor::any));
  return invert_formed(w);
}

Status give_inverse(WorkspaceImpl& w, double* out, int ld) {
  TENON_CHECK(check_lower(w, w.damped->inverse.data()));
  symmetric_to_user(w, w.damped->inverse.data(), out, ld);
  return Status::ok;
}

void multiply_inverse(WorkspaceImpl& w) {
  DampedInverseMemory& d = *w.damped;
  w.kernels->multiply_symmetric(d.inverse.data(), whole_packs(w.rows()), d.b.data(), d.x.data());
}

// ---- pv_osimf: a factor for each branch of the base

template <bool form>
Status factor_branches(WorkspaceImpl& w, const double* q) {
  DampedInverseMemory& d = *w.damped;
  TENON_CHECK(update_loops(w, q, w.zeros.data(), SplitFor::any));
  TENON_CHECK(sweep_inertias(w, q));
  w.kernels->pv_osimf_factor(w.md(), *w.cd(), d.damping.data(), form, w.pv->data, d.osimf.data, w.w());
  return Status::ok;
}

void apply_branches(WorkspaceImpl& w) {
  DampedInverseMemory& d = *w.damped;
  w.kernels->pv_osimf_apply(d.b.data(), d.damping.data(), d.x.data(), d.osimf.data);
}

Status form_from_branches(WorkspaceImpl& w, double* out, int ld) {
  CabaOsimData<double>& matrix = w.damped->caba.data;
  w.kernels->pv_osimf_form(w.damped->damping.data(), matrix.matrix, w.damped->osimf.data);
  return give_upper(w, matrix.matrix, matrix.stride, out, ld);
}

// ---- caba_osim, caba_osimf: no matrix is factored

// Whether the rows of some link stand for an inertia far above the typical inertia that they feel, so that
// the joints of its segment do not move all of them. Only links whose rows meet others further inward or in
// their own subtree count.
bool rows_add_much_inertia(const WorkspaceImpl& w) {
  const CabaOsimData<double>& d = w.damped->caba.data;
  for (int l = 0; l < d.link_count; ++l) {
    const OsimLink& link = d.links[l];
    if (link.parent < 0 && !link.inner) continue;
    for (int r = link.row_begin; r < link.row_end; ++r) {
      const double inertia = d.own[link.own_begin + (link.width + 1) * (r - link.row_begin)];
      if (inertia * w.cd()->scale[r] > much_inertia && inertia * d.damping[r] > unmoved_share) return true;
    }
  }
  return false;
}

// Whether the rest of the robot does not move such rows either: they are redundant. Reads the formed matrix.
bool rows_are_redundant(const CabaOsimData<double>& d) {
  for (int r = d.world_rows; r < d.row_count; ++r)
    if (d.matrix[r * (d.stride + 1)] * d.damping[r] > unmoved_share) return true;
  return false;
}

// Where rows are redundant, the inertias that they pass on lose digits in proportion to their square. Such
// configurations, and rows that meet inside a cluster (they would pass on an inertia between two of its
// bodies), are solved by pv_osimr, which loses digits in proportion to the first power only.
Status factor_caba(WorkspaceImpl& w, const double* q) {
  w.need(of_joint_space);  // for pv_osimr: later calls must not allocate, whatever the rows
  *w.delassus;
  w.damped->dependent = w.damped->caba.data.rows_meet_in_cluster;
  if (w.damped->dependent) return factor_matrix<DelassusMethod::pv_osimr>(w, q);
  TENON_CHECK(update_loops(w, q, w.zeros.data(), SplitFor::any));
  CabaOsimData<double>& d = w.damped->caba.data;
  std::copy_n(w.damped->damping.data(), w.rows(), d.damping);
  if (!w.kernels->caba_osim_factor(w.md(), *w.cd(), q, d, w.w())) return fail_mass_matrix(w, q);
  w.damped->formed = rows_add_much_inertia(w);
  if (w.damped->formed) w.kernels->caba_osim_form(d);
  w.damped->dependent = w.damped->formed && rows_are_redundant(d);
  return w.damped->dependent ? factor_matrix<DelassusMethod::pv_osimr>(w, q) : Status::ok;
}

void apply_caba(WorkspaceImpl& w) {
  if (w.damped->dependent) return solve_factor(w);
  w.kernels->caba_osimf_apply(w.damped->b.data(), w.damped->x.data(), w.damped->caba.data);
}

Status form_caba(WorkspaceImpl& w, double* out, int ld) {
  if (w.damped->dependent) {
    TENON_CHECK(invert_formed(w));
    return give_inverse(w, out, ld);
  }
  CabaOsimData<double>& d = w.damped->caba.data;
  if (!w.damped->formed) w.kernels->caba_osim_form(d);
  return give_upper(w, d.matrix, d.stride, out, ld);
}

// caba_osim keeps the inverse for apply, caba_osimf only its factors.
Status factor_and_form_caba(WorkspaceImpl& w, const double* q) {
  TENON_CHECK(factor_caba(w, q));
  if (w.damped->dependent) return invert_formed(w);
  CabaOsimData<double>& d = w.damped->caba.data;
  if (!w.damped->formed) w.kernels->caba_osim_form(d);
  const int stride = whole_packs(w.rows());
  for (int j = 0; j < w.rows(); ++j)
    for (int i = 0; i <= j; ++i)
      w.damped->inverse[index(i * stride + j)] = w.damped->inverse[index(j * stride + i)] =
          d.matrix[j * d.stride + i];
  return Status::ok;
}

// ---- the table

struct MethodEntry : DampedInverseFacts {
  Status (*factor)(WorkspaceImpl&, const double* q);   // E is in w.damped.damping
  void (*apply)(WorkspaceImpl&);                       // w.damped->b to w.damped->x, in the kernels' order
  Status (*prepare)(WorkspaceImpl&, const double* q);  // before form, which may need less than apply
  Status (*form)(WorkspaceImpl&, double* out, int ld);
};

// Methods factor the matrix, unless said otherwise below.
template <DampedInverseMethod method>
constexpr MethodEntry entry_of = {*find_facts(method), factor_matrix<find_facts(method)->matrix>,
                                  solve_factor, invert_matrix<find_facts(method)->matrix>, give_inverse};
template <>
constexpr MethodEntry entry_of<DampedInverseMethod::ltl_inverse> = {
    *find_facts(DampedInverseMethod::ltl_inverse), invert_matrix<DelassusMethod::ltl_osim>, multiply_inverse,
    invert_matrix<DelassusMethod::ltl_osim>, give_inverse};
template <>
constexpr MethodEntry entry_of<DampedInverseMethod::pv_osimf> = {*find_facts(DampedInverseMethod::pv_osimf),
                                                                 factor_branches<false>, apply_branches,
                                                                 factor_branches<true>, form_from_branches};
template <>
constexpr MethodEntry entry_of<DampedInverseMethod::caba_osim> = {*find_facts(DampedInverseMethod::caba_osim),
                                                                  factor_and_form_caba, multiply_inverse,
                                                                  factor_caba, form_caba};
template <>
constexpr MethodEntry entry_of<DampedInverseMethod::caba_osimf> = {
    *find_facts(DampedInverseMethod::caba_osimf), factor_caba, apply_caba, factor_caba, form_caba};

#define TENON_ENTRY(constant, name, ...) entry_of<DampedInverseMethod::name>,
constexpr MethodEntry methods[] = {TENON_DAMPED_INVERSE_METHODS(TENON_ENTRY)};
#undef TENON_ENTRY

// Null for a number that names no method.
const MethodEntry* find(const WorkspaceImpl& w, DampedInverseMethod method) {
  return find_row(methods, method == DampedInverseMethod::automatic ? w.damped->automatic : method);
}

Status check_damping(WorkspaceImpl& w, const Damping& damping) {
  const auto fault = [](double mu) {
    return !std::isfinite(mu)       ? Status::not_finite
           : mu >= 0 && mu <= 1e300 ? Status::ok
                                    : Status::invalid_argument;
  };
  if (const Status status = fault(damping.mu); status != Status::ok)
    return w.fail(status, "mu is %g; give a finite number above zero, or 0 for one scaled to the robot",
                  damping.mu);
  for (int r = 0; damping.mu_of_row && r < w.rows(); ++r)
    if (const Status status = fault(damping.mu_of_row[r]); status != Status::ok)
      return w.fail(status,
                    "mu of row %d is %g; give finite numbers above zero, or 0 for one scaled to the robot", r,
                    damping.mu_of_row[r]);
  return Status::ok;
}

// The caller's mu of row r (in the kernels' order); 0: the default, scaled to the robot.
double mu_of(const WorkspaceImpl& w, const Damping& damping, int r) {
  return damping.mu_of_row ? damping.mu_of_row[w.cd()->user_row[r]] : damping.mu;
}

// Whether rows, taken as inertias, are so large that the bodies' own inertias lose all digits.
bool outweighs_inertias(const WorkspaceImpl& w) {
  const ConstraintData& c = *w.cd();
  for (int r = 0; r < w.rows(); ++r)
    if (w.damped->damping[index(r)] * most_inertia < c.scale[r]) return true;
  return false;
}

// Damping of the whole model, in the user's order, so that the folded form uses the same 1 / mu.
Damping damping_for_folded(WorkspaceImpl& w, const Damping& damping) {
  const ConstraintData& c = *w.cd();
  for (int r = 0; r < w.rows(); ++r) {
    const double mu = mu_of(w, damping, r);
    w.row_scratch[index(c.user_row[r])] = mu > 0 ? mu : default_relative_mu / c.scale[r];
  }
  return {0, w.row_scratch.data()};
}

// Checks mu and finds the table entry.
Status open(WorkspaceImpl& w, DampedInverseMethod method, const Damping& damping, const MethodEntry*& entry) {
  TENON_CHECK(check_damping(w, damping));
  entry = find(w, method);
  if (!entry)
    return w.fail(Status::unsupported, "damped inverse method %d is none of the methods of this version",
                  static_cast<int>(method));
  TENON_CHECK(check_inter_body_rows(w, damped_inverse_facts, entry->method));
  w.damped->factored = DampedInverseMethod::automatic;
  if (w.rows() == 0) return Status::ok;
  damping_of_rows(w, damping, w.damped->damping.data());
  if (entry->rows_are_inertias && outweighs_inertias(w)) entry = find(w, DampedInverseMethod::pv_osimr);
  return Status::ok;
}

// q is already checked. out null: only the factor, which is kept for apply_damped_delassus_inverse.
Status invert(WorkspaceImpl& w, DampedInverseMethod method, const double* q, const Damping& damping,
              double* out, int ld) {
  const MethodEntry* entry = nullptr;
  TENON_CHECK(open(w, method, damping, entry));
  w.damped->on_folded = false;
  if (w.rows() > 0) {
    Status status = Status::singular_configuration;
    if (FoldedWorkspace* f = entry->crosses_clusters() ? folded_for(w, {}) : nullptr) {
      WorkspaceImpl& inner = f->workspace.impl();
      status =
          invert(inner, entry->method, f->map_in(w.at_rest(q)).q, damping_for_folded(w, damping), out, ld);
      w.damped->on_folded = status == Status::ok;
      if (status != Status::ok) w.fail(status, "%s", inner.message);
    }
    // At a dead centre only the model that is not folded can sweep with other coordinates.
    if (status == Status::singular_configuration) {
      TENON_CHECK(out ? entry->prepare(w, q) : entry->factor(w, q));
      status = out ? entry->form(w, out, ld) : Status::ok;
    }
    TENON_CHECK(status);
  }
  if (!out) w.damped->factored = entry->method;
  return Status::ok;
}

}  // namespace

void proximal_damping(const WorkspaceImpl& w, const Damping& damping, double* out) {
  const ConstraintData& c = *w.cd();
  const double inv_mu = damping.mu > 0 ? 1 / damping.mu : 0,
               share = damping.mu > 0 ? 0 : 1 / default_relative_mu;
  for (int r = 0; r < w.rows(); ++r) {
    const double mu = damping.mu_of_row ? mu_of(w, damping, r) : 0;
    out[r] = !damping.mu_of_row ? inv_mu + share * c.scale[r]
             : mu > 0           ? 1 / mu
                                : c.scale[r] / default_relative_mu;
  }
}

void damping_of_rows(const WorkspaceImpl& w, const Damping& damping, double* out) {
  proximal_damping(w, damping, out);
  for (int r = 0; r < w.rows(); ++r) out[r] = w.cd()->compliance[r] + out[r];
}

Status damped_delassus_inverse(Workspace& workspace, DampedInverseMethod method, const double* q,
                               const Damping& damping, double* out, int ld) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  return invert(w, method, q, damping, out, ld);
}

Status factor_damped_delassus(Workspace& workspace, DampedInverseMethod method, const double* q,
                              const Damping& damping) {
  WorkspaceImpl& w = begin(workspace);
  TENON_CHECK(map_in_positions(w, q));
  return invert(w, method, q, damping, nullptr, 0);
}

Status apply_damped_delassus_inverse(Workspace& workspace, const double* B, int ldb, int count, double* X,
                                     int ldx) {
  WorkspaceImpl& w = begin(workspace);
  if (w.damped->factored == DampedInverseMethod::automatic)
    return w.fail(Status::invalid_argument,
                  "nothing is factored; call factor_damped_delassus first and mind its status");
  const int rows = w.rows();
  TENON_CHECK(check_finite_columns(w, "B", B, rows, count, ldb));
  const MethodEntry* entry = find(w, w.damped->factored);
  if (w.damped->on_folded) {
    const Status status = apply_damped_delassus_inverse(w.folded->workspace, B, ldb, count, X, ldx);
    return status == Status::ok ? status : w.fail(status, "%s", w.folded->workspace.message());
  }
  return give_columns(w, rows, count, X, ldx, [&](int first, int columns, double* to) {
    for (int j = 0; j < columns; ++j, to += rows) {
      const double* from = B + std::ptrdiff_t{first + j} * ldb;
      rows_from_user(w.cd(), from, w.damped->b.data());
      entry->apply(w);
      rows_to_user(w.cd(), w.damped->x.data(), to);
    }
  });
}

}  // namespace tenon
