// What every test of the C API needs: handles that free themselves, small robots, states. Only tenon.h is
// included.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../support/largest.hpp"
#include "tenonx.h"

namespace tenon_test {

using tenon::testing::larger;
using tenon::testing::largest;
using tenon::testing::largest_difference;

template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* object) const { destroy(object); }
};
template <class T, void (*destroy)(T*)>
using Handle = std::unique_ptr<T, Destroy<T, destroy>>;
using Model = Handle<tenon_model, tenon_model_destroy>;
using Builder = Handle<tenon_builder, tenon_builder_destroy>;
using Constraints = Handle<tenon_constraints, tenon_constraints_destroy>;
using Workspace = Handle<tenon_workspace, tenon_workspace_destroy>;
using Batch = Handle<tenon_batch, tenon_batch_destroy>;

inline std::string model_path(const std::string& name) {
  return std::string(TENON_MODELS_DIR) + "/" + name + ".urdf";
}

// Options in place: a call takes them as a pointer.
template <class T>
struct InPlace {
  operator const T*() const { return &value; }
  T value;
};
template <class T, class Change>
InPlace<T> options_of(tenon_status (*init)(T*, size_t), Change change) {
  T options;
  EXPECT_EQ(init(&options, sizeof options), TENON_OK);
  change(options);
  return {options};
}
inline auto delassus_by(int32_t method) {
  return options_of(tenon_delassus_options_init, [&](auto& o) { o.method = method; });
}
inline auto damped_by(int32_t method, double mu = 0, const double* row_mu = nullptr, std::size_t count = 0) {
  return options_of(tenon_damped_options_init, [&](auto& o) {
    o.method = method, o.mu = mu, o.row_mu = row_mu, o.row_mu_count = count;
  });
}
inline auto projection_to(double tolerance, int32_t max_iterations) {
  return options_of(tenon_projection_options_init,
                    [&](auto& o) { o.tolerance = tolerance, o.max_iterations = max_iterations; });
}
inline auto closing_by(int32_t moves) {
  return options_of(tenon_closing_options_init, [&](auto& o) { o.moves = moves; });
}
inline auto assemblies_from(int32_t starts) {
  return options_of(tenon_assembly_options_init, [&](auto& o) { o.starts = starts; });
}

// What a call that makes an object, or looks something up, answered.
struct Answer {
  tenon_status status = TENON_OK;
  std::string message;
};

inline Answer parse(const std::string& text, Model* model = nullptr,
                    const tenon_model_options* options = nullptr) {
  char message[1024] = "?";
  tenon_model* made = nullptr;
  const tenon_status status =
      tenon_model_parse_urdf(text.data(), text.size(), options, &made, message, sizeof message);
  Model owner(made);
  EXPECT_EQ(status == TENON_OK, owner != nullptr) << message;
  if (model != nullptr) *model = std::move(owner);
  return {status, message};
}

inline Model load(const std::string& name, int32_t base = TENON_BASE_FIXED) {
  tenon_model_options options;
  EXPECT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.base = base;
  char message[1024] = "?";
  tenon_model* model = nullptr;
  EXPECT_EQ(tenon_model_load_urdf(model_path(name).c_str(), &options, &model, message, sizeof message),
            TENON_OK)
      << message;
  EXPECT_STREQ(message, "");
  return Model(model);
}

inline int32_t link(const Model& model, const char* name) {
  int32_t index = -1;
  char message[1024] = "?";
  EXPECT_EQ(tenon_model_find_link(model.get(), name, &index, message, sizeof message), TENON_OK) << message;
  return index;
}

inline Constraints constraints(const Model& model) {
  tenon_constraints* made = nullptr;
  EXPECT_EQ(tenon_constraints_create(model.get(), &made, nullptr, 0), TENON_OK);
  return Constraints(made);
}

// Welds of whole links, finished.
inline Constraints welds(const Model& model, const std::vector<const char*>& links) {
  Constraints made = constraints(model);
  char message[1024] = "?";
  for (const char* name : links) {
    EXPECT_EQ(tenon_constraints_add_weld(made.get(), link(model, name), nullptr, 0, nullptr, nullptr, message,
                                         sizeof message),
              TENON_OK)
        << message;
  }
  EXPECT_EQ(tenon_constraints_finish(made.get(), message, sizeof message), TENON_OK) << message;
  return made;
}

inline Workspace workspace(const Model& model, const Constraints& set = nullptr,
                           const tenon_workspace_options* options = nullptr) {
  tenon_workspace* made = nullptr;
  char message[1024] = "?";
  EXPECT_EQ(tenon_workspace_create(model.get(), set.get(), options, &made, message, sizeof message), TENON_OK)
      << message;
  return Workspace(made);
}

inline Batch batch(const Model& model, const Constraints& set = nullptr, int32_t threads = 1,
                   int32_t precision = TENON_PRECISION_DOUBLE) {
  const auto options =
      options_of(tenon_batch_options_init, [&](auto& o) { o.threads = threads, o.precision = precision; });
  tenon_batch* made = nullptr;
  char message[1024] = "?";
  EXPECT_EQ(tenon_batch_create(model.get(), set.get(), options, &made, message, sizeof message), TENON_OK)
      << message;
  return Batch(made);
}
template <class N>
tenon_batch_array strided(std::vector<N>& data, std::size_t count, ptrdiff_t number_stride,
                          ptrdiff_t state_stride, ptrdiff_t record_stride = 0) {
  tenon_batch_array array;
  EXPECT_EQ(tenon_batch_array_init(&array, sizeof array), TENON_OK);
  array.data = data.data(), array.size = data.size(), array.count = count;
  array.number_stride = number_stride, array.state_stride = state_stride, array.record_stride = record_stride;
  return array;
}
// States one after the other.
template <class N>
tenon_batch_array rows_of(std::vector<N>& data, std::size_t count) {
  return strided(data, count, 1, static_cast<ptrdiff_t>(count));
}

// A state of a workspace and the answers of a solve, at their right sizes.
struct State {
  State(const Model& model, tenon_workspace* w, uint64_t seed = 1, std::size_t rows = 0)
      : q(static_cast<std::size_t>(tenon_model_nq(model.get()))),
        v(static_cast<std::size_t>(tenon_model_nv(model.get()))),
        tau(v.size()),
        qdd(v.size(), 77.0),
        lambda(rows, 77.0) {
    EXPECT_EQ(tenon_random(w, seed, q.data(), q.size()), TENON_OK) << tenon_workspace_message(w);
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = 0.03 * static_cast<double>(i % 7) - 0.1;
      tau[i] = 0.5 * static_cast<double>(i % 5) - 1.0;
    }
  }

  tenon_status forward(tenon_workspace* w) {
    return tenon_forward_dynamics(w, q.data(), q.size(), v.data(), v.size(), tau.data(), tau.size(), nullptr,
                                  0, qdd.data(), qdd.size());
  }
  tenon_status constrained(tenon_workspace* w, const tenon_solve_options* options = nullptr) {
    return tenon_constrained_dynamics(w, options, q.data(), q.size(), v.data(), v.size(), tau.data(),
                                      tau.size(), nullptr, 0, nullptr, 0, qdd.data(), qdd.size(),
                                      lambda.data(), lambda.size());
  }

  std::vector<double> q, v, tau, qdd, lambda;
};

// A step in time by each rule, and its derivatives.
struct StepCalls {
  int32_t integrator;
  const char *vjp_name, *jvp_name;
  decltype(&tenon_step_runge_kutta_4) step;
  decltype(&tenon_step_runge_kutta_4_vjp) vjp;
  decltype(&tenon_step_runge_kutta_4_jvp) jvp;
  decltype(&tenon_batch_step_runge_kutta_4_vjp) batch_vjp;
  decltype(&tenon_batch_step_runge_kutta_4_jvp) batch_jvp;
};
inline const StepCalls step_calls[] = {
    {TENON_INTEGRATOR_SEMI_IMPLICIT_EULER, "step_semi_implicit_euler_vjp", "step_semi_implicit_euler_jvp",
     tenon_step_semi_implicit_euler, tenon_step_semi_implicit_euler_vjp, tenon_step_semi_implicit_euler_jvp,
     tenon_batch_step_semi_implicit_euler_vjp, tenon_batch_step_semi_implicit_euler_jvp},
    {TENON_INTEGRATOR_RUNGE_KUTTA_4, "step_runge_kutta_4_vjp", "step_runge_kutta_4_jvp",
     tenon_step_runge_kutta_4, tenon_step_runge_kutta_4_vjp, tenon_step_runge_kutta_4_jvp,
     tenon_batch_step_runge_kutta_4_vjp, tenon_batch_step_runge_kutta_4_jvp}};

}  // namespace tenon_test
