#include "history/scene.hpp"

#include <algorithm>
#include <cmath>

#include "history/dead_centre.hpp"
#include "support/campaign/limbed_robot.hpp"
#include "support/loop_scene.hpp"
#include "support/object.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenonx.h"

namespace tenon::testing::history {
namespace {

template <class N>
std::size_t size(N count) {
  return static_cast<std::size_t>(count);
}

// The rest of a state at q.
SceneState state_at(Random& random, const Model& model, std::string name, std::vector<double> q) {
  State drawn = random_state(random, model);
  return {std::move(name), std::move(q), drawn.v, drawn.a, drawn.tau, drawn.wrenches};
}

std::vector<double> neutral_of(const Scene& scene, tenon_workspace* w) {
  std::vector<double> q(scene.nq);
  if (scene.model->core->loops.closed.empty())
    tenon_neutral(w, q.data(), q.size());
  else
    q = scene.model->core->loops.closed;
  return q;
}

// Of any model: where loops can be closed, closed ones; loops that are open; dead centres; numbers whose products
// overflow.
void add_states(Random& random, Scene& scene) {
  const Model& model = *scene.model->core;
  const Handle<tenon_workspace> made = scene.workspace({0, true});
  tenon_workspace* w = made.get();
  const std::vector<double> start = neutral_of(scene, w);
  const auto add = [&](const char* name, std::vector<double> q) -> SceneState& {
    return scene.states.emplace_back(state_at(random, model, name, std::move(q)));
  };
  add("rest at the start", start);
  for (double& v : scene.states.back().v) v = 0;
  for (const double reach : {0.05, 0.5}) {
    std::vector<double> step(scene.nv), q(scene.nq);
    for (double& x : step) x = random.uniform(-reach, reach);
    tenon_integrate(w, start.data(), scene.nq, step.data(), scene.nv, 1, q.data(), scene.nq);
    add("off the start", q);
    if (tenon_close_loops(w, nullptr, q.data(), scene.nq, nullptr) != TENON_OK) continue;
    SceneState& closed = add("closed", q);
    tenon_close_loop_velocities(w, nullptr, closed.q.data(), scene.nq, closed.v.data(), scene.nv);
  }
  std::vector<double> q(scene.nq);
  tenon_random(w, random.bits(), q.data(), scene.nq);
  add("random", q);
  const double speed = std::pow(10, random.uniform(1, 6));
  for (double& v : add("fast", q).v) v *= speed;
  for (double& v : add("beyond all bounds", q).v) v *= 1e160;
  if (model.loops.clusters.empty()) return;
  for (int tries = 0; tries < 2; ++tries) {
    std::vector<double> at = start, v;
    if (!find_dead_centre(w, scene.model.get(), random, at, v)) continue;
    add("dead centre", at).v = v;
    add("dead centre, other velocities", at);
  }
}

void measure(Scene& scene) {
  const tenon_model* model = scene.model.get();
  scene.nq = size(tenon_model_nq(model)), scene.nv = size(tenon_model_nv(model));
  scene.links = size(tenon_model_link_count(model)), scene.joints = size(tenon_model_joint_count(model));
  scene.loop_rows = size(tenon_model_loop_row_count(model)),
  scene.ratios = size(tenon_model_ratio_count(model));
  scene.v_index.resize(size(tenon_model_ny(model))), scene.q_index.resize(size(tenon_model_nyq(model)));
  tenon_model_independent_v(model, scene.v_index.data(), scene.v_index.size());
  tenon_model_independent_q(model, scene.q_index.data(), scene.q_index.size());
  const Handle<tenon_workspace> w = scene.workspace({0, true});
  scene.rows = size(tenon_workspace_row_count(w.get()));
  if (const ConstraintSet* set = w->core.constraints())
    for (const ConstraintSpec& spec : set->specs()) scene.rows_of.push_back(size(row_count(spec)));
}

void take(Scene& scene, std::shared_ptr<const Model> model, const std::vector<ConstraintSpec>& specs,
          std::shared_ptr<const ConstraintSet> set) {
  scene.model.reset(new tenon_model{model});
  if (set) scene.set.reset(new tenon_constraints{std::move(model), specs, std::move(set)});
}

void draw_limbs(Random& random, Scene& scene) {
  const auto kind = static_cast<Limbs>(random.integer(0, 4));
  const Robot robot = robot_with_limbs(random.bits() % 100000, kind);
  if (!robot.model) return;
  static const char* const names[] = {"hinges", "on one base", "plain rotors", "gears", "loops"};
  scene.title = std::string("limbs, ") + names[static_cast<int>(kind)];
  ConstraintOptions options;
  options.compliance = 0.2, options.duplicates = 0.1, options.most_rows = 20;
  const std::vector<ConstraintSpec> specs =
      random.chance(0.6) ? rows_on_limbs(random, robot) : random_constraints(random, *robot.model, options);
  std::shared_ptr<const ConstraintSet> set;
  if (!random.chance(0.15)) set = ConstraintSet::bind(robot.model, specs);
  take(scene, robot.model, specs, set);
}

// With loops; half of them without rows of the user.
void draw_linkage(Random& random, Scene& scene, RobotLibrary& library) {
  static const char* const files[] = {"four_bar",        "six_bar", "planar_leg_linkage",
                                      "strandbeest_leg", "cassie",  "tello"};
  Robot robot;
  const int file = random.integer(0, 11);
  const bool floating = file > 3 && random.chance(0.5);
  if (file < 6) {
    const auto treatment = random.chance(0.7) ? LoopTreatment::embed : LoopTreatment::rows;
    robot = library.robot(files[file], floating, treatment);
    scene.title = std::string(files[file]) +
                  (treatment == LoopTreatment::embed ? ", loops embedded" : ", loops by rows");
  } else {
    LoopScene loops = random_loop_scene(random.bits(), random.integer(1, 4));
    robot.mechanism = loops.mechanism, robot.options = loops.options, robot.model = loops.model;
    scene.title = "random loops";
  }
  ConstraintOptions options;
  options.compliance = 0.2, options.most_rows = 10;
  const std::vector<ConstraintSpec> specs = random_constraints(random, *robot.model, options);
  std::shared_ptr<const ConstraintSet> set;
  if (random.chance(0.5)) set = ConstraintSet::bind(robot.model, specs);
  take(scene, robot.model, specs, set);
}

void draw_campaign_case(Random& random, Scene& scene, RobotLibrary& library) {
  const std::unique_ptr<CampaignCase> c = draw_case(random.bits() % 1000000, library);
  scene.title = std::string(name_of(c->robot_kind)) + ", " + c->title + ", " + name_of(c->contact_kind);
  const bool without = random.chance(0.15);
  take(scene, c->robot.model, c->specs, without ? nullptr : c->set);
  for (int i = 0; i < 3; ++i) {
    CampaignState s;
    if (!draw_state(*c, i, s)) continue;
    SceneState state = state_at(random, *c->robot.model, name_of(s.kind), s.q);
    state.v = s.v, state.tau = s.tau;
    if (!s.wrenches.empty()) state.wrenches = s.wrenches;
    scene.states.push_back(std::move(state));
  }
}

}  // namespace

std::unique_ptr<Scene> draw_scene(std::uint64_t seed, RobotLibrary& library) {
  auto made = std::make_unique<Scene>();
  Scene& scene = *made;
  scene.seed = seed;
  Random random(seed);
  try {
    const double kind = random.uniform(0, 1);
    if (kind < 0.35)
      draw_limbs(random, scene);
    else if (kind < 0.55)
      draw_linkage(random, scene, library);
    else
      draw_campaign_case(random, scene, library);
  } catch (const Error&) {
    return nullptr;
  }
  if (!scene.model) return nullptr;
  const double lanes = random.uniform(0, 1);
  scene.lanes = lanes < 0.2   ? BranchLanesUse::never
                : lanes < 0.6 ? BranchLanesUse::where_faster
                              : BranchLanesUse::always;
  if (random.chance(0.2)) scene.instructions = TENON_INSTRUCTION_SET_BASELINE;
  scene.batch_threads = random.integer(1, 3);
  scene.batch_precision = random.chance(0.3) ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
  static const char* const uses[] = {"without branch lanes", "branch lanes where faster",
                                     "branch lanes always"};
  scene.title += std::string(", ") + uses[static_cast<int>(scene.lanes)];
  if (scene.instructions == TENON_INSTRUCTION_SET_BASELINE) scene.title += ", baseline";
  measure(scene);
  if (scene.nv == 0) return nullptr;
  scene.title += ", nv " + std::to_string(scene.nv) + ", ny " + std::to_string(scene.ny()) + ", rows " +
                 std::to_string(scene.rows);
  add_states(random, scene);
  return made;
}

Handle<tenon_workspace> Scene::workspace(const Making& making) const {
  Random random(making.seed);
  tenon_workspace_options o;
  tenon_workspace_options_init(&o, sizeof o);
  o.instruction_set = instructions;
  const auto some_of = [&](int count) {
    return static_cast<std::uint32_t>(random.bits()) & ((std::uint32_t{1} << count) - 1);
  };
  if (!making.nothing_named && random.chance(0.5)) {
    o.methods = some_of(tenon_constant_count(TENON_CONSTANT_METHOD));
    o.delassus_methods = some_of(tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD));
    o.damped_methods = some_of(tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD));
    o.products = static_cast<std::uint32_t>(random.bits()) & TENON_PRODUCT_ALL;
  }
  tenon_workspace* made = nullptr;
  if (lanes == BranchLanesUse::always) {  // which the C API does not have
    WorkspaceOptions options;
    options.instructions = static_cast<Instructions>(o.instruction_set);
    options.methods = o.methods, options.products = o.products;
    options.delassus_methods = o.delassus_methods, options.damped_methods = o.damped_methods;
    options.branch_lanes = lanes;
    made = new tenon_workspace(model->core, set ? set->core : nullptr, options);
  } else {
    o.disable_branch_lanes = lanes == BranchLanesUse::never;
    tenon_workspace_create(model.get(), set.get(), &o, &made, nullptr, 0);
  }
  return Handle<tenon_workspace>(made);
}

Handle<tenon_batch> Scene::batch() const {
  tenon_batch_options o;
  tenon_batch_options_init(&o, sizeof o);
  o.instruction_set = instructions, o.threads = batch_threads, o.precision = batch_precision;
  o.reports = 1;
  tenon_batch* made = nullptr;
  tenon_batch_create(model.get(), set.get(), &o, &made, nullptr, 0);
  return Handle<tenon_batch>(made);
}

}  // namespace tenon::testing::history
