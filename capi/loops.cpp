// Coordinates and dynamics of models with kinematic loops.
#include "tenon/loops.hpp"

#include <algorithm>

#include "call.hpp"

using namespace tenon::capi;
using tenon::LoopMethod;
using tenon::LoopMoves;
using tenon::Status;

namespace {

std::size_t count_y(tenon_workspace* workspace) {
  return workspace ? static_cast<std::size_t>(workspace->core.model().ny) : 0;
}
std::size_t count_yq(tenon_workspace* workspace) {
  return workspace ? workspace->core.model().loops.independent_q.size() : 0;
}
std::size_t count_rows(tenon_workspace* workspace) {
  return workspace ? workspace->core.model().loops.offset.size() : 0;
}

void check_moves(Call& call, int32_t moves) {
  if (moves != TENON_LOOP_MOVES_DEPENDENT && moves != TENON_LOOP_MOVES_ALL)
    call.fail(Status::invalid_argument, "loop_moves is %d, which is none of TENON_LOOP_MOVES_*",
              static_cast<int>(moves));
}

void check_method(Call& call, int32_t method) {
  if (method < TENON_LOOP_METHOD_AUTO || method > TENON_LOOP_METHOD_UNCONSTRAINED)
    call.fail(Status::invalid_argument, "loop_method is %d, which is none of TENON_LOOP_METHOD_*",
              static_cast<int>(method));
}

}  // namespace

int32_t tenon_model_ny(const tenon_model* model) {
  return model ? model->core->ny : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_nyq(const tenon_model* model) {
  return model ? static_cast<int32_t>(model->core->loops.independent_q.size()) : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_cluster_count(const tenon_model* model) {
  return model ? model->core->data().cluster_count : TENON_INVALID_ARGUMENT;
}
int32_t tenon_model_loop_row_count(const tenon_model* model) {
  return model ? model->core->data().loop_row_count : TENON_INVALID_ARGUMENT;
}

tenon_status tenon_model_independent(const tenon_model* model, int32_t* v_index, size_t v_index_count) {
  if (model == nullptr || (v_index == nullptr && v_index_count > 0)) return TENON_INVALID_ARGUMENT;
  const auto& independent = model->core->loops.independent;
  if (v_index_count != independent.size()) return TENON_WRONG_SIZE;
  std::copy(independent.begin(), independent.end(), v_index);
  return TENON_OK;
}

tenon_status tenon_loop_gap(tenon_workspace* workspace, const double* q, size_t q_count, double* gap) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.needed("gap", gap, 1, 1);
  return call.run([&] { return tenon::loop_gap(workspace->core, q, gap); });
}

tenon_status tenon_close_loops(tenon_workspace* workspace, int32_t loop_moves, double* q, size_t q_count,
                               double* gap) {
  Call call(workspace, __func__);
  check_moves(call, loop_moves);
  call.needed("q", q, q_count, call.nq());
  return call.run(
      [&] { return tenon::close_loops(workspace->core, static_cast<LoopMoves>(loop_moves), q, gap); });
}

tenon_status tenon_close_loop_velocities(tenon_workspace* workspace, int32_t loop_moves, const double* q,
                                         size_t q_count, double* v, size_t v_count) {
  Call call(workspace, __func__);
  check_moves(call, loop_moves);
  call.needed("q", q, q_count, call.nq());
  call.needed("v", v, v_count, call.nv());
  return call.run(
      [&] { return tenon::project_velocity(workspace->core, static_cast<LoopMoves>(loop_moves), q, v); });
}

tenon_status tenon_independent_positions(tenon_workspace* workspace, const double* q, size_t q_count,
                                         double* y, size_t y_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.needed("y", y, y_count, count_yq(workspace));
  return call.run([&] { return tenon::independent_positions(workspace->core, q, y); });
}

tenon_status tenon_spanning_positions(tenon_workspace* workspace, const double* y, size_t y_count,
                                      const double* guess, size_t guess_count, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.needed("y", y, y_count, count_yq(workspace));
  call.optional("guess", guess, guess_count, call.nq());
  call.needed("q", q, q_count, call.nq());
  return call.run([&] { return tenon::spanning_positions(workspace->core, y, guess, q); });
}

tenon_status tenon_spanning_velocity(tenon_workspace* workspace, const double* q, size_t q_count,
                                     const double* ydot, size_t ydot_count, double* v, size_t v_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.needed("ydot", ydot, ydot_count, count_y(workspace));
  call.needed("v", v, v_count, call.nv());
  return call.run([&] { return tenon::spanning_velocity(workspace->core, q, ydot, v); });
}

tenon_status tenon_spanning_acceleration(tenon_workspace* workspace, const double* q, size_t q_count,
                                         const double* v, size_t v_count, const double* yddot,
                                         size_t yddot_count, double* qdd, size_t qdd_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.needed("v", v, v_count, call.nv());
  call.needed("yddot", yddot, yddot_count, count_y(workspace));
  call.needed("qdd", qdd, qdd_count, call.nv());
  return call.run([&] { return tenon::spanning_acceleration(workspace->core, q, v, yddot, qdd); });
}

tenon_status tenon_independent_force(tenon_workspace* workspace, const double* q, size_t q_count,
                                     const double* tau, size_t tau_count, double* tau_y, size_t tau_y_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.needed("tau", tau, tau_count, call.nv());
  call.needed("tau_y", tau_y, tau_y_count, count_y(workspace));
  return call.run([&] { return tenon::independent_force(workspace->core, q, tau, tau_y); });
}

tenon_status tenon_loop_map(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                            size_t v_count, double* G, size_t G_count, int32_t ldg, double* g,
                            size_t g_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.optional("v", v, v_count, call.nv());
  call.optional_matrix("G", G, G_count, call.nv(), count_y(workspace), ldg);
  call.optional("g", g, g_count, call.nv());
  return call.run([&] { return tenon::loop_map(workspace->core, q, v, G, ldg, g); });
}

tenon_status tenon_loop_jacobian(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                                 size_t v_count, double* K, size_t K_count, int32_t ldk, double* k,
                                 size_t k_count, double* phi, size_t phi_count) {
  Call call(workspace, __func__);
  call.needed("q", q, q_count, call.nq());
  call.optional("v", v, v_count, call.nv());
  call.optional_matrix("K", K, K_count, count_rows(workspace), call.nv(), ldk);
  call.optional("k", k, k_count, count_rows(workspace));
  call.optional("phi", phi, phi_count, count_rows(workspace));
  return call.run([&] { return tenon::loop_jacobian(workspace->core, q, v, K, ldk, k, phi); });
}

tenon_status tenon_loop_forward_dynamics(tenon_workspace* workspace, int32_t loop_method, const double* q,
                                         size_t q_count, const double* v, size_t v_count, const double* tau,
                                         size_t tau_count, const double* wrenches, size_t wrenches_count,
                                         double* qdd, size_t qdd_count) {
  Call call(workspace, __func__);
  check_method(call, loop_method);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.velocities("tau", tau, tau_count);
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.velocities("qdd", qdd, qdd_count);
  return call.run([&] {
    return tenon::loop_forward_dynamics(workspace->core, static_cast<LoopMethod>(loop_method), q, v, tau,
                                        wrenches, qdd);
  });
}

tenon_status tenon_loop_inverse_dynamics(tenon_workspace* workspace, int32_t loop_method, const double* q,
                                         size_t q_count, const double* v, size_t v_count, const double* yddot,
                                         size_t yddot_count, const double* wrenches, size_t wrenches_count,
                                         double* tau_y, size_t tau_y_count) {
  Call call(workspace, __func__);
  check_method(call, loop_method);
  call.positions("q", q, q_count);
  call.velocities("v", v, v_count);
  call.needed("yddot", yddot, yddot_count, count_y(workspace));
  call.optional("wrenches", wrenches, wrenches_count, 6 * call.links());
  call.needed("tau_y", tau_y, tau_y_count, count_y(workspace));
  return call.run([&] {
    return tenon::loop_inverse_dynamics(workspace->core, static_cast<LoopMethod>(loop_method), q, v, yddot,
                                        wrenches, tau_y);
  });
}
