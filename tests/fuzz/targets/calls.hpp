// Sequences of calls on one constraint set and one workspace: what calls.cpp and its table share.
#pragma once

#include "support/caller.hpp"
#include "support/robots.hpp"

namespace tenon::fuzz {

// A robot with rows, and a state to compute at.
struct Scene {
  Input& in;
  const tenon_model* model;
  tenon_constraints* set = nullptr;
  tenon_workspace* w = nullptr;
  Caller calls;
  std::size_t nq = 0, nv = 0, rows = 0, links = 0, constraints = 0;
  std::vector<double> q, v, a, tau, wrenches, desired, lambda;

  explicit Scene(Input& in);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // Other numbers for some of the state.
  void draw_state();

  template <class F, class... A>
  tenon_status call(const char* name, F f, const A&... arguments) {
    return calls.call(name, w, tenon_workspace_message, f, arguments...);
  }
  std::int32_t link() { return in.index(static_cast<int>(links)); }
  std::int32_t constraint() { return in.index(static_cast<int>(constraints)); }

 private:
  void add_constraint();
};

// One call of many. The first group sets and asks, the second computes.
void make_settings_call(Scene& s);
void make_computation(Scene& s);

// What the second takes from derivative_calls.cpp.
tenon_derivative_options derivative_layout(Scene& s);
void make_derivative_call(Scene& s);

}  // namespace tenon::fuzz

#define CALL(function, ...) call(#function, function, __VA_ARGS__)
