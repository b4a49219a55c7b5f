// Threads that wait between calls and take part in them. Only as many are woken as have something to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace tenon {

class Crew {
 public:
  // The threads have numbers 1 to `count`; the caller of run() has number 0. work must not throw. Throws
  // std::system_error where they cannot be started.
  Crew(int count, std::function<void(std::size_t thread)> work);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Calls work in this thread, and in at most `helpers` others; returns when all calls have returned. In a process
  // that fork() made there are no others: this thread works alone.
  void run(std::size_t helpers);

 private:
  struct Threads;
  void stop();
  void serve(std::size_t thread);

  const std::function<void(std::size_t)> work_;
  std::unique_ptr<Threads> threads_;
  const std::int64_t process_;  // in which the threads are
};

}  // namespace tenon
