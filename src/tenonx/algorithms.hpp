// The algorithms that can be recorded, written once for any scalar: the kernels they call, in order, their
// inputs and outputs. Tests run them with T = double and compare recordings with that.
//
// Proximal methods run a fixed number of plain iterations, f := f + r(f) from f = 0 (solve/proximal.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "model/row_order.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "solve/proximal.hpp"
#include "tenon/constraints.hpp"
#include "tenon/model.hpp"
#include "tenonx/trace.hpp"

namespace tenon::trace {

enum class Size { nq, nv, ny, nv_by_nv, rows, rows_by_rows, link_poses };
std::size_t number(Size size, const Model& model, const ConstraintSet* constraints);

struct Array {
  const char* name = nullptr;     // in C
  const char* meaning = nullptr;  // with unit
  Size size = Size::nq;
};
// The inputs or the outputs of an algorithm.
class Arrays {
 public:
  Arrays() = default;
  template <class... More>
  Arrays(const Array& first, const More&... more) : all_{first, more...}, count_(1 + sizeof...(more)) {}
  const Array* begin() const { return all_.data(); }
  const Array* end() const { return all_.data() + count_; }
  std::size_t size() const { return count_; }
  const Array& operator[](std::size_t i) const { return all_[i]; }

 private:
  std::array<Array, 4> all_{};
  std::size_t count_ = 0;
};

namespace arrays {

inline constexpr Array q = {"q", "positions", Size::nq};
inline constexpr Array v = {"v", "velocities", Size::nv};
inline constexpr Array tau = {"tau", "generalised forces, N m or N", Size::nv};
inline constexpr Array qdd = {"qdd", "accelerations", Size::nv};

}  // namespace arrays

// A list of numbers that starts with zeros.
template <class T>
struct Numbers : std::vector<T> {
  using std::vector<T>::vector;
  Numbers() = default;
  explicit Numbers(int count) : std::vector<T>(static_cast<std::size_t>(count), T(0)) {}
  explicit Numbers(const std::vector<double>& x) : std::vector<T>(x.begin(), x.end()) {}
  T& operator[](int i) { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
  const T& operator[](int i) const { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
};

// Loops that the caller defines as functions (MechanismImplicit::evaluate), for any scalar, in the order of
// Model::Loops::callbacks.
template <class T>
using LoopFunctions = std::vector<std::function<void(const T* q, const T* v, T* phi, T* K, T* Kdot_v)>>;

// Model and memory of a run. Inputs that an algorithm does not name are null; rows are in the user's order.
template <class T>
struct Subject {
  const Model& model;
  const ConstraintSet* constraints;
  const KernelTable<T>& kernels;
  WorkspaceData<T>& w;
  PvData<T>& pv;
  PvEarlyData<T>& pv_early;
  DelassusMemory<T>& delassus;
  CabaOsimData<T>& caba;
  PvOsimfData<T>& osimf;
  bool split_base;  // pv and prox_pv factor the branches of the root separately
  TraceOptions options;
  // For the folded form of the model (model/fold_rotors.hpp); null where it has none.
  WorkspaceData<T>* folded = nullptr;
  const LoopFunctions<T>* loop_functions = nullptr;  // null: the model has none

  const ModelData& m() const { return model.data(); }
  const ConstraintData& c() const { return constraints->data(); }
  int rows() const { return c().row_count; }
};

template <class T>
struct Algorithm {
  TraceableAlgorithm about;
  Arrays inputs, outputs;
  void (*run)(Subject<T>& subject, const T* const* inputs, T* const* outputs);
};

inline constexpr std::size_t tree_algorithm_count = 7, loop_algorithm_count = 6;
// All methods but dense; the damped inverse has eight forms.
inline constexpr std::size_t constrained_algorithm_count = std::size(method_facts) - 1,
                             delassus_algorithm_count = std::size(delassus_method_facts) - 1 + 8;
inline constexpr std::size_t algorithm_count =
    tree_algorithm_count + loop_algorithm_count + constrained_algorithm_count + delassus_algorithm_count;

template <class T>
const std::array<Algorithm<T>, algorithm_count>& algorithms();

// 1 / mu of each constraint row.
template <class T>
Numbers<double> proximal_terms(const Subject<T>& s) {
  Numbers<double> inv_mu(s.rows());
  for (int r = 0; r < s.rows(); ++r) inv_mu[r] = proximal_term({}, s.c(), r, s.options.mu);
  return inv_mu;
}
// G and g of a model with kinematic loops; does nothing without. Throws singular_configuration.
template <class T>
void update_loops(const Subject<T>& s, const T* q, const T* v);

// Models with kinematic loops (loop_algorithms.cpp).
template <class T>
std::array<Algorithm<T>, loop_algorithm_count> loop_algorithms();
// The Delassus matrix and its damped inverse (delassus_algorithms.cpp).
template <class T>
std::array<Algorithm<T>, delassus_algorithm_count> delassus_algorithms();

}  // namespace tenon::trace
