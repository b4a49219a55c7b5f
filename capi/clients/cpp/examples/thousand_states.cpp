// A thousand states of Atlas on both feet in one call, then some of them 50 ms on: thousand_states models/atlas.urdf
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tenon.hpp>

int main(int argc, char** argv) try {
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  const tenon::Model robot = tenon::Model::load(argc > 1 ? argv[1] : "models/atlas.urdf", options);
  tenon::Constraints feet(robot);
  for (const char* foot : {"l_foot", "r_foot"}) feet.add_weld(foot);
  tenon::BatchOptions two;
  two.threads = 2;
  tenon::Batch batch(feet, two);
  tenon::Workspace work(feet);

  const std::size_t states = 1000, nq = batch.nq(), nv = batch.nv(), m = batch.m();
  tenon::Vector q;
  for (std::size_t seed = 0; seed < states; ++seed) {
    const tenon::Vector one = work.random(seed);
    q.insert(q.end(), one.begin(), one.end());
  }
  const tenon::Vector zero = work.zeros();  // velocities and torques, the same for all
  const auto motions = batch.constrained_dynamics(q, zero, zero);
  std::printf("%zu states of %s: nq %zu, nv %zu, %zu rows\n", states, robot.name().c_str(), nq, nv, m);
  std::printf("the left foot of state 7 is pushed up by %.1f N\n", motions.lambda[7 * m + 5]);

  const auto single = work.constrained_dynamics({q.data() + 7 * nq, nq}, zero, zero);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < nv; ++i) {
    largest = std::max(largest, std::abs(single.qdd[i]));
    difference = std::max(difference, std::abs(single.qdd[i] - motions.qdd[7 * nv + i]));
  }
  std::printf("agrees with a single call: %s\n", difference <= 1e-8 * largest ? "true" : "false");

  tenon::RolloutOptions steps;
  steps.dt = 0.001;
  steps.steps = steps.every = 50;
  const auto after = batch.rollout({q.data(), 16 * nq}, zero, zero, steps);
  double fastest = 0;
  for (const double v : after.v) fastest = std::max(fastest, std::abs(v));
  std::printf("after 50 ms the fastest joint of 16 states turns at %.1f rad/s\n", fastest);
} catch (const tenon::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
