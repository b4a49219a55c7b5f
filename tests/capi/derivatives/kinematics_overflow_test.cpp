// Kinematics of batches and products with their derivatives where numbers leave the range: a state is written whole or not at
// all; and of robots without joints.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../support.hpp"

using namespace tenon_test;

namespace {

constexpr double untouched = -7.25e77;

// A tool far out on a link that moves far: its pose and velocity leave the range where those of the link do not. The
// tool comes last, so that the others' places show whether a state that fails is written in part.
template <class N>
void kinematics_of_a_far_tool(int32_t precision, double far) {
  char text[900];
  std::snprintf(
      text, sizeof text,
      "<robot name='far'><link name='base'/><link name='slide'><inertial><mass value='1'/><inertia ixx='1' "
      "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><link name='tool'/>"
      "<joint name='s' type='floating'><parent link='base'/><child link='slide'/></joint>"
      "<joint name='t' type='fixed'><parent link='slide'/><child link='tool'/><origin xyz='%g 0 0'/></joint>"
      "</robot>",
      far);
  Model model;
  ASSERT_EQ(parse(text, &model).status, TENON_OK);
  const Batch b = batch(model, nullptr, 1, precision);
  const std::size_t states = 19, nq = 7, nv = 6;
  const int32_t links[] = {0, 1, 2};
  for (const bool fast : {false, true}) {
    std::vector<N> q(nq * states), v(nv * states), poses(21 * states), velocities(18 * states),
        J(18 * nv * states);
    std::vector<int32_t> status(states);
    for (std::size_t s = 0; s < states; ++s) q[nq * s + 6] = 1;
    for (std::vector<N>* x : {&poses, &velocities, &J})
      std::fill(x->begin(), x->end(), static_cast<N>(-7.25));
    const std::size_t bad = 4;
    (fast ? v[nv * bad + 1] : q[nq * bad]) = static_cast<N>(far);
    const tenon_batch_array Q = rows_of(q, nq), V = rows_of(v, nv), P = rows_of(poses, 21),
                            W = rows_of(velocities, 18), Js = rows_of(J, 18 * nv);
    EXPECT_EQ(tenon_batch_kinematics(b.get(), states, links, 3, TENON_AXES_WORLD, &Q, &V, &P, &W, &Js,
                                     status.data(), states),
              TENON_NOT_FINITE);
    for (std::size_t s = 0; s < states; ++s) {
      EXPECT_EQ(status[s], s == bad ? TENON_NOT_FINITE : TENON_OK);
      const auto kept = [&](const std::vector<N>& x) {
        const std::size_t count = x.size() / states;
        return std::count(x.begin() + static_cast<ptrdiff_t>(s * count),
                          x.begin() + static_cast<ptrdiff_t>((s + 1) * count), static_cast<N>(-7.25));
      };
      EXPECT_EQ(kept(poses), s == bad ? 21 : 0);
      EXPECT_EQ(kept(velocities), s == bad ? 18 : 0);
      EXPECT_EQ(kept(J), s == bad ? 108 : 0);
    }
    for (const std::vector<N>* x : {&poses, &velocities, &J}) EXPECT_TRUE(std::isfinite(largest(*x)));
    // The same of products with derivatives, and with accelerations.
    std::vector<N> force(18 * states, N(1)), change(nv * states, N(1)), by_q(nv * states), by_v(by_q),
        by_a(by_q), dP(force), dW(force), dA(force), A(force);
    const tenon_batch_array F = rows_of(force, 18), D = rows_of(change, nv), G_q = rows_of(by_q, nv),
                            G_v = rows_of(by_v, nv), G_a = rows_of(by_a, nv), DP = rows_of(dP, 18),
                            DW = rows_of(dW, 18), DA = rows_of(dA, 18), As = rows_of(A, 18);
    const auto call = [&](int function) {
      switch (function) {
        case 0:
          return tenon_batch_kinematics_vjp(b.get(), nullptr, states, links, 3, TENON_AXES_WORLD, &Q, &V, &F,
                                            &F, &P, &W, &G_q, &G_v, status.data(), states);
        case 1:
          return tenon_batch_kinematics_jvp(b.get(), nullptr, states, links, 3, TENON_AXES_WORLD, &Q, &V, &D,
                                            &D, &P, &W, &DP, &DW, status.data(), states);
        case 2:
          return tenon_batch_link_motion(b.get(), states, links, 3, TENON_AXES_WORLD, &Q, &V, &D, &P, &W, &As,
                                         nullptr, status.data(), states);
        case 3:
          return tenon_batch_link_motion_vjp(b.get(), nullptr, states, links, 3, TENON_AXES_WORLD, &Q, &V,
                                             nullptr, &F, &F, &F, &P, &W, &As, &G_q, &G_v, &G_a,
                                             status.data(), states);
        default:
          return tenon_batch_link_motion_jvp(b.get(), nullptr, states, links, 3, TENON_AXES_WORLD, &Q, &V,
                                             nullptr, &D, &D, &D, &P, &W, &As, &DP, &DW, &DA, status.data(),
                                             states);
      }
    };
    const std::vector<std::vector<N>*> written[] = {{&poses, &velocities, &by_q, &by_v},
                                                    {&poses, &velocities, &dP, &dW},
                                                    {&poses, &velocities, &A},
                                                    {&poses, &velocities, &A, &by_q, &by_v, &by_a},
                                                    {&poses, &velocities, &A, &dP, &dW, &dA}};
    for (int function = 0; function < 5; ++function) {
      SCOPED_TRACE(function);
      const auto& all = written[function];
      for (std::vector<N>* x : all) std::fill(x->begin(), x->end(), static_cast<N>(-7.25));
      EXPECT_EQ(call(function), TENON_NOT_FINITE);
      for (const std::vector<N>* x : all) {
        const std::size_t count = x->size() / states;
        for (std::size_t s = 0; s < states; ++s) {
          EXPECT_EQ(status[s], s == bad ? TENON_NOT_FINITE : TENON_OK);
          for (std::size_t e = s * count; e < (s + 1) * count; ++e)
            EXPECT_EQ((*x)[e] == static_cast<N>(-7.25), s == bad) << (*x)[e];
        }
        EXPECT_TRUE(std::isfinite(largest(*x)));
      }
    }
  }
}

TEST(Overflow, KinematicsOfBatchesAreWrittenWholeOrNotAtAll) {
  kinematics_of_a_far_tool<double>(TENON_PRECISION_DOUBLE, 1e308);
  kinematics_of_a_far_tool<float>(TENON_PRECISION_SINGLE, 2e38);
}

TEST(Overflow, KinematicsOfBatchesWithoutJoints) {
  Model model;
  ASSERT_EQ(parse("<robot name='r'><link name='base'/></robot>", &model).status, TENON_OK);
  const Batch b = batch(model);
  std::vector<double> nothing(1), poses(7 * 5, untouched), velocities(6 * 5, untouched);
  const int32_t link = 0;
  const tenon_batch_array none = rows_of(nothing, 0), P = rows_of(poses, 7), W = rows_of(velocities, 6);
  for (const tenon_batch_array* v : {static_cast<const tenon_batch_array*>(nullptr), &none}) {
    EXPECT_EQ(tenon_batch_kinematics(b.get(), 5, &link, 1, TENON_AXES_LINK, &none, v, &P, v ? &W : nullptr, v,
                                     nullptr, 0),
              TENON_OK)
        << tenon_batch_message(b.get());
    EXPECT_EQ(poses, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                          0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
  }
  EXPECT_EQ(velocities, std::vector<double>(30));
}

}  // namespace
