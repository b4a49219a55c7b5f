// Constraint sets and workspaces: structs of every size, arrays of wrong counts and NULL, indices and constants that
// name nothing, numbers of any size, in any order. Caller demands what tenon.h promises.
#include "targets/calls.hpp"

#include <algorithm>

namespace tenon::fuzz {

Scene::Scene(Input& input) : in(input), model(robot(in.below(robot_count))), calls(in) {
  DEMAND(tenon_constraints_create(model, &set, nullptr, 0) == TENON_OK, "no set");
  links = static_cast<std::size_t>(tenon_model_link_count(model));
  for (int more = in.below(5); more > 0; --more) add_constraint();
  char message[256] = "";
  const tenon_status finished = tenon_constraints_finish(set, message, sizeof message);
  DEMAND(finished == TENON_OK, "status %d: %s", finished, message);
  DEMAND(tenon_constraints_finish(set, message, sizeof message) == TENON_INVALID_ARGUMENT, "finished twice");
  const Struct<tenon_workspace_options> options(
      in, tenon_workspace_options_init, [&](tenon_workspace_options& o) {
        if (in.once_in(4)) o.instruction_set = in.constant(4);
        if (in.once_in(16)) o.precision = in.constant(2);
        if (in.once_in(4))
          o.methods = static_cast<std::uint32_t>(in.bits(2)) &
                      ((2U << tenon_constant_count(TENON_CONSTANT_METHOD)) - 1);
        if (in.once_in(4)) o.delassus_methods = in.byte();
        if (in.once_in(4)) o.damped_methods = static_cast<std::uint32_t>(in.bits(2)) & 0x1ff;
        if (in.once_in(4)) o.products = in.byte();
        if (in.once_in(4)) o.disable_branch_lanes = in.below(2);
      });
  const tenon_status status = tenon_workspace_create(model, set, options.get(), &w, message, sizeof message);
  DEMAND(status != TENON_INTERNAL_ERROR && status != TENON_OUT_OF_MEMORY, "status %d: %s", status, message);
  DEMAND((status == TENON_OK) == (w != nullptr), "status %d", status);
  DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
  if (!w) return;
  constraints = static_cast<std::size_t>(tenon_constraints_constraint_count(set));
  rows = static_cast<std::size_t>(tenon_workspace_row_count(w));
  DEMAND(static_cast<std::int32_t>(rows) == tenon_constraints_row_count(set), "%zu rows", rows);
  nq = static_cast<std::size_t>(tenon_workspace_position_count(w));
  nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w));
  q.resize(nq), v.resize(nv), a.resize(nv), tau.resize(nv), wrenches.resize(6 * links);
  desired.resize(rows), lambda.resize(rows);
  DEMAND(tenon_random(w, 1, q.data(), nq) == TENON_OK, "%s", tenon_workspace_message(w));
}

Scene::~Scene() {
  tenon_workspace_destroy(w);
  tenon_constraints_destroy(set);
}

void Scene::add_constraint() {
  const int kind = in.below(8);
  const std::int32_t first = link(), second = link();
  const std::vector<double> pose = in.pose(), other = in.pose(), K = in.numbers(24);
  const int row_count = in.once_in(16) ? in.index(4) : 1 + in.below(4);
  std::vector<double> weights = in.numbers(static_cast<std::size_t>(in.once_in(2) ? 3 : 6)),
                      compliance = in.numbers(weights.size());
  if (in.once_in(2))
    for (auto* list : {&weights, &compliance})
      for (double& x : *list) x = std::fabs(x);
  const Struct<tenon_constraint_options> options(
      in, tenon_constraint_options_init, [&](tenon_constraint_options& o) {
        o.axes = in.once_in(4) ? in.constant(2) : in.below(2);
        if (in.once_in(4)) o.rows = in.byte();
        if (in.once_in(16)) o.reserved = 1;
        if (in.once_in(4)) o.name = in.once_in(8) ? "\xff" : "rows";
        if (in.once_in(4)) o.frequency = in.number();
        if (in.once_in(8)) o.damping_ratio = in.number();
        if (in.once_in(4)) o.weights = weights.data(), o.weights_count = weights.size();
        if (in.once_in(4)) o.compliance = compliance.data(), o.compliance_count = compliance.size();
      });
  const bool null_pose = in.once_in(8), to_world = in.once_in(4);
  const std::size_t numbers = in.once_in(64) ? in.below(9) : 0;
  const double* at = null_pose ? nullptr : pose.data();
  std::int32_t index = -7;
  char message[256] = "";
  tenon_status status = TENON_OK;
  if (kind < 2)
    status = tenon_constraints_add_point(set, first, at, numbers ? numbers : 3, options.get(), &index,
                                         message, sizeof message);
  else if (kind < 4)
    status = tenon_constraints_add_weld(set, first, at, numbers ? numbers : 7, options.get(), &index, message,
                                        sizeof message);
  else if (kind < 6)
    status =
        tenon_constraints_add_closure(set, first, at, numbers ? numbers : 7, to_world ? TENON_WORLD : second,
                                      other.data(), 7, options.get(), &index, message, sizeof message);
  else
    status = tenon_constraints_add_rows(set, first, row_count, K.data(), K.size(), row_count, options.get(),
                                        &index, message, sizeof message);
  DEMAND(status <= 0 && status != TENON_INTERNAL_ERROR, "status %d: %s", status, message);
  DEMAND((status < 0) == (message[0] != '\0'), "status %d, message '%s'", status, message);
  DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
  DEMAND(status == TENON_OK || index == -7, "refused, but the index is %d", index);
}

void Scene::draw_state() {
  switch (in.below(8)) {
    case 0: {
      // A configuration that can be; random ones leave loops open.
      const std::uint64_t seed = in.byte();
      nq = static_cast<std::size_t>(tenon_workspace_position_count(w));
      nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w));
      q.resize(nq);
      DEMAND(tenon_random(w, seed, q.data(), nq) == TENON_OK, "%s", tenon_workspace_message(w));
      if (nq == static_cast<std::size_t>(tenon_model_nq(model)) && in.once_in(2))
        tenon_close_loops(w, nullptr, q.data(), nq, nullptr);
      v.resize(nv), a.resize(nv), tau.resize(nv);
      return;
    }
    case 1: {
      const std::size_t i = static_cast<std::size_t>(in.byte());
      const double x = in.number();
      if (nq > 0) q[i % nq] = x;
      return;
    }
    case 2:
      return void(v = in.numbers(nv, 3));
    case 3:
      return void(a = in.numbers(nv, 10));
    case 4:
      return void(tau = in.numbers(nv, 20));
    case 5:
      return void(wrenches = in.numbers(6 * links, 20));
    case 6:
      return void(desired = in.numbers(rows, 5));
    default:
      return void(lambda = in.numbers(rows, 100));
  }
}

}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Scene scene(in);
  for (int calls = 0; scene.w && calls < 24 && !in.empty(); ++calls) {
    switch (in.below(4)) {
      case 0:
        scene.draw_state();
        break;
      case 1:
        make_settings_call(scene);
        break;
      default:
        make_computation(scene);
    }
  }
  return 0;
}
