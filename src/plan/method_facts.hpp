// The methods of constrained dynamics: names, what they take and the memory that they need. Their functions
// are in solve/methods.hpp.
#pragma once

#include <cstddef>
#include <iterator>

#include "tenon/workspace.hpp"

namespace tenon {

enum class MethodMemory { bodies, dense, prox_ltl, prox_ltls, pv, pv_early };

struct MethodFacts {
  Method method;
  const char* name;
  MethodMemory memory;
  // Other methods add a row to the inertia of one body, or eliminate it on one branch.
  bool takes_inter_body_rows;
  bool crosses_clusters;
  bool iterates;  // with proximal terms, so that it takes the options of the iteration
};

// By the numbers of the methods, which begin at 1.
inline constexpr MethodFacts method_facts[] = {
    {Method::dense, "dense", MethodMemory::dense, true, false, false},
    {Method::constrained_aba, "constrained_aba", MethodMemory::bodies, false, true, true},
    {Method::prox_ltl, "prox_ltl", MethodMemory::prox_ltl, true, false, true},
    {Method::prox_ltls, "prox_ltls", MethodMemory::prox_ltls, true, false, true},
    {Method::pv, "pv", MethodMemory::pv, true, true, false},
    {Method::prox_pv, "prox_pv", MethodMemory::pv, true, true, true},
    {Method::pv_soft, "pv_soft", MethodMemory::bodies, false, true, false},
    {Method::pv_early, "pv_early", MethodMemory::pv_early, false, true, false},
};

// Null for a number that names no method.
constexpr const MethodFacts* find_facts(Method method) {
  const auto i = static_cast<std::size_t>(method) - 1;
  return i < std::size(method_facts) ? &method_facts[i] : nullptr;
}
constexpr bool facts_are_in_order() {
  for (const MethodFacts& facts : method_facts)
    if (find_facts(facts.method) != &facts) return false;
  return true;
}
static_assert(facts_are_in_order());

}  // namespace tenon
