// What a batch changes of its constraints between calls, for each state or the same for all: anchors, gains, activity,
// frames, weights and compliance. Rows that hold a position are refused until they have anchors: the identity, with which
// a workspace begins, would drag all states to the origin of the world.
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
  // Whether a function uses constraints: then a state is computed with what give() writes, and nothing of others.
  bool serve(BatchFunction function) const;
  bool same_in_all() const;
  // Whether a call can take them: they are of as many states, and there are anchors where positions are held.
  Status check(const BatchCall& call, char* message, std::size_t message_size) const;

  // Each throws Error, with the number of the state, where a number is wrong; then nothing has changed.
  void set_anchors(std::size_t states, const BatchArray& poses, bool single_precision);
  void set_gains(std::size_t states, const BatchArray& frequencies, const BatchArray& ratios,
                 bool single_precision);
  void set_active(std::size_t states, const BatchArray& active, bool single_precision);
  // Weights, compliance and frames that are given. What they are to be, which commit() takes.
  struct Numbers {
    PerState weights, compliance, frames, frames_in_bodies;
  };
  Numbers numbers_of(std::size_t states, const BatchParameters& given, bool single_precision) const;
  void commit(Numbers numbers);
  // Writes all that this function reads of a state.
  void give(Settings& settings, BatchFunction function, std::size_t state) const;
  void set_anchor(int constraint, const Pose& pose);  // in all states
  // Room for the numbers that anchors() gives, which keep_anchors() takes.
  double* anchors_to_set(std::size_t states) { return anchors.room(states); }
  void keep_anchors();
  // Writes what is given, all of as many states as were set, or of one.
  void write(std::size_t states, const BatchSettings& to, bool single_precision) const;
  // Those of a batch of the same model and set.
  void take(const BatchRows& other);

  std::size_t bytes() const;

  // Of all constraints: 12 numbers each, rotation row by row and position; frequency and damping ratio; 1 or 0. Of all
  // rows, in the user's order. Frames in links, empty where none were given, and in bodies.
  PerState anchors, gains, active, weights, compliance, frames, frames_in_bodies;
  std::uint64_t version = 1;  // of all that is here
  bool stabilised = false;    // a frequency is above zero
  bool some_inactive = false;

 private:
  std::string place_of(std::size_t state, std::size_t constraint) const;
  void take_pose(const NumbersOfState& given, std::size_t state, std::size_t constraint, const char* what,
                 double* to) const;
  void find_frequencies();

  const ConstraintSet* set_;
  std::size_t first_loop_;         // of the loops of the model, behind the user's constraints
  std::vector<char> anchored_;     // those that have none count as such: closures and rows of the user
  std::vector<double> frequency_;  // the largest of all states
};

}  // namespace tenon
