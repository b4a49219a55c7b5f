// The torque regressor of many states through the C API: its product with a change of inertias against inverse dynamics of
// robots that have changed so, its layouts, single precision, and states that fail.
#include <cmath>
#include <limits>

#include "derivatives/robots_of_states.hpp"

using namespace tenon_test;

namespace {

// Gives states robots whose inertias alone have moved by h.
void move_inertias(const Scene& x, double h) {
  Robots moving = x.robots;
  for (List* along :
       {&moving.along_armature, &moving.along_damping, &moving.along_friction, &moving.along_gravity})
    along->assign(along->size(), 0);
  moving.give(x.b.get(), h);
}
List torques(const Scene& x, double h) {
  move_inertias(x, h);
  List q = x.q, v = x.v, a = x.tau, tau(x.states * x.nv);
  const auto qs = rows_of(q, x.nq), vs = rows_of(v, x.nv), as = rows_of(a, x.nv), to = rows_of(tau, x.nv);
  EXPECT_EQ(tenon_batch_inverse_dynamics(x.b.get(), x.states, &qs, &vs, &as, nullptr, &to, nullptr, 0),
            TENON_OK)
      << tenon_batch_message(x.b.get());
  return tau;
}

// Where number (i, k) of a state is in an array with `ld` numbers from one column or row to the next.
struct Layout {
  bool by_rows;
  std::size_t nv, parameters, more;
  std::size_t ld() const { return (by_rows ? parameters : nv) + more; }
  std::size_t size() const { return ld() * (by_rows ? nv : parameters); }
  std::size_t at(std::size_t i, std::size_t k) const { return by_rows ? i * ld() + k : k * ld() + i; }
  template <class N>
  tenon_batch_array array(std::vector<N>& data) const {
    const auto far = static_cast<ptrdiff_t>(ld());
    return strided(data, nv * parameters, by_rows ? far : 1, static_cast<ptrdiff_t>(size()),
                   by_rows    ? 1
                   : more > 0 ? far
                              : 0);
  }
};

void expect_linear(Scene x, const char* what) {
  SCOPED_TRACE(what);
  const List before = torques(x, 0), after = torques(x, 0.01);
  move_inertias(x, 0.02);  // it does not depend on them, but on gravity
  const std::size_t parameters = 10 * x.robots.links;
  const auto qs = rows_of(x.q, x.nq), vs = rows_of(x.v, x.nv), as = rows_of(x.tau, x.nv);
  for (const bool by_rows : {false, true})
    for (const std::size_t more : {std::size_t{0}, std::size_t{3}}) {
      SCOPED_TRACE(::testing::Message() << "rows " << by_rows << " more " << more);
      const Layout l = {by_rows, x.nv, parameters, more};
      List Y(x.states * l.size(), -77);
      const auto to = l.array(Y);
      std::vector<int32_t> status(x.states, 77);
      ASSERT_EQ(tenon_batch_joint_torque_regressor(x.b.get(), x.states, &qs, &vs, &as, &to, status.data(),
                                                   x.states),
                TENON_OK)
          << tenon_batch_message(x.b.get());
      for (std::size_t s = 0; s < x.states; ++s) {
        EXPECT_EQ(status[s], TENON_OK);
        const double* const of_state = &Y[s * l.size()];
        std::size_t untouched = 0;
        for (std::size_t e = 0; e < l.size(); ++e) untouched += of_state[e] == -77 ? 1 : 0;
        EXPECT_EQ(untouched, l.size() - x.nv * parameters);
        for (std::size_t i = 0; i < x.nv; ++i) {
          double sum = 0, terms = 0.01;
          for (std::size_t k = 0; k < parameters; ++k) {
            const double term = 0.01 * of_state[l.at(i, k)] * x.robots.along_pi[s * parameters + k];
            sum += term, terms += std::abs(term);
          }
          EXPECT_LE(std::abs(after[s * x.nv + i] - before[s * x.nv + i] - sum), 1e-10 * terms)
              << "state " << s << " coordinate " << i;
        }
      }
    }
}

TEST(BatchRegressor, TimesAChangeOfInertiasIsThatOfTorques) {
  expect_linear(dog(), "dog");
  expect_linear(Scene(load("iiwa14"), nullptr, 9, false, 3), "iiwa14, three threads");
  expect_linear(Scene(load("six_bar"), nullptr, 4, true), "six_bar in independent coordinates");
}

TEST(BatchRegressor, HasTheDigitsOfSingleCallsAndStatesFailAlone) {
  const Model model = load("go1", TENON_BASE_FLOATING);
  const Workspace w = workspace(model);
  const Batch b = batch(model), floats = batch(model, nullptr, 1, TENON_PRECISION_SINGLE);
  constexpr std::size_t states = 19;
  const auto nq = static_cast<std::size_t>(tenon_model_nq(model.get())),
             nv = static_cast<std::size_t>(tenon_model_nv(model.get())),
             parameters = 10 * static_cast<std::size_t>(tenon_model_link_count(model.get()));
  List q, v, a, expected;
  for (std::size_t s = 0; s < states; ++s) {
    const State one(model, w.get(), s + 1);
    q.insert(q.end(), one.q.begin(), one.q.end()), v.insert(v.end(), one.v.begin(), one.v.end());
    a.insert(a.end(), one.tau.begin(), one.tau.end());
    List Y(nv * parameters);
    ASSERT_EQ(tenon_joint_torque_regressor(w.get(), one.q.data(), nq, one.v.data(), nv, one.tau.data(), nv, 1,
                                           Y.data(), Y.size(), static_cast<int32_t>(nv)),
              TENON_OK);
    expected.insert(expected.end(), Y.begin(), Y.end());
  }
  v[7 * nv + 3] = std::numeric_limits<double>::infinity();
  const auto fill = [&](const Batch& of, auto& Y, const auto& given) {
    auto x = given;
    const auto qs = rows_of(x[0], nq), vs = rows_of(x[1], nv), as = rows_of(x[2], nv),
               to = rows_of(Y, nv * parameters);
    std::vector<int32_t> status(states, 77);
    EXPECT_EQ(tenon_batch_joint_torque_regressor(of.get(), states, &qs, &vs, &as, &to, status.data(), states),
              TENON_NOT_FINITE);
    EXPECT_EQ(std::string(tenon_batch_message(of.get())),
              "state 7: v[3] is infinite; every input must be finite");
    for (std::size_t s = 0; s < states; ++s) EXPECT_EQ(status[s], s == 7 ? TENON_NOT_FINITE : TENON_OK);
  };
  List Y(expected.size(), -77);
  fill(b, Y, std::vector<List>{q, v, a});
  const auto rounded = [](const List& x) { return std::vector<float>(x.begin(), x.end()); };
  std::vector<float> few(expected.size(), -77);
  fill(floats, few, std::vector<std::vector<float>>{rounded(q), rounded(v), rounded(a)});
  const double size = largest(expected);
  for (std::size_t e = 0; e < expected.size(); ++e) {
    const bool fails = e / (nv * parameters) == 7;
    EXPECT_EQ(Y[e], fails ? -77 : expected[e]);
    EXPECT_LE(std::abs(static_cast<double>(few[e]) - (fails ? -77 : expected[e])), fails ? 0 : 1e-5 * size);
  }
}

TEST(BatchRegressor, OfWrongSizesIsRefused) {
  const Model model = load("iiwa14");
  const Batch b = batch(model);
  List q(7 * 2), Y(2 * 7 * 10 * static_cast<std::size_t>(tenon_model_link_count(model.get())));
  const auto qs = rows_of(q, 7), small = rows_of(Y, 7 * 7);
  EXPECT_EQ(tenon_batch_joint_torque_regressor(b.get(), 2, &qs, &qs, &qs, &small, nullptr, 0),
            TENON_WRONG_SIZE);
  EXPECT_NE(std::string(tenon_batch_message(b.get())).find("Y has 49 numbers for each state"),
            std::string::npos)
      << tenon_batch_message(b.get());
  EXPECT_EQ(tenon_batch_joint_torque_regressor(b.get(), 2, &qs, &qs, &qs, nullptr, nullptr, 0),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(tenon_batch_message(b.get())),
            "tenon_batch_joint_torque_regressor: Y is NULL; give " + std::to_string(Y.size() / 2) +
                " numbers for each state");
}

}  // namespace
