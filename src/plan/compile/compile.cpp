// Model::compile. It stands above model/, because the choice of independent coordinates runs kernels.
#include "model/compile.hpp"

#include "model/fold_rotors.hpp"
#include "model/inertia.hpp"
#include "model/massless.hpp"
#include "plan/compile/divided_loops.hpp"
#include "plan/compile/loop_analysis.hpp"

namespace tenon {

std::shared_ptr<Model> compile_embedded(const Mechanism& mechanism, const CompileOptions& options) {
  const auto model = std::make_shared<Model>();
  const std::vector<char> dependent = compile_description(mechanism, options, *model);
  if (!model->loops.clusters.empty()) analyse_loops(mechanism, dependent, *model);
  model->publish(options.gravity);
  check_inertias(mechanism, options, *model);
  model->folding = fold_rotors(*model);
  return model;
}

std::shared_ptr<const Model> Model::compile(const Mechanism& mechanism, const CompileOptions& options) {
  const auto compiled = [&](const Mechanism& m) -> std::shared_ptr<const Model> {
    return divides_loops(m, options) ? compile_divided(m, options) : compile_embedded(m, options);
  };
  return options.tolerant_inertias ? compiled(hold_massless_joints(mechanism)) : compiled(mechanism);
}

}  // namespace tenon
