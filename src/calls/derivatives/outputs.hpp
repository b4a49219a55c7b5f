// What the calls of derivatives share: their start, and how results are checked and given to the user.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "state/workspace_impl.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

// A matrix that is computed, in memory of the workspace, and where the user wants it.
struct DerivativeBlock {
  const double* x;
  int rows, columns, ld;
  const char* name;  // of the argument of tenon.h
  DerivativeOut out;
  // The user's numbers of rows and columns; null: the same.
  const std::int32_t* user_row = nullptr;
  const std::int32_t* user_column = nullptr;
  MatrixOrder order = MatrixOrder::columns;  // of x
  bool is_finite = false;                    // for certain
};

// Numbers of the solution itself, and where the user wants them; null: not wanted.
struct SolutionBlock {
  const double* x;
  int count;
  double* user;
};

// Whether give_derivatives can write these.
Status check_derivatives(WorkspaceImpl& w, bool accumulate, std::initializer_list<DerivativeBlock> blocks);
// Writes all, or adds derivatives to what their outputs hold; nothing is written unless all of it is finite.
Status give_derivatives(WorkspaceImpl& w, bool accumulate, std::initializer_list<SolutionBlock> solution,
                        std::initializer_list<DerivativeBlock> blocks);

// unsupported: the model has loops closed by rows.
Status refuse_row_loops(WorkspaceImpl& w);

// Whether results are finite for certain, so that matrices may be written to the user's memory at once: their terms are
// at most mass length^2 speed^2, mass length^2 acceleration, and force times length.
bool cannot_overflow(const WorkspaceImpl& w, const Inputs<double>& in);
// Of speeds there, and of what is computed from them, accelerations and forces: 2^100.
inline constexpr std::uint64_t largest_speed = std::uint64_t{1023 + 100} << 52;
// Whether all matrices that are wanted lie as the first of them, which is `layout` then.
bool have_one_layout(const Derivatives& out, DerivativeOut& layout);

// Sums of sign times the products of y with the derivatives of inverse dynamics by parameters and loads (parameters.cpp), in
// the memory of these. Only what `out` asks for is added, but of joints all; not by ratios, whose sum is there before.
void clear_parameter_sums(WorkspaceImpl& w);
// After sweep_motion at the state in.q, in.v, in.qdd; afterwards the motion is another.
void add_parameter_products(WorkspaceImpl& w, const Inputs<double>& in, const double* y, double sign,
                            const ParameterGradient& out);
Status give_parameter_sums(WorkspaceImpl& w, bool accumulate, std::initializer_list<SolutionBlock> solution,
                           const ParameterGradient& out);
// The three, of one solution.
Status give_parameter_gradients(WorkspaceImpl& w, bool accumulate, const Inputs<double>& in, const double* y,
                                double sign, std::initializer_list<SolutionBlock> solution,
                                const ParameterGradient& out);

// Y of inverse dynamics on the tree, in the memory of matrices by parameters, with zeros where a coordinate does not move a
// link. After sweep_motion.
double* place_regressor(WorkspaceImpl& w);
// X := what gravity of 1 along each world axis takes of inverse dynamics on the tree, which is linear in it; 3 columns.
void place_gravity_columns(WorkspaceImpl& w, const double* q, double* X, int ld);

// Where matrices of stars go, by limbs side by side; their damping of joints is added there.
StarMatrices star_matrices(const WorkspaceImpl& w, double* by_q, double* by_v, double* by_x, int ld,
                           MatrixOrder order);

// The damping of joints: added to the diagonal of dID/dv (null: not wanted), and its product with y (null: zero) to x.
void add_damping(const WorkspaceImpl& w, double* by_v, int ld);
void add_damped(const WorkspaceImpl& w, const double* y, double* x);

// A change of a state or of what acts; null: zero.
inline const double* or_zero(const WorkspaceImpl& w, const double* x) {
  return x ? x : w.zeros.data();
}

}  // namespace tenon
