// Constrained dynamics of packs by pv_early, which reports one iteration, and the lanes in which it has no answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "batch/batch_checks.hpp"
#include "tenon/urdf.hpp"

namespace tenon::testing {
namespace {

constexpr BatchFunction solves = BatchFunction::constrained_dynamics;

// The hand of an arm: at its neutral position rows depend on each other.
struct Arm {
  explicit Arm(double compliance = 0, int copies = 1) {
    ConstraintSpec hand = weld_constraint(static_cast<int>(model->links.size()) - 1, {});
    if (copies > 1) hand = point_constraint(hand.link, {0.1, 0, 0});
    hand.compliance.assign(static_cast<std::size_t>(row_count(hand)), 0.0);
    hand.compliance[0] = compliance;
    set = ConstraintSet::bind(model, std::vector<ConstraintSpec>(static_cast<std::size_t>(copies), hand));
  }
  std::shared_ptr<const Model> model = Model::compile(load_urdf(TENON_MODELS_DIR "/iiwa14.urdf"));
  std::shared_ptr<const ConstraintSet> set;
};

// Lanes that packs answered in one sweep: single calls, which are not counted as packed, do so too.
template <class N>
int count_early(States<N>& s, Instructions here, int singles = 0) {
  Batch batch(s.model, s.set, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  EXPECT_GE(static_cast<int>(batch.run(s.call(solves))), 0) << batch.message();
  EXPECT_EQ(static_cast<int>(batch.packed()), static_cast<int>(s.count) - singles);
  return static_cast<int>(std::count(s.iterations.begin(), s.iterations.end(), 1)) - singles;
}
bool has_packs(Instructions here) {
  return here != Instructions::baseline;
}

TEST(EarlyBatch, AnswersArms) {
  for (const Instructions here : instruction_sets_here())
    for (const double compliance : {0.0, 1e-3}) {
      const Arm arm(compliance);
      States<double> s(arm.model, arm.set, 40, 1);
      if (has_packs(here)) {
        EXPECT_EQ(count_early(s, here), 40);
      }
      expect_as_single(s, here, solves, 1e-9);
      expect_same_digits(s, here, solves);
      States<float> floats(arm.model, arm.set, 40, 1);
      if (has_packs(here)) {
        EXPECT_EQ(count_early(floats, here), 40);
      }
      expect_as_single(floats, here, solves, 1e-4);
      expect_same_digits(floats, here, solves);
    }
}

// States that pv_early does not answer wait for a pack of their own. All but a few are packed, none is lost, and the
// digits of all are those that they have alone.
template <class N>
void expect_packs_of_waiting_states(States<N> s, Instructions here, std::ptrdiff_t least_waiting,
                                    double tolerance) {
  Batch batch(s.model, s.set, batch_options(sizeof(N) == sizeof(float), here));
  s.give_rows(batch);
  EXPECT_EQ(batch.run(s.call(solves)), Status::ok);
  if (has_packs(here)) {
    const std::ptrdiff_t early = std::count(s.iterations.begin(), s.iterations.end(), 1);
    EXPECT_LE(early, static_cast<std::ptrdiff_t>(s.count) - least_waiting);
    EXPECT_GE(early, static_cast<std::ptrdiff_t>(s.count) / 2);
    EXPECT_GE(batch.packed(), s.count - 2);
  }
  EXPECT_EQ(std::count(s.status.begin(), s.status.end(), 0), static_cast<std::ptrdiff_t>(s.count));
  expect_as_single(s, here, solves, tolerance);
  expect_same_digits(s, here, solves);
}
std::shared_ptr<const ConstraintSet> hold_points(const std::shared_ptr<const Model>& model,
                                                 const std::vector<std::string>& links) {
  std::vector<ConstraintSpec> specs;
  for (std::size_t i = 0; i < model->links.size(); ++i)
    if (std::count(links.begin(), links.end(), model->links[i].name) > 0)
      specs.push_back(point_constraint(static_cast<int>(i), {}));
  EXPECT_EQ(specs.size(), links.size());
  return ConstraintSet::bind(model, specs);
}
TEST(EarlyBatch, PacksTheStatesThatAreLeft) {
  const auto hand = Model::compile(load_urdf(TENON_MODELS_DIR "/shadow_hand.urdf"));
  CompileOptions floating;
  floating.floating_base = true;
  const auto legs = Model::compile(load_urdf(TENON_MODELS_DIR "/solo12.urdf"), floating);
  const auto tips = hold_points(hand, {"rh_fftip", "rh_mftip", "rh_rftip", "rh_lftip", "rh_thtip"}),
             feet = hold_points(legs, {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"});
  for (const Instructions here : instruction_sets_here()) {
    States<double> straight(hand, tips, 67, 6);  // fingers in every third state
    const std::size_t nq = static_cast<std::size_t>(hand->nq);
    for (std::size_t i = 1; i < straight.count; i += 3)
      for (std::size_t k = nq * i; k < nq * (i + 1); ++k) straight.q[k] *= 0.003;
    expect_packs_of_waiting_states(straight, here, 10, 1e-8);
    expect_packs_of_waiting_states(States<float>(legs, feet, 67, 6), here, 2, 1e-3);
  }
}

// A step of pv_early in seven digits with its refinement, against constrained_aba in seven digits, by what double precision
// gives for the same numbers: the median of the errors and the largest.
TEST(EarlyBatch, RefinesAnswersInSinglePrecision) {
  for (const Instructions here : instruction_sets_here()) {
    if (!has_packs(here)) continue;
    const Arm arm;
    States<float> s(arm.model, arm.set, 512, 7);
    Batch batch(s.model, s.set, batch_options(true, here));
    s.give_rows(batch);
    Workspace w(s.model, s.set);
    std::vector<double> errors[2];
    for (const bool early : {true, false}) {
      BatchCall call = s.call(solves);
      if (!early) call.solve.method = Method::constrained_aba;
      ASSERT_EQ(batch.run(call), Status::ok) << batch.message();
      const auto numbers = [](const std::vector<float>& from, std::size_t state) {
        const std::size_t n = from.size() / 512;
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(n * state);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n));
      };
      for (std::size_t i = 0; i < s.count; ++i) {
        double qdd[7], lambda[6];
        ASSERT_EQ(
            constrained_dynamics(w, {},
                                 {numbers(s.q, i).data(), numbers(s.v, i).data(), numbers(s.x, i).data(),
                                  numbers(s.wrenches, i).data(), numbers(s.desired, i).data()},
                                 qdd, lambda),
            Status::ok);
        errors[early].push_back(difference(numbers(s.out, i).data(), qdd, 7));
        errors[early].push_back(difference(numbers(s.second, i).data(), lambda, 6));
      }
      std::sort(errors[early].begin(), errors[early].end());
    }
    EXPECT_LE(errors[true][512], errors[false][512]);
    // Of one state near a singular one: rounding decides.
    EXPECT_LE(errors[true].back(), 2 * errors[false].back());
    EXPECT_LE(errors[true][512], 1e-6);
  }
}

TEST(EarlyBatch, LeavesSingularLanesToOthers) {
  for (const Instructions here : instruction_sets_here()) {
    const Arm arm;
    States<double> s(arm.model, arm.set, 40, 2);
    for (std::size_t i = 0; i < s.count; i += 3)
      std::fill_n(s.q.begin() + static_cast<std::ptrdiff_t>(7 * i), 7, 0.0);
    if (has_packs(here)) {
      EXPECT_EQ(count_early(s, here, 14), 26);
    }
    Workspace w(s.model, s.set);
    Batch batch(s.model, s.set, batch_options(false, here));
    s.give_rows(batch);
    batch.run(s.call(solves));
    for (std::size_t i = 0; i < s.count; ++i) {
      std::vector<double> qdd(7), lambda(6);
      const Status status =
          constrained_dynamics(w, {},
                               {&s.q[7 * i], &s.v[7 * i], &s.x[7 * i],
                                &s.wrenches[i * s.wrenches.size() / s.count], &s.desired[6 * i]},
                               qdd.data(), lambda.data());
      EXPECT_EQ(s.status[i], static_cast<int>(status)) << i;
      EXPECT_LE(difference(&s.out[7 * i], qdd.data(), 7), 1e-9) << i;
    }
  }
}

TEST(EarlyBatch, TakesRowsOfStates) {
  for (const Instructions here : instruction_sets_here()) {
    const Arm arm;
    States<double> s(arm.model, arm.set, 40, 3);
    s.draw_rows(4);
    if (has_packs(here)) {
      EXPECT_GE(count_early(s, here), 38);
    }
    EXPECT_NE(std::count(s.active.begin(), s.active.end(), 0.0), 0);
    expect_as_single(s, here, solves, 1e-9);
  }
}

TEST(EarlyBatch, IsNotTriedWhereRowsDepend) {
  for (const Instructions here : instruction_sets_here()) {
    const Arm arm(0, 2);
    States<double> s(arm.model, arm.set, 24, 5);
    for (std::size_t i = 0; i < s.count; ++i)
      for (std::size_t r = 0; r < 3; ++r) s.desired[6 * i + 3 + r] = s.desired[6 * i + r] + (i % 2 ? 1 : 0);
    if (has_packs(here)) {
      EXPECT_EQ(count_early(s, here, 12), 0);
    }
    for (std::size_t i = 0; i < s.count && has_packs(here); ++i)
      EXPECT_EQ(s.status[i], static_cast<int>(i % 2 ? Status::infeasible : Status::ok)) << i;
  }
}

}  // namespace
}  // namespace tenon::testing
