// What one thread of a batch works with: the memory to compute states one by one, and by packs where there are
// kernels for them (pack_worker.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tenon/batch.hpp"

namespace tenon {

template <class T>
void grow(std::vector<T>& list, std::size_t size) {
  if (list.size() < size) list.resize(size);
}

class Worker {
 public:
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Makes the memory that this call needs beyond that of other calls. In the caller's thread, for all workers, so that
  // none allocates in a later call.
  virtual void prepare(const BatchCall& call) = 0;
  // States [first, first + count), count at most width. Some may wait for others that need the same.
  virtual void run(const BatchCall& call, std::size_t first, std::size_t count) = 0;
  // At the end of a call: the states that wait.
  virtual void finish(const BatchCall&) {}
  virtual std::size_t bytes() const = 0;

  // The first state of this call that failed.
  struct Failure {
    std::size_t state;
    Status status;  // ok: none
    char message[512];
  };
  void start_call() {
    failure.status = Status::ok;
    packed = 0;
  }

  Workspace single;
  const int width;
  Failure failure{};
  std::size_t packed = 0;  // states of this call that packs computed

 protected:
  Worker(std::shared_ptr<const Model> model, std::shared_ptr<const ConstraintSet> constraints,
         const WorkspaceOptions& options, int width_)
      : single(std::move(model), std::move(constraints), options), width(width_) {}
};

// instructions: resolved.
std::unique_ptr<Worker> make_worker(std::shared_ptr<const Model> model,
                                    std::shared_ptr<const ConstraintSet> constraints,
                                    const BatchOptions& options);

}  // namespace tenon
