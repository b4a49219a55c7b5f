// One block of memory for many arrays, and the count of bytes that a workspace holds.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace tenon {

template <class T>
struct Field {
  T** begin;
  std::size_t size;
  std::size_t in_front = 0;  // how many of these numbers precede `begin`
};

// Each array has its own cache lines, with one unused line in front of it.
template <class T>
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock() { ::operator delete(memory_, alignment); }

  // Allocates the block and sets the begin of each field. To be called once.
  void cut(const std::vector<Field<T>>& fields, const T& fill = T(0)) {
    std::size_t size = behind_last;
    for (const Field<T>& f : fields) size += line + whole_lines(f.size);
    memory_ = static_cast<T*>(::operator new(size * sizeof(T), alignment));
    size_ = size;
    std::uninitialized_fill_n(memory_, size_, fill);
    T* next = memory_ + line;
    for (const Field<T>& f : fields) {
      *f.begin = next + f.in_front;
      next += whole_lines(f.size) + line;
    }
  }

  bool is_cut() const { return memory_ != nullptr; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::size_t line = 64 / sizeof(T) > 1 ? 64 / sizeof(T) : 1;
  static constexpr std::size_t whole_lines(std::size_t size) { return (size + line - 1) / line * line; }
  // A load of four numbers that begins at an array's last one reads three behind it.
  static constexpr std::size_t behind_last = whole_lines(3);

  T* memory_ = nullptr;
  std::size_t size_ = 0;
};

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

}  // namespace tenon
