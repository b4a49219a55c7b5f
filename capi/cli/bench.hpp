// Times the algorithms of the library on one robot: every call on the same random states, in turns, so that a
// noisy moment of the machine hits all of them alike.
#pragma once

#include <functional>
#include <string>

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

struct States {
  std::size_t count = 0;
  std::vector<Vector> q, v, a, tau;
};
// Seeded: the same states on every machine. Velocities and accelerations within +-1, torques within +-10.
States random_states(tenon_workspace* workspace, const tenon_model* model, std::size_t count);

struct Timing {
  std::string name;
  double median = 0, minimum = 0;  // of a call, us, over the passes
  std::size_t passes = 0;
  // Of constrained methods.
  bool constrained = false;
  int32_t method = -1;  // TENON_METHOD_*
  std::string
      answered_by;  // the methods that gave the answers, where it is another: of automatic, the chosen one
  double mean_iterations = 0;
  int32_t most_iterations = 0;
  double residual = 0;       // largest of all states
  double difference = -1;    // of qdd from the dense reference, relative, on the first states; -1: not known
  std::size_t troubled = 0;  // states that ended at the iteration limit
};

// progress: called with the share that is done.
std::vector<Timing> time_algorithms(tenon_workspace* workspace, const tenon_model* model,
                                    const ContactSet& contacts, const States& states, double seconds_each,
                                    const std::function<void(double)>& progress);

// Methods that have a name and that this version refuses.
std::vector<std::string> missing_methods(tenon_workspace* workspace, const States& states, std::size_t rows);

}  // namespace client
