// States of a batch one by one, each as a call on a workspace. N: double or float, the type of the user's
// numbers.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "batch/batch_robots.hpp"
#include "batch/batch_rows.hpp"
#include "batch/rollout/backward.hpp"
#include "batch/worker.hpp"
#include "state/workspace_impl.hpp"
#include "tenon/derivatives.hpp"

namespace tenon {

// Numbers of a state in the user's coordinates.
struct BatchSizes {
  BatchSizes() = default;
  BatchSizes(const BatchCall& call, Workspace& w);
  std::size_t q = 0, v = 0, rows = 0, wrenches = 0;
  std::size_t out[6] = {};        // of products with derivatives; matrices have columns
  std::size_t x = 0;              // of one record
  std::size_t columns = 1;        // of derivatives
  std::size_t along = 0, by = 0;  // numbers of what these are multiplied with, of a column by q, v or x
  std::size_t parameters[parameter_kinds] = {};
};

template <class N>
class SingleWorker : public Worker {
 public:
  SingleWorker(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
               const WorkspaceOptions& options, int width_ = 1);

  void run(const BatchCall& call, std::size_t first, std::size_t count) override {
    for (std::size_t s = first; s < first + count; ++s) run_one(call, s);
  }
  void prepare(const BatchCall& call) override;
  std::size_t bytes() const override;

 protected:
  // The whole state: inputs from the user's arrays, outputs, status.
  void run_one(const BatchCall& call, std::size_t state);
  TENON_NOINLINE void report(const BatchCall& call, std::size_t state, Status status,
                             const SolveReport& solve);
  // The part of it that is written to the user's arrays.
  static void note(const BatchCall& call, std::size_t state, Status status, const SolveReport& solve) {
    if (call.status) call.status[state] = static_cast<std::int32_t>(status);
    if (call.iterations) call.iterations[state] = solve.iterations;
    if (call.reports) call.reports[state] = solve;
  }

  static N* place(const BatchArray& a, std::size_t state, std::size_t record = 0) {
    return static_cast<N*>(a.data) + static_cast<std::ptrdiff_t>(state) * a.state_stride +
           static_cast<std::ptrdiff_t>(record) * a.record_stride;
  }

  BatchSizes sizes_;                       // of the present call
  std::vector<std::int32_t> position_of_;  // as JointSprings has it
  std::vector<char> kept_;                 // of rollouts with gradients (KeptStates)

 private:
  // Not in line, in which the copies of arrays are most of the code of a worker.
  TENON_NOINLINE const double* take(const BatchArray& a, std::size_t state, std::size_t count,
                                    std::vector<double>& to, std::size_t record = 0) const;
  TENON_NOINLINE void give(const double* from, std::size_t count, const BatchArray& a, std::size_t state,
                           std::size_t record = 0) const;
  // Status::not_finite where a number is beyond the range of N; used_ keeps the message.
  TENON_NOINLINE Status check_range(const double* x, std::size_t count);
  // Gives the workspace what the batch has set for the constraints in a state.
  void take_rows(const BatchCall& call, std::size_t state);
  Status compute(const BatchCall& call, std::size_t state, const BatchSizes& n);
  Status anchor(const BatchCall& call, std::size_t state, const BatchSizes& n);
  Status kinematics_of(const BatchCall& call, std::size_t state, const BatchSizes& n);
  Status centroidal_of(const BatchCall& call, std::size_t state, const BatchSizes& n);
  Status differentiate(const BatchCall& call, std::size_t state, const BatchSizes& n,
                       const Inputs<double>& in);
  Status differentiate_impact(const BatchCall& call, std::size_t state, const BatchSizes& n,
                              const ImpactInputs& in);
  Status differentiate_twice(const BatchCall& call, std::size_t state, const BatchSizes& n,
                             const Inputs<double>& in);
  // A result of derivatives: `columns` records of `count` numbers, and where they are computed.
  struct Part {
    const BatchArray* out;
    std::size_t count, columns;
    std::vector<double>* at;
  };
  // Whether single calls write a part to the array of the user: a matrix of doubles, column by column or row by row.
  static bool is_written_at_once(const Part& part) {
    const BatchArray& a = *part.out;
    const auto apart = [&](std::ptrdiff_t near, std::ptrdiff_t far, std::size_t numbers) {
      return near == 1 && far >= static_cast<std::ptrdiff_t>(numbers) &&
             far <= std::numeric_limits<int>::max();
    };
    return std::is_same_v<N, double> && part.columns > 1 &&
           (apart(a.number_stride, a.record_stride, part.count) ||
            apart(a.record_stride, a.number_stride, part.columns));
  }
  // Where a part is to be computed, with the user's numbers where these are added to; values null: not wanted.
  DerivativeOut begin_part(const BatchCall& call, std::size_t state, const Part& part);
  // The same of gradients by all parameters.
  void begin_parameters(const BatchCall& call, std::size_t state, const BatchSizes& n,
                        Part (&parts)[parameter_kinds]);
  // Writes all parts that are wanted, or none.
  Status give_parts(std::size_t state, const Part* parts, std::size_t count);
  // The same, and the solution in out_ and second_, where that is wanted.
  Status give_solution(const BatchCall& call, std::size_t state, const BatchSizes& n, const Part* parts,
                       std::size_t count);
  // Products with the derivatives of kinematics(), which comes first, in by_.
  Status differentiate_kinematics(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                  const Part (&to)[3]);
  // The same of the whole robot, with what is written.
  Status differentiate_centroidal(const BatchCall& call, std::size_t state, const BatchSizes& n);
  // By parameters, of dynamics.
  Status differentiate_by_parameters(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                     const Inputs<double>& in);
  // Where those are wanted, in by_parameters_.
  ParameterGradient parameter_gradient(const BatchCall& call);
  // What acts in a step of a rollout from q_, v_: the torques with those of the controller, and wrenches.
  Inputs<double> inputs_of_step(const BatchCall& call, std::size_t state, const BatchSizes& n,
                                std::size_t step);
  Status roll(const BatchCall& call, std::size_t state, const BatchSizes& n);
  // Backward through a rollout: by the states that roll() kept.
  Status roll_back(const BatchCall& call, std::size_t state, const BatchSizes& n);
  KeptStates<double> kept(const BatchSizes& n) { return {this->kept_, q_, n.q, v_, n.v}; }

  RobotOfState robot_;
  Workspace* used_ = &this->single;  // by the present state
  // Calls each(i, number) for `columns` records of `count` numbers, one behind the other.
  template <class Each>
  static void for_columns(const BatchArray& a, std::size_t state, std::size_t count, std::size_t columns,
                          const Each& each) {
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < count; ++r)
        each(c * count + r, place(a, state, c)[static_cast<std::ptrdiff_t>(r) * a.number_stride]);
  }

  // Grown by prepare().
  std::vector<double> q_, v_, x_, wrenches_, desired_, out_, second_;
  std::vector<double> stiffness_, damping_, q_target_, v_target_;  // of rollouts with feedback
  std::vector<double> along_[4], by_[8];  // of derivatives: by q, v, x and of rows; matrices of multipliers
  std::vector<double> gradients_[2];      // of second derivatives: and by rows
  std::vector<double> by_parameters_[parameter_kinds];
  std::uint64_t rows_taken_ = 0;  // version of the BatchRows that the workspace has; 0: those of one state
};

}  // namespace tenon
