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
#include "plan/compile/loop_analysis.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "data/rank.hpp"
#include "kernels/kernel_table.hpp"
#include "mechanism/description.hpp"
#include "model/body_poses.hpp"
#include "plan/arena.hpp"
#include "plan/assembly.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/counted.hpp"
#include "scalar/index.hpp"
#include "tenon/loops.hpp"

namespace tenon {
namespace {

// A closed configuration may be singular, and symmetric linkages have two or three such; of four random ones,
// at least one is regular. Starts that cannot be closed are replaced.
constexpr int wanted_samples = 4, most_starts = 64;
constexpr int unmoved_row_samples = 5;  // configurations that are tried for a joint that moves a row
// m or rad, for a row that no joint moves: descriptions are rounded to about a tenth of a millimetre.
constexpr double tolerated_gap = 1e-3;
constexpr double least_pivot_gain = 1.5;  // factor of the smallest pivot that another sample must gain
constexpr double equal_share = 1e-6;      // lengths that differ by this share count as equal
constexpr double in_plane = 1e-12;        // rounding error of a component of a unit axis

// Columns of K chosen as dependent, best first.
struct Split {
  std::vector<int> dependent;
  double smallest = 1;  // smallest pivot over the largest column
};

class Analysis {
 public:
  Analysis(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model)
      : mechanism_(mechanism), declared_(dependent), model_(model), loops_(model.loops) {}

  void run() {
    drop_unmoved_rows();
    const std::size_t clusters = loops_.clusters.size();
    samples_.resize(clusters);
    splits_.resize(clusters);
    substitutions_.resize(clusters);
    for (std::size_t i = 0; i < clusters; ++i) {
      substitutions_[i] = find_substitutions(loops_, loops_.clusters[i], declared_, good_loop_pivot);
      loops_.clusters[i].constant_G = is_substituted(i);
      for (const Substitution& row : substitutions_[i])
        splits_[i].dependent.push_back(loops_.coupling_entries[index(row.solved)].v_index);
    }
    find_samples();
    loops_.closed.resize(index(model_.nq));
    neutral_configuration(model_.nodes, loops_.closed.data());
    choose_splits();
    number_coordinates();
    fill_constant_blocks();
  }

 private:
  // Evaluates loops of the part of the model that is complete so far.
  struct Probe {
    explicit Probe(const Model& model)
        : arena(model.data(), nullptr, 0), assembly(model, kernels<double>()) {}
    void evaluate(const std::vector<double>& q) { assembly.evaluate(q.data(), nullptr, data); }

    Arena<double> arena;
    Assembly assembly;
    WorkspaceData<double>& data = arena.data;
  };

  std::string names_of(const ClusterData& c) const {
    std::vector<std::string> names(loops_.names.begin() + c.constraint_begin,
                                   loops_.names.begin() + c.constraint_end);
    return quoted_list(names, 6);
  }

  bool has_couplings_alone(const ClusterData& c) const {
    const auto begin = loops_.constraints.begin();
    return std::all_of(begin + c.constraint_begin, begin + c.constraint_end,
                       [](const LoopConstraintData& loop) { return loop.kind == loop_coupling; });
  }

  void publish() { model_.publish({0, 0, 0}); }

  // ---- rows that no joint moves

  void drop_unmoved_rows() {
    publish();
    const ModelData& m = model_.data();
    Probe probe(model_);
    std::vector<double> q(index(m.nq));
    std::vector<double> moved(index(m.loop_row_count), 0), phi(moved);
    for (std::uint64_t seed = 1; seed <= unmoved_row_samples; ++seed) {
      sample_configuration(model_, seed, q.data(), Sample::anywhere);
      probe.evaluate(q);
      for (const ClusterData& c : loops_.clusters) measure_rows(c, probe.data, moved, phi);
    }
    std::vector<double> offset;
    for (ClusterData& c : loops_.clusters) {
      double largest = 0;
      for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
        const LoopConstraintData& loop = loops_.constraints[index(l)];
        if (loop.kind != loop_geometric) continue;  // coefficients of couplings are not lengths
        for (int r = loop.row_begin; r < loop.row_begin + loop.row_count; ++r)
          largest = std::max(largest, moved[index(r)]);
      }
      const std::size_t first = offset.size();
      for (int l = c.constraint_begin; l < c.constraint_end; ++l)
        keep_moved_rows(l, largest, moved, phi, offset);
      c.row_begin = static_cast<std::int32_t>(first);
      c.row_count = static_cast<std::int32_t>(offset.size() - first);
    }
    loops_.offset = std::move(offset);
    loops_.K_size = 0;
    for (ClusterData& c : loops_.clusters) {
      c.K_begin = loops_.K_size;
      loops_.K_size = counted(loops_.K_size + std::int64_t{c.row_count} * c.v_count, "the rows of its loops");
    }
  }

  static void measure_rows(const ClusterData& c, const WorkspaceData<double>& w, std::vector<double>& moved,
                           std::vector<double>& phi) {
    for (int r = 0; r < c.row_count; ++r) {
      const std::size_t row = index(c.row_begin + r);
      phi[row] = w.loop_phi[row];
      for (int k = 0; k < c.v_count; ++k)
        moved[row] = std::max(moved[row], std::abs(w.loop_K[c.K_begin + k * c.row_count + r]));
    }
  }

  // Renumbers the rows of a constraint that are kept.
  void keep_moved_rows(int constraint, double largest, const std::vector<double>& moved,
                       const std::vector<double>& phi, std::vector<double>& offset) {
    LoopConstraintData& loop = loops_.constraints[index(constraint)];
    const std::string& name = loops_.names[index(constraint)];
    const std::int32_t begin = count_of(offset);
    std::size_t row = index(loop.row_begin);
    if (loop.kind != loop_geometric) {
      for (int e = loop.entry_begin; e < loop.entry_end; ++e)
        loops_.coupling_entries[index(e)].row += begin - loop.row_begin;
      for (int r = 0; r < loop.row_count; ++r) offset.push_back(loops_.offset[row++]);
    } else {
      std::uint32_t kept = 0;
      for (std::uint32_t bit = 0; bit < 6; ++bit) {
        if (!(loop.rows >> bit & 1u)) continue;
        if (moved[row] > unmoved_loop_row * largest) {
          kept |= 1u << bit;
          offset.push_back(0);
        } else {
          check_unmoved_row(constraint, bit, phi[row]);
        }
        ++row;
      }
      loop.rows = kept;
    }
    loop.row_begin = begin;
    loop.row_count = count_of(offset) - begin;
    if (loop.row_count == 0)
      warn(constraint, "loop " + quoted(name) + " constrains nothing: no joint moves its ends that way");
  }

  void warn(int constraint, const std::string& text) {
    loops_.warnings.push_back({constraint, model_.warnings.size()});
    model_.warnings.push_back(text);
  }

  void check_unmoved_row(int constraint, std::uint32_t bit, double phi) {
    static constexpr const char* directions[] = {"turned against each other about x",
                                                 "turned about y",
                                                 "turned about z",
                                                 "apart along x",
                                                 "apart along y",
                                                 "apart along z"};
    if (std::abs(phi) < loop_tolerance) return;
    const std::string text =
        text_of("loop ", quoted(loops_.names[index(constraint)]), ": whatever the joints do, its ends stay ",
                directions[bit], " (z is its axis) by ", std::abs(phi), bit < 3 ? " rad" : " m");
    if (std::abs(phi) > tolerated_gap)
      reject(mechanism_, Status::invalid_model,
             text + "; correct the end frames, or use a type of loop that leaves this free");
    warn(constraint, text + "; taken as closed");
  }

  bool is_substituted(std::size_t cluster) const { return !substitutions_[cluster].empty(); }

  // ---- closed configurations

  void find_samples() {
    publish();
    const ModelData& m = model_.data();
    Probe probe(model_);
    std::vector<double> q(index(m.nq));
    least_gap_.assign(samples_.size(), INFINITY);
    const auto has_samples = [&] {
      for (std::size_t i = 0; i < samples_.size(); ++i)
        if (!is_substituted(i) && samples_[i].size() < wanted_samples) return false;
      return true;
    };
    for (int start = 0; start < most_starts && !has_samples(); ++start) {
      if (start == 0)
        neutral_configuration(model_.nodes, q.data());
      else
        sample_configuration(model_, static_cast<std::uint64_t>(start), q.data(),
                             start % 2 ? Sample::within_limits : Sample::anywhere);
      probe.assembly.close(q.data(), Assembly::Moves::all, probe.data);
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (is_substituted(i)) continue;
        const double gap = probe.assembly.gap(static_cast<int>(i));
        least_gap_[i] = std::min(least_gap_[i], gap);
        if (gap < loop_tolerance) samples_[i].push_back(ends_.size());
      }
      ends_.push_back(q);
    }
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (!is_substituted(i) && samples_[i].empty()) fail_open(loops_.clusters[i], least_gap_[i]);
  }

  [[noreturn]] void fail_open(const ClusterData& c, double gap) const {
    if (!(gap < INFINITY))
      reject(mechanism_, Status::not_finite,
             "the loop of " + names_of(c) + " has no finite gap at any of " + std::to_string(most_starts) +
                 " configurations; let its function write finite numbers, and keep its lengths to what "
                 "doubles hold");
    if (has_couplings_alone(c))
      reject(mechanism_, Status::invalid_model,
             "the couplings " + names_of(c) +
                 " contradict each other: no positions of their joints satisfy all");
    reject(mechanism_, Status::invalid_model,
           text_of("the loop of ", names_of(c), " cannot be closed: from ", most_starts,
                   " starts the smallest gap found is ", gap,
                   " (m or rad); correct its end frames, axes or the joint origins on the way"));
  }

  // ---- dependent coordinates

  void choose_splits() {
    const std::vector<ClusterData>& clusters = loops_.clusters;
    Probe probe(model_);
    std::vector<const std::vector<double>*> held(clusters.size(), nullptr);
    std::vector<std::size_t> next(clusters.size(), 0);
    for (std::size_t end = 0; end < ends_.size(); ++end) {
      probe.evaluate(ends_[end]);
      for (std::size_t i = 0; i < clusters.size(); ++i) {
        if (next[i] == samples_[i].size() || samples_[i][next[i]] != end) continue;
        ++next[i];
        const Split split = split_columns(clusters[i], probe.data.loop_K + clusters[i].K_begin);
        const Split& best = splits_[i];
        const bool better = split.dependent.size() > best.dependent.size() ||
                            (split.dependent.size() == best.dependent.size() &&
                             split.smallest > least_pivot_gain * best.smallest);
        if (held[i] != nullptr && !better) continue;
        held[i] = &ends_[end];
        splits_[i] = split;
      }
    }
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const ClusterData& c = clusters[i];
      if (is_substituted(i)) {
        close_by_substitution(substitutions_[i], loops_);
        continue;
      }
      std::copy_n(held[i]->begin() + c.q_begin, c.q_count, loops_.closed.begin() + c.q_begin);
      warn_of_choice(c, splits_[i]);
    }
  }

  // Order of preference. 0: declared dependent, 1: a joint of one coordinate, 2: one of several.
  int rank_of_choice(int v) const {
    if (declared_[index(v)]) return 0;
    return model_.joints[index(model_.v_node[index(v)])].nv == 1 ? 1 : 2;
  }

  // Modified Gram-Schmidt; pivots by rank_of_choice, then by length.
  Split split_columns(const ClusterData& c, const double* K) const {
    Eigen::MatrixXd columns = Eigen::Map<const Eigen::MatrixXd>(K, c.row_count, c.v_count);
    double largest = 0;
    for (int k = 0; k < c.v_count; ++k) largest = std::max(largest, columns.col(k).norm());
    Split split;
    std::vector<char> taken(index(c.v_count), 0);
    const auto take_all = [&](int choice, double threshold) {
      for (;;) {
        int pivot = -1;
        double longest = threshold * largest;
        for (int k = 0; k < c.v_count; ++k) {
          if (taken[index(k)] || (choice >= 0 && rank_of_choice(c.v_begin + k) != choice)) continue;
          // Rounding must not decide between equal lengths: machines would choose differently.
          const double size = columns.col(k).norm();
          if (size > (pivot >= 0 ? 1 + equal_share : 1) * longest) longest = size, pivot = k;
        }
        if (pivot < 0) return;
        taken[index(pivot)] = 1;
        split.dependent.push_back(c.v_begin + pivot);
        split.smallest = std::min(split.smallest, longest / largest);
        const Eigen::VectorXd unit = columns.col(pivot) / longest;
        // Two passes are enough (W. Kahan): the second removes what rounding errors of the first left.
        for (int pass = 0; pass < 2; ++pass) columns -= unit * (unit.transpose() * columns);
      }
    };
    if (largest > 0) {
      for (int choice = 0; choice < 3; ++choice) take_all(choice, good_loop_pivot);
      take_all(-1, least_loop_pivot);
    }
    return split;
  }

  void warn_of_choice(const ClusterData& c, const Split& split) {
    const auto first = declared_.begin() + c.v_begin;
    if (std::find(first, first + c.v_count, char{1}) == first + c.v_count) return;
    std::vector<char> chosen(index(c.v_count), 0);
    for (const int v : split.dependent) chosen[index(v - c.v_begin)] = 1;
    for (int v = c.v_begin; v < c.v_begin + c.v_count; ++v) {
      const bool declared = declared_[index(v)];
      if (declared == (chosen[index(v - c.v_begin)] != 0)) continue;
      const std::string& joint = model_.joints[index(model_.v_node[index(v)])].name;
      model_.warnings.push_back("joint " + quoted(joint) + " is declared " +
                                (declared ? "dependent, but " + names_of(c) + " leave it free"
                                          : "independent, but it follows from the others by " + names_of(c)));
    }
  }

  // ---- the result

  void number_coordinates() {
    std::vector<char> follows(index(model_.nv), 0);
    for (const Split& split : splits_)
      for (const int v : split.dependent) follows[index(v)] = 1;
    loops_.y_index.assign(index(model_.nv), -1);
    for (std::int32_t v = 0; v < model_.nv; ++v) {
      if (follows[index(v)]) {
        loops_.dependent.push_back(v);
      } else {
        loops_.y_index[index(v)] = count_of(loops_.independent);
        loops_.independent.push_back(v);
      }
    }
    std::int32_t G_size = 0;
    for (ClusterData& c : loops_.clusters) {
      const auto before = [&](const std::vector<std::int32_t>& list, std::int32_t v) {
        return static_cast<std::int32_t>(std::lower_bound(list.begin(), list.end(), v) - list.begin());
      };
      c.y_begin = before(loops_.independent, c.v_begin);
      c.y_count = before(loops_.independent, c.v_begin + c.v_count) - c.y_begin;
      c.d_begin = before(loops_.dependent, c.v_begin);
      c.d_count = c.v_count - c.y_count;
      c.G_begin = G_size;
      G_size = counted(G_size + std::int64_t{c.v_count} * c.y_count, "its loops");
    }
    loops_.G_initial.assign(index(G_size), 0.0);
    for (const ClusterData& c : loops_.clusters)
      for (int j = 0; j < c.y_count; ++j)
        loops_.G_initial[index(c.G_begin + j * c.v_count + loops_.independent[index(c.y_begin + j)] -
                               c.v_begin)] = 1;
  }

  // G of couplings, by the kernel that computes it for all other clusters.
  void fill_constant_blocks() {
    for (std::size_t i = 0; i < substitutions_.size(); ++i)
      fill_G_by_substitution(substitutions_[i], loops_.clusters[i], loops_);
    publish();
    if (model_.data().varying_clusters == 0) return;
    Probe probe(model_);
    probe.evaluate(loops_.closed);
    const int singular =
        kernels<double>().cluster_constraints(model_.data(), loops_.closed.data(), nullptr, probe.data);
    if (singular >= 0)
      reject(mechanism_, Status::invalid_model,
             "the loop of " + names_of(loops_.clusters[index(singular)]) +
                 " is nearly singular at every configuration found; its joints hardly depend on each other");
    for (const ClusterData& c : loops_.clusters) check_kept(c, probe.data);
    for (ClusterData& c : loops_.clusters) {
      if (c.constant_G) continue;
      c.constant_G = has_couplings_alone(c);
      if (!c.constant_G)
        c.kind = kind_of(c);
      else
        std::copy_n(probe.data.G + c.G_begin, c.v_count * c.y_count, loops_.G_initial.begin() + c.G_begin);
    }
  }

  // Checks K G = 0 for every row, also for rows that the split did not use: a row whose pivot is lost beside
  // much larger ones would otherwise be dropped silently. Rows that are zero here are skipped.
  void check_kept(const ClusterData& c, const WorkspaceData<double>& w) const {
    for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
      const LoopConstraintData& loop = loops_.constraints[index(l)];
      std::vector<std::vector<Entry>> rows;
      double largest = 0;
      for (int r = loop.row_begin - c.row_begin; r < loop.row_begin - c.row_begin + loop.row_count; ++r) {
        rows.push_back(entries_of_row(c, r, w));
        largest = std::max(largest, largest_of(rows.back()));
      }
      for (const std::vector<Entry>& row : rows)
        if (largest_of(row) > unmoved_loop_row * largest && !is_kept(c, row, w))
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
      if (!(std::abs(rate) <= lost_loop_row * terms)) return false;
    }
    return true;
  }

  // Planar if all joints are hinges about one coordinate axis and loops are closed by linear rows normal to
  // it.
  ClusterKind kind_of(const ClusterData& c) const {
    const std::int32_t kind = model_.nodes[index(c.node_begin)].kind;
    if (kind > joint_revolute_z) return cluster_general;
    for (int i = c.node_begin; i < c.node_begin + c.node_count; ++i)
      if (model_.nodes[index(i)].kind != kind) return cluster_general;
    const int K = kind - joint_revolute_x, across[] = {(K + 1) % 3, (K + 2) % 3};
    for (int l = c.constraint_begin; l < c.constraint_end; ++l) {
      const LoopConstraintData& loop = loops_.constraints[index(l)];
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
  Model::Loops& loops_;
  std::vector<std::vector<double>> ends_;          // closed configurations of find_samples
  std::vector<std::vector<std::size_t>> samples_;  // per cluster: those of ends_ where it is closed
  std::vector<double> least_gap_;
  std::vector<Split> splits_;
  std::vector<std::vector<Substitution>>
      substitutions_;  // per cluster; empty if couplings alone do not determine it
};

}  // namespace

void analyse_loops(const Mechanism& mechanism, const std::vector<char>& dependent, Model& model) {
  Analysis(mechanism, dependent, model).run();
}

}  // namespace tenon
