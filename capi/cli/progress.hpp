// A progress bar on a terminal's stderr, shown only when the work takes longer than a second.
#pragma once

#include <chrono>
#include <string>

namespace client {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // fraction: 0 to 1. Cheap enough to call often.
  void show(double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begin_, next_;
};

}  // namespace client
