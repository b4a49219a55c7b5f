#include "solvers/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tenon {

namespace {

// The largest mu, for directions that are slow with a smaller one.
constexpr double raised_mu = 1e9;
// Steps that shrink the residual at least this much need no help; the slow ones are remembered and combined.
constexpr double fast_enough = 1e-3;
// ... while the residual is above this share of the first one. Images of later steps are mostly rounding, and
// what is combined of them goes anywhere; those of early ones are exact and go on helping.
constexpr double large_enough = 1e-5;
// A residual is out of reach when one more step would remove less than this share of it. Below the second
// number, relative to the accelerations, it is rounding; above, rows contradict each other.
constexpr double out_of_reach = 1e-7;
constexpr double rounding = 1e-9;
// A step whose image is smaller than this share of it lies in the null space but for rounding. The share is
// mu times the eigenvalue of the Delassus matrix, its rows scaled to a typical diagonal of one: what is a
// null eigenvalue elsewhere (unreachable.cpp) is one here.
constexpr double barely_moves = 1e-8, null_eigenvalue = 1e-12, most_of_a_step = 1e-3;
// A least-squares step that removes a smaller share of the residual may be rounding.
constexpr double barely_removed = 1e-6;
// What the first step is expected to leave of the residual, times mu.
constexpr double first_contraction = 30;

class Driver {
 public:
  Driver(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
         ProximalScratch& s, SolveReport& report)
      : c_(c),
        method_(method),
        options_(options),
        report_(report),
        m_(c.row_count),
        f_(s.f.data()),
        r_(s.r.data()),
        start_(s.start.data()),
        inv_mu_(s.inv_mu.data()),
        steps_(s.steps.data()),
        images_(s.images.data()),
        best_(s.best.data()) {}

  Status run(double* lambda);

 private:
  bool restart(double mu);
  void remove_null_part(double* x) const;
  bool take_residual();
  void combine();
  void visit(const double* direction);
  bool remember();
  void keep_if_best();
  void return_to_best();
  bool more_iterations() const { return report_.iterations < options_.max_iterations; }
  void settle(double negligible);
  void report_settled();
  Status least_squares(double tolerance, double* lambda);
  void take_multipliers(double* lambda);
  double* step(int slot) { return steps_ + static_cast<std::ptrdiff_t>(slot) * m_; }
  double* image(int slot) { return images_ + static_cast<std::ptrdiff_t>(slot) * m_; }
  double dot(const double* x, const double* y) const;  // in the metric of 1 / mu

  const ConstraintData& c_;
  const ProximalMethod& method_;
  const SolveOptions& options_;
  SolveReport& report_;
  const int m_;
  double *f_, *r_, *start_, *inv_mu_, *steps_, *images_, *best_;
  double best_residual_ = 0;   // primal, at best_
  double smallest_image_ = 0;  // of a step that is worth remembering, as a share of it
  int remembered_ = 0, next_slot_ = 0;
  bool refine_ = false;
  bool least_squares_ = false;           // rows contradict: mu follows the user's weights
  const double* unreachable_ = nullptr;  // by rows, once the method settled it
  bool contradictory_ = false;           // and not negligible
};

// Fixes 1 / mu and evaluates at f: mu proportional to the inverse Delassus diagonal, or for least squares to
// the user's weights.
bool Driver::restart(double mu) {
  double mean = 0;
  if (least_squares_) {
    for (int r = 0; r < m_; ++r) mean += std::log(c_.scale[r] * c_.weight[r]);
    mean = std::exp(mean / m_);
  }
  for (int r = 0; r < m_; ++r) {
    double inv = least_squares_ ? mean / (mu * c_.weight[r]) : c_.scale[r] / mu;
    if (options_.mu > 0) inv = 1 / (least_squares_ ? options_.mu * c_.weight[r] : options_.mu);
    // A row softer than its own penalty needs no multiplier to be exact.
    inv_mu_[r] = c_.compliance[r] >= inv ? 0 : inv;
  }
  report_.mu = options_.mu > 0 ? options_.mu : mu;
  smallest_image_ =
      options_.mu > 0 ? barely_moves : std::clamp(null_eigenvalue * mu, barely_moves, most_of_a_step);
  remembered_ = next_slot_ = 0;
  method_.prepare(method_.self, inv_mu_);
  if (!take_residual()) return false;
  best_residual_ = std::numeric_limits<double>::infinity();
  keep_if_best();
  return true;
}

void Driver::keep_if_best() {
  if (!(report_.primal_residual < best_residual_)) return;
  best_residual_ = report_.primal_residual;
  std::copy_n(f_, m_, best_);
}

// Where rounding is all that is left, the last point need not be the best one.
void Driver::return_to_best() {
  if (report_.primal_residual <= 2 * best_residual_) return;
  std::copy_n(best_, m_, f_);
  take_residual();
}

double Driver::dot(const double* x, const double* y) const {
  double sum = 0;
  for (int r = 0; r < m_; ++r) sum += inv_mu_[r] * x[r] * y[r];
  return sum;
}

bool Driver::take_residual() {
  if (!method_.evaluate(method_.self, f_, refine_, r_)) return false;
  report_.primal_residual = 0;
  for (int r = 0; r < m_; ++r) {
    if (inv_mu_[r] == 0) {
      // Known at once from the accelerations; plays no part in the iteration.
      f_[r] += r_[r];
      r_[r] = 0;
    }
    report_.primal_residual = std::max(report_.primal_residual, std::abs(r_[r]) * inv_mu_[r]);
  }
  return true;
}

// From the visited point (f, r) to the best affine combination of all visited points.
void Driver::combine() {
  for (int j = 0; j < remembered_; ++j) {
    const double share = dot(image(j), r_);
    for (int r = 0; r < m_; ++r) {
      f_[r] += share * step(j)[r];
      r_[r] -= share * image(j)[r];
    }
  }
}

// f := f + direction, evaluated. step and image of the next slot become direction and B direction = r -
// r_new.
void Driver::visit(const double* direction) {
  double* p = step(next_slot_);
  double* Bp = image(next_slot_);
  std::copy_n(direction, m_, p);
  std::copy_n(r_, m_, Bp);
  for (int r = 0; r < m_; ++r) f_[r] += p[r];
  take_residual();
  report_.dual_residual = 0;
  for (int r = 0; r < m_; ++r) {
    Bp[r] -= r_[r];
    report_.dual_residual = std::max(report_.dual_residual, std::abs(Bp[r]) * inv_mu_[r]);
  }
  ++report_.iterations;
}

// Keeps the last step with its image made orthonormal to the others. False: it moves nothing new.
bool Driver::remember() {
  double* p = step(next_slot_);
  double* Bp = image(next_slot_);
  const double size = std::sqrt(dot(p, p));
  for (int j = 0; j < remembered_; ++j) {
    if (j == next_slot_) continue;
    const double share = dot(image(j), Bp);
    for (int r = 0; r < m_; ++r) Bp[r] -= share * image(j)[r], p[r] -= share * step(j)[r];
  }
  const double norm = std::sqrt(dot(Bp, Bp));
  if (!(norm > smallest_image_ * size)) return false;
  for (int r = 0; r < m_; ++r) Bp[r] /= norm, p[r] /= norm;
  next_slot_ = (next_slot_ + 1) % proximal_window;
  remembered_ = std::max(remembered_, next_slot_ == 0 ? proximal_window : next_slot_);
  return true;
}

Status Driver::run(double* lambda) {
  for (int r = 0; r < m_; ++r) f_[r] = start_[r] = options_.warm_start ? lambda[r] : 0;
  double mu = method_.scheduled_mu;
  if (!restart(mu)) return Status::not_positive_definite;
  const double scale = method_.scale(method_.self);
  const double tolerance = options_.absolute_tolerance + options_.relative_tolerance * scale;
  report_.iterations = 1;
  report_.dual_residual = report_.primal_residual;
  double contraction = first_contraction / mu;
  int slow = 0;
  const double first = report_.primal_residual;
  while ((report_.primal_residual > tolerance || !refine_) && more_iterations()) {
    const double before = report_.primal_residual;
    refine_ = refine_ || before * contraction <= tolerance;
    if (options_.accelerate) combine();
    visit(r_);
    keep_if_best();
    if (report_.primal_residual <= tolerance) continue;
    contraction = std::min(1.0, report_.primal_residual / before);
    if (method_.settle && !unreachable_ && contraction > 0.5 && report_.primal_residual > rounding * scale) {
      settle(rounding * scale);
      if (!restart(mu)) return Status::not_positive_definite;
      continue;
    }
    if (options_.accelerate && contraction > fast_enough && before > large_enough * first) remember();
    if (report_.dual_residual < out_of_reach * report_.primal_residual) {
      // One more step would remove nothing: this is rounding, or the rows contradict each other.
      if (report_.primal_residual <= rounding * scale) break;
      return least_squares(tolerance, lambda);
    }
    slow = report_.primal_residual > 0.5 * before ? slow + 1 : 0;
    if (slow >= 2 && report_.primal_residual <= rounding * scale) {
      if (refine_) break;  // nor will it get better
      refine_ = true;
      slow = 0;
    }
    if (slow >= 4 && mu < raised_mu && options_.mu == 0) {
      mu = raised_mu;
      slow = 0;
      if (!restart(mu)) return Status::not_positive_definite;
    }
  }
  return_to_best();
  take_multipliers(lambda);
  const bool converged = report_.primal_residual <= std::max(tolerance, rounding * scale);
  if (unreachable_) report_settled();
  return !converged ? Status::max_iterations : contradictory_ ? Status::infeasible : Status::ok;
}

// Has the method take what is out of reach off the right-hand sides. Multipliers that chased it are
// forgotten.
void Driver::settle(double negligible) {
  unreachable_ = method_.settle(method_.self);
  for (int r = 0; r < m_; ++r) contradictory_ = contradictory_ || std::abs(unreachable_[r]) > negligible;
  if (contradictory_) std::fill_n(f_, m_, 0.0);
}

// The iteration went on without what is out of reach; the rows still miss it.
void Driver::report_settled() {
  report_.dual_residual = report_.primal_residual;
  report_.primal_residual = 0;
  for (int r = 0; r < m_; ++r)
    report_.primal_residual =
        std::max(report_.primal_residual, std::abs(r_[r] * inv_mu_[r] + unreachable_[r]));
}

// The weighted least-squares answer. Now mu is proportional to the weights, so that the part of r that no
// step can remove is the answer's residual and lies in the null space of B: forces that move nothing, added
// anew by every step. mu is smaller here, for their sake. Ends when a step removes nothing more, or only
// rounding.
Status Driver::least_squares(double tolerance, double* lambda) {
  least_squares_ = true;
  refine_ = false;              // until the end: corrections of rounding would show in the images
  std::copy_n(start_, m_, f_);  // what a large mu has added acts little and cancels badly
  double mu = method_.least_squares_mu;
  if (!restart(mu)) return Status::not_positive_definite;
  report_.dual_residual = report_.primal_residual;
  bool done = false, combining = options_.accelerate;
  while (!done && more_iterations()) {
    const double before = report_.dual_residual;
    visit(r_);
    // r enters the multipliers, mu times as large as the residual: three digits more than asked for
    // accelerations.
    done = report_.dual_residual <= 1e-3 * tolerance;
    const double progress = report_.dual_residual / before,
                 share = report_.dual_residual / report_.primal_residual;
    if (!done && progress > 0.5 && share < out_of_reach) {
      // Rounding, or a slow direction that is too small beside the rest to be remembered: a larger mu will
      // tell.
      done = report_.dual_residual < 3 * tolerance || mu >= raised_mu || options_.mu > 0;
      if (done) break;
      mu *= 100;
      remove_null_part(f_);
      if (!restart(mu)) return Status::not_positive_definite;
      report_.dual_residual = report_.primal_residual;
      continue;
    }
    // Images this small are mostly rounding, and one that was remembered does harm. Plain steps get rid of
    // it.
    if (report_.dual_residual <= tolerance || (progress > 0.9 && share < barely_removed)) {
      done = done || (!combining && progress > 0.9);
      combining = false;
    }
    if (done || !combining) continue;
    remember();
    combine();
  }
  remove_null_part(f_);
  refine_ = true;
  take_residual();
  take_multipliers(lambda);
  remove_null_part(lambda);
  return done ? Status::infeasible : Status::max_iterations;
}

// Of the accelerations of the last evaluation: f + r, not the centre f.
void Driver::take_multipliers(double* lambda) {
  for (int r = 0; r < m_; ++r) lambda[r] = f_[r] + r_[r];
  if (method_.multipliers) method_.multipliers(method_.self, lambda);
}

// At a least-squares answer r lies in the null space of B: forces that move nothing, added anew by every
// step. Without them the multipliers stay of the size of the forces that act.
void Driver::remove_null_part(double* x) const {
  const double norm = dot(r_, r_);
  if (!(norm > 0)) return;
  // Of what was added since the start only: a caller's own start may hold much more along r than r is
  // accurate for.
  const double share = (dot(r_, x) - dot(r_, start_)) / norm;
  for (int r = 0; r < m_; ++r) x[r] -= share * r_[r];
}

}  // namespace

ProximalScratch::ProximalScratch(int rows) {
  const std::size_t m = static_cast<std::size_t>(rows);
  for (std::vector<double>* x : {&f, &r, &start, &inv_mu, &best}) x->assign(m, 0.0);
  steps.assign(m * proximal_window, 0.0);
  images.assign(m * proximal_window, 0.0);
}

Status solve_proximal(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
                      ProximalScratch& s, double* lambda, SolveReport& report) {
  return Driver(c, method, options, s, report).run(lambda);
}

}  // namespace tenon
