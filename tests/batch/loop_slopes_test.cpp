// Products with derivatives of many states of robots with embedded loops, with and without constraint rows, side by side: a
// change times these is the slope of dynamics of batches along motions that keep loops closed, by six differences, and a
// gradient times these the same seen from the other side.
#include <gtest/gtest.h>

#include <cmath>

#include "batch/batch_states.hpp"
#include "scalar/index.hpp"
#include "support/moving.hpp"
#include "support/test_robots.hpp"
#include "tenon/constraints.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using List = std::vector<double>;
using Eigen::VectorXd;

const int robots = std::max(30, test_robots() / 40);

struct Slopes {
  Slopes(const LoopScene& scene, int seed, Coordinates velocities, BatchFunction function_,
         const std::shared_ptr<const ConstraintSet>& set = nullptr)
      : model(scene.model),
        function(function_),
        m(set ? index(set->row_count()) : 0),
        spanning(velocities == Coordinates::spanning),
        random(static_cast<std::uint64_t>(seed) + 100),
        loops(scene, random),
        w(model),
        batch(model, set, batch_options()) {
    usable = loops.regular(5) && model->ny > 0;
    if (!usable) return;
    batch.change([&](Workspace& each) {
      EXPECT_EQ(set_coordinates(each, Coordinates::spanning, velocities), Status::ok);
    });
    for (int c = 0; set && c < set->constraint_count(); ++c) batch.set_anchor(c, {{}, {0.1, -0.2, 0.3}});
    nq = index(model->nq), nv = index(spanning ? model->nv : model->ny), ny = index(model->ny);
    ydot = drawn(ny), dy = drawn(ny), dydot = drawn(ny), x = drawn(nv), dx = drawn(nv), gradient = drawn(nv);
    desired = drawn(m), ddesired = drawn(m), of_lambda = drawn(m);
    const List from = drawn(ny);
    q.resize(count * nq);
    for (std::size_t i = 0; i < count; ++i) {
      usable = usable && move(loops.q.data(), &from[i * ny], 0.01 * static_cast<double>(i), &q[i * nq]);
      f.insert(f.end(), loops.wrenches.begin(), loops.wrenches.end());
    }
    // Changes in the coordinates of the call, dv = G dydot + D dy.
    v = usable ? velocities_at(0) : ydot, dq = dy, dv = dydot;
    if (!usable || !spanning) return;
    dq.resize(count * nv);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(spanning_velocity(w, &q[i * nq], &dy[i * ny], &dq[i * nv]), Status::ok);
    dv = slope_of([&](double h) { return velocities_at(h); });
  }
  List drawn(std::size_t numbers) {
    List list(count * numbers);
    for (double& e : list) e = random.uniform(-1, 1);
    return list;
  }
  // to := from moved by h G y, with its loops closed by dependent joints.
  bool move(const double* from, const double* y, double h, double* to) {
    List motion(index(model->nv));
    return spanning_velocity(w, from, y, motion.data()) == Status::ok &&
           integrate(w, from, motion.data(), h, to) == Status::ok &&
           close_loops(w, LoopMoves::dependent, to, nullptr) == Status::ok;
  }
  List positions_at(double h) {
    List moved(q.size());
    for (std::size_t i = 0; i < count; ++i)
      usable = move(&q[i * nq], &dy[i * ny], h, &moved[i * nq]) && usable;
    return moved;
  }
  List velocities_at(double h) {
    const List moved = positions_at(h);
    List rates = ydot, all(count * nv);
    for (std::size_t e = 0; e < rates.size(); ++e) rates[e] += h * dydot[e];
    if (!spanning) return rates;
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(spanning_velocity(w, &moved[i * nq], &rates[i * ny], &all[i * nv]), Status::ok);
    return all;
  }
  template <class Values>
  static List slope_of(const Values& values) {
    constexpr double h = 2e-4, weights[] = {45, -9, 1};
    List slope;
    for (const int k : {-3, -2, -1, 1, 2, 3}) {
      const List at = values(k * h);
      slope.resize(at.size());
      for (std::size_t e = 0; e < at.size(); ++e)
        slope[e] += weights[std::abs(k) - 1] * (k > 0 ? 1 : -1) / (60 * h) * at[e];
    }
    return slope;
  }
  BatchCall call(DerivativeForm form, List& q_, List& v_, List& x_) {
    BatchCall c;
    c.function = function;
    c.states = count, c.q = array_of(q_, nq), c.v = array_of(v_, nv), c.x = array_of(x_, nv);
    c.wrenches = array_of(f, f.size() / count);
    BatchCall::Differentiation& d = c.derivatives;
    d.form = form;
    const bool jvp = form == DerivativeForm::jvp;
    if (jvp) d.along_q = array_of(dq, nv), d.along_v = array_of(dv, nv);
    d.along_x = array_of(jvp ? dx : gradient, nv);
    if (m > 0) c.desired = array_of(desired, m), d.along_rows = array_of(jvp ? ddesired : of_lambda, m);
    return c;
  }
  // Of dynamics where all have moved by h along the change: accelerations or torques, then forces of rows.
  List values(double h) {
    List moved_q = positions_at(h), moved_v = velocities_at(h), moved_x = x, out(count * nv),
         lambda(count * m), moved_rows = desired;
    for (std::size_t e = 0; e < x.size(); ++e) moved_x[e] += h * dx[e];
    for (std::size_t e = 0; e < desired.size(); ++e) moved_rows[e] += h * ddesired[e];
    BatchCall c = call(DerivativeForm::vjp, moved_q, moved_v, moved_x);
    c.function = function == BatchFunction::inverse_derivatives   ? BatchFunction::inverse_dynamics
                 : function == BatchFunction::forward_derivatives ? BatchFunction::forward_dynamics
                                                                  : BatchFunction::constrained_dynamics;
    c.derivatives = {}, c.out[0] = array_of(out, nv);
    if (m > 0) c.desired = array_of(moved_rows, m), c.out[1] = array_of(lambda, m);
    EXPECT_GE(static_cast<int>(batch.run(c)), 0) << batch.message();
    out.insert(out.end(), lambda.begin(), lambda.end());
    return out;
  }

  std::shared_ptr<const Model> model;
  BatchFunction function;
  std::size_t m;
  bool spanning, usable;
  Random random;
  MovingLoops loops;
  Workspace w;  // in spanning coordinates
  Batch batch;
  int ordinary = 0;  // states that are compared
  std::size_t count = 9, nq = 0, nv = 0, ny = 0;
  List q, v, x, f, dq, dv, dx, gradient, ydot, dy, dydot, desired, ddesired, of_lambda;
};

// Slopes where differences lose digits, next to dead centres.
constexpr double steep = 1e4;

// The states that packs computed. within: of differences.
std::size_t check_slopes(Slopes& s, double within = 1e-7) {
  List along(s.count * (s.nv + s.m)), by_q(s.count * s.nv), by_v = by_q, by_x = by_q, by_rows(s.count * s.m);
  const List slopes = Slopes::slope_of([&](double h) { return s.values(h); });
  double* const of_rows = along.data() + s.count * s.nv;
  BatchCall jvp = s.call(DerivativeForm::jvp, s.q, s.v, s.x);
  jvp.out[1] = array_of(along, s.nv);
  if (s.m > 0) jvp.out[5].data = of_rows, jvp.out[5].state_stride = static_cast<std::ptrdiff_t>(s.m);
  EXPECT_EQ(s.batch.run(jvp), Status::ok) << s.batch.message();
  std::size_t packed = s.batch.packed();
  BatchCall vjp = s.call(DerivativeForm::vjp, s.q, s.v, s.x);
  vjp.out[1] = array_of(by_q, s.nv), vjp.out[2] = array_of(by_v, s.nv), vjp.out[3] = array_of(by_x, s.nv);
  if (s.m > 0) vjp.out[5] = array_of(by_rows, s.m);
  EXPECT_EQ(s.batch.run(vjp), Status::ok) << s.batch.message();
  packed += s.batch.packed();
  if (!s.usable) return packed;
  for (std::size_t i = 0; i < s.count; ++i) {
    double size = 1, power = 0, other = 0, terms = 1;
    const auto for_numbers = [&](const auto& each) {
      for (std::size_t e = i * s.nv; e < (i + 1) * s.nv; ++e) each(e, s.gradient[e]);
      for (std::size_t e = i * s.m; e < (i + 1) * s.m; ++e) each(s.count * s.nv + e, s.of_lambda[e]);
    };
    for_numbers([&](std::size_t e, double) { size = larger(size, std::abs(slopes[e])); });
    const auto add = [&](double term) { other += term, terms += std::abs(term); };
    for_numbers([&](std::size_t e, double gradient) {
      if (size < steep) {
        EXPECT_LE(std::abs(along[e] - slopes[e]), within * size) << i << " " << e;
      }
      power += gradient * along[e], terms += std::abs(gradient * along[e]);
    });
    for (std::size_t e = i * s.nv; e < (i + 1) * s.nv; ++e)
      add(by_q[e] * s.dq[e]), add(by_v[e] * s.dv[e]), add(by_x[e] * s.dx[e]);
    for (std::size_t e = i * s.m; e < (i + 1) * s.m; ++e) add(by_rows[e] * s.ddesired[e]);
    EXPECT_LE(std::abs(power - other), 1e-10 * terms) << i;
    s.ordinary += size < steep;
  }
  return packed;
}

void check_slopes_of(Coordinates velocities) {
  for (const BatchFunction function :
       {BatchFunction::inverse_derivatives, BatchFunction::forward_derivatives}) {
    int looked_at = 0, ordinary = 0;
    std::size_t packed = 0;
    for (int seed = 0; seed < robots && !::testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(::testing::Message() << seed << static_cast<int>(function));
      const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
      if (scene.model->data().cluster_count == 0) continue;
      Slopes s(scene, seed, velocities, function);
      if (!s.usable) continue;
      packed += check_slopes(s);
      looked_at += s.usable, ordinary += s.ordinary;
    }
    EXPECT_GT(looked_at, robots / 4);
    EXPECT_GT(ordinary, 8 * looked_at);
    if (packs_by_choice()) {
      EXPECT_GT(packed, index(14 * looked_at));
    }
  }
}

TEST(LoopSlopes, OfDynamicsInSpanningCoordinates) {
  check_slopes_of(Coordinates::spanning);
}

TEST(LoopSlopes, OfDynamicsInIndependentVelocities) {
  check_slopes_of(Coordinates::independent);
}

// A point on a link that moves in three directions, held along as many axes as the robot has coordinates to spare.
void check_slopes_with_rows(Coordinates velocities) {
  int looked_at = 0, ordinary = 0;
  std::size_t packed = 0;
  for (int seed = 0; seed < 2 * robots && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const LoopScene scene = random_loop_scene(static_cast<std::uint64_t>(seed), 5);
    if (scene.model->data().varying_clusters == 0) continue;
    Random random(static_cast<std::uint64_t>(seed) + 7);
    ConstraintSpec point =
        point_constraint(random.integer(1, static_cast<int>(scene.model->links.size()) - 1),
                         random.vector(0.2), random.chance(0.5) ? RowAxes::world : RowAxes::link);
    point.rows = scene.model->ny > 4 ? rows_linear : 1u << random.integer(3, 5);
    point.frequency = 4, point.damping_ratio = 0.6;
    Slopes s(scene, seed, velocities, BatchFunction::constrained_derivatives,
             ConstraintSet::bind(scene.model, {point}));
    if (!s.usable) continue;
    // Not where rows depend on each other.
    const std::size_t of_this = [&] {
      BatchCall c = s.call(DerivativeForm::jvp, s.q, s.v, s.x);
      return s.batch.run(c) == Status::ok ? s.batch.packed() : 0;
    }();
    if (of_this < s.count) continue;
    packed += check_slopes(s, 1e-6);
    looked_at += s.usable, ordinary += s.ordinary;
  }
  if (!packs_by_choice()) return;
  EXPECT_GT(looked_at, robots / 4);
  EXPECT_GT(ordinary, 5 * looked_at);
  EXPECT_GT(packed, index(17 * looked_at));
}

TEST(LoopSlopes, OfConstrainedDynamicsInSpanningCoordinates) {
  check_slopes_with_rows(Coordinates::spanning);
}

TEST(LoopSlopes, OfConstrainedDynamicsInIndependentVelocities) {
  check_slopes_with_rows(Coordinates::independent);
}

TEST(LoopSlopes, OfCassieOnItsFeet) {
  const LoopScene scene = model_scene("cassie", true);
  std::vector<ConstraintSpec> feet;
  for (const char* name : {"left-foot", "right-foot"}) {
    feet.push_back(point_constraint(scene.model->find_link(name), {0.05, 0.02, 0}));
    feet.back().frequency = 5;
  }
  for (const Coordinates velocities : {Coordinates::spanning, Coordinates::independent}) {
    Slopes s(scene, 3, velocities, BatchFunction::constrained_derivatives,
             ConstraintSet::bind(scene.model, feet));
    ASSERT_TRUE(s.usable);
    const std::size_t packed = check_slopes(s);
    EXPECT_EQ(s.ordinary, static_cast<int>(s.count));
    if (packs_by_choice()) {
      EXPECT_EQ(packed, 2 * s.count);
    }
  }
}

}  // namespace
}  // namespace tenon::testing
