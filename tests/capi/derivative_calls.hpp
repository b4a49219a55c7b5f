// All functions of derivatives on one workspace, with all of their outputs one behind the other.
#pragma once

#include <algorithm>

#include "support.hpp"

namespace tenon_test {

struct DerivativeInputs {
  tenon_workspace* w;
  const std::vector<double>&q, &v, &a, &tau, &wrenches, &desired;
  std::size_t spanning;  // velocities
  std::size_t ratios;
};

// one(name, how many numbers are written, the call, which is given where).
template <class One>
void each_derivative(const DerivativeInputs& in, const One& one) {
  tenon_workspace* const w = in.w;
  const std::vector<double>&q = in.q, &v = in.v, &a = in.a, &tau = in.tau, &wrenches = in.wrenches,
        &desired = in.desired;
  const std::size_t nq = q.size(), n = v.size(), m = desired.size();
  const int32_t ld = static_cast<int32_t>(n), ldm = std::max<int32_t>(1, static_cast<int32_t>(m));
  one("inverse_dynamics_derivatives", n + 3 * n * n, [&](double* x) {
    double* A = x + n;
    return tenon_inverse_dynamics_derivatives(w, nullptr, q.data(), nq, v.data(), n, a.data(), n,
                                              wrenches.data(), wrenches.size(), x, n, A, n * n, ld, A + n * n,
                                              n * n, ld, A + 2 * n * n, n * n, ld);
  });
  one("forward_dynamics_derivatives", n + 3 * n * n, [&](double* x) {
    double* A = x + n;
    return tenon_forward_dynamics_derivatives(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                              wrenches.data(), wrenches.size(), x, n, A, n * n, ld, A + n * n,
                                              n * n, ld, A + 2 * n * n, n * n, ld);
  });
  one("inverse_dynamics_vjp", 4 * n, [&](double* x) {
    return tenon_inverse_dynamics_vjp(w, nullptr, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                      wrenches.size(), tau.data(), n, x, n, x + n, n, x + 2 * n, n, x + 3 * n,
                                      n);
  });
  one("forward_dynamics_vjp", 4 * n, [&](double* x) {
    return tenon_forward_dynamics_vjp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                                      wrenches.size(), tau.data(), n, x, n, x + n, n, x + 2 * n, n, x + 3 * n,
                                      n);
  });
  one("inverse_dynamics_jvp", 2 * n, [&](double* x) {
    return tenon_inverse_dynamics_jvp(w, nullptr, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                      wrenches.size(), v.data(), n, v.data(), n, a.data(), n, x, n, x + n, n);
  });
  one("forward_dynamics_jvp", 2 * n, [&](double* x) {
    return tenon_forward_dynamics_jvp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                                      wrenches.size(), v.data(), n, v.data(), n, tau.data(), n, x, n, x + n,
                                      n);
  });

  one("constrained_dynamics_derivatives", n + m + 3 * n * n + n * m, [&](double* x) {
    double *const A = x + n + m, *const of_rows = A + 3 * n * n;
    return tenon_constrained_dynamics_derivatives(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                                  wrenches.data(), wrenches.size(), desired.data(), m, x, n,
                                                  x + n, m, A, n * n, ld, A + n * n, n * n, ld, A + 2 * n * n,
                                                  n * n, ld, of_rows, n * m, ld);
  });
  const std::size_t all = n + m, count = all * n;
  const auto ldall = static_cast<int32_t>(all);
  one("constrained_solution_derivatives", all + all * (3 * n + m), [&](double* x) {
    double* const X = x + all;
    return tenon_constrained_solution_derivatives(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                                  wrenches.data(), wrenches.size(), desired.data(), m, x, n,
                                                  x + n, m, X, count, ldall, X + count, count, ldall,
                                                  X + 2 * count, count, ldall, X + 3 * count, all * m, ldall);
  });
  one("constrained_dynamics_vjp", 4 * n + 2 * m, [&](double* x) {
    return tenon_constrained_dynamics_vjp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                          wrenches.data(), wrenches.size(), desired.data(), m, tau.data(), n,
                                          desired.data(), m, x, n, x + n, m, x + n + m, n, x + 2 * n + m, n,
                                          x + 3 * n + m, n, x + 4 * n + m, m);
  });
  one("constrained_dynamics_jvp", 2 * (n + m), [&](double* x) {
    return tenon_constrained_dynamics_jvp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                          wrenches.data(), wrenches.size(), desired.data(), m, v.data(), n,
                                          v.data(), n, tau.data(), n, desired.data(), m, x, n, x + n, m,
                                          x + n + m, n, x + 2 * n + m, m);
  });
  const std::size_t joints = in.spanning, loads = wrenches.size(), links = 10 * (loads / 6);
  const std::size_t by_links = links * all, by_joints = all * joints;
  one("constrained_dynamics_parameter_derivatives", all + by_links + 3 * by_joints, [&](double* x) {
    double* const X = x + all + by_links;
    return tenon_constrained_dynamics_parameter_derivatives(
        w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(), wrenches.size(),
        desired.data(), m, x, n, x + n, m, x + all, by_links, ldall, X, by_joints, ldall, X + by_joints,
        by_joints, ldall, X + 2 * by_joints, by_joints, ldall);
  });
  const std::vector<int32_t> chosen(1, 0);  // every robot has one, and that of the world has no columns
  one("constrained_dynamics_load_derivatives", all + all * 9, [&](double* x) {
    return tenon_constrained_dynamics_load_derivatives(
        w, nullptr, chosen.data(), chosen.size(), q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
        loads, desired.data(), m, x, n, x + n, m, x + all, 6 * all, ldall, x + 7 * all, 3 * all, ldall);
  });
  one("joint_torque_regressor", n * links, [&](double* x) {
    return tenon_joint_torque_regressor(w, q.data(), nq, v.data(), n, a.data(), n, 1, x, n * links, ld);
  });
  const std::size_t by_parameters = links + 3 * joints + loads + 3;
  one("inverse_dynamics_parameter_vjp", n + by_parameters, [&](double* x) {
    double *const g = x + n, *const of_joints = g + links, *const of_loads = of_joints + 3 * joints;
    return tenon_inverse_dynamics_parameter_vjp(
        w, nullptr, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(), loads, tau.data(), n, x, n, g,
        links, of_joints, joints, of_joints + joints, joints, of_joints + 2 * joints, joints, of_loads, loads,
        of_loads + loads, 3);
  });
  one("forward_dynamics_parameter_vjp", n + by_parameters, [&](double* x) {
    double *const g = x + n, *const of_joints = g + links, *const of_loads = of_joints + 3 * joints;
    return tenon_forward_dynamics_parameter_vjp(
        w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(), loads, tau.data(), n, x, n, g,
        links, of_joints, joints, of_joints + joints, joints, of_joints + 2 * joints, joints, of_loads, loads,
        of_loads + loads, 3);
  });
  one("constrained_dynamics_parameter_vjp", all + by_parameters, [&](double* x) {
    double *const g = x + all, *const of_joints = g + links, *const of_loads = of_joints + 3 * joints;
    return tenon_constrained_dynamics_parameter_vjp(
        w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(), loads, desired.data(), m,
        tau.data(), n, desired.data(), m, x, n, x + n, m, g, links, of_joints, joints, of_joints + joints,
        joints, of_joints + 2 * joints, joints, of_loads, loads, of_loads + loads, 3);
  });
  one("inverse_dynamics_ratio_vjp", in.ratios, [&](double* x) {
    return tenon_inverse_dynamics_ratio_vjp(w, nullptr, q.data(), nq, v.data(), n, a.data(), n,
                                            wrenches.data(), loads, tau.data(), n, x, in.ratios);
  });
  one("constrained_dynamics_ratio_vjp", in.ratios, [&](double* x) {
    return tenon_constrained_dynamics_ratio_vjp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                                wrenches.data(), loads, desired.data(), m, tau.data(), n,
                                                desired.data(), m, x, in.ratios);
  });
  one("impact_derivatives", n + m + 2 * n * n + 2 * n * m, [&](double* x) {
    double *const A = x + n + m, *const L = A + 2 * n * n;
    return tenon_impact_derivatives(w, nullptr, nullptr, 0, q.data(), nq, v.data(), n, x, n, x + n, m, A,
                                    n * n, ld, A + n * n, n * n, ld, L, n * m, ldm, L + n * m, n * m, ldm);
  });
  one("impact_vjp", 3 * n + m, [&](double* x) {
    return tenon_impact_vjp(w, nullptr, nullptr, 0, q.data(), nq, v.data(), n, tau.data(), n, desired.data(),
                            m, x, n, x + n, m, x + n + m, n, x + 2 * n + m, n);
  });
  one("impact_jvp", 2 * (n + m), [&](double* x) {
    return tenon_impact_jvp(w, nullptr, nullptr, 0, q.data(), nq, v.data(), n, v.data(), n, v.data(), n, x, n,
                            x + n, m, x + n + m, n, x + 2 * n + m, m);
  });
  one("inverse_dynamics_hessian", 4 * n * n, [&](double* x) {
    return tenon_inverse_dynamics_hessian(w, nullptr, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                          wrenches.size(), tau.data(), n, x, n * n, ld, x + n * n, n * n, ld,
                                          x + 2 * n * n, n * n, ld, x + 3 * n * n, n * n, ld);
  });
  one("forward_dynamics_hessian", 4 * n * n, [&](double* x) {
    return tenon_forward_dynamics_hessian(
        w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(), wrenches.size(), tau.data(), n,
        x, n * n, ld, x + n * n, n * n, ld, x + 2 * n * n, n * n, ld, x + 3 * n * n, n * n, ld);
  });
  one("constrained_dynamics_hessian", 4 * n * n + n * m, [&](double* x) {
    return tenon_constrained_dynamics_hessian(
        w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(), wrenches.size(),
        desired.data(), m, tau.data(), n, nullptr, 0, x, n * n, ld, x + n * n, n * n, ld, x + 2 * n * n,
        n * n, ld, x + 3 * n * n, n * n, ld, x + 4 * n * n, n * m, ld);
  });
  one("inverse_dynamics_hvp", 3 * n, [&](double* x) {
    return tenon_inverse_dynamics_hvp(w, nullptr, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                      wrenches.size(), tau.data(), n, v.data(), n, v.data(), n, a.data(), n,
                                      x, n, x + n, n, x + 2 * n, n);
  });
  one("forward_dynamics_hvp", 3 * n, [&](double* x) {
    return tenon_forward_dynamics_hvp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                                      wrenches.size(), tau.data(), n, v.data(), n, v.data(), n, tau.data(), n,
                                      x, n, x + n, n, x + 2 * n, n);
  });
  one("constrained_dynamics_hvp", 3 * n + m, [&](double* x) {
    return tenon_constrained_dynamics_hvp(w, nullptr, q.data(), nq, v.data(), n, tau.data(), n,
                                          wrenches.data(), wrenches.size(), desired.data(), m, tau.data(), n,
                                          nullptr, 0, v.data(), n, v.data(), n, tau.data(), n, desired.data(),
                                          m, x, n, x + n, n, x + 2 * n, n, x + 3 * n, m);
  });
  for (const StepCalls& of : step_calls) {
    one(of.vjp_name, nq + 4 * n, [&](double* x) {
      double* const g = x + nq + n;
      return of.vjp(w, nullptr, 1e-3, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                    wrenches.size(), v.data(), n, tau.data(), n, x, nq, x + nq, n, g, n, g + n, n, g + 2 * n,
                    n);
    });
    one(of.jvp_name, nq + 3 * n, [&](double* x) {
      double* const d = x + nq + n;
      return of.jvp(w, nullptr, 1e-3, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                    wrenches.size(), v.data(), n, v.data(), n, tau.data(), n, x, nq, x + nq, n, d, n, d + n,
                    n);
    });
  }
}

}  // namespace tenon_test
