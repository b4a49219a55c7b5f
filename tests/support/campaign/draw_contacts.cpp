// The contacts of the campaign.
#include <algorithm>
#include <cmath>

#include "support/campaign/drawing.hpp"
#include "support/closure_scene.hpp"

namespace tenon::testing {
namespace {

int any_link(Hand& h) {
  const int links = static_cast<int>(h.model.links.size());
  if (h.random.chance(0.5)) return h.random.integer(0, links - 1);
  // A link on which none hangs.
  std::vector<int> last;
  for (int i = 0; i < links; ++i)
    if (std::none_of(h.model.links.begin(), h.model.links.end(),
                     [&](const Model::Link& link) { return link.parent_link == i; }))
      last.push_back(i);
  return last[static_cast<std::size_t>(h.random.integer(0, static_cast<int>(last.size()) - 1))];
}

Pose any_frame(Hand& h) {
  return h.random.pose(0.3 * h.c.length);
}

RowAxes any_axes(Hand& h) {
  return h.random.chance(0.5) ? RowAxes::link : RowAxes::world;
}

void add(Hand& h, ConstraintSpec spec, int twin = -1) {
  spec.name = "contact_" + std::to_string(h.c.specs.size());
  if (twin < 0 && h.random.chance(0.3) && !h.c.calm) {
    spec.frequency = h.random.uniform(1, 10);
    if (h.random.chance(0.5)) spec.damping_ratio = h.random.uniform(0.5, 2);
  }
  h.c.specs.push_back(std::move(spec));
  h.c.twin.push_back(twin);
}

ConstraintSpec any_contact(Hand& h) {
  ConstraintSpec spec;
  spec.link = any_link(h), spec.frame = any_frame(h), spec.axes = any_axes(h);
  const double kind = h.random.uniform(0, 1);
  if (kind < 0.35)
    spec.rows = rows_linear;
  else if (kind < 0.55)
    spec.rows = rows_all;
  else if (kind < 0.8)
    spec.rows = static_cast<std::uint32_t>(h.random.integer(1, 63));
  else {
    for (int k = 0, count = 6 * h.random.integer(1, 4); k < count; ++k)
      spec.custom.push_back(h.random.uniform(-1, 1) * (k % 6 < 3 ? h.c.length : 1));
    spec.axes = RowAxes::link;
  }
  return spec;
}

int rows_so_far(const CampaignCase& c) {
  int rows = 0;
  for (const ConstraintSpec& spec : c.specs) rows += row_count(spec);
  return rows;
}

// How many rows go without hitting the limit of what can move.
int room(const Hand& h) {
  return std::max(1, h.model.ny * 3 / 5);
}

void add_mixed(Hand& h, int most_rows) {
  const int wanted = h.random.integer(1, 4);
  for (int i = 0; i < wanted; ++i) {
    ConstraintSpec spec = any_contact(h);
    if (i > 0 && rows_so_far(h.c) + row_count(spec) > most_rows) break;
    add(h, spec);
  }
}

void add_points(Hand& h, std::uint32_t rows, int most_rows) {
  const int wanted = h.random.integer(1, 4), each = rows == rows_all ? 6 : 3;
  for (int i = 0; i < wanted && (i == 0 || each * (i + 1) <= most_rows); ++i) {
    ConstraintSpec spec;
    spec.link = any_link(h), spec.frame = any_frame(h), spec.axes = any_axes(h), spec.rows = rows;
    add(h, spec);
  }
}

void add_weights(Hand& h) {
  const double reach = h.random.chance(0.3) ? 9 : 2;
  for (ConstraintSpec& spec : h.c.specs) {
    if (!h.random.chance(0.4)) continue;
    spec.weight.clear();
    for (int k = row_count(spec); k > 0; --k)
      spec.weight.push_back(std::exp(h.random.uniform(-reach, reach)));
  }
}

// Compliance of a row next to what it would be by the mass alone.
double typical_compliance(const Hand& h, const ConstraintSpec& spec, int k) {
  int row = 3;
  if (spec.custom.empty()) {
    unsigned bit = 0;
    for (int seen = -1; bit < 6; ++bit) {
      seen += static_cast<int>(spec.rows >> bit & 1u);
      if (seen == k) break;
    }
    row = static_cast<int>(bit);
  }
  return row < 3 ? 1 / (h.c.mass * h.c.length * h.c.length) : 1 / h.c.mass;
}

void add_compliance(Hand& h, ConstraintSpec& spec, double share, double orders) {
  spec.compliance.clear();
  for (int k = 0; k < row_count(spec); ++k) {
    const double size =
        orders > 0 ? std::pow(10, h.random.uniform(-orders, orders / 3)) : h.random.uniform(0, 0.5);
    spec.compliance.push_back(h.random.chance(share) ? size * typical_compliance(h, spec, k) : 0);
  }
}

void add_twins(Hand& h) {
  const std::size_t count = h.c.specs.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && !h.random.chance(0.5)) continue;
    ConstraintSpec spec = h.c.specs[i];
    add(h, spec, static_cast<int>(i));
    if (h.random.chance(0.2)) add(h, spec, static_cast<int>(i));
  }
}

// Corners of a sole: rows that depend on each other and agree while the link does not turn.
void add_sole(Hand& h) {
  ConstraintSpec spec;
  spec.link = any_link(h), spec.rows = rows_linear, spec.axes = any_axes(h);
  const int corners = h.random.integer(3, 5);
  for (int i = 0; i < corners; ++i) {
    spec.frame.translation = {h.c.length * (i % 2 ? 0.1 : -0.1), h.c.length * (i / 2 % 2 ? 0.05 : -0.05),
                              -0.02 * h.c.length};
    if (i == 4) spec.frame.translation = {0, 0, 0};
    add(h, spec);
  }
}

void add_soft_and_rigid(Hand& h) {
  const double kind = h.random.uniform(0, 1);
  ConstraintSpec spec = any_contact(h);
  if (kind < 0.3) {  // one contact, soft in some rows by very different amounts
    if (h.random.chance(0.5)) spec.rows = rows_all, spec.custom.clear();
    add_compliance(h, spec, 0.7, 9);
    add(h, spec);
  } else if (kind < 0.6) {  // twice, once soft
    add(h, spec);
    const int first = static_cast<int>(h.c.specs.size()) - 1;
    add_compliance(h, spec, h.random.chance(0.5) ? 1 : 0.5, h.random.chance(0.5) ? 9 : 0);
    add(h, spec, first);
    h.c.twins_agree = h.random.chance(0.5);
  } else {  // rigid and soft welds on the same link, more than it can obey
    spec.rows = rows_all, spec.custom.clear();
    for (int i = 0, count = h.random.integer(2, 3); i < count; ++i) {
      spec.frame = any_frame(h);
      spec.compliance.clear();
      if (i == 0 || h.random.chance(0.5)) add_compliance(h, spec, 0.7, h.random.chance(0.5) ? 6 : 0);
      add(h, spec);
    }
  }
}

// A link on the first moving joint of its branch, or the base.
int near_base(Hand& h) {
  std::vector<int> found;
  for (std::size_t i = 0; i < h.model.links.size(); ++i)
    if (h.model.links[i].body <= 2) found.push_back(static_cast<int>(i));
  if (found.empty()) return any_link(h);
  return found[static_cast<std::size_t>(h.random.integer(0, static_cast<int>(found.size()) - 1))];
}

void add_still(Hand& h) {
  const int wanted = h.random.integer(1, 3);
  for (int i = 0; i < wanted; ++i) {
    ConstraintSpec spec;
    spec.link = h.random.chance(0.6) ? near_base(h) : any_link(h);
    spec.axes = any_axes(h);
    spec.rows = h.random.chance(0.6) ? rows_linear : rows_all;
    if (h.random.chance(0.3)) spec.rows = static_cast<std::uint32_t>(h.random.integer(1, 63));
    // On the axis of the joint that moves the link, or beside it by anything down to rounding.
    const int joint = h.model.links[static_cast<std::size_t>(spec.link)].joint;
    if (joint >= 0) {
      const Vector3 axis = h.model.joints[static_cast<std::size_t>(joint)].axis;
      const double along = h.c.length * (h.random.chance(0.3) ? 0 : h.random.uniform(-0.5, 0.5));
      for (std::size_t k = 0; k < 3; ++k) spec.frame.translation[k] = along * axis[k];
      if (h.random.chance(0.4)) {
        const double beside = h.c.length * std::pow(10, -h.random.uniform(1, 17));
        const Vector3 off = h.random.direction();
        for (std::size_t k = 0; k < 3; ++k) spec.frame.translation[k] += beside * off[k];
      }
    }
    if (h.random.chance(0.5)) spec.frame.rotation = h.random.pose(0).rotation;
    add(h, spec);
  }
  if (h.random.chance(0.4)) add_mixed(h, rows_so_far(h.c) + room(h));
}

void add_closures(Hand& h) {
  ClosureOptions options;
  options.most = 3;
  options.most_rows = h.random.chance(0.5) ? room(h) : 20;
  options.weights = 0.2;
  options.stabilisation = h.c.calm ? 0 : 0.3;
  options.compliance = h.random.chance(0.2) ? 0.5 : 0;
  for (ConstraintSpec& spec : random_closures(h.random, h.model, h.oracle, options)) {
    h.c.specs.push_back(spec);
    h.c.twin.push_back(-1);
  }
  const int first = static_cast<int>(h.c.specs.size()) - 1;
  if (h.random.chance(0.25)) {
    const ConstraintSpec again = h.c.specs.back();
    add(h, again, first);
    h.c.twins_agree = h.random.chance(0.5);
  }
  if (h.random.chance(0.5)) add_mixed(h, rows_so_far(h.c) + room(h) / 2);
}

}  // namespace

void draw_contacts(Hand& h) {
  switch (h.c.contact_kind) {
    case ContactKind::points:
      add_points(h, rows_linear, room(h));
      break;
    case ContactKind::welds:
      add_points(h, rows_all, room(h));
      break;
    case ContactKind::mixed:
      add_mixed(h, room(h));
      if (h.random.chance(0.3)) add_weights(h);
      break;
    case ContactKind::agreeing:
      if (h.random.chance(0.3)) {
        add_sole(h);
      } else {
        add_mixed(h, room(h));
        add_twins(h);
      }
      if (h.random.chance(0.3)) add_weights(h);
      break;
    case ContactKind::contradicting:
      add_mixed(h, room(h));
      add_twins(h);
      h.c.twins_agree = false;
      if (h.random.chance(0.5)) add_weights(h);
      break;
    case ContactKind::soft:
      add_mixed(h, h.random.chance(0.5) ? room(h) : 30);
      if (h.random.chance(0.3)) add_twins(h);
      for (ConstraintSpec& spec : h.c.specs)
        if (h.random.chance(0.7)) add_compliance(h, spec, 0.5, 0);
      break;
    case ContactKind::soft_rigid:
      add_soft_and_rigid(h);
      if (h.random.chance(0.3)) add_mixed(h, rows_so_far(h.c) + room(h));
      break;
    case ContactKind::closures:
      add_closures(h);
      break;
    case ContactKind::still:
      add_still(h);
      break;
    case ContactKind::overfull:
      for (int i = 0; i < 12 && rows_so_far(h.c) <= std::min(40, h.model.ny); ++i) {
        ConstraintSpec spec = any_contact(h);
        if (h.random.chance(0.5)) spec.rows = rows_all, spec.custom.clear();
        add(h, spec);
      }
      if (h.random.chance(0.3)) add_weights(h);
      break;
  }
}

}  // namespace tenon::testing
