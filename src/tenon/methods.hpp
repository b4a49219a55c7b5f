// The methods of constrained dynamics, of the Delassus matrix and of its damped inverse: a table for each, a row for each
// method. Numbers and names, constants (capi/names.cpp), functions (solve/methods.hpp, calls/delassus.cpp,
// calls/damped_inverse.cpp), memory and what is said and checked about methods follow from it.
//
// The number of a method is its place in its table, from 1 on: new ones come last. 0 is `automatic`, decided by
// plan/choice/what_automatic_takes.hpp.
//
// Papers: [OSIMR] Sathya, Decre, Swevers, PV-OSIMr, 2023; [CABA] Sathya, Carpentier, Constrained Articulated
// Body Dynamics Algorithms, 2024. n: velocity coordinates, m: rows, d: depth of the tree.
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

// Columns: its constant, TENON_METHOD_...; its name, also that of its function, solve_...; MethodMemory; InterBodyRows;
// whether it crosses clusters; whether it iterates with proximal terms, so that it takes the options of the iteration.
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

// Columns: its constant, TENON_DELASSUS_METHOD_...; its name; whether it crosses clusters. Those that do can use the folded
// form of a model (model/fold_rotors.cpp), and take no rows between two moving links; the others need all bodies.
#define TENON_DELASSUS_METHODS(METHOD)                                                                    \
  METHOD(DENSE,    dense,    false) /* from M and J by Cholesky, the reference; O(n^3 + m^2 n) */         \
  METHOD(LTL_OSIM, ltl_osim, false) /* sparse factor of M, O(n d^2 + m^2 d + m d^2), [OSIMR] II-A */      \
  METHOD(KJR,      kjr,      true)  /* Kreutz-Delgado, Jain, Rodriguez: three sweeps, O(n + m^2 d) */     \
  METHOD(EFPA,     efpa,     true)  /* extended force propagators, O(n + m d + m^2), [OSIMR] Alg. 2 */    \
  METHOD(PV_OSIM,  pv_osim,  true)  /* Popov-Vereshchagin, O(n + m^2 d), [OSIMR] Alg. 1 */                \
  METHOD(PV_OSIMR, pv_osimr, true)  /* from branching link to branching link, O(n + m^2), [OSIMR] Alg. 3 */

// Columns: its constant, TENON_DAMPED_METHOD_...; its name; the method of the matrix that it inverts, or, if it forms none,
// turns to where it would lose digits; whether each row adds the inertia 1 / (R + 1 / mu) to its body.
#define TENON_DAMPED_INVERSE_METHODS(METHOD)                                                              \
  METHOD(DENSE,        dense,        dense,    false) /* by Cholesky */                                   \
  METHOD(LTL_INVERSE,  ltl_inverse,  ltl_osim, false) /* by its inverse */                                \
  METHOD(LTL_CHOLESKY, ltl_cholesky, ltl_osim, false) /* by Cholesky */                                   \
  METHOD(PV_OSIMR,     pv_osimr,     pv_osimr, false) /* by Cholesky */                                   \
  METHOD(PV_OSIMF,     pv_osimf,     pv_osimr, true)  /* the branches of the base first, then the matrix  \
                                                         inversion lemma; [CABA] VI */                    \
  METHOD(CABA_OSIM,    caba_osim,    pv_osimr, true)  /* O(n + m^2), [CABA] Alg. 5; see Damping */        \
  METHOD(CABA_OSIMF,   caba_osimf,   pv_osimr, true)  /* block diagonal plus rank six, never formed;      \
                                                         [CABA] VI-B */
// clang-format on

#define TENON_NUMBER(constant, name, ...) , name
enum class Method : std::int32_t { automatic TENON_METHODS(TENON_NUMBER) };
enum class DelassusMethod : std::int32_t { automatic TENON_DELASSUS_METHODS(TENON_NUMBER) };
enum class DampedInverseMethod : std::int32_t { automatic TENON_DAMPED_INVERSE_METHODS(TENON_NUMBER) };
#undef TENON_NUMBER

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

struct DelassusMethodFacts {
  DelassusMethod method;
  const char* name;
  bool crosses_clusters;

  constexpr bool takes_inter_body_rows(bool) const { return !crosses_clusters; }
};
inline constexpr DelassusMethodFacts delassus_method_facts[] = {
#define TENON_FACTS(constant, name, crosses_clusters) {DelassusMethod::name, #name, crosses_clusters},
    TENON_DELASSUS_METHODS(TENON_FACTS)
#undef TENON_FACTS
};

struct DampedInverseFacts {
  DampedInverseMethod method;
  const char* name;
  DelassusMethod matrix;
  bool rows_are_inertias;

  constexpr bool crosses_clusters() const;
  constexpr bool takes_inter_body_rows(bool) const { return !crosses_clusters(); }
};
inline constexpr DampedInverseFacts damped_inverse_facts[] = {
#define TENON_FACTS(constant, name, matrix, rows_are_inertias) \
  {DampedInverseMethod::name, #name, DelassusMethod::matrix, rows_are_inertias},
    TENON_DAMPED_INVERSE_METHODS(TENON_FACTS)
#undef TENON_FACTS
};

// The row of a method; null for automatic, and for a number that names no method.
template <class Facts, std::size_t count, class AnyMethod>
constexpr const Facts* find_row(const Facts (&table)[count], AnyMethod method) {
  const auto i = static_cast<std::size_t>(method) - 1;
  return i < count ? &table[i] : nullptr;
}
constexpr const MethodFacts* find_facts(Method method) {
  return find_row(method_facts, method);
}
constexpr const DelassusMethodFacts* find_facts(DelassusMethod method) {
  return find_row(delassus_method_facts, method);
}
constexpr const DampedInverseFacts* find_facts(DampedInverseMethod method) {
  return find_row(damped_inverse_facts, method);
}
constexpr bool DampedInverseFacts::crosses_clusters() const {
  return find_facts(matrix)->crosses_clusters;
}

template <class AnyMethod>
constexpr auto name_of(AnyMethod method) -> decltype(find_facts(method)->name) {
  const auto* facts = find_facts(method);
  return facts ? facts->name : method == AnyMethod::automatic ? "automatic" : "unknown";
}

}  // namespace tenon
