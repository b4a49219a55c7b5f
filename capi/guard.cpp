#include "guard.hpp"

#include <algorithm>
#include <cstring>

namespace tenon::capi {

void write_message(char* message, std::size_t size, const char* text) noexcept {
  if (message == nullptr || size == 0) return;
  std::size_t length = std::min(std::strlen(text), size - 1);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  while (length > 0 && continues(text[length])) --length;
  std::memcpy(message, text, length);
  message[length] = '\0';
}

}  // namespace tenon::capi
