// All that Tenon decides by itself because it is faster: every choice named `automatic`, and how a method goes about
// its work. Callers ask here and hold no thresholds. Costs and thresholds, with what they were measured on, are in
// choice_constants.hpp. Choices are made once, when a model, a workspace or a batch is made, unless it is said here.
//
// Not here: what decides whether an answer is right (data/rank.hpp), and what is fixed when the library is compiled (rows
// that kernels have room for, kernels/constrained/pv_early_data.hpp). Instructions::automatic takes the widest registers
// of the machine (plan/dispatch.hpp). Folded rotors are taken wherever the method can (MethodFacts::crosses_clusters).
#pragma once

#include <vector>

#include "data/constraint_data.hpp"
#include "data/model_data.hpp"
#include "kernels/constrained/pv_data.hpp"
#include "kernels/delassus/caba_osim_data.hpp"
#include "kernels/delassus/delassus_data.hpp"
#include "kernels/derivatives/derivative_data.hpp"
#include "tenon/batch.hpp"
#include "tenon/model.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// ---- constrained dynamics

// The fastest method by the cost model (cost_model.hpp). Only methods that solve every problem at about the same cost are
// compared; all of them find the same motion for redundant, contradictory and soft rows. pv is seldom faster than
// pv_early, and its work is lost where rows turn out to be redundant; pv_soft solves a different problem; dense is never
// faster.
struct Choice {
  Method any = Method::constrained_aba;
  // The fastest of the iterative methods, for callers who set options of the iteration.
  Method proximal = Method::constrained_aba;
};
// c null: no constraints. lanes_gain: how many times faster branch lanes make the bodies of constrained_aba, and of
// pv_early where they take its rows. early_chance: of that; 0 where they are not tried.
Choice choose(const ModelData& m, const ConstraintData* c, double lanes_gain = 1, double early_chance = 0);
// In each call: some options work only with some methods.
Method method_for(const SolveOptions& options, const Choice& choice, const ModelData& m,
                  const ConstraintData* c);
// The method after one that stalls. depth: of coordinates, WorkspaceData::dof_depth.
Method next_method(const ModelData& m, const ConstraintData& c, const std::int32_t* depth,
                   Method stalled_one);
// The methods that automatic may take: with their memory an automatic solve allocates nothing later. dense has its memory
// later where that grows with the square of a large robot. entries: of the mass matrix, along the branches of the tree.
std::vector<Method> methods_in_advance(const Choice& choice, const ModelData& m, const ConstraintData& c,
                                       std::size_t entries);
// The least motion that removes errors of rows and closes embedded loops too: prox_pv sweeps it and finds no other motions. That
// which keeps loops closed is constrained dynamics, by method_for.
inline constexpr Method closing_method = Method::prox_pv;

// pv and prox_pv: whether the rows of each branch of the root body are factored separately.
bool split_saves(std::int32_t rows, const std::vector<PvBlock>& branches);
// pv_early: whether a long path ends a segment after these coordinates, if this many bodies are left.
bool ends_segment(std::int32_t coordinates, int bodies_left);

// Matrices of forward and constrained dynamics of a tree: what a sweep over one column by chains costs, and whether they are
// products with the responses of the robot (kernels/derivatives/forward_derivatives.hpp), or columns that are solved.
double multiply_adds_of_chains(const std::vector<DofChain>& chains);
bool responses_pay(const ResponseCosts& costs, int coordinates, int rows);
// Whether M^-1 as a matrix comes from the factor of paths (kernels/tree/ltl_inverse.hpp), or from solves of unit columns. parts: of
// runs, of at most eight coordinates each.
bool paths_pay(int parts, int coordinates);

// ---- loops of a description

// Which loop constraints of an embedded model (Model::loops.constraints) cost less as rows. may_be: those
// that may become rows; are: those that are rows in any case.
std::vector<bool> cheaper_as_rows(const Model& embedded, const std::vector<bool>& may_be,
                                  const std::vector<bool>& are);

// ---- the Delassus matrix and its damped inverse

DelassusMethod delassus_method(const ConstraintData* c);
// caba: of caba_osimf.
DampedInverseMethod damped_inverse_method(const ModelData& m, const ConstraintData* c,
                                          const CabaOsimTables& caba, double lanes_gain);
// Whether the damped inverse of a tree takes less time by pv_osimr, which inverts the Delassus matrix, than by
// caba_osimf. inner_links: those of kernels/delassus/caba_osim_data.hpp with rows on descendants. lanes_gain: how many
// times faster branch lanes make the inertias, which caba_osimf sweeps without them.
bool inversion_is_faster(int bodies, int rows, int inner_links, double lanes_gain);
// Whether the rows of one link are carried inward, rather than the six coordinates of the link.
bool carries_rows(std::int32_t rows);
// pv_osimr: sets OsimrBranch::propagates_rows, whether the rows of a branch are propagated or its six coordinates.
void choose_what_is_propagated(const ModelData& m, std::vector<OsimrBranch>& branches);

// ---- limbs of equal shape in the lanes of a register, and packs of states in batches

// Limbs side by side: the bodies of one of them, and the rotors of each. Rows of a limb, on how many of its bodies they act,
// and how many limbs have any.
struct LimbBundle {
  const std::vector<std::int32_t>& bodies;
  std::size_t limbs, rotors;
  std::int32_t rows = 0, bodies_with_rows = 0, limbs_with_rows = 0;
};
// How many times faster than bodies one after another aba becomes; and crba. trunk: bodies that are no limb's.
double gain_of_limbs(const ModelData& m, const std::vector<std::int32_t>& trunk,
                     const std::vector<LimbBundle>& bundles);
double mass_gain_of_limbs(const ModelData& m, const std::vector<LimbBundle>& bundles);
bool limbs_pay(double gain);
// Of a star: whether matrices of derivatives pay.
bool limbs_pay_in_matrices(const std::vector<LimbBundle>& bundles);
bool limbs_pay_in_products(double gain);
// Whether articulated inertias pay that are copied to the bodies one by one; and those of pv_osimr with its rows.
bool copied_inertias_pay(const std::vector<LimbBundle>& bundles);
bool limbs_pay_in_osimr(const std::vector<LimbBundle>& bundles);
// chance: the share of configurations in which rows of limbs need no pivoting.
bool limbs_try_early(double chance);

// Whether packs of states can compute a call (else its states are computed one by one). swept: the model, or that with
// folded rotors; doubles: packs of double precision.
bool packs_take(const BatchCall& call, const ModelData& swept, const ConstraintData* c, bool doubles);
// The same of calls in independent velocities: dynamics, their derivatives by the state, and rollouts.
bool packs_take_independent(const BatchCall& call, const ModelData& m);
// Whether packs may take products with derivatives of dynamics with these rows.
bool packs_take_rows_of(const ModelData& m, const ConstraintData& c);
// Whether packs may try pv_early first: one sweep with more work for each row, in vain for states without an answer; in
// rollouts, where packs stay together, for the pack of such a state. So random states decide: the share that has answers,
// and how many evaluations constrained_aba needs for a pack of them.
bool packs_may_try_early(const ModelData& swept, const ConstraintData& c);
bool early_pays_on_packs(double answered, double evaluations, bool doubles);
bool early_pays_in_rollouts(double answered);

}  // namespace tenon
