// malloc and its kin, replaced for the whole process.
#include "hooks.hpp"

#include <malloc.h>

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
long live_bytes = 0;

static void* count(void* made) {
  if (watching) ++allocations, live_bytes += static_cast<long>(malloc_usable_size(made));
  return made;
}

// Visible to the library, which the tests are compiled not to be.
#pragma GCC visibility push(default)
extern "C" {
void* malloc(size_t size) {
  return count(failing ? nullptr : __libc_malloc(size));
}
void* calloc(size_t items, size_t size) {
  return count(failing ? nullptr : __libc_calloc(items, size));
}
void* realloc(void* old, size_t size) {
  if (watching && !failing) live_bytes -= static_cast<long>(malloc_usable_size(old));
  return count(failing ? nullptr : __libc_realloc(old, size));
}
void* memalign(size_t alignment, size_t size) {
  return count(failing ? nullptr : __libc_memalign(alignment, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
void free(void* pointer) {
  if (watching && pointer != nullptr) {
    ++releases;
    live_bytes -= static_cast<long>(malloc_usable_size(pointer));
  }
  __libc_free(pointer);
}
}
#pragma GCC visibility pop
