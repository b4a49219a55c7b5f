// Which loops cost less as rows than embedded. A cluster costs its size times the square of its freedom: a ring of 40
// links costs 40 times as much embedded as with its two rows. Contacts are not known here; each increases m.
#include <algorithm>

#include "model/body_poses.hpp"
#include "model/loops/loops.hpp"
#include "plan/choice/choice_constants.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "scalar/index.hpp"

namespace tenon {
namespace {

class Costs {
 public:
  explicit Costs(const Model& model) : model_(model), parent_(parents_of(model.nodes)) {
    for (const LoopConstraintData& c : model.loops.constraints) bodies_.push_back(tied_bodies(model, c));
  }

  double of(const std::vector<bool>& rows) const { return of_clusters(rows) + of_rows(rows); }

 private:
  double of_clusters(const std::vector<bool>& rows) const {
    std::vector<std::vector<std::int32_t>> tied;
    std::vector<double> held;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] || bodies_[i].empty()) continue;
      tied.push_back(bodies_[i]);
      held.push_back(model_.loops.constraints[i].row_count);
    }
    const std::vector<std::int32_t> cluster = form_clusters(parent_, tied);
    std::vector<double> n, v, d;
    const auto grow = [&](std::int32_t c) {
      for (auto* list : {&n, &v, &d}) list->resize(std::max(list->size(), index(c) + 1), 0.0);
      return index(c);
    };
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      if (cluster[i] < 0) continue;
      const std::size_t c = grow(cluster[i]);
      n[c] += 1;
      v[c] += model_.joints[i].nv;
    }
    for (std::size_t i = 0; i < tied.size(); ++i) d[index(cluster[index(tied[i].front())])] += held[i];
    double sum = 0;
    for (std::size_t c = 0; c < n.size(); ++c) {
      const double dependent = std::min(d[c], v[c]), y = v[c] - dependent;
      sum += n[c] * (loop_cost::cluster_body + loop_cost::cluster_body_y * y +
                     loop_cost::cluster_body_yy * y * y) +
             loop_cost::cluster_split * dependent * dependent * (dependent + y + 1);
    }
    return sum;
  }

  double of_rows(const std::vector<bool>& rows) const {
    double m = 0, sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i]) continue;
      const double own = model_.loops.constraints[i].row_count;
      m += own;
      sum += loop_cost::loop + loop_cost::row_body * own * static_cast<double>(bodies_[i].size());
    }
    return m > 0 ? loop_cost::call + sum + loop_cost::rows_squared * m * m + loop_cost::rows_cubed * m * m * m
                 : 0;
  }

  const Model& model_;
  std::vector<std::int32_t> parent_;
  std::vector<std::vector<std::int32_t>> bodies_;  // per constraint: those whose joints it ties
};

// Changes the treatment of one loop at a time, the best first, as long as the total gets cheaper.
double improve(const Costs& costs, const std::vector<bool>& may_be, std::vector<bool>& rows) {
  double cost = costs.of(rows);
  for (;;) {
    std::size_t best = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!may_be[i]) continue;
      rows[i] = !rows[i];
      if (const double changed = costs.of(rows); changed < cost) cost = changed, best = i;
      rows[i] = !rows[i];
    }
    if (best == rows.size()) return cost;
    rows[best] = !rows[best];
  }
}

}  // namespace

std::vector<bool> cheaper_as_rows(const Model& embedded, const std::vector<bool>& may_be,
                                  const std::vector<bool>& are) {
  if (std::find(may_be.begin(), may_be.end(), true) == may_be.end()) return are;
  const Costs costs(embedded);
  // Starts from both ends: where two loops tie the same cluster, turning one alone into rows may not help.
  std::vector<bool> few = are, many = are;
  for (std::size_t i = 0; i < may_be.size(); ++i) many[i] = many[i] || may_be[i];
  return improve(costs, may_be, few) <= improve(costs, may_be, many) ? few : many;
}

}  // namespace tenon
