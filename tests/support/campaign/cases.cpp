#include "support/campaign/cases.hpp"

#include "support/campaign/drawing.hpp"

namespace tenon::testing {

const char* name_of(RobotKind kind) {
  static const char* const names[] = {"tree_fixed", "tree_floating", "aligned",        "scaled",
                                      "far",        "geared",        "loops_embedded", "loops_half",
                                      "loops_rows", "linkage",       "model_fixed",    "model_floating"};
  return names[static_cast<int>(kind)];
}
const char* name_of(ContactKind kind) {
  static const char* const names[] = {"points", "welds",      "mixed",    "agreeing", "contradicting",
                                      "soft",   "soft_rigid", "closures", "still",    "overfull"};
  return names[static_cast<int>(kind)];
}
const char* name_of(StateKind kind) {
  static const char* const names[] = {"random", "neutral", "rest", "fast", "square", "near_neutral"};
  return names[static_cast<int>(kind)];
}

void kinds_of_case(std::uint64_t seed, RobotKind& robot, ContactKind& contacts) {
  Random random = stream(seed, 0);
  // Of thirty-two cases: trees are cheap, real robots are not.
  static constexpr int shares[robot_kinds] = {5, 5, 6, 3, 2, 2, 2, 2, 2, 1, 1, 1};
  int pick = random.integer(0, 31), kind = 0;
  while (pick >= shares[kind]) pick -= shares[kind++];
  robot = static_cast<RobotKind>(kind);
  contacts = static_cast<ContactKind>(random.integer(0, contact_kinds - 1));
}

std::unique_ptr<CampaignCase> draw_case(std::uint64_t seed, RobotLibrary& library) {
  auto made = std::make_unique<CampaignCase>();
  CampaignCase& c = *made;
  c.seed = seed;
  kinds_of_case(seed, c.robot_kind, c.contact_kind);
  Random random = stream(seed, 1);
  c.calm = random.chance(0.5);
  c.robot = draw_robot(random, c, library);
  const Model& model = *c.robot.model;
  if (c.closed.size() == 0 && has_loops(model) && !model.loops.closed.empty())
    c.closed = Eigen::Map<const Eigen::VectorXd>(model.loops.closed.data(), model.nq);
  const std::vector<ConstraintSpec> loops = std::move(c.specs);
  c.specs.clear();
  Oracle oracle(c.robot);
  Random contacts = stream(seed, 2);
  State state = random_state(contacts, model);
  if (c.closed.size() > 0)
    state.q.assign(c.closed.data(), c.closed.data() + model.nq);
  else
    move_away(c, state.q);
  oracle.set_state(state.q, state.v);
  Hand hand{contacts, c, model, oracle};
  draw_contacts(hand);
  c.contacts = c.specs.size();
  c.specs.insert(c.specs.end(), loops.begin(), loops.end());
  c.set = ConstraintSet::bind(c.robot.model, c.specs);
  c.workspace = std::make_unique<Workspace>(c.robot.model, c.set);
  return made;
}

}  // namespace tenon::testing
