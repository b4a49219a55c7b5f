#include "history/lacking_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int> allocations_left{-1};
}

namespace tenon::testing::history {
void let_allocation_fail(int which) {
  allocations_left = which;
}
}  // namespace tenon::testing::history

#ifndef _WIN32  // where memory from aligned_alloc could not be freed

namespace {

void* given(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void count_allocation() {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  count_allocation();
  return given(std::malloc(size > 0 ? size : 1));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count_allocation();
  const auto step = static_cast<std::size_t>(alignment);
  return given(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#endif
