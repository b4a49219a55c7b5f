// The numbers of a batch in memory of the caller (tenon_batch_array): whether all that a call reads or writes lies in
// it.
#pragma once

#include <cstddef>

#include "support/call.hpp"
#include "tenon/batch.hpp"

namespace tenon::capi {

// How many of each a call works on.
struct ArrayExtent {
  std::size_t numbers, states, records;
};

// Fails the call where the array has another count, where numbers would lie outside its memory, or where is_written and
// two would lie in one place. item: bytes of a number.
void check_array(Call& call, const char* name, const tenon_batch_array& a, const ArrayExtent& extent,
                 std::size_t item, bool is_written) noexcept;

// Of one that was found good. single: it has floats.
BatchArray array_of(const tenon_batch_array& a, bool single) noexcept;

}  // namespace tenon::capi
