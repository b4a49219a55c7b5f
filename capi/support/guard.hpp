// The boundary that no exception crosses. A body of C++ runs inside guard(): a tenon::Error becomes its
// status and its text the caller's message; memory that ran out and faults of our own become theirs.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "tenon.h"
#include "tenon/status.hpp"

namespace tenon::capi {

// Copies text, cut to fit between two characters of UTF-8 and ended by NUL, with '?' for bytes that are not
// UTF-8. A buffer that is NULL or of size 0 is left.
void write_message(char* message, std::size_t size, const char* text) noexcept;

inline tenon_status code(Status status) noexcept {
  return static_cast<tenon_status>(status);
}

// The status of the exception that is being handled; failed(text) gets its text.
template <class Failed>
tenon_status caught(Failed&& failed) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    failed(error.what());
    return code(error.status());
  } catch (const std::bad_alloc&) {
    failed("out of memory");
    return TENON_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    failed(error.what());
    return TENON_INTERNAL_ERROR;
  } catch (...) {
    failed("an exception of unknown type; please report it");
    return TENON_INTERNAL_ERROR;
  }
}

template <class Body>
tenon_status guard(char* message, std::size_t size, Body&& body) noexcept {
  write_message(message, size, "");
  try {
    std::forward<Body>(body)();
    return TENON_OK;
  } catch (...) {
    return caught([&](const char* text) { write_message(message, size, text); });
  }
}

// Where there is no buffer for a message.
template <class Body>
tenon_status guard(Body&& body) noexcept {
  return guard(nullptr, 0, std::forward<Body>(body));
}

}  // namespace tenon::capi
