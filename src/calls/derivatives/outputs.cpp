#include "calls/derivatives/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "scalar/finite.hpp"
#include "state/check.hpp"

namespace tenon {

namespace {

// Calls each(value, place at the user).
template <class Each>
void for_entries(const DerivativeBlock& b, const Each& each) {
  const std::ptrdiff_t ld = b.out.ld, right = b.out.row_major ? 1 : ld, down = b.out.row_major ? ld : 1;
  for (int j = 0; j < b.columns; ++j) {
    const double* from = b.x + std::ptrdiff_t{j} * b.ld;
    double* to = b.out.values + (b.user_column ? b.user_column[j] : j) * right;
    if (down == 1 && !b.user_row)
      for (int i = 0; i < b.rows; ++i) each(from[i], to[i]);
    else
      for (int i = 0; i < b.rows; ++i) each(from[i], to[(b.user_row ? b.user_row[i] : i) * down]);
  }
}

Status check_block(WorkspaceImpl& w, bool accumulate, const DerivativeBlock& b) {
  if (!b.out.values || b.rows == 0 || b.columns == 0) return Status::ok;
  TENON_CHECK(check_result(w, b.x, b.columns == 1 ? b.rows : std::ptrdiff_t{b.columns} * b.ld));
  if (!accumulate) return Status::ok;
  const bool rows = b.out.row_major;
  TENON_CHECK(check_finite_columns(w, b.name, b.out.values, rows ? b.columns : b.rows,
                                   rows ? b.rows : b.columns, b.out.ld));
  bool finite = true;
  for_entries(b, [&](double x, double at) { finite = finite && std::isfinite(x + at); });
  return finite ? Status::ok : fail_result(w);
}

void write_block(bool accumulate, const DerivativeBlock& b) {
  if (!b.out.values) return;
  const bool in_one = !b.out.row_major && (b.columns == 1 || (b.ld == b.rows && b.out.ld == b.rows));
  if (!accumulate && in_one && !b.user_row && !b.user_column)
    std::copy_n(b.x, std::ptrdiff_t{b.rows} * b.columns, b.out.values);
  else if (accumulate)
    for_entries(b, [](double x, double& at) { at += x; });
  else
    for_entries(b, [](double x, double& at) { at = x; });
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
  for (const DerivativeBlock& b : blocks) write_block(accumulate, b);
  for (const SolutionBlock& s : solution)
    if (s.user) std::copy_n(s.x, s.count, s.user);
  return Status::ok;
}

static Status fail_of_loops(WorkspaceImpl& w, const std::string& first, const char* instead) {
  return w.fail(Status::unsupported,
                "there are no such derivatives of a model with kinematic loops, '%s' the first; take %s",
                first.c_str(), instead);
}
Status refuse_row_loops(WorkspaceImpl& w) {
  if (!w.row_loops) return Status::ok;
  return fail_of_loops(w, w.model->row_loops.front().name,
                       "those of constrained dynamics, which have the loops among their rows");
}
Status refuse_loops(WorkspaceImpl& w) {
  if (w.md().cluster_count == 0) return refuse_row_loops(w);
  return fail_of_loops(w, w.model->loops.names.front(), "those of dynamics of a workspace, or differences");
}

Status refuse_embedded_loops(WorkspaceImpl& w, const char* what) {
  if (w.md().cluster_count == 0) return Status::ok;
  return w.fail(Status::unsupported,
                "there are no %s of a model with embedded loops, '%s' the first; close them by rows, or take "
                "differences",
                what, w.model->loops.names.front().c_str());
}

bool cannot_overflow(const WorkspaceImpl& w, const Inputs<double>& in) {
  constexpr std::uint64_t largest_speed = std::uint64_t{1023 + 100} << 52;  // 2^100
  const int nv = w.model->nv;
  return w.moderate && all_moderate(in.q, w.model->nq) && all_below(in.v, nv, largest_speed) &&
         all_moderate(in.qdd, nv) && all_moderate(w.settings->gravity, 3) && !w.settings->friction.room &&
         (!in.wrenches || all_moderate(in.wrenches, std::ptrdiff_t{6} * w.md().node_count));
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
