// Methods for loops, for comparison (tenonx.h).
#include "tenonx/loop_methods.hpp"

#include "support/call.hpp"
#include "support/constants.hpp"
#include "tenonx.h"

using namespace tenon::capi;
using tenon::Inputs;
using tenon::LoopMethod;

namespace tenon::capi::kinds {
extern const Kind loop_method;
}
#define C(NAME, member) same(TENONX_LOOP_METHOD_##NAME, LoopMethod::member, #member)
TENON_KIND(loop_method, "TENONX_LOOP_METHOD_*", C(AUTOMATIC, automatic), C(PROJECTION, projection),
           C(MULTIPLIERS, multipliers), C(APPROXIMATE, approximate), C(UNCONSTRAINED, unconstrained))
#undef C

int32_t tenonx_loop_method_count(void) {
  return kinds::loop_method.count;
}
const char* tenonx_loop_method_name(int32_t value) {
  return kinds::loop_method.name(value);
}
tenon_status tenonx_loop_method_from_name(const char* name, int32_t* value) {
  return kinds::loop_method.value(name, value);
}

tenon_status tenonx_loop_forward_dynamics(tenon_workspace* workspace, int32_t loop_method, const double* q,
                                          size_t q_count, const double* v, size_t v_count, const double* tau,
                                          size_t tau_count, const double* wrenches, size_t wrenches_count,
                                          double* qdd, size_t qdd_count) {
  Call call(workspace, __func__);
  call.one_of(kinds::loop_method, "loop_method", loop_method);
  call.state(ARRAY(q), ARRAY(v));
  call.velocities(ARRAY(tau));
  call.wrenches(ARRAY(wrenches));
  call.velocities(ARRAY(qdd));
  return call.run(tenon::loop_forward_dynamics, static_cast<LoopMethod>(loop_method),
                  Inputs<double>{q, v, tau, wrenches}, qdd);
}

tenon_status tenonx_loop_inverse_dynamics(tenon_workspace* workspace, int32_t loop_method, const double* q,
                                          size_t q_count, const double* v, size_t v_count,
                                          const double* yddot, size_t yddot_count, const double* wrenches,
                                          size_t wrenches_count, double* tau_y, size_t tau_y_count) {
  Call call(workspace, __func__);
  call.one_of(kinds::loop_method, "loop_method", loop_method);
  call.state(ARRAY(q), ARRAY(v));
  call.needed(ARRAY(yddot), call.ny());
  call.wrenches(ARRAY(wrenches));
  call.needed(ARRAY(tau_y), call.ny());
  return call.run([&] {
    return tenon::loop_inverse_dynamics(workspace->core, static_cast<LoopMethod>(loop_method), q, v, yddot,
                                        wrenches, tau_y);
  });
}
