#include "batch/batch_robots.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "model/body_poses.hpp"
#include "model/compile.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/index.hpp"
#include "state/check.hpp"
#include "state/closing_form.hpp"
#include "state/coordinates.hpp"
#include "state/folded_rotors.hpp"
#include "state/own_inertias.hpp"
#include "tenon/loops.hpp"

namespace tenon {

namespace {

// The numbers of a body, in the order of WorkspaceData::body_inertia.
void store_body(const NodeData& node, double* to) {
  to[0] = node.mass;
  std::copy_n(node.I, 6, std::copy_n(node.h, 3, to + 1));
}
// Ten numbers of a link: mass, centre of mass, inertia.
void store_link(double mass, const Vector3& center, const std::array<double, 6>& inertia, double* to) {
  to[0] = mass;
  std::copy_n(inertia.begin(), 6, std::copy_n(center.begin(), 3, to + 1));
}
std::array<double, 6> inertia_of(const double* link) {
  return {link[4], link[5], link[6], link[7], link[8], link[9]};
}
// The inertias of bodies := these.
void load_bodies(const double* bodies, std::vector<NodeData>& nodes) {
  for (NodeData& node : nodes) {
    node.mass = *bodies;
    std::copy_n(bodies + 1, 3, node.h), std::copy_n(bodies + 4, 6, node.I);
    bodies += 10;
  }
}

[[noreturn]] void refuse(Status status, std::size_t state, const std::string& text) {
  throw Error(status, "state " + std::to_string(state) + ": " + text);
}

bool all_zero(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double x) { return x == 0; });
}

}  // namespace

BatchRobots::BatchRobots(const std::shared_ptr<const Model>& model)
    : bodies(10 * model->nodes.size()),
      armature(index(model->nv)),
      damping(armature.count),
      dry(armature.count),
      gravity(3),
      links(10 * model->links.size()),
      payloads(links.count),
      model_(model),
      nodes_(model->nodes),
      node_armature_(model->armature),
      checked_(wrong_inertia(*model, nodes_, node_armature_).empty()),
      usual_bodies_(bodies.count) {
  lump_inertias(model->links, nodes_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) store_body(nodes_[i], &usual_bodies_[10 * i]);
  bodies.list = usual_bodies_;
  armature.list = model->armature;
  for (PerState* x : {&damping, &dry, &gravity, &links, &payloads}) x->resize(1);
  for (std::size_t i = 0; i < model->links.size(); ++i) {
    const Model::Link& link = model->links[i];
    if (!link.is_frame) store_link(link.mass, link.center_of_mass, link.inertia, &links.list[10 * i]);
  }
  usual_links_ = links.list;
}

bool BatchRobots::same_in_all() const {
  const PerState* const lists[] = {&bodies, &armature, &damping, &dry, &gravity};
  return std::all_of(std::begin(lists), std::end(lists), [](const PerState* x) { return x->states == 1; });
}

Status BatchRobots::check(const BatchCall& call, char* message, std::size_t message_size) const {
  if (own_bodies) {
    TENON_CHECK(check_states(bodies, "inertias of the links", call, message, message_size));
    TENON_CHECK(check_states(armature, "armatures of the joints", call, message, message_size));
  }
  if (own_friction) {
    TENON_CHECK(check_states(damping, "damping of the joints", call, message, message_size));
    TENON_CHECK(check_states(dry, "friction of the joints", call, message, message_size));
  }
  return own_gravity ? check_states(gravity, "gravity", call, message, message_size) : Status::ok;
}

PerState BatchRobots::links_of(std::size_t states, const BatchArray& masses, const BatchArray& centers,
                               const BatchArray& inertias, const std::vector<double>& usual,
                               bool single_precision, const char* what) const {
  PerState result(links.count);
  result.resize(states);
  double* to = result.list.data();
  for (std::size_t s = 0; s < states; ++s) {
    const NumbersOfState mass(masses, single_precision, s), center(centers, single_precision, s),
        inertia(inertias, single_precision, s);
    for (std::size_t i = 0; i < model_->links.size(); ++i, to += 10) {
      const Model::Link& link = model_->links[i];
      std::copy_n(&usual[10 * i], 10, to);
      if (link.body < 0 || (link.is_frame && what == nullptr)) continue;
      if (masses.data) to[0] = mass[i];
      for (std::size_t e = 0; centers.data && e < 3; ++e) to[1 + e] = center[3 * i + e];
      for (std::size_t e = 0; inertias.data && e < 6; ++e) to[4 + e] = inertia[6 * i + e];
      const bool finite = all_finite(to, 10);
      const bool moments = !what || !finite || !has_negative_moment(inertia_of(to));
      if (finite && to[0] >= 0 && moments) continue;
      ClassicText text;
      text << (what ? what : "") << "link " << i << " '" << link.name << "': ";
      if (!finite)
        text << "mass, centre of mass or inertia is NaN or infinity; give finite numbers";
      else if (!(to[0] >= 0))
        text << "the mass is " << to[0] << " kg; give zero or more";
      else
        text << "a principal moment of its inertia is negative; give an inertia about the centre of mass";
      refuse(finite ? Status::invalid_inertia : Status::not_finite, s, text.str());
    }
  }
  return result;
}

void BatchRobots::lump(const double* links_, const double* payloads_) {
  for (NodeData& node : nodes_) set_inertia(node, {});
  const auto add = [&](const Model::Link& link, const double* x) {
    add_inertia(link, x[0], {x[1], x[2], x[3]}, inertia_of(x), nodes_);
  };
  for (std::size_t i = 0; i < model_->links.size(); ++i) {
    const Model::Link& link = model_->links[i];
    if (link.body < 0) continue;
    if (!link.is_frame) add(link, links_ + 10 * i);
    const double* const load = payloads_ ? payloads_ + 10 * i : nullptr;
    const auto zero = [](double x) { return x == 0; };
    if (load && !(load[0] == 0 && std::all_of(load + 4, load + 10, zero))) add(link, load);
  }
}

PerState BatchRobots::bodies_of(const PerState& links_, const PerState& payloads_) {
  PerState result(bodies.count);
  result.resize(std::max(links_.states, payloads_.states));
  double* to = result.list.data();
  for (std::size_t s = 0; s < result.states; ++s) {
    lump(links_.of(s), payloads_.of(s));
    for (const NodeData& node : nodes_) store_body(node, to), to += 10;
  }
  return result;
}

// Numbers of velocity coordinates, all of zero or more.
PerState BatchRobots::of_joints(std::size_t states, const BatchArray& given, bool single_precision,
                                const char* what) const {
  PerState result(armature.count);
  result.resize(states);
  double* to = result.list.data();
  for (std::size_t s = 0; s < states; ++s) {
    const NumbersOfState numbers(given, single_precision, s);
    for (std::size_t k = 0; k < result.count; ++k, ++to) {
      *to = numbers[k];
      const bool finite = all_finite(to, 1);
      if (finite && *to >= 0) continue;
      ClassicText text;
      text << "the " << what << " of joint '" << model_->joints[index(model_->v_node[k])].name
           << "' (coordinate " << k << ") is " << *to << "; give a finite number of zero or more";
      refuse(finite ? Status::invalid_argument : Status::not_finite, s, text.str());
    }
  }
  return result;
}

// Throws where a robot could not be compiled with these numbers. Those of the model itself are not looked at: it may be
// one that takes inertias as they are.
void BatchRobots::check_bodies(const PerState& links_, const PerState& armature_) {
  if (!checked_) return;
  for (std::size_t s = 0; s < std::max(links_.states, armature_.states); ++s) {
    lump(links_.of(std::min(s, links_.states - 1)), nullptr);
    std::copy_n(armature_.of(std::min(s, armature_.states - 1)), node_armature_.size(),
                node_armature_.begin());
    const std::string wrong = wrong_inertia(*model_, nodes_, node_armature_);
    if (!wrong.empty()) refuse(Status::invalid_inertia, s, wrong);
  }
}

void BatchRobots::set(std::size_t states, const BatchParameters& given, bool single_precision) {
  const bool own_links = given.masses.data || given.centers_of_mass.data || given.inertias.data;
  const bool loads =
      given.payload_masses.data || given.payload_centers_of_mass.data || given.payload_inertias.data;
  PerState links_ = own_links ? links_of(states, given.masses, given.centers_of_mass, given.inertias,
                                         usual_links_, single_precision, nullptr)
                              : links;
  PerState payloads_ =
      loads ? links_of(states, given.payload_masses, given.payload_centers_of_mass, given.payload_inertias,
                       std::vector<double>(links.count), single_precision, "what is carried by ")
            : payloads;
  if (links_.states != 1 && payloads_.states != 1 && links_.states != payloads_.states)
    throw Error(Status::wrong_size, "inertias of links are those of " + std::to_string(links_.states) +
                                        " states, payloads of " + std::to_string(payloads_.states) +
                                        "; give both for as many states, or one for all");
  PerState bodies_ = own_links || loads ? bodies_of(links_, payloads_) : bodies;
  const auto joints = [&](const BatchArray& array, const char* what, const PerState& as_before) {
    return array.data ? of_joints(states, array, single_precision, what) : as_before;
  };
  PerState armature_ = joints(given.armatures, "armature", armature);
  PerState damping_ = joints(given.damping, "damping", damping),
           dry_ = joints(given.friction, "friction", dry);
  PerState gravity_ = gravity;
  if (given.gravity.data) {
    gravity_.resize(states);
    for (std::size_t s = 0; s < states; ++s)
      for (std::size_t e = 0; e < 3; ++e)
        gravity_.list[3 * s + e] = NumbersOfState(given.gravity, single_precision, s)[e];
    for (std::size_t s = 0; s < states; ++s)
      if (!all_finite(gravity_.of(s), 3))
        refuse(Status::not_finite, s, "gravity holds NaN or infinity; give finite numbers");
  }
  if (own_links || given.armatures.data) check_bodies(links_, armature_);

  std::swap(links, links_), std::swap(payloads, payloads_);
  std::swap(bodies, bodies_), std::swap(armature, armature_);
  std::swap(damping, damping_), std::swap(dry, dry_), std::swap(gravity, gravity_);
  own_gravity = own_gravity || given.gravity.data;
  own_bodies = bodies.list != usual_bodies_ || armature.list != model_->armature;
  own_friction = !all_zero(damping.list) || !all_zero(dry.list);
  if (single_precision)
    for (PerState* x : {&bodies, &armature, &damping, &dry, &gravity}) x->round_to_floats();
  ++version;
}

std::size_t BatchRobots::bytes() const {
  return sizeof *this + bytes_of(bodies.list, armature.list, damping.list, dry.list, gravity.list,
                                 bodies.floats, armature.floats, damping.floats, dry.floats, gravity.floats,
                                 usual_bodies_, nodes_, node_armature_, links.list, payloads.list,
                                 usual_links_);
}

void BatchRobots::write(std::size_t states, const BatchParameters& to, const double* usual_gravity,
                        bool single_precision) const {
  struct Part {
    const BatchArray& to;
    const PerState& from;
    std::size_t numbers, first;  // of the ten of a link
    const char* what;
  };
  const char *const of_links = "inertias of the links", *const of_loads = "payloads of the links";
  const Part parts[] = {{to.masses, links, 1, 0, of_links},
                        {to.centers_of_mass, links, 3, 1, of_links},
                        {to.inertias, links, 6, 4, of_links},
                        {to.payload_masses, payloads, 1, 0, of_loads},
                        {to.payload_centers_of_mass, payloads, 3, 1, of_loads},
                        {to.payload_inertias, payloads, 6, 4, of_loads}};
  const Part lists[] = {{to.armatures, armature, 0, 0, "armatures of the joints"},
                        {to.damping, damping, 0, 0, "damping of the joints"},
                        {to.friction, dry, 0, 0, "friction of the joints"},
                        {to.gravity, gravity, 0, 0, "gravity"}};
  for (const Part& part : parts)
    if (part.to.data) need_states(part.from, part.what, states);
  for (const Part& part : lists)
    if (part.to.data && (&part.from != &gravity || own_gravity)) need_states(part.from, part.what, states);
  for (const Part& part : parts) {
    const auto place = [&](std::size_t i) { return 10 * (i / part.numbers) + part.first + i % part.numbers; };
    write_numbers(part.from, states, part.numbers * model_->links.size(), part.to, single_precision, place);
  }
  for (const Part& part : lists)
    if (&part.from != &gravity || own_gravity) write_numbers(part.from, states, part.to, single_precision);
  for (std::size_t s = 0; !own_gravity && to.gravity.data && s < states; ++s)
    for (std::size_t e = 0; e < 3; ++e)
      NumbersOfState(to.gravity, single_precision, s).set(e, usual_gravity[e]);
}

// ---- one by one

// A workspace, and that of its loops which rows close.
static std::array<WorkspaceImpl*, 2> that_sweep(WorkspaceImpl& w) {
  return {&w, w.row_loops && w.row_loops->alone ? &w.row_loops->alone->impl() : nullptr};
}

RobotOfState::~RobotOfState() = default;

void RobotOfState::prepare(const BatchRobots& robots, Instructions instructions) {
  const WorkspaceImpl& w = usual_.impl();
  if (robots.own_friction) room_.resize(index(w.model->nv));
  if (!robots.own_bodies) return;
  if (!own_) {
    WorkspaceOptions bodies_alone;
    bodies_alone.instructions = instructions;
    bodies_alone.branch_lanes = BranchLanesUse::never;  // limbs hold copies of the inertias
    own_ = std::make_unique<Workspace>(
        std::make_unique<WorkspaceImpl>(w.model, w.constraints, bodies_alone, w.settings, 0, 0));
    for (WorkspaceImpl* own : that_sweep(own_->impl())) {
      if (!own) continue;
      own->folded = nullptr;
      make_own_inertias(*own);
    }
  }
  set_coordinates(*own_, w.coordinates.positions, w.coordinates.velocities);
  copy_guess(w, own_->impl());
}

Workspace& RobotOfState::take(const BatchRobots& robots, std::size_t state) {
  Settings& settings = *usual_.impl().settings;
  if (robots.own_gravity) std::copy_n(robots.gravity.of(state), 3, settings.gravity);
  if (robots.own_friction) settings.friction = {robots.damping.of(state), robots.dry.of(state), room_.data()};
  if (!robots.own_bodies) return usual_;
  if (taken_ != robots.version) {
    for (WorkspaceImpl* own : that_sweep(own_->impl())) {
      if (!own) continue;
      load_bodies(robots.bodies.of(state), own->own_nodes);
      std::copy_n(robots.armature.of(state), own->own_armature.size(), own->own_armature.begin());
      place_own_inertias(*own);
    }
    taken_ = robots.bodies.states == 1 && robots.armature.states == 1 ? robots.version : 0;
  }
  return *own_;
}

void RobotOfState::leave() {
  usual_.impl().settings->friction = {};
}

std::size_t RobotOfState::bytes() const {
  return bytes_of(room_) + (own_ ? own_->bytes() : 0);
}

}  // namespace tenon
