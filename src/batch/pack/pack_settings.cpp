#include "batch/pack/pack_settings.hpp"

#include "batch/lanes.hpp"
#include "scalar/index.hpp"

namespace tenon {

template <class N, int W>
void PackSettings<N, W>::take_rows(const BatchRows& rows, const ConstraintData& c,
                                   const std::size_t (&states)[W], PackNumbers<N, W>& n) {
  const bool fresh = rows.version != rows_taken_;
  rows_taken_ = rows.version;
  // copy(numbers of a state, lane), where the lanes have not got them.
  const auto take = [&](const PerState& from, const auto& copy) {
    const bool same = from.states == 1;
    for (int l = 0; (fresh || !same) && l < W; ++l) copy(from.of(same ? 0 : states[l]), l);
  };
  const auto take_items = [&](const PerState& from, std::size_t numbers, std::vector<Pack>& to) {
    take(from, [&](const double* x, int l) {
      for (std::size_t i = 0; i < index(c.item_count); ++i)
        fill_lane(x + numbers * index(c.items[i].constraint), numbers, &to[numbers * i][l], W);
    });
  };
  const auto take_of_rows = [&](const PerState& from, std::vector<Pack>& to) {
    take(from, [&](const double* x, int l) {
      for (int r = 0; r < c.row_count; ++r) to[index(r)][l] = static_cast<N>(x[c.user_row[r]]);
    });
  };
  take_items(rows.anchors, 12, n.anchors), take_items(rows.gains, 2, n.gains);
  take_items(rows.frames_in_bodies, 12, n.frames);
  take_of_rows(rows.weights, n.weights), take_of_rows(rows.compliance, n.compliance);
  take(rows.active, [&](const double* x, int l) {
    for (const ConstraintItem* item = c.items; item != c.items + c.item_count; ++item)
      for (std::int32_t r = item->row_begin; r < item->row_begin + item->row_count; ++r)
        n.active[index(r)][l] = static_cast<N>(x[item->constraint]);
  });
}

template <class N, int W>
void PackSettings<N, W>::take_robots(const BatchRobots& robots, const PackKernels<N, W>& kernels,
                                     const std::size_t (&states)[W], PackNumbers<N, W>& n) {
  if (robots.version == robots_taken_) return;
  const bool same = robots.same_in_all();
  struct Part {
    bool given;
    const PerState& from;
    std::vector<Pack>& to;
  };
  const Part parts[] = {{robots.own_bodies, robots.bodies, n.bodies},
                        {robots.own_bodies, robots.armature, n.armature},
                        {robots.own_friction, robots.damping, n.damping},
                        {robots.own_friction, robots.dry, n.dry},
                        {robots.own_gravity, robots.gravity, n.gravity}};
  for (const Part* part = parts; part != std::end(parts); ++part) {
    if (!part->given) continue;
    const auto numbers = static_cast<std::ptrdiff_t>(part->from.count),
               stride = part->from.states == 1 ? 0 : numbers;
    const StateList<N, Pack> list = {const_cast<N*>(part->from.template as<N>(0)), stride, numbers,
                                     part->to.data(), W * stride};
    LanesBeyond<N, W> none;  // setters took finite numbers alone
    kernels.exchange.gather_states(&list, 1, states, &none.bits);
  }
  robots_taken_ = same ? robots.version : 0;
}

template <class N, int W>
RowSettingsOf<Pack<N, W>> PackSettings<N, W>::of_rows(ConstraintPoses poses, bool some_inactive,
                                                      const PackNumbers<N, W>& n) {
  return {poses,           some_inactive,   n.anchors.data(), n.gains.data(),
          n.active.data(), n.frames.data(), n.weights.data(), n.compliance.data()};
}

TENON_FOR_ALL_PACKS(template class PackSettings)

}  // namespace tenon
