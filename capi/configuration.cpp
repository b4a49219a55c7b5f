// Configuration space.
#include "support/call.hpp"
#include "tenon/dynamics.hpp"

using namespace tenon::capi;

tenon_status tenon_integrate(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                             size_t v_count, double dt, double* next, size_t next_count) {
  Call call(workspace, __func__);
  call.state(ARRAY(q), ARRAY(v));
  call.finite("dt", &dt, 1);
  call.positions(ARRAY(next));
  return call.run([&] { return tenon::integrate(workspace->core, q, v, dt, next); });
}

tenon_status tenon_difference(tenon_workspace* workspace, const double* from, size_t from_count,
                              const double* to, size_t to_count, double* v, size_t v_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(from));
  call.positions(ARRAY(to));
  call.velocities(ARRAY(v));
  return call.run([&] { return tenon::difference(workspace->core, from, to, v); });
}

tenon_status tenon_neutral(tenon_workspace* workspace, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  return call.run_glue([&] { tenon::neutral(workspace->core, q); });
}

tenon_status tenon_random(tenon_workspace* workspace, uint64_t seed, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  return call.run_glue([&] { tenon::random_configuration(workspace->core, seed, q); });
}

tenon_status tenon_normalize(tenon_workspace* workspace, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.positions(ARRAY(q));
  return call.run([&] { return tenon::normalize(workspace->core, q); });
}
