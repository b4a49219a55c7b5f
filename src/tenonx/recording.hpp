// An algorithm recorded on a model and a constraint set, and the table of algorithms that can be: the kernels they call, in
// order, their inputs and outputs.
//
// Proximal methods run a fixed number of plain iterations, f := f + r(f) from f = 0 (solve/proximal.hpp).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "model/row_order.hpp"
#include "plan/arena.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "scalar/classic_text.hpp"
#include "solve/proximal.hpp"
#include "tenon/constraints.hpp"
#include "tenon/model.hpp"
#include "tenonx/recorded.hpp"
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
  template <class... More>
  constexpr Arrays(const Array& first, const More&... more)
      : all_{first, more...}, count_(1 + sizeof...(more)) {}
  const Array* begin() const { return all_.data(); }
  const Array* end() const { return all_.data() + count_; }
  const Array& operator[](std::size_t i) const { return all_[i]; }

 private:
  std::array<Array, 4> all_;
  std::size_t count_;
};

// A list of numbers that starts with zeros.
template <class T>
struct NumbersOf : std::vector<T> {
  using std::vector<T>::vector;
  NumbersOf() = default;
  explicit NumbersOf(int count) : std::vector<T>(static_cast<std::size_t>(count), T(0)) {}
  explicit NumbersOf(const std::vector<double>& x) : std::vector<T>(x.begin(), x.end()) {}
  T& operator[](int i) { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
  const T& operator[](int i) const { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
};
using Numbers = NumbersOf<Recorded>;

// Loops that the caller defines as functions (MechanismImplicit::evaluate), for recorders, in the order of
// Model::Loops::callbacks.
using LoopFunctions = std::vector<
    std::function<void(const Recorded* q, const Recorded* v, Recorded* phi, Recorded* K, Recorded* Kdot_v)>>;

// What an algorithm runs on: a model, rows or null, and the memory of a workspace in recorders.
struct Subject {
  Subject(const Model& model_, const ConstraintSet* rows_, const TraceOptions& options_,
          const LoopFunctions& loop_functions_);

  const Model& model;
  const ConstraintSet* constraints;
  const TraceOptions& options;
  const LoopFunctions& loop_functions;  // empty: the model has none
  const KernelTable<Recorded>& kernels;
  SweepMemory tables;
  Arena<Recorded> arena;
  WorkspaceData<Recorded>& w;
  PvMemory<Recorded> pv;
  PvEarlyMemory<Recorded> pv_early;
  DelassusMemory<Recorded> delassus;
  CabaOsimMemory<Recorded> caba;
  PvOsimfMemory<Recorded> osimf;
  Recorded gravity[3];
  // The folded form of the model (model/fold_rotors.cpp); null where it has none.
  std::unique_ptr<Subject> folded;

  const ModelData& m() const { return model.data(); }
  const ConstraintData* constraint_data() const { return constraints ? &constraints->data() : nullptr; }
  const ConstraintData& c() const { return constraints->data(); }
  int rows() const { return c().row_count; }
  // pv and prox_pv factor the branches of the root separately.
  bool split_base() const { return pv.data.split.count > 0 && pv.data.split_pays; }
};

// Rows are in the user's order.
using In = const Recorded* const*;
using Out = Recorded* const*;
using Run = void (*)(Subject& s, In in, Out out);
struct Algorithm {
  TraceableAlgorithm about;
  Arrays inputs, outputs;
  Run run;
};
List<Algorithm> algorithms();
// Those of models with kinematic loops.
void run_c_aba(Subject& s, In in, Out out);
void run_c_aba_folded(Subject& s, In in, Out out);
void run_c_rnea(Subject& s, In in, Out out);
void run_approximate(Subject& s, In in, Out out);
void run_projection(Subject& s, In in, Out out);
void run_multipliers(Subject& s, In in, Out out);

// G and g of a model with kinematic loops; does nothing without. Throws singular_configuration.
void update_loops(Subject& s, const Recorded* q, const Recorded* v);

struct RecordedArray {
  Array array;
  std::vector<Term> terms;
};

struct Recording {
  const TraceableAlgorithm* about;
  Graph graph;
  // The constraint rows of the recording: the given set, or without one the rows of loops.
  const ConstraintSet* constraints = nullptr;
  std::shared_ptr<const ConstraintSet> rows_of_loops;
  std::vector<RecordedArray> inputs, outputs;             // the terms of inputs are its input nodes, in order
  std::vector<std::shared_ptr<const std::string>> names;  // of arrays that no algorithm has
  std::vector<Term> all_outputs() const;
};

// Throws Status::unsupported.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw Error(Status::unsupported, text_of(parts...));
}

// Records at a random state with closed loops. Throws as count_operations does. loop_functions: the model's,
// for recorders; a model with such constraints is refused without them.
std::unique_ptr<Recording> record(const Model& model, const ConstraintSet* constraints,
                                  std::string_view algorithm, const TraceOptions& options,
                                  const LoopFunctions& loop_functions = {});

}  // namespace tenon::trace
