#include "progress.hpp"

#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdio>
#include <utility>

namespace client {

Progress::Progress(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(fileno(stderr)) == 1),
      begin_(Clock::now()),
      next_(begin_ + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double fraction) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;

  constexpr int width = 32;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(fraction * width);
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(stderr, "\r%s [%s%s] %3.0f %%", what_.c_str(),
               std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(width - filled), '.').c_str(), 100 * fraction);
  if (fraction > 0) std::fprintf(stderr, ", %.0f s left", elapsed / fraction - elapsed);
  std::fputs("\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace client
