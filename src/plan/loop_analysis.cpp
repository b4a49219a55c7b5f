// The analysis of loops that needs configurations: rows that constrain nothing, the rank of the others, and a
// choice of dependent coordinates.
//
// A planar loop closed by 3, 5 or 6 rows has rank 2, parallel loops share rows, and q = 0 is often a singular
// pose. So closed configurations are searched from several starts, and the rank is the largest one found.
// Rows that no joint moves anywhere are dropped (a planar loop keeps two of three: a square K_d); other
// redundant rows stay. Dependent coordinates are pivots of an orthogonalisation of the columns of K: first
// those declared dependent, then other one-dof joints, then coordinates of joints with several (if only some
// of these become dependent, the joint has no independent positions).
//
// A cluster whose couplings give one dependent joint after the other needs none of this: the dependent joints
// are those declared; G and a closed configuration follow by substitution, O(rows x independent coordinates).
// Otherwise a cluster of n coordinates and r rows costs O(n r^2).
#include <algorithm>
#include <cmath>
#include <sstream>

#include "kernels/kernel_table.hpp"
#include "model/body_poses.hpp"
#include "model/loops.hpp"
#include "plan/arena.hpp"
#include "plan/assembly.hpp"
#include "tenon/loops.hpp"

namespace tenon {
namespace {

// A closed configuration may be singular, and symmetric linkages have two or three such; of four random ones,
// at least one is regular. Starts that cannot be closed are replaced.
constexpr int wanted_samples = 4, most_starts = 64;
constexpr int still_samples = 5;  // configurations that are tried for a joint that moves a row
// m or rad, for a row that no joint moves: descriptions are rounded to about a tenth of a millimetre.
constexpr double tolerated_gap = 1e-3;
// Relative to the largest entry of K of geometric loops: below this no joint moves a row. Axes meant to be
// parallel are so to six digits.
constexpr double still_row = 1e-6;
constexpr double sound_pivot = 1e-4;  // relative to the largest column: a good dependent coordinate
constexpr double least_pivot = 1e-7;  // relative to it, counts towards the rank; singular_split is smaller
constexpr double clear_gain = 1.5;    // factor of the smallest pivot that another sample must gain
constexpr double tie = 1e-6;          // lengths that differ by this share count as equal
// Residual of a row under independent velocities, relative to its largest entry. A lost row leaves all of it;
// a row that follows from others, rounding errors of the split.
constexpr double kept_row = 1e-4;
constexpr double in_plane = 1e-12;  // rounding error of a component of a unit axis

// Columns of K chosen as dependent, best first.
struct Split {
  std::vector<int> dependent;
  double smallest = 1;  // smallest pivot over the largest column
};

class Analysis {
 public:
  Analysis(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model)
      : mechanism_(mechanism), declared_(dependent), model_(model) {}

  void run() {
    drop_still_rows();
    const std::size_t clusters = model_.loops.clusters.size();
    samples_.resize(clusters);
    splits_.resize(clusters);
    ways_.resize(clusters);
    for (std::size_t i = 0; i < clusters; ++i) find_way(i);
    find_samples();
    model_.loops.closed.resize(static_cast<std::size_t>(model_.nq));
    neutral_configuration(model_.nodes, model_.loops.closed.data());
    choose_splits();
    number_coordinates();
    fill_constant_blocks();
  }

 private:
  using Probe = Arena<double>;

  std::string names_of(const ClusterData& c) const {
    std::vector<std::string> names(model_.loops.names.begin() + c.constraint_begin,
                                   model_.loops.names.begin() + c.constraint_end);
    return quoted_list(names, 6);
  }

  void publish() { model_.publish({0, 0, 0}); }

  // ---- rows that no joint moves

  void drop_still_rows() {
    publish();
    const ModelData& m = model_.data();
    Probe probe(m, nullptr, 0);
    Assembly assembly(model_, kernels<double>());
    std::vector<double> q(static_cast<std::size_t>(m.nq));
    std::vector<double> moved(static_cast<std::size_t>(m.loop_row_count), 0), phi(moved);
    for (std::uint64_t seed = 1; seed <= still_samples; ++seed) {
      sample_configuration(model_, seed, q.data(), Sample::anywhere);
      assembly.evaluate(q.data(), nullptr, probe.data);
      for (const ClusterData& c : model_.loops.clusters) measure_rows(c, probe.data, moved, phi);
    }
    std::vector<double> offset;
    for (ClusterData& c : model_.loops.clusters) {
      double largest = 0;
      for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
        const LoopConstraintData& loop = model_.loops.constraints[static_cast<std::size_t>(l)];
        if (loop.kind != loop_geometric) continue;  // coefficients of couplings are not lengths
        for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r)
          largest = std::max(largest, moved[static_cast<std::size_t>(r)]);
      }
      const std::size_t first = offset.size();
      for (int l = c.constraint_begin; l < c.constraint_end; ++l)
        keep_moved_rows(l, largest, moved, phi, offset);
      c.row_begin = static_cast<std::int32_t>(first);
      c.row_count = static_cast<std::int32_t>(offset.size() - first);
    }
    model_.loops.offset = std::move(offset);
    model_.loops.K_size = 0;
    for (ClusterData& c : model_.loops.clusters) {
      c.K_begin = model_.loops.K_size;
      model_.loops.K_size += c.row_count * c.v_count;
    }
  }

  static void measure_rows(const ClusterData& c, const WorkspaceData<double>& w, std::vector<double>& moved,
                           std::vector<double>& phi) {
    for (int r = 0; r < c.row_count; ++r) {
      const std::size_t row = static_cast<std::size_t>(c.row_begin + r);
      phi[row] = w.loop_phi[row];
      for (int k = 0; k < c.v_count; ++k)
        moved[row] = std::max(moved[row], std::abs(w.loop_K[c.K_begin + k * c.row_count + r]));
    }
  }

  // Renumbers the rows of a constraint that are kept.
  void keep_moved_rows(int constraint, double largest, const std::vector<double>& moved,
                       const std::vector<double>& phi, std::vector<double>& offset) {
    LoopConstraintData& loop = model_.loops.constraints[static_cast<std::size_t>(constraint)];
    const std::string& name = model_.loops.names[static_cast<std::size_t>(constraint)];
    const std::int32_t begin = static_cast<std::int32_t>(offset.size());
    std::size_t row = static_cast<std::size_t>(loop.row_begin);
    if (loop.kind != loop_geometric) {
      for (int e = loop.entry_begin; e < loop.entry_end; ++e)
        model_.loops.coupling_entries[static_cast<std::size_t>(e)].row += begin - loop.row_begin;
      for (int r = 0; r < loop.row_count; ++r) offset.push_back(model_.loops.offset[row++]);
    } else {
      std::uint32_t kept = 0;
      for (std::uint32_t bit = 0; bit < 6; ++bit) {
        if (!(loop.rows >> bit & 1u)) continue;
        if (moved[row] > still_row * largest) {
          kept |= 1u << bit;
          offset.push_back(0);
        } else {
          check_still_row(constraint, bit, phi[row]);
        }
        ++row;
      }
      loop.rows = kept;
    }
    loop.row_begin = begin;
    loop.row_count = static_cast<std::int32_t>(offset.size()) - begin;
    if (loop.row_count == 0)
      warn(constraint, "loop " + quoted(name) + " constrains nothing: no joint moves its ends that way");
  }

  void warn(int constraint, const std::string& text) {
    model_.loops.warnings.push_back({constraint, model_.warnings.size()});
    model_.warnings.push_back(text);
  }

  void check_still_row(int constraint, std::uint32_t bit, double phi) {
    static constexpr const char* directions[] = {"turned against each other about x",
                                                 "turned about y",
                                                 "turned about z",
                                                 "apart along x",
                                                 "apart along y",
                                                 "apart along z"};
    if (std::abs(phi) < loop_tolerance) return;
    std::ostringstream text;
    text << "loop " << quoted(model_.loops.names[static_cast<std::size_t>(constraint)])
         << ": whatever the joints do, its ends stay " << directions[bit] << " (z is its axis) by "
         << std::abs(phi) << (bit < 3 ? " rad" : " m");
    if (std::abs(phi) > tolerated_gap)
      reject(mechanism_, Status::invalid_model,
             text.str() + "; correct the end frames, or use a type of loop that leaves this free");
    warn(constraint, text.str() + "; taken as closed");
  }

  // ---- clusters that couplings close one joint after the other

  // One equation: coefficient of the dependent joint times its position = offset - sum of the other entries.
  struct Substitution {
    std::int32_t entry_begin, entry_end;  // in loops.coupling_entries
    std::int32_t solved;                  // the entry of the dependent joint
  };

  // Orders the rows of a cluster so that each determines one declared dependent joint from joints already
  // known. Marks the cluster as constant if this gives every declared joint.
  void find_way(std::size_t cluster) {
    ClusterData& c = model_.loops.clusters[cluster];
    const std::vector<CouplingEntry>& entries = model_.loops.coupling_entries;
    std::vector<Substitution> rows;
    for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
      const LoopConstraintData& loop = model_.loops.constraints[static_cast<std::size_t>(l)];
      if (loop.kind != loop_coupling) return;
      for (std::int32_t e = loop.entry_begin; e < loop.entry_end;) {
        const std::int32_t begin = e, row = entries[static_cast<std::size_t>(e)].row;
        while (e < loop.entry_end && entries[static_cast<std::size_t>(e)].row == row) ++e;
        rows.push_back({begin, e, -1});
      }
    }
    const auto first = declared_.begin() + c.v_begin;
    if (rows.size() != static_cast<std::size_t>(c.row_count) ||
        std::count(first, first + c.v_count, char{1}) != c.row_count)
      return;
    std::vector<std::vector<std::size_t>> rows_with(static_cast<std::size_t>(c.v_count));
    std::vector<int> unknown(rows.size(), 0);
    std::vector<std::size_t> ready;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::int32_t e = rows[r].entry_begin; e < rows[r].entry_end; ++e) {
        const std::int32_t v = entries[static_cast<std::size_t>(e)].v_index;
        std::vector<std::size_t>& with = rows_with[static_cast<std::size_t>(v - c.v_begin)];
        if (!with.empty() && with.back() == r) return;  // a joint that is named twice
        with.push_back(r);
        unknown[r] += declared_[static_cast<std::size_t>(v)] ? 1 : 0;
      }
      if (unknown[r] == 1) ready.push_back(r);
    }
    std::vector<char> given(static_cast<std::size_t>(c.v_count), 0);
    std::vector<Substitution> way;
    Split split;
    for (std::size_t next = 0; next < ready.size(); ++next) {
      Substitution& row = rows[ready[next]];
      double largest = 0;
      for (std::int32_t e = row.entry_begin; e < row.entry_end; ++e) {
        const CouplingEntry& entry = entries[static_cast<std::size_t>(e)];
        largest = std::max(largest, std::abs(entry.coefficient));
        if (declared_[static_cast<std::size_t>(entry.v_index)] &&
            !given[static_cast<std::size_t>(entry.v_index - c.v_begin)])
          row.solved = e;
      }
      if (row.solved < 0) return;
      const CouplingEntry& solved = entries[static_cast<std::size_t>(row.solved)];
      if (!(std::abs(solved.coefficient) > sound_pivot * largest)) return;
      given[static_cast<std::size_t>(solved.v_index - c.v_begin)] = 1;
      split.dependent.push_back(solved.v_index);
      way.push_back(row);
      for (const std::size_t other : rows_with[static_cast<std::size_t>(solved.v_index - c.v_begin)])
        if (--unknown[other] == 1) ready.push_back(other);
    }
    if (way.size() != rows.size()) return;
    splits_[cluster] = std::move(split);
    ways_[cluster] = std::move(way);
    c.constant_G = 1;
  }

  bool has_way(std::size_t cluster) const { return !ways_[cluster].empty(); }

  // Dependent positions for neutral independent ones.
  void close_by_substitution(std::size_t cluster) {
    std::vector<double>& q = model_.loops.closed;
    for (const Substitution& row : ways_[cluster]) {
      const CouplingEntry& solved = model_.loops.coupling_entries[static_cast<std::size_t>(row.solved)];
      double sum = model_.loops.offset[static_cast<std::size_t>(solved.row)];
      for (std::int32_t e = row.entry_begin; e < row.entry_end; ++e) {
        const CouplingEntry& entry = model_.loops.coupling_entries[static_cast<std::size_t>(e)];
        if (e != row.solved) sum -= entry.coefficient * q[static_cast<std::size_t>(entry.q_index)];
      }
      q[static_cast<std::size_t>(solved.q_index)] = sum / solved.coefficient;
    }
  }

  // Rows of G of dependent coordinates; those of independent ones are already there.
  void fill_G_by_substitution(std::size_t cluster) {
    const ClusterData& c = model_.loops.clusters[cluster];
    double* G = model_.loops.G_initial.data() + c.G_begin;
    for (const Substitution& row : ways_[cluster]) {
      const CouplingEntry& solved = model_.loops.coupling_entries[static_cast<std::size_t>(row.solved)];
      for (std::int32_t e = row.entry_begin; e < row.entry_end; ++e) {
        if (e == row.solved) continue;
        const CouplingEntry& entry = model_.loops.coupling_entries[static_cast<std::size_t>(e)];
        const double ratio = -entry.coefficient / solved.coefficient;
        for (std::ptrdiff_t j = 0; j < c.y_count; ++j)
          G[j * c.v_count + solved.v_index - c.v_begin] +=
              ratio * G[j * c.v_count + entry.v_index - c.v_begin];
      }
    }
  }

  // ---- closed configurations

  void find_samples() {
    publish();
    const ModelData& m = model_.data();
    Probe probe(m, nullptr, 0);
    Assembly assembly(model_, kernels<double>());
    std::vector<double> q(static_cast<std::size_t>(m.nq));
    least_gap_.assign(samples_.size(), INFINITY);
    const auto enough = [&] {
      for (std::size_t i = 0; i < samples_.size(); ++i)
        if (!has_way(i) && samples_[i].size() < wanted_samples) return false;
      return true;
    };
    for (int start = 0; start < most_starts && !enough(); ++start) {
      if (start == 0)
        neutral_configuration(model_.nodes, q.data());
      else
        sample_configuration(model_, static_cast<std::uint64_t>(start), q.data(),
                             start % 2 ? Sample::within_limits : Sample::anywhere);
      assembly.close(q.data(), Assembly::Moves::all, probe.data);
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (has_way(i)) continue;
        const double gap = assembly.gap(static_cast<int>(i));
        least_gap_[i] = std::min(least_gap_[i], gap);
        if (gap < loop_tolerance) samples_[i].push_back(ends_.size());
      }
      ends_.push_back(q);
    }
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (!has_way(i) && samples_[i].empty()) fail_open(model_.loops.clusters[i], least_gap_[i]);
  }

  [[noreturn]] void fail_open(const ClusterData& c, double gap) const {
    if (!(gap < INFINITY))
      reject(mechanism_, Status::not_finite,
             "the loop of " + names_of(c) + " has no finite gap at any of " + std::to_string(most_starts) +
                 " configurations; let its function write finite numbers, and keep its lengths to what "
                 "doubles hold");
    bool couplings = true;
    for (int l = c.constraint_begin; l < c.constraint_end; ++l)
      couplings = couplings && model_.loops.constraints[static_cast<std::size_t>(l)].kind == loop_coupling;
    std::ostringstream text;
    if (couplings) {
      text << "the couplings " << names_of(c)
           << " contradict each other: no positions of their joints satisfy all";
    } else {
      text << "the loop of " << names_of(c) << " cannot be closed: from " << most_starts
           << " starts the smallest gap found is " << gap
           << " (m or rad); correct its end frames, axes or the joint origins on the way";
    }
    reject(mechanism_, Status::invalid_model, text.str());
  }

  // ---- dependent coordinates

  void choose_splits() {
    const std::vector<ClusterData>& clusters = model_.loops.clusters;
    Probe probe(model_.data(), nullptr, 0);
    Assembly assembly(model_, kernels<double>());
    std::vector<const std::vector<double>*> held(clusters.size(), nullptr);
    std::vector<std::size_t> next(clusters.size(), 0);
    for (std::size_t end = 0; end < ends_.size(); ++end) {
      assembly.evaluate(ends_[end].data(), nullptr, probe.data);
      for (std::size_t i = 0; i < clusters.size(); ++i) {
        if (next[i] == samples_[i].size() || samples_[i][next[i]] != end) continue;
        ++next[i];
        const Split split = split_columns(clusters[i], probe.data.loop_K + clusters[i].K_begin);
        const Split& best = splits_[i];
        const bool better =
            split.dependent.size() > best.dependent.size() ||
            (split.dependent.size() == best.dependent.size() && split.smallest > clear_gain * best.smallest);
        if (held[i] != nullptr && !better) continue;
        held[i] = &ends_[end];
        splits_[i] = split;
      }
    }
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const ClusterData& c = clusters[i];
      if (has_way(i)) {
        close_by_substitution(i);
        continue;
      }
      std::copy_n(held[i]->begin() + c.q_begin, c.q_count, model_.loops.closed.begin() + c.q_begin);
      warn_of_choice(c, splits_[i]);
    }
  }

  // Order of preference. 0: declared dependent, 1: a joint of one coordinate, 2: one of several.
  int rank_of_choice(int v) const {
    if (declared_[static_cast<std::size_t>(v)]) return 0;
    return model_.joints[static_cast<std::size_t>(model_.v_node[static_cast<std::size_t>(v)])].nv == 1 ? 1
                                                                                                       : 2;
  }

  // Modified Gram-Schmidt; pivots by rank_of_choice, then by length.
  Split split_columns(const ClusterData& c, const double* K) const {
    const std::size_t n = static_cast<std::size_t>(c.v_count), rows = static_cast<std::size_t>(c.row_count);
    std::vector<std::vector<double>> columns(n);
    for (std::size_t k = 0; k < n; ++k) columns[k].assign(K + k * rows, K + (k + 1) * rows);
    const auto length = [](const std::vector<double>& a) {
      double squares = 0;
      for (const double x : a) squares += x * x;
      return std::sqrt(squares);
    };
    double largest = 0;
    for (const auto& column : columns) largest = std::max(largest, length(column));
    Split split;
    std::vector<char> taken(n, 0);
    const auto take_all = [&](int choice, double threshold) {
      for (;;) {
        std::size_t pivot = n;
        double longest = threshold * largest;
        for (std::size_t k = 0; k < n; ++k) {
          if (taken[k] || (choice >= 0 && rank_of_choice(c.v_begin + static_cast<int>(k)) != choice))
            continue;
          // Rounding must not decide between equal lengths: machines would choose differently.
          const double size = length(columns[k]);
          if (size > (pivot < n ? 1 + tie : 1) * longest) longest = size, pivot = k;
        }
        if (pivot == n) return;
        taken[pivot] = 1;
        split.dependent.push_back(c.v_begin + static_cast<int>(pivot));
        split.smallest = std::min(split.smallest, longest / largest);
        project_out(columns, pivot, longest);
      }
    };
    if (largest > 0) {
      for (int choice = 0; choice < 3; ++choice) take_all(choice, sound_pivot);
      take_all(-1, least_pivot);
    }
    return split;
  }

  static void project_out(std::vector<std::vector<double>>& columns, std::size_t pivot, double length) {
    const std::vector<double> unit = [&] {
      std::vector<double> e = columns[pivot];
      for (double& x : e) x /= length;
      return e;
    }();
    for (std::vector<double>& column : columns) {
      // Twice is enough (W. Kahan): the second pass removes what rounding left.
      for (int pass = 0; pass < 2; ++pass) {
        double along = 0;
        for (std::size_t r = 0; r < unit.size(); ++r) along += unit[r] * column[r];
        for (std::size_t r = 0; r < unit.size(); ++r) column[r] -= along * unit[r];
      }
    }
  }

  void warn_of_choice(const ClusterData& c, const Split& split) {
    bool any_declared = false;
    for (int v = c.v_begin; v < c.v_begin + c.v_count; ++v)
      any_declared = any_declared || declared_[static_cast<std::size_t>(v)];
    if (!any_declared) return;
    std::vector<char> chosen(static_cast<std::size_t>(c.v_count), 0);
    for (const int v : split.dependent) chosen[static_cast<std::size_t>(v - c.v_begin)] = 1;
    for (int v = c.v_begin; v < c.v_begin + c.v_count; ++v) {
      const bool follows = chosen[static_cast<std::size_t>(v - c.v_begin)];
      const bool declared = declared_[static_cast<std::size_t>(v)];
      if (follows == declared) continue;
      const std::string& joint =
          model_.joints[static_cast<std::size_t>(model_.v_node[static_cast<std::size_t>(v)])].name;
      model_.warnings.push_back("joint " + quoted(joint) + " is declared " +
                                (declared ? "dependent, but " + names_of(c) + " leave it free"
                                          : "independent, but it follows from the others by " + names_of(c)));
    }
  }

  // ---- the result

  void number_coordinates() {
    Model::Loops& loops = model_.loops;
    std::vector<char> follows(static_cast<std::size_t>(model_.nv), 0);
    for (const Split& split : splits_)
      for (const int v : split.dependent) follows[static_cast<std::size_t>(v)] = 1;
    loops.y_index.assign(static_cast<std::size_t>(model_.nv), -1);
    for (std::int32_t v = 0; v < model_.nv; ++v) {
      if (follows[static_cast<std::size_t>(v)]) {
        loops.dependent.push_back(v);
      } else {
        loops.y_index[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(loops.independent.size());
        loops.independent.push_back(v);
      }
    }
    std::int32_t G_size = 0;
    for (ClusterData& c : loops.clusters) {
      const auto before = [&](const std::vector<std::int32_t>& list, std::int32_t v) {
        return static_cast<std::int32_t>(std::lower_bound(list.begin(), list.end(), v) - list.begin());
      };
      c.y_begin = before(loops.independent, c.v_begin);
      c.y_count = before(loops.independent, c.v_begin + c.v_count) - c.y_begin;
      c.d_begin = before(loops.dependent, c.v_begin);
      c.d_count = c.v_count - c.y_count;
      c.G_begin = G_size;
      G_size += c.v_count * c.y_count;
    }
    loops.G_initial.assign(static_cast<std::size_t>(G_size), 0.0);
    for (const ClusterData& c : loops.clusters)
      for (int j = 0; j < c.y_count; ++j)
        loops.G_initial[static_cast<std::size_t>(c.G_begin + j * c.v_count +
                                                 loops.independent[static_cast<std::size_t>(c.y_begin + j)] -
                                                 c.v_begin)] = 1;
  }

  // G of couplings, by the kernel that computes it for all other clusters.
  void fill_constant_blocks() {
    for (std::size_t i = 0; i < ways_.size(); ++i) fill_G_by_substitution(i);
    publish();
    if (model_.data().varying_clusters == 0) return;
    Probe probe(model_.data(), nullptr, 0);
    Assembly assembly(model_, kernels<double>());
    const std::vector<double>& q = model_.loops.closed;
    assembly.evaluate(q.data(), nullptr, probe.data);
    const int singular = kernels<double>().cluster_constraints(model_.data(), q.data(), nullptr, probe.data);
    if (singular >= 0)
      reject(mechanism_, Status::invalid_model,
             "the loop of " + names_of(model_.loops.clusters[static_cast<std::size_t>(singular)]) +
                 " is nearly singular at every configuration found; its joints hardly depend on each other");
    for (const ClusterData& c : model_.loops.clusters) check_kept(c, probe.data);
    for (ClusterData& c : model_.loops.clusters) {
      if (c.constant_G) continue;
      bool constant = true;
      for (int l = c.constraint_begin; l < c.constraint_end; ++l)
        constant = constant && model_.loops.constraints[static_cast<std::size_t>(l)].kind == loop_coupling;
      c.constant_G = constant;
      if (!constant) c.kind = kind_of(c);
      if (constant)
        std::copy_n(probe.data.G + c.G_begin, c.v_count * c.y_count,
                    model_.loops.G_initial.begin() + c.G_begin);
    }
  }

  // Checks K G = 0 for every row, also for rows that the split did not use: a row whose pivot is lost beside
  // much larger ones would otherwise be dropped silently. Rows that are zero here are skipped.
  void check_kept(const ClusterData& c, const WorkspaceData<double>& w) const {
    for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
      const LoopConstraintData& loop = model_.loops.constraints[static_cast<std::size_t>(l)];
      std::vector<std::vector<Entry>> rows;
      double largest = 0;
      for (int r = loop.row_begin - c.row_begin; r < loop.row_begin - c.row_begin + loop.row_count; ++r) {
        rows.push_back(entries_of_row(c, r, w));
        largest = std::max(largest, largest_of(rows.back()));
      }
      for (const std::vector<Entry>& row : rows)
        if (largest_of(row) > still_row * largest && !is_kept(c, row, w))
          reject(mechanism_, Status::invalid_model,
                 "the couplings and loops " + names_of(c) +
                     " do not hold in double precision: their ratios are too many powers of ten apart; bring "
                     "them nearer to each other");
    }
  }

  struct Entry {
    int column;
    double value;
  };
  static std::vector<Entry> entries_of_row(const ClusterData& c, int r, const WorkspaceData<double>& w) {
    std::vector<Entry> entries;
    for (int k = 0; k < c.v_count; ++k)
      if (const double value = w.loop_K[c.K_begin + k * c.row_count + r]; value != 0)
        entries.push_back({k, value});
    return entries;
  }
  static double largest_of(const std::vector<Entry>& row) {
    double largest = 0;
    for (const Entry& entry : row) largest = std::max(largest, std::abs(entry.value));
    return largest;
  }
  static bool is_kept(const ClusterData& c, const std::vector<Entry>& row, const WorkspaceData<double>& w) {
    const double scale = largest_of(row);
    for (int j = 0; j < c.y_count; ++j) {
      const double* G = w.G + c.G_begin + j * c.v_count;
      double rate = 0, terms = 1;  // at least 1: the independent coordinate itself
      for (const Entry& entry : row) {
        rate += entry.value / scale * G[entry.column];
        terms = std::max(terms, std::abs(G[entry.column]));
      }
      if (!(std::abs(rate) <= kept_row * terms)) return false;
    }
    return true;
  }

  // Planar if all joints are hinges about one coordinate axis and loops are closed by linear rows normal to
  // it.
  ClusterKind kind_of(const ClusterData& c) const {
    const std::int32_t kind = model_.nodes[static_cast<std::size_t>(c.node_begin)].kind;
    if (kind > joint_revolute_z) return cluster_general;
    for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i)
      if (model_.nodes[static_cast<std::size_t>(i)].kind != kind) return cluster_general;
    const int K = kind - joint_revolute_x, across[] = {(K + 1) % 3, (K + 2) % 3};
    for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
      const LoopConstraintData& loop = model_.loops.constraints[static_cast<std::size_t>(l)];
      if (loop.kind != loop_geometric) continue;
      if ((loop.rows & ~(8u | 16u)) != 0) return cluster_general;  // more than linear x and y
      for (const int i : across)
        if (std::abs(loop.predecessor_R[3 * i + 2]) > in_plane) return cluster_general;
    }
    return static_cast<ClusterKind>(cluster_planar_x + K);
  }

  const Mechanism& mechanism_;
  const std::vector<char>& declared_;
  Model& model_;
  std::vector<std::vector<double>> ends_;          // closed configurations of find_samples
  std::vector<std::vector<std::size_t>> samples_;  // per cluster: those of ends_ where it is closed
  std::vector<double> least_gap_;
  std::vector<Split> splits_;
  std::vector<std::vector<Substitution>> ways_;  // per cluster: empty if couplings alone do not determine it
};

}  // namespace

void analyse_loops(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model) {
  Analysis(mechanism, dependent, model).run();
}

}  // namespace tenon
