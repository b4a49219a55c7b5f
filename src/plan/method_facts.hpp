// The methods of constrained dynamics: names, what they take and the memory that they need. Their functions
// are in solve/methods.hpp.
#pragma once

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
  for (const MethodFacts& facts : method_facts)
    if (facts.method == method) return &facts;
  return nullptr;
}

}  // namespace tenon
