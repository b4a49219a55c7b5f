#include "plan/compile/loop_analysis.hpp"

#include <algorithm>
#include <cmath>

#include "scalar/index.hpp"

namespace tenon {
namespace {

// Calls f(entry) for all entries of a row except that of the dependent joint.
template <class F>
void for_others(const Substitution& row, const Model::Loops& loops, F&& f) {
  for (std::int32_t e = row.entry_begin; e < row.entry_end; ++e)
    if (e != row.solved) f(loops.coupling_entries[index(e)]);
}

// Returns false if the cluster has constraints other than couplings.
bool collect_rows(const Model::Loops& loops, const ClusterData& c, std::vector<Substitution>& rows) {
  const std::vector<CouplingEntry>& entries = loops.coupling_entries;
  for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
    const LoopConstraintData& loop = loops.constraints[index(l)];
    if (loop.kind != loop_coupling) return false;
    for (std::int32_t e = loop.entry_begin; e < loop.entry_end;) {
      const std::int32_t begin = e, row = entries[index(e)].row;
      while (e < loop.entry_end && entries[index(e)].row == row) ++e;
      rows.push_back({begin, e, -1});
    }
  }
  return rows.size() == index(c.row_count);
}

}  // namespace

std::vector<Substitution> find_substitutions(const Model::Loops& loops, const ClusterData& c,
                                             const std::vector<char>& declared, double least_share) {
  const std::vector<CouplingEntry>& entries = loops.coupling_entries;
  std::vector<Substitution> rows, ordered;
  const auto first = declared.begin() + c.v_begin;
  if (!collect_rows(loops, c, rows) || std::count(first, first + c.v_count, char{1}) != c.row_count)
    return {};
  std::vector<std::vector<std::size_t>> rows_with(index(c.v_count));
  std::vector<int> unknown(rows.size(), 0);
  std::vector<std::size_t> ready;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::int32_t e = rows[r].entry_begin; e < rows[r].entry_end; ++e) {
      const std::int32_t v = entries[index(e)].v_index;
      std::vector<std::size_t>& with = rows_with[index(v - c.v_begin)];
      if (!with.empty() && with.back() == r) return {};  // the row names a joint twice
      with.push_back(r);
      unknown[r] += declared[index(v)] ? 1 : 0;
    }
    if (unknown[r] == 1) ready.push_back(r);
  }
  std::vector<char> given(index(c.v_count), 0);
  for (std::size_t next = 0; next < ready.size(); ++next) {
    Substitution& row = rows[ready[next]];
    double largest = 0;
    for (std::int32_t e = row.entry_begin; e < row.entry_end; ++e) {
      const CouplingEntry& entry = entries[index(e)];
      largest = std::max(largest, std::abs(entry.coefficient));
      if (declared[index(entry.v_index)] && !given[index(entry.v_index - c.v_begin)]) row.solved = e;
    }
    if (row.solved < 0) return {};
    const CouplingEntry& solved = entries[index(row.solved)];
    if (!(std::abs(solved.coefficient) > least_share * largest)) return {};
    given[index(solved.v_index - c.v_begin)] = 1;
    ordered.push_back(row);
    for (const std::size_t other : rows_with[index(solved.v_index - c.v_begin)])
      if (--unknown[other] == 1) ready.push_back(other);
  }
  return ordered.size() == rows.size() ? ordered : std::vector<Substitution>();
}

void close_by_substitution(const std::vector<Substitution>& rows, Model::Loops& loops) {
  for (const Substitution& row : rows) {
    const CouplingEntry& solved = loops.coupling_entries[index(row.solved)];
    double sum = loops.offset[index(solved.row)];
    for_others(row, loops, [&](const CouplingEntry& entry) {
      sum -= entry.coefficient * loops.closed[index(entry.q_index)];
    });
    loops.closed[index(solved.q_index)] = sum / solved.coefficient;
  }
}

void fill_G_by_substitution(const std::vector<Substitution>& rows, const ClusterData& c,
                            Model::Loops& loops) {
  const auto row_of_G = [&](const CouplingEntry& entry) {
    return loops.G_initial.data() + c.G_begin + entry.v_index - c.v_begin;
  };
  for (const Substitution& row : rows) {
    const CouplingEntry& solved = loops.coupling_entries[index(row.solved)];
    for_others(row, loops, [&](const CouplingEntry& entry) {
      const double ratio = -entry.coefficient / solved.coefficient;
      for (std::ptrdiff_t j = 0; j < c.y_count; ++j)
        row_of_G(solved)[j * c.v_count] += ratio * row_of_G(entry)[j * c.v_count];
    });
  }
}

}  // namespace tenon
