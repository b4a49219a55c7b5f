// Finite inputs that are too large for double precision: every computation says TENON_NOT_FINITE, blames no
// input that is fine, and writes nothing. Never a number that is not finite with a status of zero or more.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "derivative_calls.hpp"

using namespace tenon_test;

namespace {

constexpr double untouched = -7.25e77;

// All computations on one workspace, each with outputs of its own.
class Calls {
 public:
  Calls(const Model& model, const Constraints& set, int32_t positions = TENON_COORDINATES_SPANNING,
        int32_t velocities = TENON_COORDINATES_SPANNING)
      : model_(model), w_(workspace(model, set)) {
    const Workspace closed = workspace(model);
    std::vector<double> whole(static_cast<std::size_t>(tenon_model_nq(model.get())));
    EXPECT_EQ(tenon_workspace_guess(closed.get(), whole.data(), whole.size()), TENON_OK);
    EXPECT_EQ(tenon_workspace_set_coordinates(w_.get(), positions, velocities), TENON_OK);
    whole_q = whole;
    q.resize(static_cast<std::size_t>(tenon_workspace_position_count(w_.get())));
    if (positions == TENON_COORDINATES_INDEPENDENT) {
      EXPECT_EQ(tenon_independent_position(w_.get(), whole.data(), whole.size(), q.data(), q.size()),
                TENON_OK);
    } else {
      q = whole;
    }
    v.assign(static_cast<std::size_t>(tenon_workspace_velocity_count(w_.get())), 0.3);
    a = tau = v;
    whole_v.assign(static_cast<std::size_t>(tenon_model_nv(model.get())), 0.3);
    y.assign(static_cast<std::size_t>(tenon_model_ny(model.get())), 0.2);
    wrenches.assign(6 * static_cast<std::size_t>(tenon_model_link_count(model.get())), 0.1);
    const int32_t rows = set ? tenon_constraints_row_count(set.get()) : 0;
    m = static_cast<std::size_t>(std::max(rows, 0));
    desired.assign(m, 0.5);
  }

  // Makes every call once. names of those that answered TENON_NOT_FINITE.
  std::vector<std::string> make() {
    refused.clear();
    tenon_workspace* w = w_.get();
    const std::size_t nq = q.size(), n = v.size(), NQ = whole_q.size(), NV = whole_v.size(), ny = y.size();
    const std::size_t loop_rows = static_cast<std::size_t>(tenon_model_loop_row_count(model_.get()));
    const int32_t ld = static_cast<int32_t>(n), links = tenon_model_link_count(model_.get());
    const int32_t ldm = std::max<int32_t>(1, static_cast<int32_t>(m)), LD = static_cast<int32_t>(NV);
    one("forward_dynamics", n, [&](double* x) {
      return tenon_forward_dynamics(w, q.data(), nq, v.data(), n, tau.data(), n, wrenches.data(),
                                    wrenches.size(), x, n);
    });
    one("inverse_dynamics", n, [&](double* x) {
      return tenon_inverse_dynamics(w, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                    wrenches.size(), x, n);
    });
    one("bias", n, [&](double* x) {
      return tenon_bias(w, q.data(), nq, v.data(), n, wrenches.data(), wrenches.size(), x, n);
    });
    one("gravity_force", n, [&](double* x) { return tenon_gravity_force(w, q.data(), nq, x, n); });
    one("coriolis_matrix", n * n,
        [&](double* x) { return tenon_coriolis_matrix(w, q.data(), nq, v.data(), n, x, n * n, ld); });
    derivatives(w);
    one("constrained_inverse_dynamics", n, [&](double* x) {
      return tenon_constrained_inverse_dynamics(w, q.data(), nq, v.data(), n, a.data(), n, wrenches.data(),
                                                wrenches.size(), desired.data(), m, x, n);
    });
    one("underactuated_inverse_dynamics", n + m, [&](double* x) {
      return tenon_underactuated_inverse_dynamics(w, nullptr, 0, q.data(), nq, v.data(), n, a.data(), n,
                                                  wrenches.data(), wrenches.size(), x + n, m, x, n);
    });
    one("mass_matrix", n * n, [&](double* x) { return tenon_mass_matrix(w, q.data(), nq, x, n * n, ld); });
    std::vector<double> B;
    for (std::size_t k = 0; k < 2 * n; ++k) B.push_back(tau[k % n]);
    one("mass_matrix_inverse_times", 2 * n, [&](double* x) {
      return tenon_mass_matrix_inverse_times(w, q.data(), nq, 2, B.data(), 2 * n, ld, x, 2 * n, ld);
    });
    if (one("mass_matrix_factor", 0, [&](double*) { return tenon_mass_matrix_factor(w, q.data(), nq); }) ==
        TENON_OK) {
      one("mass_matrix_solve", 2 * n,
          [&](double* x) { return tenon_mass_matrix_solve(w, 2, B.data(), 2 * n, ld, x, 2 * n, ld); });
      one("mass_matrix_multiply", 2 * n,
          [&](double* x) { return tenon_mass_matrix_multiply(w, 2, B.data(), 2 * n, ld, x, 2 * n, ld); });
    }
    one("integrate", nq, [&](double* x) { return tenon_integrate(w, q.data(), nq, v.data(), n, 1, x, nq); });
    std::vector<double> neutral(nq);
    EXPECT_EQ(tenon_neutral(w, neutral.data(), nq), TENON_OK);
    one("difference", n,
        [&](double* x) { return tenon_difference(w, neutral.data(), nq, q.data(), nq, x, n); });
    if (one("kinematics", 0, [&](double*) {
          return tenon_kinematics(w, q.data(), nq, v.data(), n, a.data(), n);
        }) == TENON_OK) {
      one("link_pose", 16, [&](double* x) { return tenon_link_pose(w, links - 1, x, 7, x + 7, 9); });
      for (const int32_t axes : {TENON_AXES_LINK, TENON_AXES_WORLD}) {
        one("link_velocity", 6, [&](double* x) { return tenon_link_velocity(w, links - 1, axes, x, 6); });
        one("link_acceleration", 6,
            [&](double* x) { return tenon_link_acceleration(w, links - 1, axes, x, 6); });
        one("jacobian", 6 * n,
            [&](double* x) { return tenon_link_jacobian(w, links - 1, axes, x, 6 * n, 6); });
        const double point[3] = {0.1, 0.2, 0.3};
        one("point_jacobian", 6 * n,
            [&](double* x) { return tenon_point_jacobian(w, links - 1, point, 3, axes, x, 6 * n, 6); });
        one("point_bias_acceleration", 6,
            [&](double* x) { return tenon_point_bias_acceleration(w, links - 1, point, 3, axes, x, 6); });
        one("point_velocity_derivatives", 12 * n, [&](double* x) {
          return tenon_point_velocity_derivatives(w, nullptr, links - 1, point, 3, axes, x, 6 * n, 6,
                                                  x + 6 * n, 6 * n, 6);
        });
        one("point_acceleration_derivatives", 18 * n, [&](double* x) {
          return tenon_point_acceleration_derivatives(w, nullptr, links - 1, point, 3, axes, x, 6 * n, 6,
                                                      x + 6 * n, 6 * n, 6, x + 12 * n, 6 * n, 6);
        });
        one("link_bias_acceleration", 6,
            [&](double* x) { return tenon_link_bias_acceleration(w, links - 1, axes, x, 6); });
      }
      one("center_of_mass", 6 + 3 * n,
          [&](double* x) { return tenon_center_of_mass(w, x, 3, x + 3, 3, x + 6, 3 * n, 3); });
      one("centroidal_momentum", 6, [&](double* x) { return tenon_centroidal_momentum(w, x, 6); });
      one("centroidal_momentum_matrix", 6 * n,
          [&](double* x) { return tenon_centroidal_momentum_matrix(w, x, 6 * n, 6); });
      one("centroidal_momentum_bias", 6, [&](double* x) { return tenon_centroidal_momentum_bias(w, x, 6); });
      one("center_of_mass_derivatives", 3 + 9 * n, [&](double* x) {
        return tenon_center_of_mass_derivatives(w, nullptr, x, 3, x + 3, 3 * n, 3, x + 3 + 3 * n, 3 * n, 3,
                                                x + 3 + 6 * n, 3 * n, 3);
      });
      one("centroidal_momentum_derivatives", 6 + 24 * n, [&](double* x) {
        return tenon_centroidal_momentum_derivatives(w, nullptr, x, 6, x + 6, 6 * n, 6, x + 6 + 6 * n, 6 * n,
                                                     6, x + 6 + 12 * n, 6 * n, 6, x + 6 + 18 * n, 6 * n, 6);
      });
      one("energy_gradients", 3 * n,
          [&](double* x) { return tenon_energy_gradients(w, nullptr, x, n, x + n, n, x + 2 * n, n); });
      one("energy", 2, [&](double* x) { return tenon_energy(w, x, x + 1); });
    }
    for (int32_t method = 0; method < tenon_constant_count(TENON_CONSTANT_METHOD); ++method) {
      tenon_solve_options options;
      EXPECT_EQ(tenon_solve_options_init(&options, sizeof options), TENON_OK);
      options.method = method;
      one("constrained_dynamics", n + m, [&](double* x) {
        return tenon_constrained_dynamics(w, &options, q.data(), nq, v.data(), n, tau.data(), n,
                                          wrenches.data(), wrenches.size(), desired.data(), m, x, n, x + n,
                                          m);
      });
    }
    one("constraint_rows", m * n + 3 * m, [&](double* x) {
      return tenon_constraint_rows(w, q.data(), nq, v.data(), n, desired.data(), m, x, m * n, ldm, x + m * n,
                                   m, x + m * n + m, m, x + m * n + 2 * m, m);
    });
    for (int32_t method = 0; m > 0 && method < tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD); ++method)
      one("delassus", m * m,
          [&](double* x) { return tenon_delassus(w, delassus_by(method), q.data(), nq, x, m * m, ldm); });
    for (int32_t method = 0; m > 0 && method < tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD); ++method) {
      one("delassus_inverse", m * m, [&](double* x) {
        return tenon_delassus_inverse(w, damped_by(method), q.data(), nq, x, m * m, ldm);
      });
      if (one("delassus_factor", 0,
              [&](double*) { return tenon_delassus_factor(w, damped_by(method), q.data(), nq); }) == TENON_OK)
        one("delassus_solve", m,
            [&](double* x) { return tenon_delassus_solve(w, 1, desired.data(), m, ldm, x, m, ldm); });
    }
    if (m > 0)
      one("operational_space", m * m + n * m + n * n, [&](double* x) {
        return tenon_operational_space(w, q.data(), nq, x, m * m, ldm, x + m * m, n * m, ld,
                                       x + m * m + n * m, n * n, ld, nullptr);
      });
    one("project_velocities", n, v,
        [&](double* x) { return tenon_project_velocities(w, q.data(), nq, x, n); });
    std::vector<double> hit = v;
    hit.resize(n + m, untouched);
    const double restitution = 0.5;
    one("impact", n + m, hit,
        [&](double* x) { return tenon_impact(w, &restitution, 1, q.data(), nq, x, n, x + n, m); });
    one("project_positions", nq, q,
        [&](double* x) { return tenon_project_positions(w, projection_to(1e-9, 5), x, nq); });
    for (auto* step : {tenon_step_semi_implicit_euler, tenon_step_runge_kutta_4}) {
      std::vector<double> state = q;
      state.insert(state.end(), v.begin(), v.end());
      state.resize(nq + 2 * n + m, untouched);
      one("step", state.size(), state, [&](double* x) {
        return step(w, nullptr, 1e-3, x, nq, x + nq, n, tau.data(), n, wrenches.data(), wrenches.size(),
                    x + nq + n, n, x + nq + 2 * n, m);
      });
    }
    one("loop_gap", 1, [&](double* x) { return tenon_loop_gap(w, whole_q.data(), NQ, x); });
    one("loop_map", NV * ny + NV, [&](double* x) {
      return tenon_loop_map(w, whole_q.data(), NQ, whole_v.data(), NV, x, NV * ny, LD, x + NV * ny, NV);
    });
    if (loop_rows > 0)
      one("loop_jacobian", loop_rows * (NV + 2), [&](double* x) {
        return tenon_loop_jacobian(w, whole_q.data(), NQ, whole_v.data(), NV, x, loop_rows * NV,
                                   static_cast<int32_t>(loop_rows), x + loop_rows * NV, loop_rows,
                                   x + loop_rows * (NV + 1), loop_rows);
      });
    one("spanning_velocity", NV,
        [&](double* x) { return tenon_spanning_velocity(w, whole_q.data(), NQ, y.data(), ny, x, NV); });
    one("spanning_acceleration", NV, [&](double* x) {
      return tenon_spanning_acceleration(w, whole_q.data(), NQ, whole_v.data(), NV, y.data(), ny, x, NV);
    });
    one("independent_force", ny,
        [&](double* x) { return tenon_independent_force(w, whole_q.data(), NQ, whole_v.data(), NV, x, ny); });
    one("close_loop_velocities", NV, whole_v, [&](double* x) {
      return tenon_close_loop_velocities(w, closing_by(TENON_LOOP_MOVES_ALL), whole_q.data(), NQ, x, NV);
    });
#ifdef TENON_EXPERIMENTAL
    for (int32_t method = 0; method < 5; ++method) {
      one("loop_forward_dynamics", n, [&](double* x) {
        return tenonx_loop_forward_dynamics(w, method, q.data(), nq, v.data(), n, tau.data(), n,
                                            wrenches.data(), wrenches.size(), x, n);
      });
      if (method == TENONX_LOOP_METHOD_MULTIPLIERS) continue;
      one("loop_inverse_dynamics", ny, [&](double* x) {
        return tenonx_loop_inverse_dynamics(w, method, q.data(), nq, v.data(), n, y.data(), ny,
                                            wrenches.data(), wrenches.size(), x, ny);
      });
    }
#endif
    for (const int32_t convention :
         {TENON_CONVENTION_PINOCCHIO, TENON_CONVENTION_MUJOCO, TENON_CONVENTION_DRAKE}) {
      const std::size_t other = static_cast<std::size_t>(tenon_convention_nq(model_.get(), convention));
      one("convert_configuration", other, [&](double* x) {
        return tenon_convert_configuration(w, convention, TENON_DIRECTION_TO_OTHER, nullptr, 0, q.data(), nq,
                                           x, other);
      });
      one("convert_velocity", NV, [&](double* x) {
        return tenon_convert_velocity(w, convention, TENON_DIRECTION_TO_OTHER, nullptr, 0, q.data(), nq,
                                      v.data(), n, x, NV);
      });
      one("convert_acceleration", NV, [&](double* x) {
        return tenon_convert_acceleration(w, convention, TENON_DIRECTION_TO_OTHER, nullptr, 0, q.data(), nq,
                                          v.data(), n, a.data(), n, x, NV);
      });
      one("convert_force", NV, [&](double* x) {
        return tenon_convert_force(w, convention, TENON_DIRECTION_TO_OTHER, nullptr, 0, q.data(), nq,
                                   tau.data(), n, x, NV);
      });
    }
    return refused;
  }

  std::vector<double> q, v, a, tau, wrenches, desired, whole_q, whole_v, y;
  std::size_t m = 0;
  std::vector<std::string> refused;

 private:
  void derivatives(tenon_workspace* w) {
    each_derivative({w, q, v, a, tau, wrenches, desired, whole_v.size(),
                     static_cast<std::size_t>(tenon_model_ratio_count(model_.get()))},
                    [&](const char* name, std::size_t count, const auto& call) { one(name, count, call); });
  }
  template <class Call>
  tenon_status one(const std::string& name, std::size_t count, Call&& call) {
    return one(name, count, std::vector<double>(count, untouched), call);
  }
  template <class Call>
  tenon_status one(const std::string& name, std::size_t count, const std::vector<double>& before,
                   Call&& call) {
    std::vector<double> x = before;
    x.resize(count + 1, untouched);
    const std::vector<double> kept = x;
    const tenon_status status = call(x.data());
    const std::string message = tenon_workspace_message(w_.get());
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); }))
        << name << " wrote infinity or NaN with " << tenon_status_string(status);
    if (status < 0) {
      EXPECT_EQ(x, kept) << name << " wrote with " << tenon_status_string(status) << ": " << message;
      // Loops of joints that went too far are open by what rounding leaves of their positions.
      // Rows with long enough arms depend on each other to rounding, and derivatives ask whether they stay so.
      if (status == TENON_SINGULAR_CONFIGURATION &&
          (name.rfind("constrained_", 0) == 0 || name.rfind("impact_", 0) == 0 ||
           name.rfind("step_semi_implicit_euler_", 0) == 0 || name.rfind("step_runge_kutta_4_", 0) == 0))
        return status;
      EXPECT_TRUE(status == TENON_NOT_FINITE || status == TENON_UNSUPPORTED || status == TENON_OPEN_LOOP)
          << name << ": " << tenon_status_string(status) << ": " << message;
      for (const char* blamed : {"NaN", "is infinite", "moving body", "singular"})
        EXPECT_EQ(message.find(blamed), std::string::npos) << name << ": " << message;
    }
    if (status == TENON_NOT_FINITE) refused.push_back(name);
    return status;
  }

  const Model& model_;
  Workspace w_;
};

// Displacements of floating and prismatic joints.
void displace(const Model& model, double to, std::vector<double>& q) {
  for (int32_t j = 0; j < tenon_model_joint_count(model.get()); ++j) {
    tenon_joint_info info;
    ASSERT_EQ(tenon_joint_info_init(&info, sizeof info), TENON_OK);
    ASSERT_EQ(tenon_model_joint_info(model.get(), j, &info), TENON_OK);
    const int32_t count = info.type == TENON_JOINT_TYPE_FLOATING    ? 3
                          : info.type == TENON_JOINT_TYPE_PRISMATIC ? 1
                                                                    : 0;
    for (int32_t k = 0; k < count; ++k) q[static_cast<std::size_t>(info.q_index + k)] = to;
  }
}

// A slide, a hinge and a ball.
Model small_robot() {
  tenon_builder* made = nullptr;
  EXPECT_EQ(tenon_builder_create("small", &made, nullptr, 0), TENON_OK);
  const Builder builder(made);
  const double com[3] = {0.1, 0.2, 0}, inertia[6] = {1, 0, 0, 1, 0, 1};
  const int32_t types[] = {TENON_JOINT_TYPE_PRISMATIC, TENON_JOINT_TYPE_REVOLUTE, TENON_JOINT_TYPE_SPHERICAL};
  int32_t parent = -1, child = -1;
  for (int k = 0; k < 4; ++k, parent = child) {
    EXPECT_EQ(tenon_builder_add_link(made, ("l" + std::to_string(k)).c_str(), 1, com, 3, inertia, 6, &child,
                                     nullptr, 0),
              TENON_OK);
    if (k == 0) continue;
    tenon_joint_options joint;
    EXPECT_EQ(tenon_joint_options_init(&joint, sizeof joint), TENON_OK);
    joint.type = types[k - 1], joint.parent_link = parent, joint.child_link = child;
    joint.origin[0] = 0.3;
    EXPECT_EQ(tenon_builder_add_joint(made, ("j" + std::to_string(k)).c_str(), &joint, nullptr, 0), TENON_OK);
  }
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_builder_finish(made, nullptr, &model, nullptr, 0), TENON_OK);
  return Model(model);
}

// A point at `frequency` and a weld on the last link.
Constraints some_rows(const Model& model) {
  Constraints set = constraints(model);
  tenon_constraint_options options;
  EXPECT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK);
  options.frequency = 10;
  const int32_t last = tenon_model_link_count(model.get()) - 1;
  EXPECT_EQ(tenon_constraints_add_point(set.get(), last, nullptr, 0, &options, nullptr, nullptr, 0),
            TENON_OK);
  EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
  return set;
}

void exercise(const Model& model, bool with_rows, int32_t positions, int32_t velocities) {
  const Constraints set = with_rows ? some_rows(model) : nullptr;
  const Calls good(model, set, positions, velocities);
  std::map<std::string, int> refused;
  const double sizes[] = {1e100, 1e155, 1e200, 1e300, 1.7e308};
  using Vector = std::vector<double> Calls::*;
  const std::vector<std::vector<Vector>> inputs = {{&Calls::v, &Calls::whole_v},
                                                   {&Calls::tau},
                                                   {&Calls::a, &Calls::y},
                                                   {&Calls::wrenches},
                                                   {&Calls::desired}};
  for (const double size : sizes) {
    for (const std::vector<Vector>& chosen : inputs) {
      Calls calls(model, set, positions, velocities);
      for (const Vector input : chosen) std::fill((calls.*input).begin(), (calls.*input).end(), size);
      for (const std::string& name : calls.make()) ++refused[name];
    }
    if (positions == TENON_COORDINATES_INDEPENDENT) continue;
    for (const bool fast : {false, true}) {
      Calls calls(model, set, positions, velocities);
      displace(model, size, calls.q);
      displace(model, size, calls.whole_q);
      if (fast) std::fill(calls.v.begin(), calls.v.end(), size);
      for (const std::string& name : calls.make()) ++refused[name];
    }
  }
  for (const char* name : {"inverse_dynamics", "bias", "kinematics", "forward_dynamics", "step"})
    EXPECT_GT(refused[name], 0) << name << " was never asked for too much";
}

TEST(Overflow, IsNotFiniteAndWritesNothingOnTrees) {
  exercise(load("iiwa14"), true, TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING);
  exercise(load("solo12", TENON_BASE_FLOATING), true, TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING);
  exercise(small_robot(), true, TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING);
  exercise(small_robot(), false, TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING);
}

TEST(Overflow, IsNotFiniteAndWritesNothingWithLoops) {
  for (const char* name : {"six_bar", "mini_cheetah"}) {
    const Model model = load(name);
    exercise(model, true, TENON_COORDINATES_SPANNING, TENON_COORDINATES_SPANNING);
    exercise(model, false, TENON_COORDINATES_SPANNING, TENON_COORDINATES_INDEPENDENT);
    exercise(model, true, TENON_COORDINATES_INDEPENDENT, TENON_COORDINATES_INDEPENDENT);
  }
}

// What does not fit into the workspace at once is looked at as a whole all the same.
TEST(Overflow, ProductsOfManyColumnsAreWrittenWholeOrNotAtAll) {
  const Model model = load("iiwa14");
  const Workspace w = workspace(model);
  State s(model, w.get(), 3);
  const std::size_t n = s.v.size(), columns = 50;
  const int32_t ld = static_cast<int32_t>(n);
  std::vector<double> B(n * columns, 0.5), X(B.size(), untouched), again(B.size());
  ASSERT_EQ(tenon_mass_matrix_factor(w.get(), s.q.data(), s.q.size()), TENON_OK);
  ASSERT_EQ(tenon_mass_matrix_solve(w.get(), 50, B.data(), B.size(), ld, X.data(), X.size(), ld), TENON_OK);
  ASSERT_EQ(tenon_mass_matrix_multiply(w.get(), 50, X.data(), X.size(), ld, X.data(), X.size(), ld),
            TENON_OK);
  for (const double x : X) EXPECT_NEAR(x, 0.5, 1e-12);
  for (std::size_t k = 0; k < n; ++k) B[n * (columns - 1) + k] = k % 2 ? 1.7e308 : -1.7e308;
  std::fill(X.begin(), X.end(), untouched);
  EXPECT_EQ(tenon_mass_matrix_solve(w.get(), 50, B.data(), B.size(), ld, X.data(), X.size(), ld),
            TENON_NOT_FINITE);
  EXPECT_EQ(tenon_mass_matrix_inverse_times(w.get(), s.q.data(), s.q.size(), 50, B.data(), B.size(), ld,
                                            X.data(), X.size(), ld),
            TENON_NOT_FINITE);
  EXPECT_TRUE(std::all_of(X.begin(), X.end(), [](double x) { return x == untouched; }));
}

// Two points at one place: six rows of which three depend on the others, and two places behind them in a pack. What numbers that
// overflow leave there must not count in the next call.
TEST(Overflow, LeavesNothingBehindRowsThatDependOnEachOther) {
  const Model model = load("iiwa14", TENON_BASE_FIXED);
  Constraints set = constraints(model);
  for (int k = 0; k < 2; ++k)
    ASSERT_EQ(tenon_constraints_add_point(set.get(), link(model, "iiwa_link_7"), nullptr, 0, nullptr, nullptr,
                                          nullptr, 0),
              TENON_OK);
  ASSERT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
  tenon_solve_options options;
  tenon_solve_options_init(&options, sizeof options);
  options.method = TENON_METHOD_DENSE;
  const std::vector<double> q = {0.1, 0.5, -0.3, 0.8, 0.2, -0.6, 0.4}, v(7, 0.2), tau(7, 1.0);
  const auto solve = [&](tenon_workspace* w, double one, double other, double& residual) {
    const std::vector<double> desired = {one, 0, 0, other, 0, 0};
    std::vector<double> x(13, untouched);
    const tenon_status status =
        tenon_constrained_dynamics(w, &options, q.data(), 7, v.data(), 7, tau.data(), 7, nullptr, 0,
                                   desired.data(), 6, x.data(), 7, x.data() + 7, 6);
    tenon_solve_report report;
    tenon_solve_report_init(&report, sizeof report);
    EXPECT_EQ(tenon_workspace_report(w, &report), TENON_OK);
    residual = report.primal_residual;
    x.push_back(status);
    return x;
  };
  const Workspace used = workspace(model, set);
  int refused = 0;
  for (const double size : {1e160, 1e250, 1e300, 1.7e308}) {
    double residual = 0, expected = 0;
    refused += solve(used.get(), size, size, residual).back() < 0;
    for (const double difference : {0.0, 1.0}) {
      const Workspace fresh = workspace(model, set);
      EXPECT_EQ(solve(used.get(), difference, -difference, residual),
                solve(fresh.get(), difference, -difference, expected));
      EXPECT_EQ(residual, expected);
    }
    EXPECT_NEAR(residual, 1, 1e-9);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
