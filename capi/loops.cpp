// Coordinates of models with kinematic loops.
#include "tenon/loops.hpp"

#include "support/call.hpp"
#include "support/descriptor.hpp"

using namespace tenon::capi;
using tenon::LoopMoves;
using tenon::Status;

namespace {

std::size_t count_yq(tenon_workspace* workspace) {
  return workspace ? workspace->core.model().loops.independent_q.size() : 0;
}
std::size_t count_rows(tenon_workspace* workspace) {
  return workspace ? workspace->core.model().loops.offset.size() : 0;
}

constexpr tenon_closing_options default_closing_options = {sizeof(tenon_closing_options),
                                                           TENON_LOOP_MOVES_DEPENDENT};
constexpr tenon_assembly_options default_assembly_options = {sizeof(tenon_assembly_options), 20};

LoopMoves moves_of(Call& call, const tenon_closing_options* options) {
  const auto o = call.over(options, default_closing_options, "tenon_closing_options");
  call.one_of(kinds::loop_moves, "tenon_closing_options: moves", o.moves);
  return static_cast<LoopMoves>(o.moves);
}

}  // namespace

tenon_status tenon_closing_options_init(tenon_closing_options* options, size_t size) {
  return init(options, size, default_closing_options);
}
tenon_status tenon_assembly_options_init(tenon_assembly_options* options, size_t size) {
  return init(options, size, default_assembly_options);
}

tenon_status tenon_loop_gap(tenon_workspace* workspace, const double* q, size_t q_count, double* gap) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.needed({"gap", gap, 1}, 1);
  return call.run([&] { return tenon::loop_gap(workspace->core, q, gap); });
}

tenon_status tenon_loop_state_init(tenon_loop_state* state, size_t size) {
  return init(state, size, tenon_loop_state{});
}

tenon_status tenon_check_loops(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                               size_t v_count, tenon_loop_state* state) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.optional(ARRAY(v), call.nv());
  call.needed_information("state", state);
  return call.run([&] {
    tenon::LoopState found;
    const Status status = tenon::check_loops(workspace->core, q, v, found);
    if (status != Status::ok) return status;
    tenon_loop_state known{};
    known.position_loop = found.position_loop;
    known.velocity_loop = found.velocity_loop;
    known.position_gap = found.position_gap;
    known.velocity_gap = found.velocity_gap;
    return put(state, known);
  });
}

tenon_status tenon_close_loops(tenon_workspace* workspace, const tenon_closing_options* options, double* q,
                               size_t q_count, double* gap) {
  Call call(workspace, __func__);
  const LoopMoves moves = moves_of(call, options);
  call.needed(ARRAY(q), call.nq());
  return call.run([&] { return tenon::close_loops(workspace->core, moves, q, gap); });
}

tenon_status tenon_close_loop_velocities(tenon_workspace* workspace, const tenon_closing_options* options,
                                         const double* q, size_t q_count, double* v, size_t v_count) {
  Call call(workspace, __func__);
  const LoopMoves moves = moves_of(call, options);
  call.needed(ARRAY(q), call.nq());
  call.needed(ARRAY(v), call.nv());
  return call.run([&] { return tenon::project_velocity(workspace->core, moves, q, v); });
}

tenon_status tenon_independent_position(tenon_workspace* workspace, const double* q, size_t q_count,
                                        double* y, size_t y_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.needed(ARRAY(y), count_yq(workspace));
  return call.run([&] { return tenon::independent_positions(workspace->core, q, y); });
}

tenon_status tenon_spanning_position(tenon_workspace* workspace, const double* y, size_t y_count,
                                     const double* guess, size_t guess_count, double* q, size_t q_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(y), count_yq(workspace));
  call.optional(ARRAY(guess), call.nq());
  call.needed(ARRAY(q), call.nq());
  return call.run([&] { return tenon::spanning_positions(workspace->core, y, guess, q); });
}

tenon_status tenon_find_assemblies(tenon_workspace* workspace, const tenon_assembly_options* options,
                                   const double* q, size_t q_count, int32_t capacity, double* assemblies,
                                   size_t assemblies_count, int32_t* found) {
  Call call(workspace, __func__);
  const int32_t starts = call.over(options, default_assembly_options, "tenon_assembly_options").starts;
  call.needed(ARRAY(q), call.nq());
  if (starts < 1 || capacity < 1)
    call.fail(Status::invalid_argument, "starts is %d and capacity %d; give 1 or more of both",
              static_cast<int>(starts), static_cast<int>(capacity));
  if (found == nullptr) call.fail(Status::invalid_argument, "found is NULL; give an int32_t");
  const std::size_t room = capacity > 0 ? static_cast<std::size_t>(capacity) : 0;
  call.needed(ARRAY(assemblies), room * call.nq());
  return call.run(
      [&] { return tenon::find_assemblies(workspace->core, q, starts, capacity, assemblies, found); });
}

tenon_status tenon_independent_velocity(tenon_workspace* workspace, const double* v, size_t v_count,
                                        double* ydot, size_t ydot_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(v), call.nv());
  call.needed(ARRAY(ydot), call.ny());
  return call.run([&] { return tenon::independent_velocity(workspace->core, v, ydot); });
}

tenon_status tenon_spanning_velocity(tenon_workspace* workspace, const double* q, size_t q_count,
                                     const double* ydot, size_t ydot_count, double* v, size_t v_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.needed(ARRAY(ydot), call.ny());
  call.needed(ARRAY(v), call.nv());
  return call.run([&] { return tenon::spanning_velocity(workspace->core, q, ydot, v); });
}

tenon_status tenon_spanning_acceleration(tenon_workspace* workspace, const double* q, size_t q_count,
                                         const double* v, size_t v_count, const double* yddot,
                                         size_t yddot_count, double* qdd, size_t qdd_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.needed(ARRAY(v), call.nv());
  call.needed(ARRAY(yddot), call.ny());
  call.needed(ARRAY(qdd), call.nv());
  return call.run([&] { return tenon::spanning_acceleration(workspace->core, q, v, yddot, qdd); });
}

tenon_status tenon_independent_force(tenon_workspace* workspace, const double* q, size_t q_count,
                                     const double* tau, size_t tau_count, double* tau_y, size_t tau_y_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.needed(ARRAY(tau), call.nv());
  call.needed(ARRAY(tau_y), call.ny());
  return call.run([&] { return tenon::independent_force(workspace->core, q, tau, tau_y); });
}

tenon_status tenon_spanning_force(tenon_workspace* workspace, const double* tau_y, size_t tau_y_count,
                                  double* tau, size_t tau_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(tau_y), call.ny());
  call.needed(ARRAY(tau), call.nv());
  return call.run([&] { return tenon::spanning_force(workspace->core, tau_y, tau); });
}

tenon_status tenon_loop_map(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                            size_t v_count, double* G, size_t G_count, int32_t ldg, double* g,
                            size_t g_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.optional(ARRAY(v), call.nv());
  call.optional_matrix(ARRAY(G), call.nv(), call.ny(), ldg);
  call.optional(ARRAY(g), call.nv());
  return call.run([&] { return tenon::loop_map(workspace->core, q, v, G, ldg, g); });
}

tenon_status tenon_loop_jacobian(tenon_workspace* workspace, const double* q, size_t q_count, const double* v,
                                 size_t v_count, double* K, size_t K_count, int32_t ldk, double* k,
                                 size_t k_count, double* phi, size_t phi_count) {
  Call call(workspace, __func__);
  call.needed(ARRAY(q), call.nq());
  call.optional(ARRAY(v), call.nv());
  call.optional_matrix(ARRAY(K), count_rows(workspace), call.nv(), ldk);
  call.optional(ARRAY(k), count_rows(workspace));
  call.optional(ARRAY(phi), count_rows(workspace));
  return call.run([&] { return tenon::loop_jacobian(workspace->core, q, v, K, ldk, k, phi); });
}
