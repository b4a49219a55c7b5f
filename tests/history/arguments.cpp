#include "history/arguments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "history/lacking_memory.hpp"

namespace tenon::testing::history {
namespace {

constexpr std::size_t margin = 4;                       // numbers behind every array that a call writes
constexpr std::uint64_t pattern = 0x7ff8000000abcdefU;  // a NaN

}  // namespace

Frame::Frame(const Scene& scene_, Coordinates coordinates, std::uint64_t seed, int layout)
    : scene(scene_), random(seed), coordinates_(coordinates), layout_(layout) {
  if (random.chance(0.15)) fault_ = random.integer(0, 7);
  state_ = random.integer(0, static_cast<int>(scene.states.size()) - 1);
  say("state " + std::to_string(state_));
  if (random.chance(0.05)) lacking_ = random.integer(0, 6);
}

const SceneState& Frame::state() {
  int at = state_;
  if (random.chance(0.05)) {
    at = random.integer(0, static_cast<int>(scene.states.size()) - 1);
    say("one array of state " + std::to_string(at));
  }
  return scene.states[static_cast<std::size_t>(at)];
}

std::vector<unsigned char> Frame::written_bytes() const {
  std::vector<unsigned char> bytes;
  for (const Bytes& output : outputs) bytes.insert(bytes.end(), output.first, output.first + output.count);
  return bytes;
}

void Frame::before_the_call() {
  untouched_ = written_bytes();
  if (lacking_ < 0 || !memory_lacks) return;
  say("no memory at allocation " + std::to_string(lacking_));
  let_allocation_fail(lacking_);
}

Numbers Frame::chosen(const Numbers& all, bool some, const std::vector<std::int32_t>& which) {
  if (!some) return all;
  Numbers numbers;
  for (const std::int32_t i : which) numbers.push_back(all[static_cast<std::size_t>(i)]);
  return numbers;
}

int Frame::at_fault(const char* name, int kinds) {
  if (arguments_++ != fault_) return -1;
  const int kind = random.integer(0, kinds - 1);
  say(std::string("wrong ") + name + " (" + std::to_string(kind) + ")");
  return kind;
}

double* Frame::memory(std::size_t count) {
  const std::size_t offset = static_cast<std::size_t>(layout_);
  std::vector<double>& array = arrays_.emplace_back(offset + count + margin);
  for (double& x : array) std::memcpy(&x, &pattern, sizeof x);
  return array.data() + offset;
}

double* Frame::filled(const Numbers& numbers) {
  double* at = memory(numbers.size());
  if (!numbers.empty()) std::memcpy(at, numbers.data(), numbers.size() * sizeof(double));
  return at;
}

double* Frame::written_memory(std::size_t count) {
  double* at = memory(count);
  outputs.push_back({reinterpret_cast<const unsigned char*>(at), (count + margin) * sizeof(double)});
  return at;
}

bool Frame::spoil(const char* name, Numbers& numbers, std::size_t& count) {
  count = numbers.size();
  const int fault = at_fault(name, 6);
  if (fault == 0) return false;
  if (fault == 1) ++count;
  if (fault == 2) count -= count > 0;
  if (fault > 2 && !numbers.empty()) {
    double& x = numbers[static_cast<std::size_t>(random.integer(0, static_cast<int>(numbers.size()) - 1))];
    if (fault == 3) x = std::numeric_limits<double>::quiet_NaN();
    if (fault == 4) x = std::numeric_limits<double>::infinity();
    if (fault == 5) x = 1e200;
  }
  if (fault == 1) numbers.push_back(0);
  return true;
}

Frame::Array Frame::in(const char* name, Numbers numbers) {
  std::size_t count = 0;
  if (!spoil(name, numbers, count)) return {nullptr, count};
  return {filled(numbers), count};
}

Frame::Array Frame::in_or_null(const char* name, Numbers numbers) {
  if (random.chance(0.4)) {
    say(std::string("no ") + name);
    return {nullptr, 0};
  }
  return in(name, std::move(numbers));
}

Frame::Output Frame::out(const char* name, std::size_t count, bool may_be_null) {
  const int fault = at_fault(name, 3);
  if (fault == 0) return {nullptr, count};
  if (may_be_null && random.chance(0.2)) return {nullptr, 0};
  double* at = written_memory(count + 1);
  return {at, fault == 1 ? count + 1 : fault == 2 && count > 0 ? count - 1 : count};
}

Frame::Output Frame::inout(const char* name, Numbers numbers) {
  std::size_t count = 0;
  if (!spoil(name, numbers, count)) return {nullptr, count};
  double* at = filled(numbers);
  outputs.push_back({reinterpret_cast<const unsigned char*>(at), (numbers.size() + margin) * sizeof(double)});
  return {at, count};
}

Frame::Matrix Frame::matrix(const char* name, std::size_t rows, std::size_t columns, bool may_be_null) {
  if (row_major) std::swap(rows, columns);
  const std::size_t ld = rows + static_cast<std::size_t>(random.chance(0.3) ? random.integer(1, 3) : 0);
  const std::size_t count = columns == 0 ? 0 : ld * (columns - 1) + rows;
  const int fault = at_fault(name, 3);
  if (fault == 0) return {nullptr, count, static_cast<std::int32_t>(ld)};
  if (may_be_null && random.chance(0.3)) return {nullptr, 0, 0};
  double* at = written_memory(count);
  if (fault == 1) return {at, count - (count > 0), static_cast<std::int32_t>(ld)};
  if (fault == 2) return {at, count, static_cast<std::int32_t>(rows) - 1};
  return {at, count, static_cast<std::int32_t>(std::max(ld, std::size_t{1}))};
}

std::tuple<std::int32_t, const double*, std::size_t, std::int32_t, double*, std::size_t, std::int32_t>
Frame::columns(std::size_t rows) {
  std::int32_t count = random.integer(1, 5);
  const auto ld = static_cast<std::int32_t>(std::max(rows, std::size_t{1}) +
                                            static_cast<std::size_t>(random.chance(0.3) ? 1 : 0));
  Numbers B(static_cast<std::size_t>(ld * count));
  for (double& x : B) x = random.uniform(-2, 2);
  const bool same = random.chance(0.3);
  const int fault = at_fault("columns", 2);
  say(std::to_string(count) + " columns" + (same ? " in place" : ""));
  if (fault == 0) count = -1;
  if (same) {
    const auto [at, size] = inout("B", B);
    return {count, at, size, ld, at, size, ld};
  }
  const auto [b, b_size] = in("B", B);
  const auto [x, x_size] = out("X", B.size());
  return {count, b, b_size, ld, x, x_size, ld};
}

std::tuple<const std::int32_t*, std::size_t> Frame::integers(std::vector<std::int32_t> numbers) {
  if (random.chance(0.4)) return {nullptr, 0};
  const int fault = at_fault("integers", 3);
  if (fault == 0 && !numbers.empty()) numbers.pop_back();
  if (fault == 1 && !numbers.empty()) numbers.back() = 1000000;
  if (fault == 2 && !numbers.empty()) numbers.back() = numbers.front();
  const std::vector<std::int32_t>& all = *kept(std::move(numbers));
  return {all.data(), all.size()};
}

const tenon_batch_array* Frame::batch_array(const char* name, std::size_t count, bool may_be_null,
                                            std::size_t records,
                                            const std::function<Numbers(const SceneState&)>& of,
                                            bool is_written) {
  if (may_be_null && random.chance(0.3)) return nullptr;
  const bool single = scene.batch_precision == TENON_PRECISION_SINGLE;
  const std::size_t states = batch.size(), of_state = count + static_cast<std::size_t>(random.integer(0, 2)),
                    all = std::max(states * of_state, std::size_t{1}) * std::max(records, std::size_t{1});
  const bool apart = records == 0 && random.chance(0.3);  // coordinate by coordinate
  const int fault = at_fault(name, 5);
  double* at = memory(all + 1);
  const auto put = [&](std::size_t i, double x) {
    if (single)
      reinterpret_cast<float*>(at)[i] = static_cast<float>(x);
    else
      at[i] = x;
  };
  const auto stride = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  tenon_batch_array array;
  tenon_batch_array_init(&array, sizeof array);
  array.data = at, array.size = all, array.count = count;
  array.number_stride = apart ? stride(states) : 1, array.state_stride = apart ? 1 : stride(of_state);
  array.record_stride = records > 1 ? stride(states * of_state) : 0;
  if (of) {
    const int spoiled = fault == 2 ? random.integer(0, static_cast<int>(states) - 1) : -1;
    for (std::size_t r = 0; r < std::max(records, std::size_t{1}); ++r)
      for (std::size_t s = 0; s < states; ++s) {
        const Numbers numbers = of(scene.states[static_cast<std::size_t>(batch[s])]);
        for (std::size_t i = 0; i < count && i < numbers.size(); ++i)
          put(static_cast<std::size_t>(stride(i) * array.number_stride + stride(s) * array.state_stride +
                                       stride(r) * array.record_stride),
              static_cast<int>(s) == spoiled ? std::numeric_limits<double>::quiet_NaN() : numbers[i]);
      }
  }
  if (is_written) outputs.push_back({reinterpret_cast<const unsigned char*>(at), (all + 1) * sizeof(double)});
  if (fault == 0) array.data = nullptr;
  if (fault == 1) ++array.count;
  if (fault == 4) array.size = std::min(array.size, count * states) / 2;
  if (fault == 3) return nullptr;
  return kept(array);
}

std::tuple<std::int32_t*, std::size_t> Frame::batch_integers() {
  std::size_t count = batch.size();
  if (random.chance(0.2)) return {nullptr, count};
  double* at = written_memory(count);
  if (at_fault("integers", 1) == 0) ++count;
  return {reinterpret_cast<std::int32_t*>(at), count};
}

std::int32_t Frame::index(const char* name, std::size_t count) {
  std::int32_t at = count == 0 ? 0 : random.integer(0, static_cast<int>(count) - 1);
  const int fault = at_fault(name, 2);
  if (fault == 0) at = -1;
  if (fault == 1) at = static_cast<std::int32_t>(count);
  say(std::string(name) + " " + std::to_string(at));
  return at;
}

std::int32_t Frame::value(const char* name, std::int32_t first, std::int32_t last) {
  std::int32_t x = random.integer(first, last);
  if (at_fault(name, 1) == 0) x = 77;
  say(std::string(name) + " " + std::to_string(x));
  return x;
}

double Frame::number(const char* name, double x) {
  const int fault = at_fault(name, 2);
  if (fault == 0) x = std::numeric_limits<double>::quiet_NaN();
  if (fault == 1) x = -1;
  say(std::string(name) + " " + std::to_string(x));
  return x;
}

}  // namespace tenon::testing::history
