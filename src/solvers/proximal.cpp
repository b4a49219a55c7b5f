#include "solvers/proximal.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {

namespace {

// mu over the Delassus diagonal of a row. Each step gains log10(mu0) digits in well-posed directions, and the
// sum H + K^T mu K loses as many; measured over all robots and random trees in bench/convergence.
constexpr double scheduled_mu = 1e5;
constexpr double raised_mu = 1e8;
// A residual is out of reach when one more step would remove less than this share of it.
constexpr double out_of_reach = 1e-7;

double largest_abs(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

class Driver {
 public:
  Driver(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
         ProximalScratch& s, SolveReport& report)
      : c_(c), method_(method), options_(options), s_(s), report_(report), m_(c.row_count) {}

  Status run(double* lambda);

 private:
  void set_mu(double mu, bool by_weight);
  bool start();
  void take_residual();
  void combine();
  void move_to_trial();
  double norm_in_metric(const double* x) const;
  double dot_in_metric(const double* x, const double* y) const;

  const ConstraintData& c_;
  const ProximalMethod& method_;
  const SolveOptions& options_;
  ProximalScratch& s_;
  SolveReport& report_;
  const int m_;
  int remembered_ = 0, next_slot_ = 0;
  double scale_ = 0;  // largest acceleration the rows see
};

// s_.inv_mu and mu_row. by_weight: proportional to the user's weights, else to the inverse Delassus diagonal.
void Driver::set_mu(double mu, bool by_weight) {
  double mean = 0;
  for (int r = 0; r < m_; ++r) mean += std::log(c_.scale[r] * c_.weight[r]);
  mean = m_ ? std::exp(mean / m_) : 1;
  for (int r = 0; r < m_; ++r) {
    double inv = options_.mu > 0 ? 1 / options_.mu : c_.scale[r] / mu;
    if (by_weight) inv = mean / (mu * c_.weight[r]);
    if (options_.mu > 0 && by_weight) inv = 1 / (options_.mu * c_.weight[r]);
    // A row softer than its own penalty needs no multiplier to be exact.
    if (c_.compliance[r] >= inv) inv = 0;
    s_.inv_mu[static_cast<std::size_t>(r)] = inv;
    method_.mu_row[r] = 1 / (c_.compliance[r] + inv);
  }
  report_.mu = options_.mu > 0 ? options_.mu : mu;
  remembered_ = next_slot_ = 0;
}

bool Driver::start() {
  for (int r = 0; r < m_; ++r)
    method_.row_force[r] = method_.mu_row[r] * (method_.k[r] + s_.inv_mu[static_cast<std::size_t>(r)] *
                                                                   s_.f[static_cast<std::size_t>(r)]);
  return method_.start(method_.self);
}

double Driver::dot_in_metric(const double* x, const double* y) const {
  double sum = 0;
  for (int r = 0; r < m_; ++r) sum += s_.inv_mu[static_cast<std::size_t>(r)] * x[r] * y[r];
  return sum;
}
double Driver::norm_in_metric(const double* x) const {
  return std::sqrt(dot_in_metric(x, x));
}

// r at the present f; the new multiplier f + r goes to s_.trial; the residual to the report.
void Driver::take_residual() {
  double primal = 0;
  for (int r = 0; r < m_; ++r) {
    const std::size_t i = static_cast<std::size_t>(r);
    const double change = method_.mu_row[r] * (method_.k[r] - method_.Ka[r] - c_.compliance[r] * s_.f[i]);
    s_.trial[i] = s_.f[i] + change;
    s_.r[i] = s_.inv_mu[i] > 0 ? change : 0;
    if (s_.inv_mu[i] == 0) s_.f[i] = s_.trial[i];
    primal = std::max(primal, std::abs(s_.r[i]) * s_.inv_mu[i]);
  }
  report_.primal_residual = primal;
}

// From the visited point (f, r) to the best affine combination of all visited points.
void Driver::combine() {
  for (int j = 0; j < remembered_; ++j) {
    const double* step = s_.steps.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(m_);
    const double* image = s_.images.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(m_);
    const double share = dot_in_metric(image, s_.r.data());
    for (int r = 0; r < m_; ++r) {
      s_.f[static_cast<std::size_t>(r)] += share * step[r];
      s_.r[static_cast<std::size_t>(r)] -= share * image[r];
    }
  }
}

// f := f + r and the sweep that belongs to it; remembers the step and its image B r = r - r_new.
void Driver::move_to_trial() {
  double* step = s_.steps.data() + static_cast<std::size_t>(next_slot_) * static_cast<std::size_t>(m_);
  double* image = s_.images.data() + static_cast<std::size_t>(next_slot_) * static_cast<std::size_t>(m_);
  for (int r = 0; r < m_; ++r) {
    const std::size_t i = static_cast<std::size_t>(r);
    step[r] = image[r] = s_.r[i];
    s_.f[i] += s_.r[i];
    const double force = method_.mu_row[r] * (method_.k[r] + s_.inv_mu[i] * s_.f[i]);
    s_.delta[i] = force - method_.row_force[r];
    method_.row_force[r] = force;
  }
  method_.move(method_.self, s_.delta.data());
  take_residual();
  for (int r = 0; r < m_; ++r) image[r] -= s_.r[static_cast<std::size_t>(r)];
  report_.dual_residual = 0;
  for (int r = 0; r < m_; ++r)
    report_.dual_residual =
        std::max(report_.dual_residual, std::abs(image[r]) * s_.inv_mu[static_cast<std::size_t>(r)]);
  if (!options_.accelerate) return;

  for (int j = 0; j < remembered_; ++j) {
    if (j == next_slot_) continue;
    const double* other_step = s_.steps.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(m_);
    const double* other_image = s_.images.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(m_);
    const double share = dot_in_metric(other_image, image);
    for (int r = 0; r < m_; ++r) image[r] -= share * other_image[r], step[r] -= share * other_step[r];
  }
  const double norm = norm_in_metric(image);
  if (!(norm > 1e-14 * norm_in_metric(step))) return;  // a direction that moves nothing: forget it
  for (int r = 0; r < m_; ++r) image[r] /= norm, step[r] /= norm;
  next_slot_ = (next_slot_ + 1) % proximal_window;
  remembered_ = std::max(remembered_, next_slot_ == 0 ? proximal_window : next_slot_);
}

Status Driver::run(double* lambda) {
  for (int r = 0; r < m_; ++r) s_.f[static_cast<std::size_t>(r)] = options_.warm_start ? lambda[r] : 0;
  double mu = scheduled_mu;
  bool by_weight = false;
  set_mu(mu, by_weight);
  if (!start()) return Status::not_positive_definite;
  scale_ = std::max(largest_abs(method_.k, m_), largest_abs(method_.Ka, m_));
  const double tolerance = options_.absolute_tolerance + options_.relative_tolerance * scale_;

  report_.iterations = 1;
  take_residual();
  report_.dual_residual = report_.primal_residual;
  Status status = Status::ok;
  int stalled = 0;
  while (report_.primal_residual > tolerance) {
    if (report_.iterations >= options_.max_iterations) {
      status = Status::max_iterations;
      break;
    }
    const double before = report_.primal_residual;
    if (options_.accelerate) combine();
    move_to_trial();
    ++report_.iterations;
    if (report_.primal_residual <= tolerance) break;

    // What one more step would remove is nothing: rounding, or rows that contradict.
    if (report_.dual_residual < out_of_reach * report_.primal_residual) {
      if (report_.primal_residual <= 1e3 * tolerance) break;
      if (by_weight) {
        status = Status::infeasible;
        break;
      }
      by_weight = true;
      set_mu(mu, by_weight);
      if (!start()) return Status::not_positive_definite;
      take_residual();
      stalled = 0;
      continue;
    }
    stalled = report_.primal_residual > 0.5 * before ? stalled + 1 : 0;
    if (stalled >= 4 && mu < raised_mu && options_.mu == 0) {
      mu = raised_mu;
      set_mu(mu, by_weight);
      if (!start()) return Status::not_positive_definite;
      take_residual();
      stalled = 0;
    }
  }
  for (int r = 0; r < m_; ++r) lambda[r] = s_.trial[static_cast<std::size_t>(r)];
  return status;
}

}  // namespace

ProximalScratch::ProximalScratch(int rows) {
  const std::size_t m = static_cast<std::size_t>(rows);
  for (std::vector<double>* x : {&f, &trial, &r, &delta, &inv_mu}) x->assign(m, 0.0);
  steps.assign(m * proximal_window, 0.0);
  images.assign(m * proximal_window, 0.0);
}

Status solve_proximal(const ConstraintData& c, const ProximalMethod& method, const SolveOptions& options,
                      ProximalScratch& s, double* lambda, SolveReport& report) {
  return Driver(c, method, options, s, report).run(lambda);
}

}  // namespace tenon
