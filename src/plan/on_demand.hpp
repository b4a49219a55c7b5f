// Memory of a workspace that only some computations need: made when one first asks for it, and kept. If there
// is not enough memory, that call throws std::bad_alloc; nothing is left half made, and the next call tries
// again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "plan/memory_block.hpp"

namespace tenon {

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
