// Matrices of derivatives that leave packs line by line (pack_derivatives.hpp): a few columns or rows at a time are computed and
// written to the arrays of all states while they are in the nearest cache, where whole matrices of a pack would go through
// the next one three times.
#pragma once

#include <algorithm>

#include "batch/pack/pack_worker.hpp"

namespace tenon {

template <class Io, class N, int W>
void PackWorker<Io, N, W>::finish_lines(const BatchCall& call, const PackedLines<Pack>& lines,
                                        const InLanes& states, Mask& good) {
  dynamics_.derivatives().template keep_finite_lines<Io>(good);
  if (good.first() == W) return;
  const int nv = m().nv;
  struct Output {
    int which;
    std::ptrdiff_t stride;  // between lines
    bool across;            // there are some numbers of each of all lines at a time
    Io* to[W];
  };
  Output outputs[3];
  int given = 0;
  bool joined = true;  // lines leave as one list
  for (int i = 0; i < 3; ++i) {
    if (!lines.is_wanted[i]) continue;
    const BatchArray& out = call.out[1 + i];
    Output& x = outputs[given++];
    x.which = i, x.stride = lines.stride(out), x.across = lines.are_across(i);
    for (int l = 0; l < W; ++l) x.to[l] = good.lane[l] ? place(out, states.state[l]) : aside_.data();
    joined = joined && x.stride == nv;
  }
  // Lines of the next pack are not fetched, nor are those that come next of this one: that would drive from the cache what lines
  // are made of, and made all of atlas and go1 a tenth slower, of robots with more joints a quarter.
  const auto& exchange = kernels_.template exchange_of<Io>();
  const char* const zeros = lines.of_inverse ? zeros_.data() : nullptr;  // M^-1 has few
  for (int first = 0, end; first < nv; first = end) {
    end = std::min(first + lines.at_once(), nv);
    const Pack* by[3];
    dynamics_.fill_lines(first, end, by);
    const std::ptrdiff_t length = end - first;
    for (Output* x = outputs; x < outputs + given; ++x) {
      if (!x->across) continue;
      for (std::ptrdiff_t line = 0; line < nv; ++line) {
        Io* to[W];
        for (int l = 0; l < W; ++l) to[l] = x->to[l] + (good.lane[l] ? line * x->stride : 0);
        exchange.scatter_lines(by[x->which] + line * length, length, nullptr, to);
      }
      for (int l = 0; l < W; ++l)
        if (good.lane[l]) x->to[l] += length;
    }
    const int count = joined ? end - first : 1;
    for (int line = first; line < end; line += count) {
      if (zeros) dynamics_.derivatives().find_zeros(line, count, zeros_.data());
      for (Output* x = outputs; x < outputs + given; ++x) {
        if (x->across) continue;
        const std::ptrdiff_t step = count * x->stride;
        exchange.scatter_lines(by[x->which] + std::ptrdiff_t{line - first} * nv, std::ptrdiff_t{count} * nv,
                               zeros, x->to);
        for (int l = 0; l < W; ++l)
          if (good.lane[l]) x->to[l] += step;
      }
    }
  }
}

}  // namespace tenon
