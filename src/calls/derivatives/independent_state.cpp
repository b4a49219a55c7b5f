#include "calls/derivatives/independent_state.hpp"

#include <algorithm>

#include "calls/derivatives/outputs.hpp"
#include "state/check.hpp"
#include "state/projection.hpp"

namespace tenon {

Status place_state(WorkspaceImpl& w, EmbeddedLoops& loops, const double* accelerations) {
  TENON_CHECK(loops.check());
  *w.derivatives, *w.loop_derivatives;
  w.need(of_joint_space);
  const double *q = w.kinematics_q.data(), *v = w.kinematics_v.data();
  TENON_CHECK(update_loops(w, q, v));
  w.kernels->sweep_motion(w.md(), q, v, or_zero(w, accelerations), w.w());
  // No forces of loops: changes of motion do not depend on them.
  if (accelerations)
    loops.place(nullptr);
  else
    loops.place_velocities();
  return Status::ok;
}

Status find_state_changes(WorkspaceImpl& w, bool accelerations) {
  EmbeddedLoops loops(w);
  TENON_CHECK(place_state(w, loops, accelerations ? w.kinematics_a.data() : nullptr));
  const double* v = w.kinematics_v.data();
  const DerivativeProducts products = {w, loops, true, nullptr, nullptr};
  LoopDerivativeMemory& d = *w.loop_derivatives;
  const KinematicsDerivativeMemory& to = *w.kinematics_derivatives;
  const int nv = w.model->nv, ny = w.model->ny;
  double* one = d.numbers[2];
  std::fill_n(one, ny, 0.0);
  const auto change = [&](const double* by_q, const double* by_v, double* velocity, double* acceleration) {
    const DerivativeProducts::Change x =
        products.spanning(v, {by_q, by_v, nullptr}, true, d.numbers[0], d.numbers[1], d.numbers[3]);
    if (velocity) std::copy_n(x.v, nv, velocity);
    if (!acceleration) return;
    products.jvp(v, or_zero(w, x.q), x.v, nullptr, w.derivatives->numbers[0], nullptr, d.h);
    std::copy_n(d.h, nv, acceleration);
  };
  for (int j = 0; j < ny; ++j) {
    const std::ptrdiff_t column = std::ptrdiff_t{j} * nv;
    one[j] = 1;
    change(one, nullptr, to.velocity_q + column, accelerations ? to.acceleration_q + column : nullptr);
    if (accelerations) change(nullptr, one, nullptr, to.acceleration_v + column);
    one[j] = 0;
  }
  return Status::ok;
}

}  // namespace tenon
