// The memory of a part of a workspace, and the count of bytes that a workspace holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "scalar/index.hpp"

namespace tenon {

// The bytes of lists, and of parts that have a function bytes().
template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}
template <class Part>
auto bytes_of(const Part& part) -> decltype(part.bytes()) {
  return part.bytes();
}
template <class Part>
std::size_t bytes_of(const std::unique_ptr<Part>& part) {
  return part ? part->bytes() : 0;
}
template <class First, class Second, class... Others>
std::size_t bytes_of(const First& first, const Second& second, const Others&... others) {
  return bytes_of(first) + (bytes_of(second) + ... + bytes_of(others));
}

template <class T>
struct Field {
  T** begin;
  std::size_t size;
  std::size_t in_front = 0;  // how many of these numbers precede `begin`
};

// Blocks of numbers and lists that plain pointers point to; they stay where they are until the end.
class Memory {
 public:
  Memory() = default;
  Memory(Memory&&) = default;
  Memory& operator=(Memory&&) = default;

  // Allocates one block for many arrays and sets the begin of each. Each array has its own cache lines, with one unused
  // line in front of it.
  template <class T>
  void cut(const std::vector<Field<T>>& fields, const T& fill = T(0)) {
    constexpr std::size_t line = 64 / sizeof(T) > 1 ? 64 / sizeof(T) : 1;
    const auto whole_lines = [](std::size_t size) { return (size + line - 1) / line * line; };
    std::size_t size =
        whole_lines(3);  // a load of four numbers that begins at the last one reads three behind it
    for (const Field<T>& f : fields) size += line + whole_lines(f.size);
    Part block(::operator new(size * sizeof(T), alignment),
               [](void* memory) { ::operator delete(memory, alignment); });
    T* const begin = static_cast<T*>(block.get());
    std::uninitialized_fill_n(begin, size, fill);
    add(std::move(block), size * sizeof(T));
    T* next = begin + line;
    for (const Field<T>& f : fields) {
      *f.begin = next + f.in_front;
      next += whole_lines(f.size) + line;
    }
  }

  // Takes a list over; sets its begin, and its length.
  template <class T>
  T* keep(std::vector<T> list) {
    auto kept = std::make_unique<std::vector<T>>(std::move(list));
    T* const begin = kept->data();
    const std::size_t bytes = sizeof(*kept) + bytes_of(*kept);
    add(Part(kept.release(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); }), bytes);
    return begin;
  }
  template <class T>
  void keep(std::vector<T> list, const T*& begin, std::int32_t& count) {
    count = count_of(list);
    begin = keep(std::move(list));
  }

  bool is_empty() const { return parts_.empty(); }
  std::size_t bytes() const { return bytes_ + bytes_of(parts_); }

 private:
  static constexpr std::align_val_t alignment{64};

  using Part = std::unique_ptr<void, void (*)(void*)>;

  void add(Part part, std::size_t bytes) {
    parts_.push_back(std::move(part));
    bytes_ += bytes;
  }

  std::vector<Part> parts_;
  std::size_t bytes_ = 0;
};

// Memory of a workspace that only some computations need: made when one first asks for it, and kept. If there
// is not enough memory, that call throws std::bad_alloc; nothing is left half made, and the next call tries
// again.
template <class T>
class OnDemand {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  OnDemand() = default;  // never made
  explicit OnDemand(Make make) : make_(std::move(make)) {}

  // Whether it can be made.
  explicit operator bool() const { return static_cast<bool>(make_); }
  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }

  T* made() const { return made_.get(); }  // null before the first use
  std::size_t bytes() const { return made_ ? sizeof(T) + made_->bytes() : 0; }

 private:
  T* get() const {
    if (!made_) made_ = make_();
    return made_.get();
  }

  Make make_;
  mutable std::unique_ptr<T> made_;
};

// An array of zeros.
class OnDemandArray {
 public:
  void resize(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  double* data() const {
    if (numbers_.size() != size_) numbers_.assign(size_, 0.0);
    return numbers_.data();
  }
  double& operator[](std::size_t i) const { return data()[i]; }
  std::size_t bytes() const { return bytes_of(numbers_); }

 private:
  std::size_t size_ = 0;
  mutable std::vector<double> numbers_;
};

}  // namespace tenon
