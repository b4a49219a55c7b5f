// What the setters of a workspace or batch wrote, in one place: a workspace and those that compute for it (on the model
// with folded rotors, on loops closed by rows) share it. And the same for the rows of one of them as kernels read it,
// which carries the revision of the settings that it was made of. The layout of memory stays that of the whole set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plan/memory_block.hpp"
#include "scalar/index.hpp"
#include "tenon/constraints.hpp"

namespace tenon {

// Rotation row by row, and position.
inline void store_pose(const Pose& pose, double* numbers) {
  std::copy(pose.translation.begin(), pose.translation.end(),
            std::copy(pose.rotation.begin(), pose.rotation.end(), numbers));
}

struct Settings {
  struct Constraint {
    bool active = true;
    double frequency = 0, damping_ratio = 0;
    Pose anchor;
    bool moved = false;  // its frame is not where the set has it on its link, but at:
    Pose frame;
  };

  Settings(const double* gravity_, const ConstraintSet* set) {
    std::copy_n(gravity_, 3, gravity);
    if (!set) return;
    const ConstraintData& c = set->data();
    constraints.resize(set->specs().size());
    for (std::size_t i = 0; i < constraints.size(); ++i) constraints[i].frame = set->specs()[i].frame;
    weight.assign(index(c.row_count), 1.0);
    compliance.assign(index(c.row_count), 0.0);
    for (int i = 0; i < c.item_count; ++i) {
      Constraint& own = constraints[index(c.items[i].constraint)];
      own.frequency = c.gains[2 * i], own.damping_ratio = c.gains[2 * i + 1];
    }
    for (int r = 0; r < c.row_count; ++r) {
      weight[index(c.user_row[r])] = c.weight[r];
      compliance[index(c.user_row[r])] = c.compliance[r];
    }
  }
  std::size_t bytes() const { return bytes_of(constraints, weight, compliance); }

  double gravity[3];
  // Of joints, nv numbers each: viscous and dry friction. room: for the forces on joints with it. Null: there is none.
  struct JointFriction {
    const double *damping = nullptr, *dry = nullptr;
    double* room = nullptr;
  } friction;
  std::vector<Constraint> constraints;     // in the user's order
  std::vector<double> weight, compliance;  // of rows, in the user's order
  std::uint64_t revision = 1;              // of what follows: setters count it up
};

struct RowSettings : Memory {
  // first_constraint, first_row: the place in the settings of what `set` holds.
  RowSettings(const ConstraintSet* set, const Settings& settings, int first_constraint, int first_row)
      : set_(set), first_constraint_(first_constraint), first_row_(first_row) {
    if (!set) return;
    data = set->data();
    data.items = items_ = keep(std::vector<ConstraintItem>(data.items, data.items + data.item_count));
    const std::size_t rows = index(data.row_count), items = index(data.item_count);
    data.anchors = anchors = keep(std::vector<double>(12 * items));
    data.gains = gains = keep(std::vector<double>(2 * items));
    data.active = active = keep(std::vector<double>(rows));
    data.weight = weight = keep(std::vector<double>(rows));
    data.compliance = compliance = keep(std::vector<double>(rows));
    take(settings);
  }

  bool differ_from(const Settings& settings) const { return revision_ != settings.revision; }
  // Allocates nothing.
  void take(const Settings& settings) {
    revision_ = settings.revision;
    data.poses = ConstraintPoses::none;
    data.some_inactive = false;
    for (std::size_t i = 0; i < index(data.item_count); ++i) {
      ConstraintItem& item = items_[i];
      const Settings::Constraint& own = settings.constraints[index(first_constraint_ + item.constraint)];
      gains[2 * i] = own.frequency, gains[2 * i + 1] = own.damping_ratio;
      data.poses = std::max(data.poses, needed_poses(item, own.frequency));
      data.some_inactive = data.some_inactive || !own.active;
      store_pose(own.anchor, &anchors[12 * i]);
      if (own.moved) {
        const int link = set_->specs()[index(item.constraint)].link;
        const Pose in_body = set_->model()->links[index(link)].in_body * own.frame;
        std::copy(in_body.rotation.begin(), in_body.rotation.end(), item.R);
        std::copy(in_body.translation.begin(), in_body.translation.end(), item.p);
      }
      for (std::size_t r = index(item.row_begin); r < index(item.row_begin + item.row_count); ++r) {
        const std::size_t user = index(first_row_ + data.user_row[r]);
        active[r] = own.active ? 1 : 0;
        weight[r] = settings.weight[user], compliance[r] = settings.compliance[user];
      }
    }
  }

  ConstraintData data{};  // the data of the set, with the tables below
  double *anchors, *gains, *active, *weight, *compliance;

 private:
  const ConstraintSet* set_;
  ConstraintItem* items_ = nullptr;
  int first_constraint_, first_row_;
  std::uint64_t revision_ = 0;
};

}  // namespace tenon
