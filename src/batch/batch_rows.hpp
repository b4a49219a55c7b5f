// What a batch changes of its constraints between calls: anchors, gains and activity, for each state or the same for all.
// Rows that hold a position are refused until they have anchors: the identity, with which a workspace begins, would drag
// all states to the origin of the world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "batch/per_state.hpp"
#include "plan/memory/row_memory.hpp"
#include "tenon/batch.hpp"

namespace tenon {

class BatchRows {
 public:
  explicit BatchRows(const Workspace& w);

  std::size_t constraints() const { return anchored_.size(); }
  // Whether a function uses constraints.
  bool serve(BatchFunction function) const;
  bool same_in_all() const {
    return anchors_.states == 1 && gains_.states == 1 && active_.states == 1 && !one_by_one();
  }
  // Whether some state has weights, compliance or frames of its own, which packs do not take.
  bool one_by_one() const { return weights_.states > 1 || compliance_.states > 1 || frames_.states > 1; }
  // Whether a call can take them: they are of as many states, and there are anchors where positions are held.
  Status check(const BatchCall& call, char* message, std::size_t message_size) const;

  // Each throws Error, with the number of the state, where a number is wrong; then nothing has changed.
  void set_anchors(std::size_t states, const BatchArray& poses, bool single_precision);
  void set_gains(std::size_t states, const BatchArray& frequencies, const BatchArray& ratios,
                 bool single_precision);
  void set_active(std::size_t states, const BatchArray& active, bool single_precision);
  // Weights, compliance and frames that are given. What they are to be, which commit() takes.
  struct Numbers {
    PerState weights, compliance, frames;
  };
  Numbers numbers_of(std::size_t states, const BatchParameters& given, bool single_precision) const;
  void commit(Numbers numbers);
  // Writes them, of a state, where they were given once.
  void give(Settings& settings, std::size_t state) const;
  void set_anchor(int constraint, const Pose& pose);  // in all states
  // Room for the numbers that anchors() gives, which keep_anchors() takes.
  double* anchors_to_set(std::size_t states) { return anchors_.room(states); }
  void keep_anchors();
  void write_anchors(std::size_t states, const BatchArray& poses, bool single_precision) const;

  // Of all constraints: 12 each, rotation row by row and position; frequency and damping ratio; 1 or 0.
  const double* anchors(std::size_t state) const { return anchors_.of(state); }
  const double* gains(std::size_t state) const { return gains_.of(state); }
  const double* active(std::size_t state) const { return active_.of(state); }
  std::size_t bytes() const;

  std::uint64_t version = 1;  // of all that is here
  bool stabilised = false;    // a frequency is above zero
  bool some_inactive = false;

 private:
  std::string place_of(std::size_t state, std::size_t constraint) const;
  void take_pose(const NumbersOfState& given, std::size_t state, std::size_t constraint, const char* what,
                 double* to) const;
  void find_frequencies();

  const ConstraintSet* set_;
  std::size_t first_loop_;  // of the loops of the model, behind the user's constraints
  PerState anchors_, gains_, active_;
  PerState weights_, compliance_,
      frames_;                     // of rows in the user's order; as anchors, in links. Empty: the set's
  std::vector<char> anchored_;     // those that have none count as such: closures and rows of the user
  std::vector<double> frequency_;  // the largest of all states
};

}  // namespace tenon
