// What holds Slots (spatial/slots.hpp) as kernels see it: with a Pack of the same memory in the place of each.
#pragma once

#include "spatial/pack.hpp"
#include "spatial/slots.hpp"

namespace tenon {
TENON_ISA_BEGIN

// The type with packs; other types are as they are.
template <class X>
struct AsPacks {
  using Type = X;
};
template <class X>
struct AsPacks<const X> {
  using Type = const typename AsPacks<X>::Type;
};
template <class N, int W>
struct AsPacks<Slots<N, W>> {
  using Type = Pack<N, W>;
  static_assert(sizeof(Type) == sizeof(Slots<N, W>) && alignof(Type) == alignof(Slots<N, W>));
};
template <template <class> class Data, class N, int W>
struct AsPacks<Data<Slots<N, W>>> {
  using Type = Data<Pack<N, W>>;
};

template <class X>
typename AsPacks<X>::Type* as_packs(X* x) {
  return reinterpret_cast<typename AsPacks<X>::Type*>(x);
}
template <class X>
typename AsPacks<X>::Type& as_packs(X& x) {
  return *as_packs(&x);
}

// Fills an entry of a list (kernels/kernel_list.hpp) by the kernel `name`, which takes packs where the entry has slots.
#define TENON_KERNEL_ON_PACKS(result, name, ...) [](auto... x) -> result { return name(as_packs(x)...); },

TENON_ISA_END
}  // namespace tenon
