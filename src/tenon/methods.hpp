// The methods of constrained dynamics, a row each in one table. Their numbers and names, their constants
// (capi/constants.cpp), their functions (solve/methods.hpp) and what is said and checked about them follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tenon {

// What a method needs beside the memory of forward dynamics.
enum class MethodMemory { bodies, dense, prox_ltl, prox_ltls, pv, pv_early };
// The robots of which a method takes rows between two moving links. Methods that never do add a row to the inertia of one
// body, or eliminate it on one branch.
enum class InterBodyRows { never, on_trees, always };

// The number of a method is its place, from 1 on: new ones come last. Columns: its constant, TENON_METHOD_...; its name,
// also that of its function, solve_...; MethodMemory; InterBodyRows; whether it crosses clusters; whether it iterates with
// proximal terms, so that it takes the options of the iteration.
// clang-format off
#define TENON_METHODS(METHOD)                                                          \
  METHOD(DENSE,           dense,           dense,     always,   false, false)          \
  METHOD(CONSTRAINED_ABA, constrained_aba, bodies,    never,    true,  true)           \
  METHOD(PROX_LTL,        prox_ltl,        prox_ltl,  always,   false, true)           \
  METHOD(PROX_LTLS,       prox_ltls,       prox_ltls, on_trees, false, true)           \
  METHOD(PV,              pv,              pv,        always,   true,  false)          \
  METHOD(PROX_PV,         prox_pv,         pv,        always,   true,  true)           \
  METHOD(PV_SOFT,         pv_soft,         bodies,    never,    true,  false)          \
  METHOD(PV_EARLY,        pv_early,        pv_early,  never,    true,  false)          \
  METHOD(LTL,             ltl,             prox_ltl,  always,   false, false)
// clang-format on

enum class Method : std::int32_t {
  automatic,  // by plan/choice/what_automatic_takes.hpp, once, when the workspace is made
#define TENON_NUMBER(constant, name, ...) name,
  TENON_METHODS(TENON_NUMBER)
#undef TENON_NUMBER
};

struct MethodFacts {
  Method method;
  const char* name;
  MethodMemory memory;
  InterBodyRows inter_body_rows;
  bool crosses_clusters, iterates;

  constexpr bool takes_inter_body_rows(bool clusters) const {
    return inter_body_rows == InterBodyRows::always ||
           (inter_body_rows == InterBodyRows::on_trees && !clusters);
  }
};
inline constexpr MethodFacts method_facts[] = {
#define TENON_FACTS(constant, name, memory, inter_body_rows, crosses_clusters, iterates) \
  {Method::name, #name, MethodMemory::memory, InterBodyRows::inter_body_rows, crosses_clusters, iterates},
    TENON_METHODS(TENON_FACTS)
#undef TENON_FACTS
};

// Null for automatic, and for a number that names no method.
constexpr const MethodFacts* find_facts(Method method) {
  const auto i = static_cast<std::size_t>(method) - 1;
  return i < std::size(method_facts) ? &method_facts[i] : nullptr;
}
constexpr const char* name_of(Method method) {
  const MethodFacts* facts = find_facts(method);
  return facts ? facts->name : method == Method::automatic ? "automatic" : "unknown";
}

}  // namespace tenon
