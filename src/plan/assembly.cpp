#include "plan/assembly.hpp"

#include <cmath>

#include "kernels/joint/integrate.hpp"
#include "model/loops/loops.hpp"
#include "plan/memory_block.hpp"
#include "scalar/finite.hpp"
#include "spatial/cholesky.hpp"

namespace tenon {

namespace {

constexpr int most_steps = 200;
// rad or m: beyond half a radian a rotation differs from its tangent by more than a tenth.
constexpr double longest_step = 0.5;
// phi is rounding errors below this: coordinates of order one, a few operations each.
constexpr double rounding = 2e-15;
constexpr double closed_gap = 1e-12;  // not worth another try after a refused step

// Damping lambda, relative to the largest diagonal element of K^T K.
constexpr double first_damping = 1e-3;   // far from closed: Marquardt's choice; near, phi^2 if less
constexpr double least_damping = 1e-14;  // about fifty times the rounding of K^T K, which may lack rank
constexpr double less_damping = 0.1, more_damping = 8;  // factors after a good step; after a refused one
constexpr double first_refusal = 1e-10;  // lambda may be zero; below this the step hardly changes
constexpr double most_damping = 1e8;     // steps are 1e-8 of steepest descent: no step helps
// A step that keeps more than this share of phi^2 at a small lambda leads only to rounding errors, or to a
// minimum that is not zero.
constexpr double slow_progress = 0.9999, small_damping = 1e-8;
// Keeps the root of a pivot real where rounding makes the pivot negative. Damped pivots are far larger.
constexpr double least_pivot = 1e-300;

// Solves A x = b with the lower triangle of a positive definite A. Overwrites A; b becomes x.
void solve_positive(double* A, double* b, int n) {
  factor_positive(A, n, least_pivot);
  solve_with_factor(A, n, b);
}

}  // namespace

int evaluate_callbacks(const Model& model, const double* q, const double* v, WorkspaceData<double>& w,
                       double* scratch) {
  const auto evaluate = [&](std::size_t item, int rows, const double* qj, const double* vj, double* phi,
                            double* K, double* Kdot_v) {
    model.loops.callbacks[item].evaluate(qj, vj, phi, K, Kdot_v);
    return all_finite(phi, rows) && all_finite(K, static_cast<int>(Kdot_v - K)) &&
           (!v || all_finite(Kdot_v, rows));
  };
  return evaluate_callbacks(model, q, v, w, scratch, evaluate);
}

Assembly::Assembly(const Model& model, const KernelTable<double>& table)
    : model_(model), kernels_(table), states_(model.loops.clusters.size()) {
  if (states_.empty()) return;
  bends_.assign(index(model.nv), 0);
  for (const LoopConstraintData& loop : model.loops.constraints) {
    if (loop.kind == loop_coupling) continue;
    for (const std::int32_t body : tied_bodies(model, loop))
      std::fill_n(bends_.begin() + model.joints[index(body)].v_index, model.joints[index(body)].nv, char{1});
  }
  knows_G_ = !model.loops.y_index.empty() && model.loops.closed.size() == index(model.nq);
  std::size_t order = 0, widest = 0;
  for (const ClusterData& c : model.loops.clusters) {
    const int least = c.constant_G ? c.y_count : by_rows(c.v_count, c.row_count) ? c.row_count : c.v_count;
    order = std::max(order, index(least));
    widest = std::max(widest, index(std::max(c.v_count, c.row_count)));
  }
  trial_.assign(index(model.nq), 0);
  step_.assign(index(model.nv), 0);
  matrix_.assign(order * order, 0);
  gradient_.assign(widest, 0);
  scratch_.assign(index(model.loops.callback_scratch), 0);
}

double Assembly::evaluate(const double* q, const double* v, WorkspaceData<double>& w) {
  broken_ = evaluate_callbacks(model_, q, v, w, scratch_.data());
  kernels_.loop_constraints(model_.data(), q, v, w);
  double worst = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State& s = states_[i];
    measure(static_cast<int>(i), w, s.squares, s.largest);
    worst = std::max(worst, s.largest);
  }
  return worst;
}

void Assembly::measure(int cluster, const WorkspaceData<double>& w, double& squares, double& largest) const {
  const ClusterData& c = model_.data().clusters[cluster];
  squares = largest = 0;
  for (int r = c.row_begin; r < c.row_begin + c.row_count; ++r) {
    squares += w.loop_phi[r] * w.loop_phi[r];
    largest = std::max(largest, std::abs(w.loop_phi[r]));
  }
  // NaN fails every comparison, so without this phi would look like zero.
  const bool finite = all_finite(w.loop_phi + c.row_begin, c.row_count) &&
                      all_finite(w.loop_K + c.K_begin, c.row_count * c.v_count);
  if (!finite) squares = largest = INFINITY;
}

// Whether (K^T K + lambda 1)^-1 K^T phi of n columns is computed as K^T (K K^T + lambda 1)^-1 phi, cheaper
// with few rows: a ring of a hundred links has five. Small systems keep the first form.
bool Assembly::by_rows(int columns, int rows) {
  return rows < columns && columns > 16;
}

// Closes a cluster with a constant G: keeps the independent coordinates or, where all may move, takes those
// of the nearest closed configuration, (G^T G) y = G^T (q - closed). Joints without couplings do not move.
void Assembly::project_constant(int cluster, Moves moves, double* q) {
  const ModelData& m = model_.data();
  const ClusterData& c = m.clusters[cluster];
  const double* G = m.G_initial + c.G_begin;
  const std::vector<double>& closed = model_.loops.closed;
  const std::ptrdiff_t v_count = c.v_count, n = c.y_count;
  // Position of velocity coordinate v if couplings can constrain its joint, else -1.
  const auto position = [&](std::ptrdiff_t v) {
    const Model::Joint& joint = model_.joints[index(m.v_node[c.v_begin + v])];
    return joint.nv == 1 && joint.nq == 1 ? joint.q_index : -1;
  };
  const auto off = [&](std::ptrdiff_t v) {
    const int at = position(v);
    return at < 0 ? 0.0 : q[at] - closed[index(at)];
  };
  double* y = gradient_.data();
  if (moves == Moves::all) {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      y[j] = 0;
      for (std::ptrdiff_t v = 0; v < v_count; ++v) y[j] += G[j * v_count + v] * off(v);
      for (std::ptrdiff_t i = j; i < n; ++i) {
        double sum = 0;
        for (std::ptrdiff_t v = 0; v < v_count; ++v) sum += G[j * v_count + v] * G[i * v_count + v];
        matrix_[index(j * n + i)] = sum;
      }
    }
    solve_positive(matrix_.data(), y, static_cast<int>(n));
  } else {
    for (std::ptrdiff_t j = 0; j < n; ++j) y[j] = off(m.independent[c.y_begin + j] - c.v_begin);
  }
  for (std::ptrdiff_t v = 0; v < v_count; ++v) {
    const int at = position(v);
    if (at < 0) continue;
    double moved = 0;
    for (std::ptrdiff_t j = 0; j < n; ++j) moved += G[j * v_count + v] * y[j];
    step_[index(c.v_begin + v)] = closed[index(at)] + moved;
  }
  for (std::ptrdiff_t v = 0; v < v_count; ++v) {
    const int at = position(v);
    const bool kept = moves == Moves::dependent && m.y_index[c.v_begin + v] >= 0;
    if (at >= 0 && !kept) q[at] = step_[index(c.v_begin + v)];
  }
}

// Writes the next trial configuration of a cluster from phi and K at q; false where no step is possible.
bool Assembly::take_step(int cluster, Moves moves, const double* q, const WorkspaceData<double>& w) {
  const ModelData& m = model_.data();
  const ClusterData& c = m.clusters[cluster];
  const int n = moves == Moves::all ? c.v_count : c.d_count, rows = c.row_count;
  const auto coordinate = [&](int j) {
    return moves == Moves::all ? c.v_begin + j : m.dependent[c.d_begin + j];
  };
  const auto column = [&](int j) { return w.loop_K + c.K_begin + (coordinate(j) - c.v_begin) * rows; };
  const double* phi = w.loop_phi + c.row_begin;
  double most = 0;
  for (int j = 0; j < n; ++j) {
    double square = 0;
    for (int r = 0; r < rows; ++r) square += column(j)[r] * column(j)[r];
    most = std::max(most, square);
  }
  if (!(most > 0)) return false;
  const State& s = states_[index(cluster)];
  const double lambda = most * std::max(s.lambda, least_damping);
  std::fill_n(step_.begin() + c.v_begin, c.v_count, 0.0);
  const auto step = [&](int j) -> double& { return step_[index(coordinate(j))]; };
  if (by_rows(n, rows)) {
    std::fill_n(matrix_.begin(), static_cast<std::ptrdiff_t>(rows) * rows, 0.0);
    for (int j = 0; j < n; ++j)
      for (int r = 0; r < rows; ++r) {
        const double x = column(j)[r];
        for (int i = r; x != 0 && i < rows; ++i) matrix_[index(r * rows + i)] += x * column(j)[i];
      }
    for (int r = 0; r < rows; ++r) {
      matrix_[index(r * rows + r)] += lambda;
      gradient_[index(r)] = -phi[r];
    }
    solve_positive(matrix_.data(), gradient_.data(), rows);
    for (int j = 0; j < n; ++j)
      for (int r = 0; r < rows; ++r) step(j) += column(j)[r] * gradient_[index(r)];
  } else {
    for (int j = 0; j < n; ++j) {
      gradient_[index(j)] = 0;
      for (int r = 0; r < rows; ++r) gradient_[index(j)] -= column(j)[r] * phi[r];
      for (int i = j; i < n; ++i) {
        double sum = 0;
        for (int r = 0; r < rows; ++r) sum += column(i)[r] * column(j)[r];
        matrix_[index(j * n + i)] = sum;
      }
      matrix_[index(j * n + j)] += lambda;
    }
    solve_positive(matrix_.data(), gradient_.data(), n);
    for (int j = 0; j < n; ++j) step(j) = gradient_[index(j)];
  }
  double longest = 0;
  for (int j = 0; j < n; ++j)
    if (bends_[index(coordinate(j))]) longest = std::max(longest, std::abs(step(j)));
  const double shorten = longest > longest_step ? longest_step / longest : 1;
  for (int j = 0; j < n; ++j) step(j) *= shorten;
  integrate_cluster(cluster, q);
  return true;
}

void Assembly::integrate_cluster(int cluster, const double* q) {
  const ClusterData& c = model_.data().clusters[cluster];
  std::copy_n(q + c.q_begin, c.q_count, trial_.begin() + c.q_begin);
  for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i) {
    const NodeData& n = model_.data().nodes[i];
    integrate_joint(n.kind, step_.data() + n.v_index, 1.0, trial_.data() + n.q_index);
  }
}

double Assembly::close(double* q, Moves moves, WorkspaceData<double>& w) {
  evaluate(q, nullptr, w);
  if (states_.empty()) return 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State& s = states_[i];
    s.lambda = std::min(first_damping, s.squares), s.moving = s.largest > rounding;
    if (!model_.data().clusters[i].constant_G) continue;
    if (s.moving && knows_G_) project_constant(static_cast<int>(i), moves, q);
    s.moving = false;
  }
  std::copy_n(q, model_.nq, trial_.begin());
  for (int round = 0; round < most_steps; ++round) {
    bool moving = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& s = states_[i];
      s.moving = s.moving && take_step(static_cast<int>(i), moves, q, w);
      moving = moving || s.moving;
    }
    if (!moving) break;
    evaluate_callbacks(model_, trial_.data(), nullptr, w, scratch_.data());
    kernels_.loop_constraints(model_.data(), trial_.data(), nullptr, w);
    bool refused = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& s = states_[i];
      if (!s.moving) continue;
      const ClusterData& c = model_.data().clusters[i];
      double squares, largest;
      measure(static_cast<int>(i), w, squares, largest);
      if (squares < s.squares) {
        s.moving = largest > rounding && (squares < slow_progress * s.squares || s.lambda > small_damping);
        s.squares = squares, s.largest = largest;
        s.lambda = std::min(less_damping * s.lambda, squares);
        std::copy_n(trial_.begin() + c.q_begin, c.q_count, q + c.q_begin);
      } else {
        refused = true;
        s.lambda = more_damping * std::max(s.lambda, first_refusal);
        s.moving = s.lambda < most_damping && s.largest > closed_gap;
        std::copy_n(q + c.q_begin, c.q_count, trial_.begin() + c.q_begin);
      }
    }
    // The next steps need phi and K at q, not at a refused trial.
    if (refused) evaluate(q, nullptr, w);
  }
  return evaluate(q, nullptr, w);
}

std::size_t Assembly::bytes() const {
  return bytes_of(states_, trial_, step_, matrix_, gradient_, scratch_, bends_);
}

}  // namespace tenon
