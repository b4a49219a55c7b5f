#include "support/guard.hpp"

#include <cstring>

#include "mechanism/utf8.hpp"

namespace tenon::capi {

void write_message(char* message, std::size_t size, const char* text) noexcept {
  if (message == nullptr || size == 0) return;
  const std::size_t length = cut_utf8(text, size - 1);
  std::memcpy(message, text, length);
  message[length] = '\0';
  // A message may quote what a caller gave.
  for (std::size_t at = 0; (at += valid_utf8({message + at, length - at})) < length;) message[at] = '?';
}

}  // namespace tenon::capi
