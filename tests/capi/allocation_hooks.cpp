// malloc and its kin, replaced for the whole process.
#include "allocation_hooks.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

bool watching = false;
bool failing = false;
int allocations = 0, releases = 0;

extern "C" {
void* malloc(size_t size) {
  if (watching) ++allocations;
  if (failing) return nullptr;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (watching) ++allocations;
  if (failing) return nullptr;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  if (watching) ++allocations;
  if (failing) return nullptr;
  return __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  if (watching) ++allocations;
  if (failing) return nullptr;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
void free(void* pointer) {
  if (watching && pointer != nullptr) ++releases;
  __libc_free(pointer);
}
}
