// The arguments of one call of the C API, drawn from a seed: the same seed on the same scene gives the same
// arguments, whatever object the call is made on.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "history/scene.hpp"
#include "support/random_mechanism.hpp"
#include "tenonx.h"

namespace tenon::testing::history {

using Numbers = std::vector<double>;

// In which coordinates the object takes states: TENON_COORDINATES_*.
struct Coordinates {
  std::int32_t positions = TENON_COORDINATES_SPANNING, velocities = TENON_COORDINATES_SPANNING;
};

// One call: draws its arguments, keeps the memory they point to, and remembers what is written. Now and then one
// argument is wrong on purpose.
class Frame {
 public:
  // layout: where arrays start in their memory, which answers must not depend on.
  Frame(const Scene& scene, Coordinates coordinates, std::uint64_t seed, int layout);

  using Array = std::tuple<const double*, std::size_t>;
  using Output = std::tuple<double*, std::size_t>;
  using Matrix = std::tuple<double*, std::size_t, std::int32_t>;

  const Scene& scene;
  Random random;
  std::string text;             // what was drawn, for people
  std::string answer_text;      // what a function returned that returns text
  std::int32_t constraint = 0;  // the one that was drawn last, or the link of a setter
  Coordinates asked;            // those that a setter was asked for
  bool sets_nothing = false;    // a setter for no states
  bool row_major = false;       // matrices, as options of derivatives say

  // Of states, in the coordinates of the object.
  std::size_t nq() const { return of_positions() ? scene.nyq() : scene.nq; }
  std::size_t nv() const { return of_velocities() ? scene.ny() : scene.nv; }
  Numbers positions() { return positions(state().q); }
  Numbers positions(const Numbers& spanning) const { return chosen(spanning, of_positions(), scene.q_index); }
  Numbers velocities(const Numbers& spanning) const {
    return chosen(spanning, of_velocities(), scene.v_index);
  }
  // The state of this call; now and then another one.
  const SceneState& state();

  // An input, an input that may be absent, an output, and both in one. `name` stands in the text.
  Array in(const char* name, Numbers numbers);
  Array in_or_null(const char* name, Numbers numbers);
  Output out(const char* name, std::size_t count, bool may_be_null = false);
  Output inout(const char* name, Numbers numbers);
  Matrix matrix(const char* name, std::size_t rows, std::size_t columns, bool may_be_null = false);
  // columns, B, X: X is now and then B itself.
  std::tuple<std::int32_t, const double*, std::size_t, std::int32_t, double*, std::size_t, std::int32_t>
  columns(std::size_t rows);
  std::tuple<const std::int32_t*, std::size_t> integers(std::vector<std::int32_t> numbers);
  std::int32_t index(const char* name, std::size_t count);
  std::int32_t value(const char* name, std::int32_t first, std::int32_t last);
  double number(const char* name, double x);
  std::int32_t* written_integers(std::size_t count) {
    return reinterpret_cast<std::int32_t*>(written_memory(count));
  }
  // One number that is written.
  template <class T>
  T* result(bool may_be_null) {
    if (at_fault("result", 1) == 0 || (may_be_null && random.chance(0.2))) return nullptr;
    T* at = reinterpret_cast<T*>(memory(1));
    outputs.push_back({reinterpret_cast<const unsigned char*>(at), sizeof(T)});
    return at;
  }
  // A struct that lives as long as the call; of one that is written, its bytes are an output.
  template <class T>
  T* kept(T options) {
    return &std::any_cast<T&>(structs_.emplace_back(std::move(options)));
  }
  template <class T>
  const T* options(T value, bool may_be_null = true) {
    const int fault = at_fault("options", 2);
    if (fault == 0) value.struct_size = 3;
    if (fault == 1) value.struct_size = 1U << 20;
    if (may_be_null && random.chance(0.2)) return nullptr;
    return kept(value);
  }
  template <class T>
  T* information(tenon_status (*init)(T*, std::size_t)) {
    T value;
    init(&value, sizeof value);
    const int fault = at_fault("information", 2);
    if (fault == 0) return nullptr;
    if (fault == 1) value.struct_size = 3;
    T* at = kept(value);
    outputs.push_back({reinterpret_cast<const unsigned char*>(at), sizeof(T)});
    return at;
  }

  // Of a batch: its states, and an array with `count` numbers of each. of: those of one state; absent: it is written.
  std::vector<int> batch;
  const tenon_batch_array* batch_array(const char* name, std::size_t count, bool may_be_null,
                                       std::size_t records = 0,
                                       const std::function<Numbers(const SceneState&)>& of = {},
                                       bool is_written = true);
  std::tuple<std::int32_t*, std::size_t> batch_integers();

  // -1, or which of `kinds` ways this argument is wrong. Counts arguments: each asks once.
  int at_fault(const char* name, int kinds);

  struct Bytes {
    const unsigned char* first;
    std::size_t count;
  };
  std::vector<Bytes> outputs;
  std::vector<unsigned char> written_bytes() const;
  // Notes what outputs hold: after a failure they must hold it still. An allocation of the call may fail.
  void before_the_call();
  bool memory_lacks = false;  // to be allowed before the call
  bool untouched() const { return written_bytes() == untouched_; }

  // Room for so many numbers, filled with a pattern, and a margin behind it; and such that is an output.
  double* memory(std::size_t count);
  double* written_memory(std::size_t count);

 private:
  bool of_positions() const { return coordinates_.positions == TENON_COORDINATES_INDEPENDENT; }
  bool of_velocities() const { return coordinates_.velocities == TENON_COORDINATES_INDEPENDENT; }
  static Numbers chosen(const Numbers& all, bool some, const std::vector<std::int32_t>& which);
  double* filled(const Numbers& numbers);
  // Spoils numbers or their count. False where the pointer is to be NULL.
  bool spoil(const char* name, Numbers& numbers, std::size_t& count);
  void say(const std::string& words) { text += (text.empty() ? "" : ", ") + words; }

  Coordinates coordinates_;
  int lacking_ = -1;  // the number of the allocation that fails
  int layout_, fault_ = -1, arguments_ = 0, state_ = 0;
  std::deque<std::vector<double>> arrays_;
  std::deque<std::any> structs_;
  std::vector<unsigned char> untouched_;
};

}  // namespace tenon::testing::history
