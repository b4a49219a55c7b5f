// What messages say of an index that names nothing: what is asked for, and what there is.
#pragma once

#include <cstddef>
#include <cstdio>

namespace tenon {

struct OutOfRange {
  // "link is 9; there are 9 links, 0 to 8".
  OutOfRange(const char* name, long long index, std::size_t count, const char* things) noexcept {
    if (count == 0)
      std::snprintf(text, sizeof text, "%s is %lld; there are no %s", name, index, things);
    else
      std::snprintf(text, sizeof text, "%s is %lld; there are %zu %s, 0 to %zu", name, index, count, things,
                    count - 1);
  }
  char text[160];
};

}  // namespace tenon
