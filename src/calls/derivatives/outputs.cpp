#include "calls/derivatives/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "scalar/finite.hpp"
#include "state/check.hpp"

namespace tenon {

namespace {

// A matrix as lines of numbers that lie side by side, its columns or its rows, and the same lines at the user.
struct Lines {
  explicit Lines(const DerivativeBlock& b)
      : by_rows(b.order == MatrixOrder::rows),
        count(by_rows ? b.rows : b.columns),
        length(by_rows ? b.columns : b.rows),
        transposed(by_rows != b.out.row_major),
        user_line(by_rows ? b.user_row : b.user_column),
        user_place(by_rows ? b.user_column : b.user_row) {}

  bool by_rows;
  int count, length;
  bool transposed;
  const std::int32_t *user_line, *user_place;
};

// Calls each(value, place at the user).
template <class Each>
void for_entries(const DerivativeBlock& b, const Each& each) {
  const Lines x(b);
  const std::ptrdiff_t ld = b.out.ld, next_line = x.transposed ? 1 : ld, next = x.transposed ? ld : 1;
  for (int j = 0; j < x.count; ++j) {
    const double* from = b.x + std::ptrdiff_t{j} * b.ld;
    double* to = b.out.values + (x.user_line ? x.user_line[j] : j) * next_line;
    for (int i = 0; i < x.length; ++i) each(from[i], to[(x.user_place ? x.user_place[i] : i) * next]);
  }
}

Status check_block(WorkspaceImpl& w, bool accumulate, const DerivativeBlock& b) {
  if (!b.out.values || b.rows == 0 || b.columns == 0) return Status::ok;
  if (b.is_finite && !accumulate) return Status::ok;
  const Lines x(b);
  const bool has_gaps = b.ld != x.length;
  if (!w.kernels->finite_matrix(b.x, has_gaps ? x.count : 1, has_gaps ? x.length : x.count * x.length, b.ld))
    return fail_result(w);
  if (!accumulate) return Status::ok;
  const bool rows = b.out.row_major;
  TENON_CHECK(check_finite_columns(w, b.name, b.out.values, rows ? b.columns : b.rows,
                                   rows ? b.rows : b.columns, b.out.ld));
  bool finite = true;
  for_entries(b, [&](double value, double at) { finite = finite && std::isfinite(value + at); });
  return finite ? Status::ok : fail_result(w);
}

void write_block(const WorkspaceImpl& w, bool accumulate, const DerivativeBlock& b) {
  if (!b.out.values) return;
  const Lines x(b);
  if (accumulate)
    for_entries(b, [](double value, double& at) { at += value; });
  else if (b.user_row || b.user_column)
    for_entries(b, [](double value, double& at) { at = value; });
  else if (!x.transposed && b.ld == x.length && b.out.ld == x.length)
    w.kernels->copy_matrix(b.x, 1, x.count * x.length, b.ld, false, b.out.values, b.out.ld);
  else
    w.kernels->copy_matrix(b.x, x.count, x.length, b.ld, x.transposed, b.out.values, b.out.ld);
}

}  // namespace

Status check_derivatives(WorkspaceImpl& w, bool accumulate, std::initializer_list<DerivativeBlock> blocks) {
  for (const DerivativeBlock& b : blocks) TENON_CHECK(check_block(w, accumulate, b));
  return Status::ok;
}

Status give_derivatives(WorkspaceImpl& w, bool accumulate, std::initializer_list<SolutionBlock> solution,
                        std::initializer_list<DerivativeBlock> blocks) {
  for (const SolutionBlock& s : solution)
    if (s.user) TENON_CHECK(check_result(w, s.x, s.count));
  TENON_CHECK(check_derivatives(w, accumulate, blocks));
  for (const DerivativeBlock& b : blocks) write_block(w, accumulate, b);
  for (const SolutionBlock& s : solution)
    if (s.user) std::copy_n(s.x, s.count, s.user);
  return Status::ok;
}

Status refuse_row_loops(WorkspaceImpl& w) {
  if (!w.row_loops) return Status::ok;
  return w.fail(
      Status::unsupported,
      "there are no such derivatives of a model with loops closed by rows, '%s' the first; take those "
      "of constrained dynamics, which have the loops among their rows",
      w.model->row_loops.front().name.c_str());
}

bool cannot_overflow(const WorkspaceImpl& w, const Inputs<double>& in) {
  const int nv = w.model->nv;
  return w.moderate && all_moderate(in.q, w.model->nq) && all_below(in.v, nv, largest_speed) &&
         (!in.qdd || all_moderate(in.qdd, nv)) && all_moderate(w.settings->gravity, 3) &&
         !w.settings->friction.room &&
         (!in.wrenches || all_moderate(in.wrenches, std::ptrdiff_t{6} * w.md().node_count));
}

bool have_one_layout(const Derivatives& out, DerivativeOut& layout) {
  for (const DerivativeOut* x : {&out.by_q, &out.by_v, &out.by_third}) {
    if (!x->values) continue;
    if (!layout.values) layout = *x;
    if (x->row_major != layout.row_major || x->ld != layout.ld) return false;
  }
  return layout.values != nullptr;
}

StarMatrices star_matrices(const WorkspaceImpl& w, double* by_q, double* by_v, double* by_x, int ld,
                           MatrixOrder order) {
  const Settings::JointFriction& friction = w.settings->friction;
  return {by_q,          by_v,
          by_x,          ld,
          order,         friction.room ? friction.damping : nullptr,
          w.tables.runs, w.tables.run_count,
          w.model->nv};
}

void add_damping(const WorkspaceImpl& w, double* by_v, int ld) {
  const Settings::JointFriction& f = w.settings->friction;
  for (int k = 0; by_v && f.room && k < w.model->nv; ++k) by_v[std::ptrdiff_t{k} * ld + k] += f.damping[k];
}
void add_damped(const WorkspaceImpl& w, const double* y, double* x) {
  const Settings::JointFriction& f = w.settings->friction;
  for (int k = 0; y && f.room && k < w.model->nv; ++k) x[k] += f.damping[k] * y[k];
}

}  // namespace tenon
