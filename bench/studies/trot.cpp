// Robot dogs (Go1) that differ in masses, friction, gains and the places of their contacts trot for five seconds, each
// at its own moment of the stride: every 20 ms each switches its feet on and off, and one rollout of all takes 20 steps.
// Checks that feet stay where they touched the ground, and prints steps a second and core.
//
//     trot [--states=N] [--double | --single] [--usual-contacts] [--seconds=S]
//
// --usual-contacts: all have their contacts at the same places, so that the difference is what contacts of their own
// cost. --seconds: of motion. Without a precision both are taken. Ends with 1 where a foot slid by 0.1 mm, a trunk fell
// or a state failed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/robots.hpp"
#include "support/timing.hpp"
#include "tenon.h"

namespace {

constexpr std::size_t legs = 4, per_call = 20, stride = 20, settled = 5;  // the last two in calls
constexpr double dt = 1e-3, foot_frequency = 100;
const char* const leg_names[legs] = {"FR", "FL", "RR", "RL"};

char message[512];
void check(tenon_status status, const char* why = message) {
  if (status != TENON_OK) throw std::runtime_error(std::string(tenon_status_string(status)) + ": " + why);
}

struct Course {
  std::size_t states = 4096;
  double seconds = 5;
  bool own_contacts = true;
};

// All feet stand, FR and RL swing, all feet stand, FL and RR swing.
bool swings(std::size_t moment, std::size_t leg) {
  const bool first_pair = leg == 0 || leg == 3;
  return moment / 5 == (first_pair ? 1u : 3u);
}
// They come down in the last two calls.
bool lifts(std::size_t moment, std::size_t leg) {
  return swings(moment, leg) && moment % 10 < 8;
}

template <class N>
class Herd {
 public:
  explicit Herd(const Course& course);
  ~Herd() {
    tenon_batch_destroy(batch_);
    tenon_constraints_destroy(feet_);
    tenon_model_destroy(model_);
  }
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;

  bool trot();

 private:
  using List = std::vector<N>;
  static tenon_batch_array array_of(List& list, std::size_t count, bool of_all = false) {
    tenon_batch_array a;
    check(tenon_batch_array_init(&a, sizeof a));
    a.data = list.data(), a.size = list.size(), a.count = count;
    a.state_stride = of_all ? 0 : static_cast<std::ptrdiff_t>(count);
    return a;
  }
  void make_robots();
  void find_feet();
  void land(std::size_t call);
  void run_batch();

  const Course course_;
  const std::size_t n_ = course_.states;
  tenon_model* model_ = nullptr;
  tenon_constraints* feet_ = nullptr;
  tenon_batch* batch_ = nullptr;
  std::size_t nq_, nv_;
  std::int32_t links_[legs];
  std::size_t thigh_[legs], calf_[legs];
  std::mt19937 random_{1};
  List q_, v_, zero_, stiffness_, damping_, target_, anchors_, active_, frames_, poses_, places_;
  std::vector<std::size_t> offset_, stood_;
  double spent_ = 0, drift_ = 0, ground_ = 0;
};

template <class N>
Herd<N>::Herd(const Course& course) : course_(course) {
  const std::string urdf = bench::model_text("go1");
  tenon_model_options options;
  check(tenon_model_options_init(&options, sizeof options));
  options.base = TENON_BASE_FLOATING;
  check(tenon_model_parse_urdf(urdf.data(), urdf.size(), &options, &model_, message, sizeof message));
  check(tenon_constraints_create(model_, &feet_, message, sizeof message));
  tenon_constraint_options held;
  check(tenon_constraint_options_init(&held, sizeof held));
  held.frequency = foot_frequency;
  const auto joint = [&](const std::string& name) {
    std::int32_t index = 0;
    tenon_joint_info info;
    check(tenon_model_find_joint(model_, name.c_str(), &index, message, sizeof message));
    check(tenon_joint_info_init(&info, sizeof info));
    check(tenon_model_joint_info(model_, index, &info));
    return static_cast<std::size_t>(info.q_index);
  };
  for (std::size_t leg = 0; leg < legs; ++leg) {
    const std::string name = leg_names[leg];
    check(tenon_model_find_link(model_, (name + "_foot").c_str(), &links_[leg], message, sizeof message));
    const double origin[3] = {};
    check(
        tenon_constraints_add_point(feet_, links_[leg], origin, 3, &held, nullptr, message, sizeof message));
    thigh_[leg] = joint(name + "_thigh_joint"), calf_[leg] = joint(name + "_calf_joint");
  }
  check(tenon_constraints_finish(feet_, message, sizeof message));
  tenon_batch_options batch;
  check(tenon_batch_options_init(&batch, sizeof batch));
  batch.precision = sizeof(N) == sizeof(float) ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;
  check(tenon_batch_create(model_, feet_, &batch, &batch_, message, sizeof message));
  nq_ = static_cast<std::size_t>(tenon_model_nq(model_)),
  nv_ = static_cast<std::size_t>(tenon_model_nv(model_));
  make_robots();
}

template <class N>
void Herd<N>::make_robots() {
  const auto between = [&](double low, double high) {
    return static_cast<N>(std::uniform_real_distribution<double>(low, high)(random_));
  };
  const std::size_t links = static_cast<std::size_t>(tenon_model_link_count(model_));
  List masses(n_ * links), friction(n_ * nv_);
  stiffness_.resize(n_ * nv_), damping_.resize(n_ * nv_), frames_.resize(7 * legs * n_);
  for (std::size_t s = 0; s < n_; ++s) {
    for (std::size_t i = 0; i < links; ++i) {
      tenon_link_info info;
      check(tenon_link_info_init(&info, sizeof info));
      check(tenon_model_link_info(model_, static_cast<std::int32_t>(i), &info));
      masses[s * links + i] = static_cast<N>(info.mass) * between(0.85, 1.15);
    }
    const N rubs = between(0.05, 0.2), stiff = between(60, 100), damps = between(2, 4);
    for (std::size_t k = 6; k < nv_; ++k)
      friction[s * nv_ + k] = rubs, stiffness_[s * nv_ + k] = stiff, damping_[s * nv_ + k] = damps;
    for (std::size_t leg = 0; leg < legs; ++leg) {
      N* frame = &frames_[7 * (legs * s + leg)];
      for (int e = 0; e < 3; ++e) frame[e] = course_.own_contacts ? between(-0.005, 0.005) : N(0);
      frame[6] = 1;
    }
  }
  tenon_batch_parameters own;
  check(tenon_batch_parameters_init(&own, sizeof own));
  const tenon_batch_array of_links = array_of(masses, links), of_joints = array_of(friction, nv_),
                          of_feet = array_of(frames_, 7 * legs);
  own.masses = &of_links, own.damping = &of_joints;
  if (course_.own_contacts) own.frames = &of_feet;
  check(tenon_batch_set_parameters(batch_, n_, &own), tenon_batch_message(batch_));

  q_.assign(n_ * nq_, 0), v_.assign(n_ * nv_, 0), zero_.assign(nv_, 0);
  for (std::size_t s = 0; s < n_; ++s) {
    N* q = &q_[s * nq_];
    q[6] = 1;
    for (std::size_t leg = 0; leg < legs; ++leg) q[thigh_[leg]] = N(0.8), q[calf_[leg]] = N(-1.6);
    offset_.push_back(random_() % stride);
  }
  target_ = q_;
  poses_.resize(7 * legs * n_), places_.resize(3 * legs * n_);
  find_feet();
  anchors_.assign(7 * legs * n_, 0), active_.assign(legs * n_, 1);
  for (std::size_t i = 0; i < legs * n_; ++i) {
    std::copy_n(&places_[3 * i], 3, &anchors_[7 * i]);
    anchors_[7 * i + 6] = 1;
  }
  ground_ = static_cast<double>(places_[2]);
  stood_.assign(legs * n_, settled);
}

// World positions of the contacts.
template <class N>
void Herd<N>::find_feet() {
  const tenon_batch_array q = array_of(q_, nq_), poses = array_of(poses_, 7 * legs);
  check(tenon_batch_kinematics(batch_, n_, links_, legs, TENON_AXES_WORLD, &q, nullptr, &poses, nullptr,
                               nullptr, nullptr, 0),
        tenon_batch_message(batch_));
  for (std::size_t i = 0; i < legs * n_; ++i) {
    const N *pose = &poses_[7 * i], *x = &frames_[7 * i], *u = pose + 3;
    const N w = pose[6], t[3] = {2 * (u[1] * x[2] - u[2] * x[1]), 2 * (u[2] * x[0] - u[0] * x[2]),
                                 2 * (u[0] * x[1] - u[1] * x[0])};
    for (std::size_t e = 0; e < 3; ++e) {
      const std::size_t f = (e + 1) % 3, g = (e + 2) % 3;
      places_[3 * i + e] = pose[e] + x[e] + w * t[e] + (u[f] * t[g] - u[g] * t[f]);
    }
  }
}

// Before a call: which feet stand, where they touched the ground, and where legs go.
template <class N>
void Herd<N>::land(std::size_t call) {
  find_feet();
  for (std::size_t i = 0; i < legs * n_; ++i) {
    const std::size_t s = i / legs, leg = i % legs, now = (call + offset_[s]) % stride;
    const N* place = &places_[3 * i];
    N* anchor = &anchors_[7 * i];
    double away = 0;
    for (int e = 0; e < 3; ++e) away += std::pow(static_cast<double>(place[e] - anchor[e]), 2);
    if (stood_[i] >= settled && !(std::sqrt(away) <= drift_)) drift_ = std::sqrt(away);
    const bool on = !swings(now, leg), lifted = lifts(now, leg);
    if (on && active_[i] == 0)
      anchor[0] = place[0], anchor[1] = place[1], anchor[2] = static_cast<N>(ground_);
    active_[i] = on;
    stood_[i] = on ? stood_[i] + 1 : 0;
    target_[s * nq_ + thigh_[leg]] = static_cast<N>(0.8 + 0.3 * lifted);
    target_[s * nq_ + calf_[leg]] = static_cast<N>(-1.6 - 0.6 * lifted);
  }
}

// What is timed.
template <class N>
void Herd<N>::run_batch() {
  const tenon_batch_array anchors = array_of(anchors_, 7 * legs), active = array_of(active_, legs);
  check(tenon_batch_set_anchors(batch_, n_, &anchors), tenon_batch_message(batch_));
  check(tenon_batch_set_active(batch_, n_, &active), tenon_batch_message(batch_));
  const tenon_batch_array q = array_of(q_, nq_), v = array_of(v_, nv_), tau = array_of(zero_, nv_, true),
                          stiffness = array_of(stiffness_, nv_), damping = array_of(damping_, nv_),
                          target = array_of(target_, nq_);
  tenon_rollout_options options;
  check(tenon_rollout_options_init(&options, sizeof options));
  options.dt = dt, options.steps = options.every = per_call;
  options.stiffness = &stiffness, options.damping = &damping, options.q_target = &target;
  check(tenon_batch_rollout(batch_, &options, n_, &q, &v, &tau, nullptr, &q, &v, nullptr, 0),
        tenon_batch_message(batch_));
}

template <class N>
bool Herd<N>::trot() {
  const std::size_t calls = static_cast<std::size_t>(std::lround(course_.seconds / (dt * per_call)));
  double fastest = HUGE_VAL;  // of one call
  for (std::size_t call = 0; call < calls; ++call) {
    land(call);
    const double before = bench::thread_seconds();
    run_batch();
    const double took = bench::thread_seconds() - before;
    spent_ += took, fastest = std::min(fastest, took);
  }
  double lowest = 0, tilt = 0;
  for (std::size_t s = 0; s < n_; ++s) {
    const N* q = &q_[s * nq_];
    lowest = std::max(lowest, static_cast<double>(-q[2]));
    tilt = std::max(tilt, 2 * std::hypot(static_cast<double>(q[3]), static_cast<double>(q[4])));
  }
  const double steps = static_cast<double>(n_ * per_call);
  const bool good = drift_ < 1e-4 && lowest < 0.1 && tilt < 0.5;
  std::printf(
      "%s, %zu robots, %s contacts: %.2f million steps a second and core, %.2f in the fastest call; feet "
      "slid by "
      "%.1e m, trunks %.0f mm lower, tilted by %.2f rad at most: %s\n",
      sizeof(N) == sizeof(float) ? "single" : "double", n_, course_.own_contacts ? "own" : "usual",
      steps * static_cast<double>(calls) / spent_ / 1e6, steps / fastest / 1e6, drift_, 1e3 * lowest, tilt,
      good ? "good" : "BAD");
  return good;
}

}  // namespace

int main(int count, char** arguments) try {
  Course course;
  bool in_doubles = true, in_floats = true;
  for (int i = 1; i < count; ++i) {
    const std::string given = arguments[i];
    if (given.rfind("--states=", 0) == 0)
      course.states = std::stoul(given.substr(9));
    else if (given.rfind("--seconds=", 0) == 0)
      course.seconds = std::stod(given.substr(10));
    else if (given == "--double")
      in_floats = false;
    else if (given == "--single")
      in_doubles = false;
    else if (given == "--usual-contacts")
      course.own_contacts = false;
    else
      throw std::runtime_error("unknown argument " + given);
  }
  bool good = true;
  if (in_doubles) good = Herd<double>(course).trot() && good;
  if (in_floats) good = Herd<float>(course).trot() && good;
  return good ? 0 : 1;
} catch (const std::exception& fault) {
  std::fprintf(stderr, "trot: %s\n", fault.what());
  return 1;
}
