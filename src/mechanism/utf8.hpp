// UTF-8, the encoding of texts and messages ([RFC3629]: no overlong forms, no surrogates, nothing above
// U+10FFFF).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon {

// Length of the character at `at`, 1 to 4 bytes; 0 if no valid character begins there.
inline std::size_t utf8_character(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t k) {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0U) != 0x80U) return 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// Position of the first byte that belongs to no valid character; the size of the text if all are valid.
inline std::size_t valid_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;  // read at once; most texts are ASCII
    for (; at + 8 <= text.size(); at += 8) {
      std::memcpy(&eight, text.data() + at, 8);
      if ((eight & 0x8080808080808080U) != 0) break;
    }
    if (at == text.size()) break;
    const std::size_t length = utf8_character(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

// The largest number of bytes, up to `most`, that does not end within a character.
inline std::size_t cut_utf8(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return most;
}

// Removes the character that print_classic, which needed `wanted` bytes, cut at the end of a buffer of `size`
// bytes.
inline void drop_cut_character(char* buffer, std::size_t size, int wanted) noexcept {
  if (size == 0 || wanted < 0 || static_cast<std::size_t>(wanted) < size) return;
  const std::size_t end = std::strlen(buffer);
  std::size_t first = end;  // of the last character
  while (first > 0 && end - first < 3 && (static_cast<unsigned char>(buffer[first - 1]) & 0xc0U) == 0x80U)
    --first;
  if (first == 0) return;
  --first;
  const unsigned lead = static_cast<unsigned char>(buffer[first]);
  const std::size_t needed = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (end - first < needed) buffer[first] = '\0';
}

}  // namespace tenon
