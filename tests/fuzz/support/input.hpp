// The bytes of an input, read as choices and numbers. After the last byte everything is 0, the plain choice.
// And what a target demands: where it does not hold the program ends, which libFuzzer keeps as a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define DEMAND(condition, ...)                                                 \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: not %s: ", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, __VA_ARGS__);                                       \
      std::fputc('\n', stderr);                                                \
      std::abort();                                                            \
    }                                                                          \
  } while (false)

namespace tenon::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  bool empty() const { return at_ == end_; }
  std::uint8_t byte() { return empty() ? std::uint8_t{0} : *at_++; }
  std::uint64_t bits(int bytes);
  // 0 to count - 1, count at most 256.
  int below(int count) { return byte() % count; }
  // True for one byte in `of`.
  bool once_in(int of) { return below(of) == of - 1; }
  // Any double: much of what is odd, small integers, any bits.
  double number();
  // An index of `count` things, now and then of none.
  std::int32_t index(int count);
  // A constant 0 to count - 1, now and then another number.
  std::int32_t constant(int count) { return index(count); }
  std::string text(int most);

  // `count` numbers within +-scale from a seed; now and then one of them or all are odd.
  std::vector<double> numbers(std::size_t count, double scale = 1);
  // Likewise a pose: position and unit quaternion.
  std::vector<double> pose();

 private:
  void spoil(std::vector<double>& numbers);

  const std::uint8_t *at_, *end_;
};

}  // namespace tenon::fuzz
