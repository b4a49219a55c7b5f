// The memory of a workspace for scalar T: one aligned block, cut into the fields of WorkspaceData, plus the
// small index tables that sweeps need. Sized once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#include "constraint/constraint_data.hpp"
#include "kernels/workspace_data.hpp"
#include "model/model_data.hpp"

namespace tenon {

// Flags and ancestor runs of a model (workspace_data.hpp).
struct SweepTables {
  std::vector<std::int32_t> node_flags, support_flags, path_first, path_runs;
  SweepTables(const ModelData& m, const ConstraintData* c);
};

template <class T>
class Arena {
 public:
  Arena(const ModelData& m, const ConstraintData* c) {
    const std::size_t nodes = static_cast<std::size_t>(m.node_count), nv = static_cast<std::size_t>(m.nv);
    const std::size_t rows = c ? static_cast<std::size_t>(c->row_count) : 0;
    // First pass measures, second pass cuts. Node fields begin one item early, at the world's slot.
    for (const bool cutting : {false, true}) {
      std::size_t used = 0;
      const auto take = [&](std::size_t size, Item item) -> T* {
        const std::size_t count = item == node    ? nodes + 1
                                  : item == angle ? (nodes + 15) / 16 * 16
                                  : item == row   ? rows
                                  : item == pair  ? nv * nv
                                                  : nv;
        T* begin = cutting ? block_ + used : nullptr;
        used += (size * count + lane - 1) / lane * lane;
        return cutting && item == node ? begin + size : begin;
      };
#define TENON_FIELD(name, size, item) data.name = take(size, item);
      TENON_WORKSPACE_FIELDS(TENON_FIELD)
#undef TENON_FIELD
      if (!cutting) {
        count_ = used;
        block_ = static_cast<T*>(::operator new(bytes(), std::align_val_t(64)));
#ifdef NDEBUG
        const T fill = T(0);
#else
        const T fill = std::numeric_limits<T>::quiet_NaN();  // reading what no sweep wrote must show
#endif
        for (std::size_t i = 0; i < count_; ++i) block_[i] = fill;
      }
    }
    for (std::size_t i = 0; i < (nodes + 15) / 16 * 16; ++i) data.angle[i] = T(0);
  }
  ~Arena() {
    ::operator delete(block_, std::align_val_t(64));
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::size_t bytes() const {
    return count_ * sizeof(T);
  }

  WorkspaceData<T> data{};

 private:
  enum Item { node, dof, dof_columns, row, angle, pair };
  static constexpr std::size_t lane = 64 / sizeof(T);
  std::size_t count_ = 0;
  T* block_ = nullptr;
};

}  // namespace tenon
