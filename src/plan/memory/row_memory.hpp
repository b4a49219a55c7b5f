// Settings of constraint rows, and memory of their solvers, sized once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/constrained/proximal_point.hpp"
#include "model/body_poses.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/memory_block.hpp"
#include "plan/row_factor.hpp"
#include "scalar/index.hpp"
#include "spatial/lanes.hpp"
#include "tenon/constraints.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

// Rotation row by row, and position.
inline void store_pose(const Pose& pose, double* numbers) {
  store(pose, numbers, numbers + 9);
}

// A frame on the link of a constraint, on its body.
inline Pose frame_in_body(const ConstraintSet& set, int constraint, const Pose& frame) {
  return set.model()->links[index(set.specs()[index(constraint)].link)].in_body * frame;
}

// What the setters of a workspace or batch wrote, in one place: a workspace and those that compute for it (on the model
// with folded rotors, on loops closed by rows) share it. And the same for the rows of one of them as kernels read it, which
// carries the revision of the settings that it was made of. The layout of memory stays that of the whole set.
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
  Settings(const Settings&) = delete;
  // `friction` goes to the vectors here if it is in those of the others.
  Settings& operator=(const Settings& other) {
    std::copy_n(other.gravity, 3, gravity);
    links = other.links, payloads = other.payloads, armature = other.armature;
    damping = other.damping, dry = other.dry, friction_room = other.friction_room;
    constraints = other.constraints, weight = other.weight, compliance = other.compliance;
    if (other.friction.room) apply_friction();
    ++revision;
    return *this;
  }
  void apply_friction() { friction = {damping.data(), dry.data(), friction_room.data()}; }
  std::size_t bytes() const {
    return bytes_of(links, payloads, armature, damping, dry, friction_room, constraints, weight, compliance);
  }

  double gravity[3];
  // Of joints, nv numbers each: viscous and dry friction. room: for the forces on joints with it. Null: there is none.
  struct JointFriction {
    const double *damping = nullptr, *dry = nullptr;
    double* room = nullptr;
  } friction;
  // What the setters of a workspace said of the robot (state/own_inertias.hpp); empty where they said nothing. Of links,
  // what they are made of and what they carry besides, and of velocity coordinates.
  std::vector<LinkInertia> links, payloads;
  std::vector<double> armature, damping, dry, friction_room;
  std::vector<Constraint> constraints;     // in the user's order
  std::vector<double> weight, compliance;  // of rows, in the user's order
  bool stabilised = true;                  // gains count; not so while an impact is computed (Unstabilised)
  std::uint64_t revision = 1;              // of what follows: setters count it up
};

struct RowSettings : Memory {
  // first_constraint, first_row: the place in the settings of what `set` holds.
  RowSettings(const ConstraintSet* set, const Settings& settings, int first_constraint, int first_row)
      : set_(set), first_constraint_(first_constraint), first_row_(first_row) {
    if (!set) return;
    data = set->data();
    const std::size_t rows = index(data.row_count), items = index(data.item_count);
    data.anchors = anchors = keep(std::vector<double>(12 * items));
    data.gains = gains = keep(std::vector<double>(2 * items));
    data.frames = frames = keep(std::vector<double>(12 * items));
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
      const ConstraintItem& item = data.items[i];
      const Settings::Constraint& own = settings.constraints[index(first_constraint_ + item.constraint)];
      const double frequency = settings.stabilised ? own.frequency : 0;
      gains[2 * i] = frequency, gains[2 * i + 1] = own.damping_ratio;
      data.poses = std::max(data.poses, needed_poses(item, frequency));
      data.some_inactive = data.some_inactive || !own.active;
      store_pose(own.anchor, &anchors[12 * i]);
      double* const frame = &frames[12 * i];
      if (own.moved)
        store_pose(frame_in_body(*set_, item.constraint, own.frame), frame);
      else
        std::copy_n(item.p, 3, std::copy_n(item.R, 9, frame));
      for (std::size_t r = index(item.row_begin); r < index(item.row_begin + item.row_count); ++r) {
        const std::size_t user = index(first_row_ + data.user_row[r]);
        active[r] = own.active ? 1 : 0;
        weight[r] = settings.weight[user], compliance[r] = settings.compliance[user];
      }
    }
  }

  ConstraintData data{};  // the data of the set, with the tables below
  double *anchors, *gains, *active, *frames, *weight, *compliance;

 private:
  const ConstraintSet* set_;
  int first_constraint_, first_row_;
  std::uint64_t revision_ = 0;
};

inline constexpr int proximal_window = 12;  // combined steps remembered

// Of the proximal iteration (solve/proximal.hpp).
struct ProximalScratch : Memory {
  explicit ProximalScratch(int row_count) {
    const std::size_t rows = index(row_count), window = rows * proximal_window;
    cut<double>({{&x.f, rows},
                 {&x.step, rows},
                 {&x.inv_mu, rows},
                 {&best, rows},
                 {&steps, window},
                 {&images, window}});
  }

  ProximalPoint<double> x;
  double* best;
  // window x rows: p_j and B p_j, the latter orthonormal in the metric of 1 / mu
  double *steps, *images;
};

// Of method dense (solve/dense.cpp).
struct DenseMemory {
  // c: may be null. coordinates: the size of M. room: room_size numbers, used only during a solve.
  DenseMemory(const ConstraintData* c, int coordinates, double* room)
      : factor(c ? c->row_count : 0, coordinates, room) {
    for (std::vector<double>* x : {&b, &unreachable, &slack}) x->assign(c ? index(c->row_count) : 0, 0.0);
  }
  static std::size_t room_size(const ConstraintData* c, int coordinates) {
    return c ? RowFactor::room_size(c->row_count, coordinates) : 0;
  }
  std::size_t bytes() const { return bytes_of(factor, b, unreachable, slack); }

  RowFactor factor;
  std::vector<double> b, unreachable, slack;
};

// Of inverse dynamics of robots with fewer motors than coordinates (calls/underactuated_inverse.cpp), for any set of
// motors.
struct UnderactuatedMemory {
  UnderactuatedMemory(int rows, int nv)
      : room(RowFactor::room_size(rows, nv), 0.0), factor(rows, nv, room.data()) {
    const std::size_t n = index(nv), m = index(rows);
    M.assign(n * n, 0.0), L = M;
    JLT.assign(m * n, 0.0);
    lambda.assign(m, 0.0);
    for (std::vector<double>* x : {&force, &missing, &size}) x->assign(n, 0.0);
    free.reserve(n);
  }
  std::size_t bytes() const { return bytes_of(room, factor, M, L, JLT, lambda, force, missing, size, free); }

  std::vector<double> room;
  RowFactor factor;
  std::vector<double> M, L;    // of all coordinates; the factor of those without motor
  std::vector<double> JLT;     // per row, kernels' order: nv numbers, J L^-T of the coordinates without motor
  std::vector<double> lambda;  // kernels' order
  std::vector<double> force, missing, size;  // of nv
  std::vector<std::int32_t> free;            // coordinates without motor
};

// Memory of the damped inverse of the Delassus matrix, sized once.
struct DampedInverseMemory {
  // constraints may be null. lanes_gain: see plan/choice/what_automatic_takes.hpp.
  DampedInverseMemory(const ModelData& m, const ConstraintData* constraints, double lanes_gain)
      : caba(m, constraints),
        osimf(m, constraints),
        automatic(damped_inverse_method(m, constraints, caba.data, lanes_gain)) {
    const std::size_t stride = index(whole_packs(constraints ? constraints->row_count : 0));
    for (std::vector<double>* v : {&damping, &inv_d, &b, &x}) v->assign(stride, 0.0);
    for (std::vector<double>* v : {&factor, &inverse}) v->assign(stride * stride, 0.0);
    scratch.assign(stride * (stride + 8), 0.0);
  }
  std::size_t bytes() const { return bytes_of(caba, osimf, damping, factor, inv_d, inverse, scratch, b, x); }

  // The method of the last factor_damped_delassus, for apply; automatic: none.
  DampedInverseMethod factored = DampedInverseMethod::automatic;
  bool on_folded = false;  // the folded form holds the factor
  bool formed = false;     // caba_osim has formed it, in order to detect redundant rows
  bool dependent = false;  // redundant rows, or rows that meet inside a cluster: pv_osimr took over
  CabaOsimMemory<double> caba;
  PvOsimfMemory<double> osimf;
  const DampedInverseMethod automatic;
  std::vector<double> damping;        // E, rows in the kernels' order
  std::vector<double> factor, inv_d;  // L D L^T of the damped matrix (kernels/constrained/dense_ldl.hpp)
  std::vector<double> inverse;        // column-major, stride whole_packs(rows)
  std::vector<double> scratch;        // the same, and eight vectors
  std::vector<double> b, x;           // vectors, whole packs
};

}  // namespace tenon
