// A search for the largest error of a motion. Random draws seldom meet what goes wrong; so a robot is the function of some
// numbers from 0 to 1, its genes: masses, lengths, frames, rows, the state. One or a few of them are changed at a time, and
// what makes the error (motion_judge.hpp) larger is kept: a climb, from a seed, until nothing helps for long.
//
// A found robot is told by its seed and the changes that were kept, as in light_wrist:17:3.120.64 of class light_wrist, seed
// 17, after changes 3, 120 and 64. The same text gives the same robot on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/campaign/motion_judge.hpp"
#include "tenon/workspace.hpp"

namespace tenon::testing {

enum class SearchClass {
  light_wrist,  // arms of 3 kg a link, with wrists of 1 kg to 1 mg whose axes meet near the point that is held
  dummy_links,  // chains with links that have next to no mass, between and behind others
  limbs,        // equal or unequal limbs with hinges and sliders on a fixed or floating base
  scaled,       // such limbs in mm, um, km, g, t
  switched,     // with some of the constraints switched off
};
inline constexpr int search_classes = 5;
const char* name_of(SearchClass kind);

class Genes {
 public:
  static constexpr std::size_t count = 512;
  explicit Genes(std::uint64_t seed);
  void change(int number);  // of this seed's changes

  // The next gene, as a number of its kind.
  double uniform(double low, double high) { return low + (high - low) * next(); }
  double power(double low, double high);  // of ten, low and high the exponents
  int integer(int low, int high);         // both ends included
  bool chance(double probability) { return next() < probability; }
  Vector3 vector(double reach);
  Vector3 direction();
  void rewind() { used_ = 0; }

 private:
  double next() { return all_[used_ < count ? used_++ : count - 1]; }
  std::uint64_t seed_;
  std::vector<double> all_;
  std::size_t used_ = 0;
};

// A robot, rows and a state, all from genes.
struct SearchCase {
  Robot robot;
  std::shared_ptr<const ConstraintSet> set;
  MotionState state;
};
// Throws Error where there is no such robot.
SearchCase draw_search_case(SearchClass kind, Genes& genes);

struct Found {
  SearchClass kind = SearchClass::light_wrist;
  std::uint64_t seed = 0;
  std::vector<int> changes;
  MotionError error;
  Status status = Status::ok;
  Method method = Method::automatic;  // that answered
  bool wrong() const;
};
std::string path_of(const Found& found);  // "light_wrist:17:3.120.64"
// The robot of a path, by one method. Throws std::invalid_argument for text that is none.
Found solve_path(const std::string& path, Method method);
SearchClass search_class_of(const std::string& name);

// Larger errors are wrong. Where a wrist is a million million times lighter than what the rows hold, penalties may take
// digits of its motion, but leave six.
inline double motion_allowed(SearchClass kind) {
  return kind == SearchClass::light_wrist ? 1e-6 : 1e-7;
}
inline bool Found::wrong() const {
  return !(error.motion <= motion_allowed(kind));
}

struct SearchOptions {
  SearchClass kind = SearchClass::light_wrist;
  Method method = Method::automatic;
  std::uint64_t seed = 0;
  int changes = 200;   // tried from one seed; 0: the draw alone
  int patience = 100;  // changes in a row that do not help
};
struct Climb {
  Found worst;
  long solves = 0, refused = 0;  // robots that there are not
};
// The worst motion on the way from one seed.
Climb climb(const SearchOptions& options);

}  // namespace tenon::testing
