// What compilers do not see for themselves. Nothing here changes a result; compilers that do not know it leave it out.
#pragma once

#include <cstddef>

#include "spatial/isa.hpp"

namespace tenon {
TENON_ISA_BEGIN

// An address and a step, of which the compiler knows nothing any more: it computes what follows from them where it is used, and
// not before.
template <class T>
TENON_SMALL void hide_address([[maybe_unused]] T*& base, [[maybe_unused]] std::ptrdiff_t& step) {
#ifdef __GNUC__
  __asm__("" : "+r"(base), "+r"(step));
#endif
}

// In the body of a loop: the compiler does not make a call of a library out of it.
TENON_SMALL void stay_a_loop() {
#ifdef __GNUC__
  __asm__ volatile("");
#endif
}

// Asks for the cache line of an address that is written soon; it need not be valid.
template <class T>
TENON_SMALL void fetch_to_write([[maybe_unused]] const T* address) {
#ifdef __GNUC__
  __builtin_prefetch(address, 1);
#endif
}

TENON_ISA_END
}  // namespace tenon
