#include "batch/crew.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
#endif

namespace tenon {

namespace {

#if defined(_WIN32)
std::int64_t this_process() {
  return 0;  // there is no fork
}
class SignalsBlocked {};

HMODULE handle_of_library() {
  HMODULE handle = nullptr;
  GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, reinterpret_cast<const char*>(&this_process),
                     &handle);
  return handle;
}
void close_handle(HMODULE handle) {
  FreeLibrary(handle);
}
#else
std::int64_t this_process() {
  return static_cast<std::int64_t>(getpid());
}

// A thread starts with the mask of the thread that makes it. Signals to the process are for the threads of the program;
// those that a fault of a thread itself raises stay as they are.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Null where the code is part of the program, which nobody unloads.
void* handle_of_library() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&this_process), &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}
void close_handle(void* handle) {
  dlclose(handle);
}
#endif

// The library with this code stays loaded while this lives. A program may unload it and forget a batch (interpreters do
// so when they end): the code of waiting threads must not go.
class LibraryHeld {
 public:
  explicit LibraryHeld(bool wanted) : handle_(wanted ? handle_of_library() : nullptr) {}
  ~LibraryHeld() {
    if (handle_) close_handle(handle_);
  }
  LibraryHeld(const LibraryHeld&) = delete;
  LibraryHeld& operator=(const LibraryHeld&) = delete;

 private:
  const decltype(handle_of_library()) handle_;
};

}  // namespace

struct Crew::Threads {
  explicit Threads(int count) : library(count > 0) {}

  const LibraryHeld library;
  std::mutex mutex;
  std::condition_variable begins, done;
  std::size_t open = 0;  // places in this call that no thread has taken
  std::size_t busy = 0;
  bool ends = false;
  std::vector<std::thread> list;
};

Crew::Crew(int count, std::function<void(std::size_t)> work)
    : work_(std::move(work)), threads_(std::make_unique<Threads>(count)), process_(this_process()) {
  try {
    [[maybe_unused]] SignalsBlocked blocked;
    for (int i = 1; i <= count; ++i)
      threads_->list.emplace_back([this, i] { serve(static_cast<std::size_t>(i)); });
  } catch (...) {
    stop();
    throw;
  }
}

Crew::~Crew() {
  // The copy that fork() made is left as it is: its threads cannot be joined, and its mutex may be locked for ever.
  if (process_ == this_process())
    stop();
  else
    static_cast<void>(threads_.release());
}

void Crew::stop() {
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    threads_->ends = true;
  }
  threads_->begins.notify_all();
  for (std::thread& thread : threads_->list) thread.join();
}

void Crew::run(std::size_t helpers) {
  helpers = std::min(helpers, threads_->list.size());
  if (helpers == 0 || process_ != this_process()) return work_(0);
  Threads& t = *threads_;
  {
    const std::lock_guard<std::mutex> lock(t.mutex);
    t.open = helpers;
  }
  if (helpers == t.list.size())
    t.begins.notify_all();
  else
    for (std::size_t i = 0; i < helpers; ++i) t.begins.notify_one();
  work_(0);
  std::unique_lock<std::mutex> lock(t.mutex);
  t.open = 0;  // who has not begun finds nothing left to do
  t.done.wait(lock, [&t] { return t.busy == 0; });
}

void Crew::serve(std::size_t thread) {
  Threads& t = *threads_;
  std::unique_lock<std::mutex> lock(t.mutex);
  for (;;) {
    t.begins.wait(lock, [&t] { return t.ends || t.open > 0; });
    if (t.ends) return;
    --t.open, ++t.busy;
    lock.unlock();
    work_(thread);
    lock.lock();
    if (--t.busy == 0) t.done.notify_one();
  }
}

}  // namespace tenon
