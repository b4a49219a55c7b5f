#include "support/batch_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tenon::capi {
namespace {

// Numbers, states or records of an array: how many, and how far one is from the next. Sizes stay below `most`, which
// stands for all that is larger.
struct Axis {
  const char* name;
  std::size_t count;
  std::ptrdiff_t stride;

  std::size_t apart() const noexcept {
    return stride < 0 ? std::size_t{0} - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
  }
  // From the first to the last.
  std::size_t reach(std::size_t most) const noexcept {
    if (count <= 1 || stride == 0) return 0;
    return apart() > most / (count - 1) ? most : apart() * (count - 1);
  }
  std::size_t highest() const noexcept { return stride > 0 ? count - 1 : 0; }
  std::size_t lowest() const noexcept { return stride < 0 ? count - 1 : 0; }
};

}  // namespace

void check_array(Call& call, const char* name, const tenon_batch_array& a, const ArrayExtent& extent,
                 std::size_t item, bool is_written) noexcept {
  if (a.count != extent.numbers)
    call.fail(Status::wrong_size, "%s has %zu numbers for each state; this model and constraint set need %zu",
              name, a.count, extent.numbers);
  if (reinterpret_cast<std::uintptr_t>(a.data) % item != 0)
    call.fail(Status::invalid_argument, "%s: data is no address of a number of %zu bytes", name, item);
  const std::size_t most = static_cast<std::size_t>(PTRDIFF_MAX) / item;
  if (a.size > most)
    call.fail(Status::wrong_size, "%s: size is %zu, more numbers than there are addresses for", name, a.size);
  if (!call.good() || extent.numbers == 0 || extent.states == 0 || extent.records == 0) return;

  Axis axes[3] = {{"number_stride", extent.numbers, a.number_stride},
                  {"state_stride", extent.states, a.state_stride},
                  {"record_stride", extent.records, a.record_stride}};
  std::size_t below = 0, above = a.first;
  const auto add = [most](std::size_t& sum, std::size_t more) {
    sum = more < most - std::min(sum, most) ? sum + more : most;
  };
  for (const Axis& axis : axes) add(axis.stride < 0 ? below : above, axis.reach(most));
  if (below > a.first)
    call.fail(Status::wrong_size,
              "%s: number %zu of state %zu, record %zu is %zu before data[first], and first is %zu; number 0 "
              "of state "
              "0 stands too near the beginning for these strides",
              name, axes[0].lowest(), axes[1].lowest(), axes[2].lowest(), below, a.first);
  if (above >= a.size)
    call.fail(
        Status::wrong_size,
        "%s: number %zu of state %zu, record %zu needs %zu%s numbers in data, and size is %zu; strides count "
        "numbers, not bytes",
        name, axes[0].highest(), axes[1].highest(), axes[2].highest(), std::min(above, most - 1) + 1,
        above >= most ? " or more" : "", a.size);
  if (!is_written || !call.good()) return;

  std::sort(axes, axes + 3, [](const Axis& x, const Axis& y) { return x.apart() < y.apart(); });
  std::size_t smaller = 0;
  for (const Axis& axis : axes) {
    if (axis.count <= 1) continue;
    if (axis.stride == 0)
      call.fail(Status::wrong_size, "%s: with a %s of 0 numbers would overwrite each other", name, axis.name);
    else if (axis.apart() <= smaller)
      call.fail(Status::wrong_size,
                "%s: with a %s of %td numbers would overwrite each other; smaller strides reach over %zu",
                name, axis.name, axis.stride, smaller);
    smaller += axis.reach(most);
  }
}

BatchArray array_of(const tenon_batch_array& a, bool single) noexcept {
  BatchArray array{a.data, a.number_stride, a.state_stride, a.record_stride};
  if (a.size <= a.first) return array;  // no number of it is used
  if (single)
    array.data = static_cast<float*>(a.data) + a.first;
  else
    array.data = static_cast<double*>(a.data) + a.first;
  return array;
}

}  // namespace tenon::capi
