// What tenon.hpp hands to the library and back, against identities that the calls under test do not compute themselves.
//   tenon_test <folder of models>
#ifdef WITH_EIGEN
#include <Eigen/Dense>
#endif
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <tenon.hpp>
#include <thread>

#include "../../../support/largest.hpp"

static int failures = 0, checks = 0;

static void check(bool good, const char* what, int line) {
  ++checks;
  if (good) return;
  ++failures;
  std::printf("line %d: %s\n", line, what);
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)

// That a call throws with a status, and words in its message.
template <class Call>
static bool throws(Call&& call, tenon::Status status, const char* words) {
  try {
    call();
  } catch (const tenon::Error& error) {
    if (error.status() == status && std::strstr(error.what(), words) != nullptr) return true;
    std::printf("thrown: %s\n", error.what());
  }
  return false;
}

static double apart(tenon::In a, tenon::In b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = tenon::testing::larger(largest, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return largest;
}

// A x, or of columns alone A^T x.
static tenon::Vector times(const tenon::Matrix& A, tenon::In x) {
  tenon::Vector y(A.rows());
  for (std::size_t j = 0; j < A.cols(); ++j)
    for (std::size_t i = 0; i < A.rows(); ++i) y[i] += A(i, j) * x[j];
  return y;
}
static tenon::Vector transposed_times(const tenon::Matrix& A, tenon::In x) {
  tenon::Vector y(A.cols());
  for (std::size_t j = 0; j < A.cols(); ++j)
    for (std::size_t i = 0; i < A.rows(); ++i) y[j] += A(i, j) * x[i];
  return y;
}
static tenon::Vector plus(tenon::Vector a, tenon::In b, double factor = 1) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}
static tenon::Vector counted(std::size_t n, double first, double step) {
  tenon::Vector x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = first + step * double(i);
  return x;
}

static void models(const std::string& folder) {
  const auto robot = tenon::Model::load(folder + "/iiwa14.urdf");
  CHECK(robot.name() == "iiwa14" && robot.nq() == 7 && robot.nv() == 7 && !robot.floating_base());
  CHECK(robot.link_name(robot.link_index("iiwa_link_7")) == "iiwa_link_7");
  CHECK(robot.joint(0).nv == 1 && robot.joint("iiwa_joint_1").type == TENON_JOINT_TYPE_REVOLUTE);
  double mass = 0;
  for (int i = 0; i < robot.link_count(); ++i) mass += robot.link(i).mass;
  CHECK(std::abs(mass - robot.total_mass()) < 1e-12 * mass);
  CHECK(robot.describe().find("iiwa_joint_7") != std::string::npos && robot.warnings().empty());
  CHECK(throws([&] { robot.link_index("iiwa_link_8"); }, TENON_NOT_FOUND, "did you mean"));
  CHECK(throws([&] { robot.link(99); }, TENON_OUT_OF_RANGE, "out_of_range"));
  CHECK(throws([&] { tenon::Model::load(folder + "/none.urdf"); }, TENON_FILE_ERROR, "none.urdf"));
  CHECK(throws([&] { tenon::Model::parse("<robot"); }, TENON_PARSE_ERROR, "parse_error"));

  tenon::Builder builder("pendulum");
  const auto base = builder.add_link("base", 0),
             bob = builder.add_link("bob", 2, {0, 0, -0.5}, {0.1, 0, 0, 0.1, 0, 0.1});
  tenon::JointOptions joint;
  joint.parent_link = base;
  joint.child_link = bob;
  builder.add_joint("hinge", joint);
  builder.add_frame("tip", bob, {0, 0, -1, 0, 0, 0, 1});
  const auto pendulum = builder.finish();
  tenon::Workspace work(pendulum);
  const double q = 0.3, expected = 2 * 9.81 * 0.5 * std::sin(q);  // m g l sin q
  CHECK(std::abs(work.gravity_force({q})[0] - expected) < 1e-12);
  CHECK(std::abs(work.mass_matrix({q})(0, 0) - (0.1 + 2 * 0.25)) < 1e-12);
  work.set_gravity({0, 0, -1});
  CHECK(work.gravity()[2] == -1 && std::abs(work.gravity_force({q})[0] - expected / 9.81) < 1e-12);
  work.kinematics({q}, {2.0});
  CHECK(std::abs(work.link_pose("tip")[2] + std::cos(q)) < 1e-12 &&
        std::abs(work.link_velocity("tip")[0] - 2) < 1e-12);
  CHECK(std::abs(work.energy().first - 0.5 * 0.6 * 4) < 1e-12);
}

static void dynamics(const std::string& folder) {
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  const auto robot = tenon::Model::load(folder + "/atlas.urdf", options);
  tenon::Workspace work(robot);
  const auto q = work.random(3), v = counted(work.nv(), -0.2, 0.01), tau = counted(work.nv(), 5, -0.3);
  const auto M = work.mass_matrix(q);
  const auto qdd = work.forward_dynamics(q, v, tau);
  CHECK(apart(plus(times(M, qdd), work.bias(q, v)), tau) < 1e-8);
  CHECK(apart(work.inverse_dynamics(q, v, qdd), tau) < 1e-8);
  tenon::Vector wrenches(6 * std::size_t(robot.link_count()));
  const auto hand = robot.link_index("l_hand");
  wrenches[6 * std::size_t(hand) + 3] = 10;  // along the x of the hand
  work.kinematics(q, v, qdd);
  const auto pushed =
      plus(tau, transposed_times(work.jacobian(hand, {}, TENON_AXES_LINK), {0, 0, 0, 10, 0, 0}), -1);
  CHECK(apart(work.inverse_dynamics(q, v, qdd, wrenches), pushed) < 1e-8);
  const auto Jv = times(work.jacobian(hand), v);
  CHECK(apart(Jv, work.link_velocity(hand)) < 1e-10);

  // What writes into spans gives the same bits, and statuses instead of exceptions.
  tenon::Vector into(work.nv());
  CHECK(work.forward_dynamics_into(into, q, v, tau) == TENON_OK && into == qdd);
  CHECK(throws([&] { work.forward_dynamics({1.0}, v, tau); }, TENON_WRONG_SIZE, "q"));
  work.exceptions(false);
  CHECK(work.forward_dynamics_into(into, {1.0}, v, tau) == TENON_WRONG_SIZE &&
        std::strlen(work.message()) > 5);
  CHECK(work.status() == TENON_WRONG_SIZE && into == qdd);
  CHECK(throws([&] { work.forward_dynamics({1.0}, v, tau); }, TENON_WRONG_SIZE, "q"));

  const auto next = work.integrate(q, v, 0.01);
  CHECK(apart(work.difference(q, next), plus(tenon::Vector(work.nv()), v, 0.01)) < 1e-10);
}

static void constraints(const std::string& folder) {
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  auto robot = std::make_unique<tenon::Model>(tenon::Model::load(folder + "/atlas.urdf", options));
  tenon::Constraints set(*robot);
  tenon::ConstraintOptions named;
  named.name = "hand";
  set.add_weld("l_foot");
  CHECK(set.add_point("l_hand", {0.1, 0, 0}, named) == 1);
  tenon::Matrix K(2, 6);
  K(0, 3) = K(1, 1) = 1;
  set.add_rows("r_foot", K);
  tenon::Workspace work(set);
  robot.reset();  // what was made from it stays good
  CHECK(set.count() == 3 && set.row_count() == 11 && work.m() == 11 && set.info("hand").first_row >= 0);
  CHECK(throws([&] { set.index("foot"); }, TENON_NOT_FOUND, "foot"));
  CHECK(throws([&] { set.add_weld("r_foot"); }, TENON_INVALID_ARGUMENT, "finish"));
  CHECK(throws([&] { tenon::Constraints(work.model()).add_rows(0, tenon::Matrix(6, 2)); }, TENON_WRONG_SIZE,
               "6"));

  const auto q = work.random(5), v = counted(work.nv(), 0.1, -0.01), tau = counted(work.nv(), -3, 0.2);
  const auto motion = work.constrained_dynamics(q, v, tau);
  const auto rows = work.constraint_rows(q, v);
  CHECK(motion.status == TENON_OK && work.report().primal_residual < 1e-6);
  CHECK(apart(times(rows.J, motion.qdd), rows.rhs) < 1e-7);
  CHECK(apart(work.constrained_inverse_dynamics(q, v, motion.qdd, motion.lambda), tau) < 1e-7);
  CHECK(apart(plus(plus(times(work.mass_matrix(q), motion.qdd), work.bias(q, v)),
                   transposed_times(rows.J, motion.lambda), -1),
              tau) < 1e-7);
  const auto A = work.delassus(q);
  tenon::Workspace free(work.model());
  const auto still = free.zeros(),
             no_tau = free.bias(q, still);  // M^-1 of a column of J^T by forward dynamics
  tenon::Vector unit(11);
  unit[4] = 1;
  const auto column =
      times(rows.J, free.forward_dynamics(q, still, plus(no_tau, transposed_times(rows.J, unit))));
  CHECK(apart({A.data() + 4 * 11, 11}, column) < 1e-7);
  tenon::SolveOptions pv;
  pv.method = TENON_METHOD_DENSE;
  CHECK(apart(work.constrained_dynamics(q, v, tau, {}, {}, &pv).qdd, motion.qdd) < 1e-6);
  CHECK(work.report().method == TENON_METHOD_DENSE);
  work.set_active("hand", false);
  CHECK(apart(work.constrained_dynamics(q, v, tau).qdd, motion.qdd) > 1e-3);

  auto moved_q = q, moved_v = v;
  tenon::Workspace moved = std::move(work);
  moved.step(moved_q, moved_v, tau, 0.001);
  CHECK(apart(moved.difference(q, moved_q), plus(tenon::Vector(v.size()), moved_v, 0.001)) < 1e-9);
}

template <class Real>
static void batches(const std::string& folder, double tolerance) {
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  const auto robot = tenon::Model::load(folder + "/atlas.urdf", options);
  tenon::Constraints set(robot);
  set.add_weld("l_foot");
  tenon::BasicBatch<Real> batch(set);
  tenon::Workspace work(set);
  const std::size_t states = 9, nq = batch.nq(), nv = batch.nv();
  std::vector<Real> q, v(nv, Real(0.1)), tau(states * nv, Real(1));
  for (std::size_t seed = 0; seed < states; ++seed)
    for (const double x : work.random(seed)) q.push_back(Real(x));
  tau[3 * nv + 8] = 20;
  auto number = [&](const std::vector<Real>& all, std::size_t i, std::size_t n) {
    tenon::Vector one(all.begin() + std::ptrdiff_t(i * n), all.begin() + std::ptrdiff_t(i * n + n));
    return one;
  };
  const auto free = batch.forward_dynamics(q, v, tau);
  const auto back = batch.inverse_dynamics(q, v, free);
  const auto held = batch.constrained_dynamics(q, v, tau);
  const std::size_t numbers = nv * (nv + 1) / 2;
  const auto whole = batch.mass_matrix(q), lower = batch.mass_matrix_lower(q),
             L = batch.mass_matrix_factor(q);
  CHECK(whole.size() == states * nv * nv && lower.size() == states * numbers && L.size() == lower.size());
  double off = 0;
  for (std::size_t i = 0; i < nv; ++i) {
    double own = 0;  // of L^T L in the last state
    for (std::size_t k = i; k < nv; ++k) {
      const double x = L[8 * numbers + k * (k + 1) / 2 + i];
      own += x * x;
    }
    off = tenon::testing::larger(off, std::abs(own - whole[(8 * nv + i) * nv + i]));
    for (std::size_t j = 0; j <= i; ++j)
      off = std::max(
          off, double(std::abs(lower[8 * numbers + i * (i + 1) / 2 + j] - whole[(8 * nv + i) * nv + j])));
  }
  CHECK(off < tolerance && work.mass_matrix(number(q, 8, nq))(0, 0) > 0);
  for (std::size_t i = 0; i < states; ++i) {
    auto qi = number(q, i, nq);
    work.normalize(qi);
    const auto motion = work.constrained_dynamics(qi, number(v, 0, nv), number(tau, i, nv));
    CHECK(apart(number(held.qdd, i, nv), motion.qdd) < tolerance &&
          apart(number(held.lambda, i, 6), motion.lambda) < tolerance);
    CHECK(apart(number(back, i, nv), number(tau, i, nv)) < tolerance && batch.status()[i] >= 0);
  }
  tenon::RolloutOptions steps;
  steps.steps = 4;
  steps.every = 2;
  const auto records = batch.rollout(q, v, tau, steps);
  auto qi = number(q, 3, nq), vi = number(v, 0, nv);
  work.normalize(qi);
  for (int k = 0; k < 4; ++k) work.step(qi, vi, number(tau, 3, nv), steps.dt);
  CHECK(records.q.size() == states * 2 * nq && apart(number(records.q, 7, nq), qi) < tolerance);
  CHECK(apart(number(records.v, 7, nv), vi) < tolerance);

  q[4 * nq] = Real(NAN);
  CHECK(throws([&] { batch.forward_dynamics(q, v, tau); }, TENON_NOT_FINITE, "4"));
  CHECK(batch.status()[4] == TENON_NOT_FINITE && batch.status()[5] == TENON_OK);
  batch.exceptions(false);
  auto kept = free;
  CHECK(batch.forward_dynamics_into(kept, q, v, tau) == TENON_NOT_FINITE && kept == free);
  CHECK(throws([&] { batch.forward_dynamics(q, {v.data(), 3}, tau); }, TENON_WRONG_SIZE, "v: 3 numbers"));
  tenon::BasicBatch<Real> unconstrained(robot);
  CHECK(unconstrained.m() == 0 &&
        unconstrained.constrained_dynamics({q.data(), nq}, v, {tau.data(), nv}).qdd.size() == nv);
}

// Each state holds its own rows.
template <class Real>
static void anchors(const std::string& folder, double tolerance) {
  using Numbers = std::vector<Real>;
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  const auto robot = tenon::Model::load(folder + "/atlas.urdf", options);
  tenon::Constraints set(robot);
  tenon::ConstraintOptions stiff;
  stiff.frequency = 10;
  set.add_weld("l_foot", {}, stiff);
  stiff.name = "hand", stiff.frequency = 5, stiff.damping_ratio = 0.5;
  set.add_point("l_hand", {}, stiff);
  tenon::BasicBatch<Real> batch(set);
  tenon::Workspace work(set);
  const std::size_t nq = batch.nq(), nv = batch.nv();
  Numbers q, v(nv, Real(0.1)), tau(nv, Real(1));
  for (std::size_t seed = 0; seed < 3; ++seed)
    for (const double x : work.random(seed)) q.push_back(Real(x));
  auto same = [](const Numbers& a, const Numbers& b, std::size_t state) {
    const auto n = std::ptrdiff_t(a.size() / 3), first = n * std::ptrdiff_t(state);
    return std::equal(a.begin() + first, a.begin() + first + n, b.begin() + first);
  };
  CHECK(throws([&] { batch.constrained_dynamics(q, v, tau); }, TENON_INVALID_ARGUMENT, "no anchors"));
  CHECK(batch.anchor_here(q) == TENON_OK && batch.status().size() == 3);
  const auto here = batch.constrained_dynamics(q, v, tau);
  auto poses = batch.anchors(3);
  for (std::size_t s = 0; s < 3; ++s) {
    tenon::Vector x(q.begin() + std::ptrdiff_t(s * nq), q.begin() + std::ptrdiff_t(s * nq + nq));
    work.normalize(x);
    work.anchor_here(x);
    const auto motion = work.constrained_dynamics(x, tenon::Vector(nv, 0.1), tenon::Vector(nv, 1));
    const tenon::Vector qdd(here.qdd.begin() + std::ptrdiff_t(s * nv),
                            here.qdd.begin() + std::ptrdiff_t(s * nv + nv));
    CHECK(apart(qdd, motion.qdd) < tolerance);
    work.kinematics(x);
    const tenon::Vector place(&poses[14 * s + 7], &poses[14 * s + 10]);
    CHECK(apart(place, {work.link_pose("l_hand").data(), 3}) < tolerance);
  }
  batch.set_anchors(poses);
  const auto before = batch.constrained_dynamics(q, v, tau);
  poses[14 + 7 + 2] += Real(0.1);  // of state 1, constraint 1
  batch.set_anchors(poses);
  const auto read = batch.anchors(3);
  CHECK(apart(tenon::Vector(read.begin(), read.end()), tenon::Vector(poses.begin(), poses.end())) < 1e-6);
  const auto lifted = batch.constrained_dynamics(q, v, tau);
  CHECK(same(lifted.qdd, before.qdd, 0) && !same(lifted.qdd, before.qdd, 1) &&
        same(lifted.qdd, before.qdd, 2));
  batch.set_active(Numbers{1, 1, 1, 1, 0, 1});
  const auto let_go = batch.constrained_dynamics(q, v, tau);
  CHECK(same(let_go.qdd, lifted.qdd, 0) && same(let_go.qdd, lifted.qdd, 1));
  CHECK(let_go.lambda[2 * 9 + 5] == 0 && let_go.lambda[2 * 9 + 6] != 0 && let_go.lambda[9 + 5] != 0);
  batch.set_active(Numbers{1, 1});
  batch.set_gains(Numbers{10, 5}, Numbers{1, Real(0.5)});  // as they were
  CHECK(batch.constrained_dynamics(q, v, tau).qdd == lifted.qdd);
  batch.set_gains(Numbers{10, 5, 10, 5, 10, 9}, Numbers{1, Real(0.5)});
  const auto tight = batch.constrained_dynamics(q, v, tau);
  CHECK(same(tight.qdd, lifted.qdd, 1) && !same(tight.qdd, lifted.qdd, 2));
  CHECK(throws([&] { batch.constrained_dynamics({q.data(), nq}, v, tau); }, TENON_WRONG_SIZE, "3 states"));
  batch.set_gains(Numbers{10, 5}, Numbers{1, 1});
  const auto damped = batch.constrained_dynamics(q, v, tau);
  batch.set_gains(Numbers{10, 5});
  CHECK(batch.constrained_dynamics(q, v, tau).qdd == damped.qdd && damped.qdd != lifted.qdd);
  batch.set_anchor("hand", {1, 2, 3, 0, 0, 0, 1});
  const auto fixed = batch.anchors(3);
  CHECK(fixed[7] == 1 && fixed[14 + 8] == 2 && fixed[28 + 9] == 3 && apart({fixed[16]}, {poses[16]}) < 1e-6);
  CHECK(throws([&] { batch.set_anchor("foot", {1, 2, 3, 0, 0, 0, 1}); }, TENON_NOT_FOUND, "foot"));
  CHECK(throws([&] { batch.set_anchors(Numbers(13)); }, TENON_WRONG_SIZE,
               "poses: 13 numbers, not states x 14"));
  CHECK(throws([&] { batch.set_active(Numbers(3)); }, TENON_WRONG_SIZE, "active: 3 numbers"));
  CHECK(throws([&] { batch.set_gains(Numbers(4), Numbers(6)); }, TENON_WRONG_SIZE,
               "damping_ratios: 6 numbers"));
  CHECK(throws([&] { batch.anchors(SIZE_MAX / 14 + 1); }, TENON_OUT_OF_MEMORY, "x 7 x 2"));
  CHECK(throws([&] { batch.anchors(2); }, TENON_WRONG_SIZE, "3 states"));
}

// Sizes that no memory has, no state, no joint.
static void limits(const std::string& folder) {
  tenon::Batch batch(tenon::Model::load(folder + "/iiwa14.urdf"));
  const tenon::Vector one(7), none;
  tenon::RolloutOptions options;
  for (const std::size_t records :
       {std::size_t(2635249153387078803), SIZE_MAX / 7, SIZE_MAX / 56 + 1, SIZE_MAX}) {
    options.steps = records;  // 7 times the first is 5, modulo 2^64
    CHECK(throws([&] { batch.rollout(one, one, one, options); }, TENON_OUT_OF_MEMORY, "7"));
  }
  CHECK(throws([&] { tenon::Matrix(std::size_t(1) << 32, std::size_t(1) << 32); }, TENON_OUT_OF_MEMORY,
               "4294967296 x 4294967296"));
  tenon::Workspace work(tenon::Model::load(folder + "/iiwa14.urdf"));
  tenon::Vector room(49);
  const tenon::OutMatrix wide(room.data(), 7, 7, (std::size_t(1) << 32) + 7);
  CHECK(throws([&] { work.mass_matrix_into(wide, one); }, TENON_WRONG_SIZE, "leading"));

  options.steps = 2;
  CHECK(batch.forward_dynamics(none, none, one).empty() && batch.status().empty());
  CHECK(batch.rollout(none, none, none, options).q.empty());
  CHECK(throws([&] { batch.forward_dynamics(none, one, {1.0}); }, TENON_WRONG_SIZE, "1 numbers"));

  const auto stone = tenon::Model::parse("<robot name='stone'><link name='a'/></robot>");
  tenon::Batch still(stone);
  CHECK(still.forward_dynamics(none, none, none).empty() && still.status().size() == 1);
  CHECK(still.inverse_dynamics(none, none, none, tenon::Vector(6)).empty());
  CHECK(still.rollout(none, none, none, options).v.empty() && still.status()[0] == TENON_OK);
  CHECK(throws([&] { still.forward_dynamics(one, none, none); }, TENON_WRONG_SIZE, "q"));
}

static void threads(const std::string& folder) {
  const auto robot = tenon::Model::load(folder + "/iiwa14.urdf");
  tenon::Vector results[2];
  auto compute = [&](tenon::Vector* result) {
    const tenon::Model mine = robot;
    tenon::Workspace work(mine);
    *result = work.bias(work.random(2), tenon::Vector(7, 1.0));
  };
  std::thread one(compute, &results[0]), two(compute, &results[1]);
  one.join(), two.join();
  CHECK(results[0] == results[1] && results[0].size() == 7);
}

#ifdef WITH_EIGEN
// A map of what is gone at the end of the line is not to be had.
template <class T, class = void>
struct HasMap : std::false_type {};
template <class T>
struct HasMap<T, std::void_t<decltype(std::declval<T>().eigen())>> : std::true_type {};
template <class T, class = void>
struct HasVectorMap : std::false_type {};
template <class T>
struct HasVectorMap<T, std::void_t<decltype(tenon::eigen(std::declval<T>()))>> : std::true_type {};
static_assert(HasMap<tenon::Matrix&>::value && HasMap<const tenon::Matrix&>::value);
static_assert(!HasMap<tenon::Matrix>::value && !HasMap<const tenon::Matrix>::value);
static_assert(HasVectorMap<tenon::Vector&>::value && HasVectorMap<const tenon::Vector&>::value);
static_assert(!HasVectorMap<tenon::Vector>::value && !HasVectorMap<const tenon::Vector>::value);

static void eigen(const std::string& folder) {
  tenon::Workspace work(tenon::Model::load(folder + "/iiwa14.urdf"));
  const auto start = work.random(1);
  const Eigen::VectorXd q = tenon::eigen(start), v = Eigen::VectorXd::Constant(7, 0.5);
  Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(7, -1, 1), qdd(7);
  work.forward_dynamics_into(qdd, q, v, tau);
  const auto bias = work.bias(q, v);
  const auto M = work.mass_matrix(q);
  CHECK((M.eigen() * qdd + tenon::eigen(bias) - tau).norm() < 1e-10);
  Eigen::MatrixXd larger = Eigen::MatrixXd::Constant(9, 9, 5.0);
  work.mass_matrix_into(larger.block(1, 1, 7, 7), q);
  CHECK((larger.block(1, 1, 7, 7) - M.eigen()).norm() == 0 && larger(0, 0) == 5 && larger(8, 8) == 5);
  CHECK(throws([&] { work.bias(larger.row(1).segment(1, 7), v); }, TENON_WRONG_SIZE, "gaps"));
  CHECK(work.gravity_force(larger.col(2).segment(1, 7)).size() == 7);
}
#endif

int main(int, char** argv) {
  const std::string folder = argv[1];
  models(folder);
  dynamics(folder);
  constraints(folder);
  batches<double>(folder, 1e-7);
  batches<float>(folder, 2e-2);
  anchors<double>(folder, 1e-7);
  anchors<float>(folder, 2e-2);
  limits(folder);
  threads(folder);
#ifdef WITH_EIGEN
  eigen(folder);
#endif
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures != 0;
}
