#include "batch/batch_states.hpp"

#include "plan/dispatch.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {

std::vector<Instructions> instruction_sets_here() {
  std::vector<Instructions> here;
  for (const Instructions set : {Instructions::baseline, Instructions::x86_64_v3, Instructions::x86_64_v4}) {
    try {
      here.push_back(resolve(set));
    } catch (const Error&) {
    }
  }
  return here;
}

bool packs_by_choice() {
  return Batch(random_robot(3, 5).model, nullptr, batch_options()).width() > 1;
}

template <class N>
States<N>::States(std::shared_ptr<const Model> model_, std::shared_ptr<const ConstraintSet> set_,
                  std::size_t count_, std::uint64_t seed)
    : model(std::move(model_)), set(std::move(set_)), count(count_) {
  Random random(seed), of_rebounds(seed + 1);
  const std::size_t rows = set ? static_cast<std::size_t>(set->row_count()) : 0;
  for (std::size_t s = 0; s < count; ++s) {
    const State state = random_state(random, *model);
    q.insert(q.end(), state.q.begin(), state.q.end());
    v.insert(v.end(), state.v.begin(), state.v.end());
    x.insert(x.end(), state.tau.begin(), state.tau.end());
    wrenches.insert(wrenches.end(), state.wrenches.begin(), state.wrenches.end());
    for (std::size_t r = 0; r < rows; ++r) desired.push_back(static_cast<N>(random.uniform(-1, 1)));
    for (std::size_t r = 0; r < rows; ++r) restitution.push_back(static_cast<N>(of_rebounds.uniform(0, 1)));
    for (std::size_t r = 0; r < product_columns * rows; ++r)
      right.push_back(static_cast<N>(random.uniform(-1, 1)));
  }
  const int last = static_cast<int>(model->links.size()) - 1;
  links = {0, last, last / 2};
  status.assign(count, 77), iterations.assign(count, 77);
}

template <class N>
std::size_t States<N>::numbers(BatchFunction function, int which) const {
  const std::size_t nv = static_cast<std::size_t>(model->nv), rows = desired.size() / count;
  switch (function) {
    case BatchFunction::mass_matrix:
      return which == 0 ? nv * nv : 0;
    case BatchFunction::mass_matrix_lower:
    case BatchFunction::mass_matrix_factor:
      return which == 0 ? nv * (nv + 1) / 2 : 0;
    case BatchFunction::kinematics:
      return links.size() * (which == 0 ? 7 : which == 1 ? 6 : 6 * nv);
    case BatchFunction::constrained_dynamics:
    case BatchFunction::impact:
      return which == 0 ? nv : which == 1 ? rows : 0;
    case BatchFunction::delassus:
      return which == 0 ? rows * rows : 0;
    case BatchFunction::damped_product:
      return which == 0 ? product_columns * rows : 0;
    case BatchFunction::rollout:
      return which == 0 ? static_cast<std::size_t>(model->nq) : which == 1 ? nv : 0;
    default:
      return which == 0 ? nv : 0;
  }
}

template <class N>
void States<N>::draw_rows(std::uint64_t seed) {
  Random random(seed);
  const int constraints = set ? set->constraint_count() : 0,
            loops = static_cast<int>(model->row_loops.size());
  for (std::size_t s = 0; s < count; ++s)
    for (int c = 0; c < constraints; ++c) {
      double quaternion[4];
      random.quaternion(quaternion);
      for (int e = 0; e < 3; ++e) anchors.push_back(static_cast<N>(random.uniform(-1, 1)));
      for (const double e : quaternion) anchors.push_back(static_cast<N>(e));
      frequencies.push_back(static_cast<N>(random.chance(0.7) ? random.uniform(1, 10) : 0));
      ratios.push_back(static_cast<N>(random.uniform(0.5, 2)));
      active.push_back(static_cast<N>(c >= constraints - loops || random.chance(0.7) ? 1 : 0));
    }
}

template <class N>
void States<N>::draw_robots(const Mechanism& mechanism, const CompileOptions& options, std::uint64_t seed) {
  mu = 100;  // Tenon's choice is made for the model
  Random random(seed);
  const auto near = [&](double e) { return static_cast<N>(e * random.uniform(0.6, 1.6)); };
  for (std::size_t s = 0; s < count; ++s) {
    Mechanism own = mechanism;
    for (std::size_t i = 0; i < model->links.size(); ++i) {
      const N scale = near(1);  // an inertia that a body has goes on to be one
      const bool frame = i >= own.links.size();
      MechanismLink link = frame ? MechanismLink{} : own.links[i];
      masses.push_back(near(link.mass));
      for (double& e : link.center_of_mass)
        centers.push_back(static_cast<N>(e = static_cast<N>(e + random.uniform(-0.02, 0.02))));
      for (double& e : link.inertia)
        inertias.push_back(static_cast<N>(e = static_cast<N>(e * static_cast<double>(scale))));
      link.mass = static_cast<double>(masses.back());
      if (!frame) own.links[i] = link;
    }
    for (MechanismJoint& joint : own.joints)
      joint.armature = static_cast<N>(random.chance(0.5) ? random.uniform(0, 0.1) : 0);
    CompileOptions there = options;
    for (double& e : there.gravity)
      gravity.push_back(static_cast<N>(e = static_cast<N>(random.uniform(-10, 10))));
    models.push_back(Model::compile(own, there));
    for (const double e : models.back()->armature) armatures.push_back(static_cast<N>(e));
    for (int k = 0; k < model->nv; ++k) {
      damping.push_back(static_cast<N>(random.uniform(0, 0.5)));
      friction.push_back(static_cast<N>(random.uniform(0, 0.3)));
    }
  }
}

template <class N>
BatchParameters States<N>::parameters(std::size_t n, bool backwards) {
  const auto part = [&](std::vector<N>& list) {
    BatchArray a = array_of(list, list.size() / count);
    if (!backwards || list.empty()) return a;
    a.data = list.data() + (n - 1) * static_cast<std::size_t>(a.state_stride);
    a.state_stride = -a.state_stride;
    return a;
  };
  return {part(masses),
          part(centers),
          part(inertias),
          {},
          {},
          {},
          part(armatures),
          part(damping),
          part(friction),
          part(gravity),
          part(weights),
          part(compliance),
          part(frames)};
}

template <class N>
double States<N>::friction_of(std::size_t state, std::size_t k, double rate) const {
  if (models.empty()) return 0;
  const std::size_t at = state * static_cast<std::size_t>(model->nv) + k;
  const double dry = static_cast<double>(friction[at]);
  return static_cast<double>(damping[at]) * rate + (rate > 0 ? dry : rate < 0 ? -dry : 0);
}

template <class N>
void States<N>::draw_row_numbers(std::uint64_t seed) {
  Random random(seed);
  mu = 100;  // Tenon's choice is made for the set
  for (std::size_t s = 0; s < count; ++s) {
    specs.push_back(set->specs());
    specs.back().resize(specs.back().size() - model->row_loops.size());  // which bind adds
    for (int c = 0; c < set->constraint_count(); ++c) {
      ConstraintSpec own = set->specs()[static_cast<std::size_t>(c)];
      own.weight.clear(), own.compliance.clear();
      for (int r = 0; r < set->row_count(c); ++r) {
        weights.push_back(static_cast<N>(random.uniform(0.5, 2)));
        compliance.push_back(static_cast<N>(random.chance(0.3) ? random.uniform(0, 0.1) : 0));
        own.weight.push_back(static_cast<double>(weights.back()));
        own.compliance.push_back(static_cast<double>(compliance.back()));
      }
      N pose[7];
      double turn[4];
      random.quaternion(turn);
      for (int e = 0; e < 7; ++e) pose[e] = static_cast<N>(e < 3 ? random.uniform(-0.2, 0.2) : turn[e - 3]);
      frames.insert(frames.end(), pose, pose + 7);
      if (has_frame(own))
        own.frame = {
            rotation_from_quaternion({static_cast<double>(pose[3]), static_cast<double>(pose[4]),
                                      static_cast<double>(pose[5]), static_cast<double>(pose[6])}),
            {static_cast<double>(pose[0]), static_cast<double>(pose[1]), static_cast<double>(pose[2])}};
      if (static_cast<std::size_t>(c) < specs.back().size()) specs.back()[static_cast<std::size_t>(c)] = own;
    }
  }
}

template <class N>
std::unique_ptr<Workspace> States<N>::workspace(std::size_t state, const WorkspaceOptions& how) const {
  const std::shared_ptr<const Model>& own = models.empty() ? model : models[state];
  if (!set) return std::make_unique<Workspace>(own, nullptr, how);
  std::vector<ConstraintSpec> rows = specs.empty() ? set->specs() : specs[state];
  if (specs.empty()) rows.resize(rows.size() - model->row_loops.size());
  return std::make_unique<Workspace>(own, ConstraintSet::bind(own, rows), how);
}

template <class N>
void States<N>::give_rows(Batch& batch, std::size_t n, bool backwards) {
  if (!models.empty() || !specs.empty()) batch.set_parameters(n, parameters(n, backwards));
  const std::size_t constraints = set ? static_cast<std::size_t>(set->constraint_count()) : 0;
  if (frequencies.empty()) {
    std::vector<N> identity(7 * constraints, N(0));
    for (std::size_t c = 0; c < constraints; ++c) identity[7 * c + 6] = 1;
    batch.set_anchors(1, array_of(identity, identity.size()));
    return;
  }
  const auto part = [&](std::vector<N>& list) {
    BatchArray a = array_of(list, list.size() / count);
    if (backwards) {
      a.data = list.data() + (n - 1) * static_cast<std::size_t>(a.state_stride);
      a.state_stride = -a.state_stride;
    }
    return a;
  };
  batch.set_anchors(n, part(anchors));
  batch.set_gains(n, part(frequencies), part(ratios));
  batch.set_active(n, part(active));
}

template <class N>
void States<N>::give_rows(Workspace& w, std::size_t state) const {
  if (frequencies.empty()) return;
  const int constraints = set->constraint_count();
  for (int c = 0; c < constraints; ++c) {
    const std::size_t at = state * static_cast<std::size_t>(constraints) + static_cast<std::size_t>(c);
    double pose[7];
    std::copy_n(anchors.begin() + static_cast<std::ptrdiff_t>(7 * at), 7, pose);
    if (!set->specs()[static_cast<std::size_t>(c)].closure)
      w.set_anchor(
          c, {rotation_from_quaternion({pose[3], pose[4], pose[5], pose[6]}), {pose[0], pose[1], pose[2]}});
    set_constraint_gains(w, c, static_cast<double>(frequencies[at]), static_cast<double>(ratios[at]));
    set_constraint_active(w, c, active[at] == 1);
  }
}

template <class N>
BatchCall States<N>::call(BatchFunction function) {
  BatchCall c;
  c.function = function;
  c.states = count;
  c.status = status.data(), c.iterations = iterations.data();
  c.q = array_of(q, q.size() / count);
  const bool matrix = function == BatchFunction::mass_matrix ||
                      function == BatchFunction::mass_matrix_lower ||
                      function == BatchFunction::mass_matrix_factor || function == BatchFunction::delassus ||
                      function == BatchFunction::damped_product;
  if (!matrix) c.v = array_of(v, v.size() / count);
  if (function == BatchFunction::damped_product)
    c.x = array_of(right, right.size() / count), c.columns = product_columns, c.damping.mu = mu;
  if (!matrix && function != BatchFunction::kinematics && function != BatchFunction::impact) {
    c.x = array_of(x, x.size() / count);
    c.wrenches = array_of(wrenches, wrenches.size() / count);
  }
  const std::size_t rows = desired.size() / count;
  if (function == BatchFunction::constrained_dynamics) c.desired = array_of(desired, rows);
  if (function == BatchFunction::impact && rows > 0) c.restitution = array_of(restitution, rows);
  c.links = links.data(), c.link_count = static_cast<int>(links.size());
  c.axes = RowAxes::world;
  std::vector<N>* outputs[3] = {&out, &second, &third};
  for (int which = 0; which < 3; ++which) {
    const std::size_t n = numbers(function, which);
    outputs[which]->assign(n * count, static_cast<N>(-77));
    if (n > 0) c.out[which] = array_of(*outputs[which], n);
  }
  return c;
}

template struct States<double>;
template struct States<float>;

}  // namespace tenon::testing
