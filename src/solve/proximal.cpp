#include "solve/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "data/rank.hpp"
#include "solve/limits.hpp"

namespace tenon {

namespace {

// The largest mu, for directions that converge slowly at a smaller one, and the largest mu of a caller; both
// relative to 1 / (Delassus diagonal of a row).
constexpr double raised_mu = 1e9, largest_mu = 1e10;
// Steps that shrink the residual at least this much need no help; slow ones are remembered and combined,
constexpr double fast_contraction = 1e-3;
// but only above this share of the first residual. Images of later steps are mostly rounding errors, and
// combinations of them go anywhere; those of early steps are exact and keep helping.
constexpr double exact_images = 1e-5;
// A step that leaves more than this share of the residual is not worth another below the tolerance.
constexpr double useful_contraction = 0.1;
// Refining steps that do not shrink the error of motion to this share will not.
constexpr double refines = 0.1;
// A residual above this, in units of the rows, is no answer: the iteration has diverged.
constexpr double diverged = 1e3;
// The expected residual after the first step, times mu.
constexpr double first_contraction = 30;
// If the caller sets no limit. A slow direction costs one iteration; a solve that needs more has stalled.
constexpr int most_iterations = 30;

}  // namespace

double proximal_term(const SolveOptions& options, const ConstraintData& c, int r, double mu) {
  // Above largest_mu a larger mu only costs digits.
  const double inv =
      options.mu > 0 ? std::max(1 / options.mu, c.scale[r] / largest_mu) : c.scale[r] * (1 / mu);
  return proximal_term_beside(c.compliance[r], inv);
}

namespace {

class Driver {
 public:
  explicit Driver(ProximalMethod& method) : method_(method) {
    x_.absolute = safety_factor * options_.absolute_tolerance;
  }

  Outcome run(double* lambda);

 private:
  bool restart(double mu);
  bool evaluate(Evaluation kind);
  bool smaller_units();
  void combine();
  void visit(const double* direction);
  bool remember();
  void keep_if_best();
  void return_to_best();
  bool more_iterations() const {
    return report_.iterations < (options_.max_iterations > 0 ? options_.max_iterations : most_iterations);
  }
  // The papers' plain steps, or those of a small mu, up to a limit of the caller. A large mu makes forces that cancel.
  bool slow_steps_wanted() const {
    constexpr double small_mu = 1e6;
    return options_.max_iterations > 0 && (options_.mu > 0 ? options_.mu <= small_mu : !options_.accelerate);
  }
  bool one_more_iteration() const { return report_.iterations + 1 == options_.max_iterations; }
  bool motion_holds() const { return motion_.holds(refined_motion); }
  // If the iteration ends above its tolerance.
  Outcome give_up() const {
    const bool limited = options_.max_iterations > 0 && !more_iterations();
    return limited && x_.primal <= diverged ? Status::max_iterations : stalled;
  }
  bool converged() const {
    return x_.primal <= options_.relative_tolerance || report_.primal_residual <= options_.absolute_tolerance;
  }
  bool reached_target() const { return x_.primal <= safety_factor * options_.relative_tolerance; }
  Outcome reach(double* lambda);
  bool approach();
  void take_multipliers(double* lambda);
  double* step(int slot) { return steps_ + static_cast<std::ptrdiff_t>(slot) * m_; }
  double* image(int slot) { return images_ + static_cast<std::ptrdiff_t>(slot) * m_; }
  double dot(const double* x, const double* y) const;  // in the metric of 1 / mu

  ProximalMethod& method_;
  const ConstraintData& c_ = method_.rows;
  const SolveOptions& options_ = method_.p.options;
  SolveReport& report_ = method_.p.w.report;
  const int m_ = c_.row_count;
  ProximalScratch& s_ = method_.p.w.proximal;
  ProximalPoint<double>& x_ = s_.x;
  double *const f_ = x_.f, *const r_ = x_.step, *const inv_mu_ = x_.inv_mu, *const steps_ = s_.steps,
                *const images_ = s_.images, *const best_ = s_.best;
  double dual_ = 0;            // dual residual of the report, in units of the rows
  double best_residual_ = 0;   // primal, at best_
  double smallest_image_ = 0;  // of a step worth remembering, relative to the step
  int remembered_ = 0, next_slot_ = 0;
  bool refine_ = false;
  RefinedMotion motion_;
};

// Sets 1 / mu, proportional to the inverse Delassus diagonal, and evaluates at f.
bool Driver::restart(double mu) {
  for (int r = 0; r < m_; ++r) inv_mu_[r] = proximal_term(options_, c_, r, mu);
  report_.mu = options_.mu > 0 ? options_.mu : mu;
  smallest_image_ =
      options_.mu > 0 ? least_image : std::clamp(squared_rank_tolerance * mu, least_image, most_image);
  remembered_ = next_slot_ = 0;
  motion_ = {};
  if (!evaluate(Evaluation::first)) return false;
  best_residual_ = std::numeric_limits<double>::infinity();
  keep_if_best();
  return true;
}

void Driver::keep_if_best() {
  if (!(x_.primal < best_residual_)) return;
  best_residual_ = x_.primal;
  std::copy_n(f_, m_, best_);
}

// Near rounding errors the last point need not be the best one.
void Driver::return_to_best() {
  if (x_.primal <= 2 * best_residual_) return;
  std::copy_n(best_, m_, f_);
  evaluate(refine_ ? Evaluation::refining : Evaluation::plain);
}

double Driver::dot(const double* x, const double* y) const {
  double sum = 0;
  for (int r = 0; r < m_; ++r) sum += inv_mu_[r] * x[r] * y[r];
  return sum;
}

bool Driver::evaluate(Evaluation kind) {
  if (!method_.evaluate(kind, x_)) return false;
  if (kind == Evaluation::refining) motion_.add(method_.motion_error());
  report_.primal_residual = x_.residual;
  return true;
}

// Moves from the visited point (f, r) to the best affine combination of all visited points.
void Driver::combine() {
  for (int j = 0; j < remembered_; ++j) {
    const double share = dot(image(j), r_);
    for (int r = 0; r < m_; ++r) {
      f_[r] += share * step(j)[r];
      r_[r] -= share * image(j)[r];
    }
  }
}

// f := f + direction, and evaluates. The next slot gets step = direction and image = B direction = r - r_new.
void Driver::visit(const double* direction) {
  double* p = step(next_slot_);
  double* Bp = image(next_slot_);
  std::copy_n(direction, m_, p);
  std::copy_n(r_, m_, Bp);
  for (int r = 0; r < m_; ++r) f_[r] += p[r];
  evaluate(refine_ ? Evaluation::refining : Evaluation::plain);
  report_.dual_residual = 0;
  for (int r = 0; r < m_; ++r) {
    Bp[r] -= r_[r];
    report_.dual_residual = std::max(report_.dual_residual, std::abs(Bp[r] * inv_mu_[r]));
  }
  dual_ = size_of_rows(x_.units, c_, 0, [&](int r) { return Bp[r] * inv_mu_[r]; });
  ++report_.iterations;
}

// Keeps the last step, its image orthonormalised to the others. False: the image is not new.
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

Outcome Driver::run(double* lambda) {
  for (int r = 0; r < m_; ++r) f_[r] = options_.warm_start ? lambda[r] : 0;
  if (!restart(method_.scheduled_mu)) return stalled;
  report_.iterations = 1;
  return reach(lambda);
}

// Whether a result is above its tolerance in the units of its own accelerations alone. A start from forces of another
// state makes rows accelerate at first as they do not in the result, and units from there allow too much.
bool Driver::smaller_units() {
  if (!options_.warm_start || !converged()) return false;
  x_.units = method_.units(x_);
  measure_step(c_, x_);
  return !converged();
}

// Iterates until all rows hold.
Outcome Driver::reach(double* lambda) {
  const double first_force = x_.force;
  report_.dual_residual = report_.primal_residual;
  do {
    if (!approach()) return stalled;
  } while (smaller_units() && more_iterations());
  take_multipliers(lambda);
  if (!converged()) return give_up();
  if (refine_ && !motion_holds()) return stalled;
  return options_.mu == 0 && strained(x_.force, first_force, method_.scheduled_mu) ? stalled : Status::ok;
}

// The steps, until they end below the tolerance, or where no step helps. False: stalled.
bool Driver::approach() {
  double mu = method_.scheduled_mu;
  best_residual_ = std::numeric_limits<double>::infinity();
  keep_if_best();
  double contraction = first_contraction / mu;
  int slow = 0;
  const double first = x_.primal;
  while ((!reached_target() || !refine_ || !motion_holds()) && more_iterations()) {
    const double before = x_.primal;
    refine_ = refine_ || before * contraction <= safety_factor * options_.relative_tolerance ||
              one_more_iteration();
    if (options_.accelerate) combine();
    visit(r_);
    keep_if_best();
    if (refine_ && !motion_holds() && !(motion_.factor() <= refines)) return false;
    if (reached_target()) continue;
    contraction = std::min(1.0, x_.primal / before);
    if (converged() && contraction > useful_contraction) {
      if (refine_ && motion_holds()) break;
      refine_ = true;
      continue;
    }
    // So slow: a direction next to a dependent one, or a contradiction. dense costs less than to find out which.
    if (contraction > 0.5 && x_.primal > residual_rounding && !slow_steps_wanted()) return false;
    if (options_.accelerate && contraction > fast_contraction && before > exact_images * first) remember();
    if (dual_ < out_of_reach * x_.primal) {
      // One more step would remove nothing: these are rounding errors, or the rows contradict each other.
      if (x_.primal > residual_rounding) return false;
      if (refine_ && motion_holds()) break;
      refine_ = true;
      continue;
    }
    slow = x_.primal > 0.5 * before ? slow + 1 : 0;
    if (slow >= 2 && x_.primal <= residual_rounding) {
      if (refine_) break;  // it will not get better
      refine_ = true;
      slow = 0;
    }
    if (slow >= 4 && mu < raised_mu && options_.mu == 0) {
      mu = raised_mu;
      slow = 0;
      if (!restart(mu)) return false;
    }
  }
  return_to_best();
  return true;
}

// Of the accelerations of the last evaluation: f + r, not the centre f.
void Driver::take_multipliers(double* lambda) {
  for (int r = 0; r < m_; ++r) lambda[r] = f_[r] + r_[r];
  method_.multipliers(lambda);
}

}  // namespace

Outcome solve_proximal(ProximalMethod& method) {
  return Driver(method).run(method.p.lambda);
}

}  // namespace tenon
