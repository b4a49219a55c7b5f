// What a call leaves behind changes no later call: the answer after others on one workspace has the same bits as that
// of a fresh workspace with the same settings. Each case was wrong once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/largest.hpp"
#include "tenon/delassus.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

using Numbers = std::vector<double>;

std::shared_ptr<const Model> load(const std::string& name, CompileOptions options = {}) {
  return Model::compile(load_urdf(TENON_MODELS_DIR "/" + name + ".urdf"), options);
}

int link_of(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.links.size(); ++i)
    if (model.links[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no link " << name;
  return 0;
}

// Numbers from -1 to 1, the same on every machine.
Numbers varied(int count, int seed) {
  Numbers x(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(1.7 * static_cast<double>(k) + seed + 0.3);
  return x;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Numbers free_motion(Workspace& w, const Numbers& q, const Numbers& v, const Numbers& tau) {
  Numbers qdd(v.size());
  EXPECT_EQ(forward_dynamics(w, {q.data(), v.data(), tau.data()}, qdd.data()), Status::ok) << w.message();
  return qdd;
}

TEST(EarlierCalls, ImpactsAndProjectionsKeepGravity) {
  CompileOptions options;
  options.floating_base = true;
  const auto model = load("go1", options);
  const auto set = ConstraintSet::bind(model, {point_constraint(link_of(*model, "FL_foot"), {0, 0, 0})});
  Numbers q(static_cast<std::size_t>(model->nq)), v(static_cast<std::size_t>(model->nv)), tau(v.size());
  neutral(*model, q.data());
  Workspace fresh(model, set), used(model, set);
  Numbers moving = v;
  moving[5] = -1;
  ASSERT_EQ(impact(used, nullptr, 0, q.data(), moving.data(), nullptr), Status::ok);
  ASSERT_EQ(project_velocities(used, q.data(), moving.data()), Status::ok);
  ASSERT_EQ(anchor_here(used, q.data()), Status::ok);
  ASSERT_EQ(set_constraint_gains(used, 0, 10, 1), Status::ok);
  Numbers moved = q;
  moved[2] += 0.01;
  ASSERT_EQ(project_positions(used, 1e-10, 20, moved.data()), Status::ok);
  ASSERT_EQ(set_constraint_gains(used, 0, 0, 1), Status::ok);
  const Numbers qdd = free_motion(used, q, v, tau);
  EXPECT_NEAR(qdd[5], -9.81, 1e-9);
  EXPECT_TRUE(same_bits(qdd, free_motion(fresh, q, v, tau)));
}

// Limbs that carry limbs of several shapes, on several bodies of the trunk.
std::shared_ptr<const Model> branching_tree() {
  const int parent[] = {0, 1, 0, 3, 3, 0, 6, 6, 0, 9, 9, 1, 12, 13, 13, 1, 16, 17, 17, 1, 20, 21, 21};
  const int type[] = {3, 1, 3, 1, 1, 3, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 3};
  const auto link = [](int i) {
    return "<link name='l" + std::to_string(i) + "'><inertial><origin xyz='.1 .05 -.1'/><mass value='0." +
           std::to_string(3 + i % 6) +
           "'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial></link>";
  };
  std::string text = "<robot name='tree'>" + link(0);
  for (int i = 1; i <= 23; ++i) {
    const Numbers x = varied(9, i);
    const auto three = [&](int k, double s) {
      return std::to_string(s * x[static_cast<std::size_t>(k)]) + " " +
             std::to_string(s * x[static_cast<std::size_t>(k + 1)]) + " " +
             std::to_string(s * x[static_cast<std::size_t>(k + 2)]);
    };
    text += link(i) + "<joint name='j" + std::to_string(i) + "' type='" +
            (type[i - 1] == 1 ? "continuous" : "prismatic") + "'><parent link='l" +
            std::to_string(parent[i - 1]) + "'/><child link='l" + std::to_string(i) + "'/><origin xyz='" +
            three(0, 0.2) + "' rpy='" + three(3, 3) + "'/><axis xyz='" + three(6, 1) +
            "'/><limit lower='-9' upper='9' effort='9' velocity='9'/></joint>";
  }
  return Model::compile(parse_urdf(text + "</robot>"));
}

TEST(EarlierCalls, SweepsWithoutRowsLeaveNoInertiaInLimbs) {
  const auto model = branching_tree();
  const Numbers v = varied(model->nv, 1), tau = varied(model->nv, 2);
  Numbers q(static_cast<std::size_t>(model->nq));
  random_configuration(*model, 1, q.data());
  WorkspaceOptions limbs;
  limbs.branch_lanes = BranchLanesUse::always;
  int tried = 0;
  for (std::size_t link = 1; link < model->links.size(); ++link) {
    const auto set = ConstraintSet::bind(model, {point_constraint(static_cast<int>(link), {0.1, 0.2, 0.3})});
    const auto solve = [&](bool use_before, Method method, const WorkspaceOptions& options) {
      Workspace w(model, set, options);
      Numbers x(v.size()), lambda(3), column(v.size());
      if (use_before) {
        free_motion(w, q, v, tau);
        EXPECT_EQ(inverse_mass_times(w, q.data(), tau.data(), model->nv, 1, column.data(), model->nv),
                  Status::ok);
      }
      SolveOptions o;
      o.method = method;
      const Status status =
          constrained_dynamics(w, o, {q.data(), v.data(), tau.data()}, x.data(), lambda.data());
      EXPECT_GE(static_cast<int>(status), 0) << w.message();
      return x;
    };
    const Numbers expected = solve(false, Method::dense, {});
    const Numbers fresh = solve(false, Method::constrained_aba, limbs);
    const Numbers used = solve(true, Method::constrained_aba, limbs);
    EXPECT_TRUE(same_bits(fresh, used)) << "link " << link;
    const double size = largest(expected);
    for (std::size_t k = 0; k < used.size(); ++k)
      EXPECT_NEAR(used[k], expected[k], 1e-8 * size) << "link " << link;
    ++tried;
  }
  EXPECT_EQ(tried, 23);
}

// A four-bar linkage on a wagon, with the rocker as independent joint: a dead centre where crank and coupler are in
// line.
const char* const machine =
    "<robot name='machine'><link name='world'/>"
    "<link name='wagon'><inertial><origin xyz='0.5 0.01 0.02'/><mass value='5'/><inertia ixx='.01' iyy='.02' "
    "izz='.03' "
    "ixy='0' ixz='0' iyz='.001'/></inertial></link>"
    "<joint name='rail' type='prismatic'><parent link='world'/><child link='wagon'/><axis xyz='1 0 0'/>"
    "<limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
    "<link name='crank'><inertial><origin xyz='0.15 0.01 0.02'/><mass value='1'/><inertia ixx='.01' "
    "iyy='.02' "
    "izz='.03' ixy='0' ixz='0' iyz='.001'/></inertial></link>"
    "<link name='coupler'><inertial><origin xyz='0.45 0.01 0.02'/><mass value='2'/><inertia ixx='.01' "
    "iyy='.02' "
    "izz='.03' ixy='0' ixz='0' iyz='.001'/></inertial></link>"
    "<link name='rocker'><inertial><origin xyz='0.3 0.01 0.02'/><mass value='1.5'/><inertia ixx='.01' "
    "iyy='.02' "
    "izz='.03' ixy='0' ixz='0' iyz='.001'/></inertial></link>"
    "<joint name='crank_joint' type='continuous' independent='false'><parent link='wagon'/><child "
    "link='crank'/>"
    "<axis xyz='0 0 1'/></joint>"
    "<joint name='coupler_joint' type='continuous' independent='false'><parent link='crank'/><child "
    "link='coupler'/>"
    "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>"
    "<joint name='rocker_joint' type='continuous' independent='true'><parent link='wagon'/><child "
    "link='rocker'/>"
    "<origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>"
    "<loop name='pin' type='revolute'><predecessor link='coupler'><origin xyz='0.9 0 0'/></predecessor>"
    "<successor link='rocker'><origin xyz='0.6 0 0'/></successor><axis xyz='0 0 1'/></loop></robot>";

// Closed, with the crank this far from the dead centre.
Numbers closed_machine(const Model& model, double off) {
  const double crank = 0.3, coupler = 0.9, rocker = 0.6, line = crank + coupler;
  const double angle = std::acos((1 + line * line - rocker * rocker) / (2 * line)) + off;
  const double x = crank * std::cos(angle), y = crank * std::sin(angle), d = std::hypot(1 - x, -y);
  const double inner =
      std::acos(std::fmin(1, (coupler * coupler + d * d - rocker * rocker) / (2 * coupler * d)));
  const double direction = std::atan2(-y, 1 - x) + inner;
  const double end_x = x + coupler * std::cos(direction), end_y = y + coupler * std::sin(direction);
  Numbers q(static_cast<std::size_t>(model.nq));
  for (const Model::Joint& joint : model.joints)
    q[static_cast<std::size_t>(joint.q_index)] = joint.name == "rail"          ? 0.2
                                                 : joint.name == "crank_joint" ? angle
                                                 : joint.name == "coupler_joint"
                                                     ? direction - angle
                                                     : std::atan2(end_y, end_x - 1);
  return q;
}

TEST(EarlierCalls, AFactorAtADeadCentreKeepsItsOwnLoopMap) {
  const auto model = Model::compile(parse_urdf(machine));
  const Numbers dead = closed_machine(*model, 0), q = closed_machine(*model, 0.5);
  const Numbers v(static_cast<std::size_t>(model->nv)), tau = varied(model->nv, 1);
  Workspace used(model), fresh(model);
  for (Workspace* w : {&used, &fresh}) w->set_gravity({0, -9.81, 0});
  Numbers x(v.size()), before(v.size()), again(v.size());
  ASSERT_EQ(factor_mass_matrix(used, dead.data()), Status::ok) << used.message();
  ASSERT_EQ(solve_mass_matrix(used, tau.data(), model->nv, 1, before.data(), model->nv), Status::ok);
  EXPECT_TRUE(same_bits(free_motion(used, q, v, tau), free_motion(fresh, q, v, tau)));
  Numbers G(static_cast<std::size_t>(model->nv * model->ny)), expected(G), g(v.size());
  ASSERT_EQ(loop_map(used, q.data(), nullptr, G.data(), model->nv, g.data()), Status::ok);
  ASSERT_EQ(loop_map(fresh, q.data(), nullptr, expected.data(), model->nv, g.data()), Status::ok);
  EXPECT_TRUE(same_bits(G, expected));
  // And the factor is that of the dead centre still.
  ASSERT_EQ(solve_mass_matrix(used, tau.data(), model->nv, 1, again.data(), model->nv), Status::ok);
  EXPECT_TRUE(same_bits(before, again));
}

TEST(EarlierCalls, OperationalSpaceWithoutRowsTakesTheLoopMapOfItsOwnState) {
  const auto model = Model::compile(parse_urdf(machine));
  const Numbers here = closed_machine(*model, 0.5), there = closed_machine(*model, 0.8);
  const Numbers v(static_cast<std::size_t>(model->nv)), tau = varied(model->nv, 1);
  const auto N_of = [&](Workspace& w) {
    Numbers N(v.size() * v.size());
    OperationalSpace out;
    out.N = N.data(), out.ld_N = model->nv;
    EXPECT_EQ(operational_space(w, here.data(), out), Status::ok) << w.message();
    return N;
  };
  Workspace fresh(model), used(model);
  free_motion(used, there, v, tau);
  const Numbers N = N_of(used);
  EXPECT_TRUE(same_bits(N, N_of(fresh)));
  // N is G E there: it leaves motions that keep the loops closed as they are.
  Numbers G(static_cast<std::size_t>(model->nv * model->ny)), g(v.size());
  ASSERT_EQ(loop_map(fresh, here.data(), nullptr, G.data(), model->nv, g.data()), Status::ok);
  for (int y = 0; y < model->ny; ++y)
    for (std::size_t i = 0; i < v.size(); ++i) {
      double moved = 0;
      for (std::size_t k = 0; k < v.size(); ++k)
        moved += N[k * v.size() + i] * G[static_cast<std::size_t>(y) * v.size() + k];
      EXPECT_NEAR(moved, G[static_cast<std::size_t>(y) * v.size() + i], 1e-12);
    }
}

TEST(EarlierCalls, LoopsByRowsObeyTheirSettingsWithAndWithoutOtherRows) {
  CompileOptions options;
  options.loops = LoopTreatment::rows;
  const auto model = load("four_bar", options);
  const auto set = ConstraintSet::bind(model, {point_constraint(link_of(*model, "link1"), {0.1, 0.1, 0})});
  Workspace alone(model), beside(model, set);
  Numbers q(static_cast<std::size_t>(model->nq)), v(static_cast<std::size_t>(model->nv)),
      tau = varied(model->nv, 1);
  ASSERT_EQ(guess(alone, q.data()), Status::ok);
  q[1] += 0.01, v[0] = 1;
  const Numbers rigid = free_motion(alone, q, v, tau);
  EXPECT_TRUE(same_bits(rigid, free_motion(beside, q, v, tau)));
  ASSERT_EQ(set_constraint_gains(alone, 0, 10, 1), Status::ok);
  ASSERT_EQ(set_constraint_gains(beside, 1, 10, 1), Status::ok);
  const Numbers pulled = free_motion(alone, q, v, tau);
  EXPECT_FALSE(same_bits(pulled, rigid));
  EXPECT_TRUE(same_bits(pulled, free_motion(beside, q, v, tau)));
}

}  // namespace
}  // namespace tenon::testing
