// Motion of links of many states through the C API, against single calls, and products with its derivatives, against central
// differences of whole calls, also in independent coordinates of a linkage; a loss of positions and quaternions; calls of other
// functions in between; and what is refused. tests/batch/kinematics_products_test.cpp has random robots.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../support.hpp"

using namespace tenon_test;

namespace {

using Numbers = std::vector<double>;
constexpr std::size_t states = 11;
constexpr double h = 1e-5;

// The vector part of the product of a quaternion with the conjugate of another, x y z w: half of a small turn between.
void turn_between(const double* a, const double* b, double* out) {
  const double w = a[3], v = -b[3];  // of the conjugate, in the other sign
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = -(w * b[i] + v * a[i] + a[j] * b[k] - a[k] * b[j]);
  }
  const double same = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  for (int i = 0; i < 3; ++i) out[i] *= 2 * (same < 0 ? -1 : 1);
}
// x, from axes of the world to those of a quaternion's frame.
void to_frame(const double* q, double* x) {
  const double t[3] = {2 * (q[2] * x[1] - q[1] * x[2]), 2 * (q[0] * x[2] - q[2] * x[0]),
                       2 * (q[1] * x[0] - q[0] * x[1])};  // 2 x cross u
  const double turned[3] = {x[0] + q[3] * t[0] + (q[2] * t[1] - q[1] * t[2]),
                            x[1] + q[3] * t[1] + (q[0] * t[2] - q[2] * t[0]),
                            x[2] + q[3] * t[2] + (q[1] * t[0] - q[0] * t[1])};
  std::copy_n(turned, 3, x);
}

// A robot with states and links.
struct Scene {
  Scene(Model model_, std::vector<int32_t> links_, bool independent = false)
      : model(std::move(model_)), w(workspace(model)), b(batch(model)), links(std::move(links_)) {
    const int32_t own = independent ? TENON_COORDINATES_INDEPENDENT : TENON_COORDINATES_SPANNING;
    EXPECT_EQ(tenon_workspace_set_coordinates(w.get(), own, own), TENON_OK);
    EXPECT_EQ(tenon_batch_set_coordinates(b.get(), own, own), TENON_OK);
    nq = static_cast<std::size_t>(tenon_workspace_position_count(w.get()));
    nv = static_cast<std::size_t>(tenon_workspace_velocity_count(w.get()));
    numbers = 6 * links.size();
    Numbers start(nq);
    if (independent) {
      Numbers closed(static_cast<std::size_t>(tenon_model_nq(model.get())));
      EXPECT_EQ(tenon_workspace_guess(w.get(), closed.data(), closed.size()), TENON_OK);
      EXPECT_EQ(tenon_independent_position(w.get(), closed.data(), closed.size(), start.data(), nq),
                TENON_OK);
    }
    for (std::size_t s = 0; s < states; ++s) {
      if (!independent) {
        EXPECT_EQ(tenon_random(w.get(), s + 1, start.data(), nq), TENON_OK);
      }
      for (std::size_t i = 0; i < nq; ++i)
        q.push_back(start[i] + (independent ? 0.02 * static_cast<double>(s) : 0));
    }
    v = wave(nv, 0.3), dq = wave(nv, 1.1), dv = wave(nv, 2.3), F = wave(numbers, 0.7), G = wave(numbers, 1.9);
    a = wave(nv, 0.9), da = wave(nv, 3.1), H = wave(numbers, 2.9);
  }
  static Numbers wave(std::size_t count, double phase) {
    Numbers x(states * count);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(phase + 1.7 * static_cast<double>(i));
    return x;
  }
  // The motion of links where the state has moved by t of (dq, dv, da).
  struct LinkMotion {
    Numbers poses, velocities, accelerations;
  };
  LinkMotion motion(double t, int32_t axes, bool accelerated = true) {
    Numbers at(q), rate(v), faster(a);
    for (std::size_t s = 0; s < states; ++s)
      EXPECT_EQ(tenon_integrate(w.get(), &q[s * nq], nq, &dq[s * nv], nv, t, &at[s * nq], nq), TENON_OK)
          << tenon_workspace_message(w.get());
    for (std::size_t i = 0; i < v.size(); ++i) rate[i] += t * dv[i], faster[i] += t * da[i];
    LinkMotion x{Numbers(states * 7 * links.size()), Numbers(states * numbers), Numbers(states * numbers)};
    const auto qs = rows_of(at, nq), vs = rows_of(rate, nv), as = rows_of(faster, nv),
               ps = rows_of(x.poses, 7 * links.size()), us = rows_of(x.velocities, numbers),
               bs = rows_of(x.accelerations, numbers);
    EXPECT_EQ(tenon_batch_link_motion(b.get(), states, links.data(), links.size(), axes, &qs, &vs,
                                      accelerated ? &as : nullptr, &ps, &us, &bs, nullptr, nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    return x;
  }
  tenon_status vjp(int32_t axes, Numbers& by_q, Numbers& by_v, Numbers* pose = nullptr,
                   Numbers* velocity = nullptr, const tenon_derivative_options* how = nullptr) {
    by_q.resize(states * nv), by_v.resize(states * nv);
    const auto qs = rows_of(q, nq), vs = rows_of(v, nv), fs = rows_of(F, numbers), gs = rows_of(G, numbers),
               g_q = rows_of(by_q, nv), g_v = rows_of(by_v, nv);
    Numbers none;
    const auto ps = rows_of(pose ? *pose : none, 7 * links.size()),
               us = rows_of(velocity ? *velocity : none, numbers);
    return tenon_batch_kinematics_vjp(b.get(), how, states, links.data(), links.size(), axes, &qs, &vs, &fs,
                                      &gs, pose ? &ps : nullptr, velocity ? &us : nullptr, &g_q, &g_v,
                                      nullptr, 0);
  }

  Model model;
  Workspace w;
  Batch b;
  std::vector<int32_t> links;
  std::size_t nq = 0, nv = 0, numbers = 0;
  Numbers q, v, a, dq, dv, da, F, G, H;
};

// One state after the other on a workspace, where bias: joints do not accelerate.
void expect_single_calls(Scene& s, bool bias) {
  for (const int32_t axes : {TENON_AXES_LINK, TENON_AXES_WORLD}) {
    const Scene::LinkMotion found = s.motion(0, axes, !bias);
    Numbers J(states * s.nv * s.numbers);
    const auto qs = rows_of(s.q, s.nq), Js = rows_of(J, s.nv * s.numbers);
    ASSERT_EQ(tenon_batch_link_motion(s.b.get(), states, s.links.data(), s.links.size(), axes, &qs, nullptr,
                                      nullptr, nullptr, nullptr, nullptr, &Js, nullptr, 0),
              TENON_OK);
    for (std::size_t i = 0; i < states; ++i) {
      SCOPED_TRACE(i);
      ASSERT_EQ(tenon_kinematics(s.w.get(), &s.q[i * s.nq], s.nq, &s.v[i * s.nv], s.nv,
                                 bias ? nullptr : &s.a[i * s.nv], s.nv),
                TENON_OK);
      const auto near = [](const Numbers& all, const Numbers& expected, std::size_t place) {
        for (std::size_t e = 0; e < expected.size(); ++e)
          EXPECT_NEAR(all[place * expected.size() + e], expected[e], 1e-12 * (1 + largest(expected))) << e;
      };
      for (std::size_t l = 0; l < s.links.size(); ++l) {
        SCOPED_TRACE(s.links[l]);
        Numbers pose(7), velocity(6), acceleration(6), own_J(6 * s.nv);
        ASSERT_EQ(tenon_link_pose(s.w.get(), s.links[l], pose.data(), 7, nullptr, 0), TENON_OK);
        ASSERT_EQ(tenon_link_velocity(s.w.get(), s.links[l], axes, velocity.data(), 6), TENON_OK);
        const auto of = bias ? tenon_link_bias_acceleration : tenon_link_acceleration;
        ASSERT_EQ(of(s.w.get(), s.links[l], axes, acceleration.data(), 6), TENON_OK);
        ASSERT_EQ(tenon_link_jacobian(s.w.get(), s.links[l], axes, own_J.data(), own_J.size(), 6), TENON_OK);
        const std::size_t place = i * s.links.size() + l;
        near(found.poses, pose, place), near(found.velocities, velocity, place);
        near(found.accelerations, acceleration, place), near(J, own_J, place);
      }
    }
  }
}

void expect_slopes(Scene& s) {
  for (const int32_t axes : {TENON_AXES_LINK, TENON_AXES_WORLD}) {
    SCOPED_TRACE(axes);
    const Scene::LinkMotion before = s.motion(-h, axes), after = s.motion(h, axes), still = s.motion(0, axes);
    Scene::LinkMotion at = still;
    Numbers dposes(states * s.numbers), dvelocities(dposes), daccelerations(dposes), again(dposes),
        by_q(states * s.nv), by_v(by_q), by_a(by_q), also_by_q, also_by_v;
    const auto qs = rows_of(s.q, s.nq), vs = rows_of(s.v, s.nv), as = rows_of(s.a, s.nv),
               dqs = rows_of(s.dq, s.nv), dvs = rows_of(s.dv, s.nv), das = rows_of(s.da, s.nv),
               ps = rows_of(at.poses, 7 * s.links.size()), us = rows_of(at.velocities, s.numbers),
               bs = rows_of(at.accelerations, s.numbers), dps = rows_of(dposes, s.numbers),
               dus = rows_of(dvelocities, s.numbers), dbs = rows_of(daccelerations, s.numbers),
               more = rows_of(again, s.numbers), fs = rows_of(s.F, s.numbers), gs = rows_of(s.G, s.numbers),
               hs = rows_of(s.H, s.numbers), g_q = rows_of(by_q, s.nv), g_v = rows_of(by_v, s.nv),
               g_a = rows_of(by_a, s.nv);
    ASSERT_EQ(
        tenon_batch_link_motion_jvp(s.b.get(), nullptr, states, s.links.data(), s.links.size(), axes, &qs,
                                    &vs, &as, &dqs, &dvs, &das, &ps, &us, &bs, &dps, &dus, &dbs, nullptr, 0),
        TENON_OK)
        << tenon_batch_message(s.b.get());
    for (const auto values :
         {&Scene::LinkMotion::poses, &Scene::LinkMotion::velocities, &Scene::LinkMotion::accelerations})
      EXPECT_LE(largest_difference(at.*values, still.*values), 1e-12 * (1 + largest(still.*values)));
    // Without accelerations.
    ASSERT_EQ(tenon_batch_kinematics_jvp(s.b.get(), nullptr, states, s.links.data(), s.links.size(), axes,
                                         &qs, &vs, &dqs, &dvs, &ps, &us, nullptr, &more, nullptr, 0),
              TENON_OK);
    EXPECT_LE(largest_difference(again, dvelocities), 1e-12 * (1 + largest(again)));
    ASSERT_EQ(tenon_batch_link_motion_vjp(s.b.get(), nullptr, states, s.links.data(), s.links.size(), axes,
                                          &qs, &vs, &as, &fs, &gs, nullptr, nullptr, nullptr, nullptr, &g_q,
                                          &g_v, &g_a, nullptr, 0),
              TENON_OK);
    ASSERT_EQ(s.vjp(axes, also_by_q, also_by_v), TENON_OK) << tenon_batch_message(s.b.get());
    EXPECT_EQ(by_a, Numbers(states * s.nv));
    EXPECT_LE(largest_difference(also_by_q, by_q), 1e-12 * (1 + largest(by_q)));
    EXPECT_LE(largest_difference(also_by_v, by_v), 1e-12 * (1 + largest(by_v)));
    ASSERT_EQ(
        tenon_batch_link_motion_vjp(s.b.get(), nullptr, states, s.links.data(), s.links.size(), axes, &qs,
                                    &vs, &as, &fs, &gs, &hs, &ps, &us, &bs, &g_q, &g_v, &g_a, nullptr, 0),
        TENON_OK)
        << tenon_batch_message(s.b.get());
    for (std::size_t i = 0; i < states; ++i) {
      SCOPED_TRACE(i);
      double along = 0, by = 0, size = 0;
      for (std::size_t l = 0; l < s.links.size(); ++l) {
        const std::size_t place = 7 * (i * s.links.size() + l);
        const double *pose = &at.poses[place], *to = &after.poses[place], *from = &before.poses[place];
        double turn[6];
        turn_between(to + 3, from + 3, turn);
        for (int e = 0; e < 3; ++e) turn[3 + e] = to[e] - from[e];
        if (axes == TENON_AXES_LINK) to_frame(pose + 3, turn), to_frame(pose + 3, turn + 3);
        for (std::size_t e = 0; e < 6; ++e) {
          const std::size_t k = i * s.numbers + 6 * l + e;
          const auto slope = [&](const char* of, const Numbers& found, double difference) {
            EXPECT_NEAR(found[k], difference / (2 * h), 1e-7 * (1 + std::abs(found[k]))) << l << of << e;
          };
          slope(" pose ", dposes, turn[e]);
          slope(" velocity ", dvelocities, after.velocities[k] - before.velocities[k]);
          slope(" acceleration ", daccelerations, after.accelerations[k] - before.accelerations[k]);
          for (const double x : {s.F[k] * dposes[k], s.G[k] * dvelocities[k], s.H[k] * daccelerations[k]})
            along += x, size += std::abs(x);
        }
      }
      for (std::size_t k = i * s.nv; k < (i + 1) * s.nv; ++k)
        for (const double x : {by_q[k] * s.dq[k], by_v[k] * s.dv[k], by_a[k] * s.da[k]})
          by += x, size += std::abs(x);
      EXPECT_LE(std::abs(along - by), 1e-12 * size);
    }
  }
}

std::vector<int32_t> feet(const Model& model) {
  return {link(model, "FL_foot"), link(model, "FR_foot"), link(model, "RL_foot"), link(model, "RR_foot")};
}

TEST(KinematicsProducts, AreDifferencesOfKinematics) {
  Model go1 = load("go1", TENON_BASE_FLOATING);
  const auto of_go1 = feet(go1);
  Scene dog(std::move(go1), of_go1);
  expect_slopes(dog);
  for (const bool bias : {false, true}) expect_single_calls(dog, bias);
  Model arm = load("iiwa14");
  const int32_t last = tenon_model_link_count(arm.get()) - 1;
  Scene iiwa(std::move(arm), {last, 0, 3, last});  // a link fixed to the world, and one twice
  expect_slopes(iiwa);
  for (const bool bias : {false, true}) expect_single_calls(iiwa, bias);
}

// Independent positions close the loops of whole calls: G and its change count.
TEST(KinematicsProducts, AreDifferencesInIndependentCoordinates) {
  for (const char* name : {"four_bar", "six_bar", "planar_leg_linkage"}) {
    SCOPED_TRACE(name);
    Model model = load(name);
    const int32_t count = tenon_model_link_count(model.get());
    Scene s(std::move(model), {count - 1, count / 2});
    expect_slopes(s);
    Model again = load(name);
    Scene closed(std::move(again), {count - 1, count / 2}, true);
    expect_slopes(closed);
    for (const bool bias : {false, true}) expect_single_calls(closed, bias);
  }
}

// The force that the manual makes of a gradient by the seven numbers of a pose, along both axes.
TEST(KinematicsProducts, OfALossOfPositionsAndQuaternions) {
  Model model = load("go1", TENON_BASE_FLOATING);
  const auto links = feet(model);
  Scene s(std::move(model), links);
  const std::size_t count = s.links.size();
  const Numbers weight = Scene::wave(7 * count, 0.2);
  const Numbers before = s.motion(-h, TENON_AXES_WORLD).poses, after = s.motion(h, TENON_AXES_WORLD).poses,
                pose = s.motion(0, TENON_AXES_WORLD).poses;
  Numbers by_q, by_v;
  std::fill(s.G.begin(), s.G.end(), 0.0);
  for (const int32_t axes : {TENON_AXES_LINK, TENON_AXES_WORLD}) {
    for (std::size_t i = 0; i < states * count; ++i) {
      const double *g = &weight[7 * i], *g_u = g + 3, *u = &pose[7 * i + 3], w = u[3];
      double* f = &s.F[6 * i];
      for (int e = 0; e < 3; ++e) {
        const int j = (e + 1) % 3, k = (e + 2) % 3;
        f[e] = (w * g_u[e] - g_u[3] * u[e] + u[j] * g_u[k] - u[k] * g_u[j]) / 2, f[3 + e] = g[e];
      }
      if (axes == TENON_AXES_LINK) to_frame(u, f), to_frame(u, f + 3);
    }
    ASSERT_EQ(s.vjp(axes, by_q, by_v), TENON_OK);
    for (std::size_t i = 0; i < states; ++i) {
      double slope = 0, product = 0;
      for (std::size_t l = i * count; l < (i + 1) * count; ++l) {
        double same = 0;  // the two signs of a quaternion are one orientation
        for (std::size_t e = 3; e < 7; ++e) same += after[7 * l + e] * before[7 * l + e];
        for (std::size_t e = 0; e < 7; ++e)
          slope += weight[7 * l + e] * (after[7 * l + e] - (e > 2 && same < 0 ? -1 : 1) * before[7 * l + e]);
      }
      for (std::size_t k = i * s.nv; k < (i + 1) * s.nv; ++k) product += by_q[k] * s.dq[k];
      EXPECT_NEAR(product, slope / (2 * h), 1e-7 * (1 + std::abs(product)));
    }
  }
  EXPECT_EQ(by_v, Numbers(states * s.nv));
}

TEST(KinematicsProducts, HaveTheSameBitsAfterOtherCalls) {
  Model model = load("go1");  // matrices have zeros between its legs
  const auto links = feet(model);
  Scene s(std::move(model), links);
  Numbers first_q, first_v, q, v, M(states * s.nv * s.nv), first_M, tau(states * s.nv);
  const auto qs = rows_of(s.q, s.nq), vs = rows_of(s.v, s.nv), as = rows_of(s.dv, s.nv),
             Ms = rows_of(M, s.nv * s.nv), ts = rows_of(tau, s.nv);
  const auto derivatives = [&] {
    std::fill(M.begin(), M.end(), 77.0);
    return tenon_batch_inverse_dynamics_derivatives(s.b.get(), nullptr, states, &qs, &vs, &as, nullptr,
                                                    nullptr, &Ms, nullptr, nullptr, nullptr, 0);
  };
  ASSERT_EQ(derivatives(), TENON_OK);
  first_M = M;
  ASSERT_EQ(s.vjp(TENON_AXES_WORLD, first_q, first_v), TENON_OK);
  ASSERT_EQ(derivatives(), TENON_OK);
  EXPECT_EQ(M, first_M);
  ASSERT_EQ(tenon_batch_forward_dynamics_vjp(s.b.get(), nullptr, states, &qs, &vs, &as, nullptr, &vs, nullptr,
                                             &ts, nullptr, nullptr, nullptr, 0),
            TENON_OK);
  ASSERT_EQ(s.vjp(TENON_AXES_WORLD, q, v), TENON_OK);
  EXPECT_EQ(q, first_q);
  EXPECT_EQ(v, first_v);
  // And twice, added.
  ASSERT_EQ(s.vjp(TENON_AXES_WORLD, q, v, nullptr, nullptr,
                  options_of(tenon_derivative_options_init, [](auto& o) { o.accumulate = 1; })),
            TENON_OK);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_EQ(q[k], 2 * first_q[k]);
}

TEST(KinematicsProducts, AreRefusedWithAReason) {
  Scene s(load("iiwa14"), {2, 3});
  Numbers by_q, by_v;
  const auto refused = [&](tenon_status got, tenon_status expected, const char* words) {
    EXPECT_STREQ(tenon_status_string(got), tenon_status_string(expected));
    EXPECT_NE(std::string(tenon_batch_message(s.b.get())).find(words), std::string::npos)
        << tenon_batch_message(s.b.get()) << " / " << words;
  };
  refused(s.vjp(7, by_q, by_v), TENON_INVALID_ARGUMENT, "axes is 7");
  s.links[1] = 99;
  refused(s.vjp(TENON_AXES_WORLD, by_q, by_v), TENON_OUT_OF_RANGE, "99");
  s.links[1] = 3;
  by_q.resize(states * s.nv);
  const auto qs = rows_of(s.q, s.nq), fs = rows_of(s.F, s.numbers), few = rows_of(s.F, s.numbers - 1),
             to = rows_of(by_q, s.nv);
  const auto vjp = [&](const tenon_batch_array* poses, const tenon_batch_array* velocities) {
    return tenon_batch_kinematics_vjp(s.b.get(), nullptr, states, s.links.data(), 2, TENON_AXES_WORLD, &qs,
                                      nullptr, poses, velocities, nullptr, nullptr, &to, nullptr, nullptr, 0);
  };
  refused(vjp(&fs, &fs), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(vjp(&few, nullptr), TENON_WRONG_SIZE, "pose_gradients");
  EXPECT_EQ(vjp(&fs, nullptr), TENON_OK);
  EXPECT_EQ(vjp(nullptr, nullptr), TENON_OK);
  EXPECT_EQ(by_q, Numbers(states * s.nv));
  // With accelerations.
  const auto vs = rows_of(s.v, s.nv), as = rows_of(s.a, s.nv), short_as = rows_of(s.a, s.nv - 1),
             hs = rows_of(s.H, s.numbers);
  const auto with_accelerations = [&](const tenon_batch_array* v, const tenon_batch_array* a,
                                      const tenon_batch_array* gradients) {
    return tenon_batch_link_motion_vjp(s.b.get(), nullptr, states, s.links.data(), 2, TENON_AXES_WORLD, &qs,
                                       v, a, nullptr, nullptr, gradients, nullptr, nullptr, nullptr, &to,
                                       nullptr, nullptr, nullptr, 0);
  };
  refused(with_accelerations(nullptr, nullptr, &hs), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(with_accelerations(nullptr, &as, nullptr), TENON_INVALID_ARGUMENT, "v is NULL");
  refused(with_accelerations(&vs, &short_as, &hs), TENON_WRONG_SIZE, "a has 6 numbers");
  refused(with_accelerations(&vs, &as, &few), TENON_WRONG_SIZE, "acceleration_gradients");
  EXPECT_EQ(with_accelerations(&vs, nullptr, &hs), TENON_OK);
  s.H[3 * s.numbers] = s.a[2 * s.nv] = std::numeric_limits<double>::quiet_NaN();
  refused(with_accelerations(&vs, &as, nullptr), TENON_NOT_FINITE, "state 2: a");
  s.a[2 * s.nv] = 0;
  refused(with_accelerations(&vs, &as, &hs), TENON_NOT_FINITE, "state 3: acceleration_gradients");
  refused(tenon_batch_link_motion(s.b.get(), states, s.links.data(), 2, TENON_AXES_WORLD, &qs, nullptr,
                                  nullptr, nullptr, nullptr, &hs, nullptr, nullptr, 0),
          TENON_INVALID_ARGUMENT, "v is NULL");
  refused(tenon_batch_link_motion_jvp(s.b.get(), nullptr, states, s.links.data(), 2, TENON_AXES_WORLD, &qs,
                                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                      nullptr, nullptr, &hs, nullptr, 0),
          TENON_INVALID_ARGUMENT, "v is NULL");
  s.F[s.numbers + 1] = std::numeric_limits<double>::infinity();
  refused(vjp(&fs, nullptr), TENON_NOT_FINITE, "state 1: pose_gradients");
}

}  // namespace
