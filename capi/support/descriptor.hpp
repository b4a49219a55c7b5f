// Structs that can grow. Their first field, struct_size, says which version of the struct the other side
// knows.
//   options (read): a shorter struct is laid over the defaults; a longer one must be zero beyond what we know
//   information (written): as many bytes as the caller has room for
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "tenon.h"
#include "tenon/status.hpp"

namespace tenon::capi {

// struct_size and the field after it.
inline constexpr std::size_t smallest_struct = 2 * sizeof(std::int32_t);
// No version of any struct comes near: a larger struct_size stands in memory that nobody prepared.
inline constexpr std::size_t largest_struct = 4096;

inline bool plausible_size(std::size_t size) noexcept {
  return size >= smallest_struct && size <= largest_struct;
}

template <class T>
tenon_status init(T* out, std::size_t size, T defaults) noexcept {
  if (out == nullptr) return TENON_INVALID_ARGUMENT;
  if (size < smallest_struct || size > std::numeric_limits<std::uint32_t>::max()) return TENON_WRONG_SIZE;
  std::memset(static_cast<void*>(out), 0, size);
  defaults.struct_size = static_cast<std::uint32_t>(size);
  std::memcpy(static_cast<void*>(out), &defaults, std::min(size, sizeof(T)));
  return TENON_OK;
}

// Lays *given (or nothing, for NULL) over *options, which holds the defaults. Every version of a struct is a
// multiple of its alignment long; what a size holds beyond such a multiple may be half a field and is not
// read.
template <class T>
Status lay_over(const T* given, T* options) noexcept {
  if (given == nullptr) return Status::ok;
  std::uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (!plausible_size(size)) return Status::wrong_size;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T) &&
      std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; }))
    return Status::unsupported;
  std::memcpy(static_cast<void*>(options), given,
              std::min<std::size_t>(size / alignof(T) * alignof(T), sizeof(T)));
  return Status::ok;
}

// Static text for what lay_over or put found wrong.
inline const char* descriptor_fault(Status status) noexcept {
  return status == Status::wrong_size
             ? "struct_size is none that this struct ever had; prepare the struct with its _init function"
             : "a field that this version of Tenon does not know is set; leave it zero or use a newer "
               "library";
}

// The field that makes a struct a multiple of its alignment long, 0 where it has none.
template <class T>
auto reserved_of(const T& options, int) noexcept -> decltype(options.reserved) {
  return options.reserved;
}
template <class T>
std::int32_t reserved_of(const T&, long) noexcept {
  return 0;
}

// The same for calls that may throw: *given over the defaults, with the name of the struct in the message.
template <class T>
T completed(const T* given, T defaults, const char* name) {
  const Status status = lay_over(given, &defaults);
  if (status != Status::ok) throw Error(status, std::string(name) + ": " + descriptor_fault(status));
  if (reserved_of(defaults, 0) != 0)
    throw Error(Status::unsupported, std::string(name) + ": the field 'reserved' is not 0");
  return defaults;
}

template <class T>
Status put(T* out, T value) noexcept {
  if (out == nullptr) return Status::invalid_argument;
  const std::uint32_t size = out->struct_size;
  if (!plausible_size(size)) return Status::wrong_size;
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min<std::size_t>(size, sizeof(T)));
  return Status::ok;
}

}  // namespace tenon::capi
