// What the replaced allocator of this process saw: the C++ runtime, with operator new, and the shared library
// call it. For one thread.
#pragma once

extern bool watching;  // count
extern bool failing;   // there is no memory
extern int allocations, releases;
extern long live_bytes;  // allocated and not released while watching
