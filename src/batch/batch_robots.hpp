// What robots of a batch have of their own: inertias of links, armatures and friction of joints, gravity; for each
// state or the same for all. The structure of the model stays: what is lumped together, and the frames of bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "batch/per_state.hpp"
#include "tenon/workspace.hpp"

namespace tenon {

class BatchRobots {
 public:
  explicit BatchRobots(const std::shared_ptr<const Model>& model);

  // Throws Error, with the number of the state and the link or coordinate, where a number is wrong; then nothing has
  // changed.
  void set(std::size_t states, const BatchParameters& given, bool single_precision);
  void forget_gravity() { own_gravity = false, ++version; }
  // Writes what is given, all of as many states as were set, or of one. usual_gravity: where none was set.
  void write(std::size_t states, const BatchParameters& to, const double* usual_gravity,
             bool single_precision) const;

  // Whether a function asks for robots of their own.
  bool serve(BatchFunction function) const {
    return (own_bodies || own_friction || own_gravity) && function != BatchFunction::kinematics &&
           function != BatchFunction::anchor_here;
  }
  bool same_in_all() const;
  Status check(const BatchCall& call, char* message, std::size_t message_size) const;
  std::size_t bytes() const;

  // Of bodies mass, mass times centre, inertia: ten numbers each as WorkspaceData::body_inertia has them. Of velocity
  // coordinates armature, damping and dry friction.
  PerState bodies, armature, damping, dry, gravity;
  // Of links, what they are made of and what they carry: mass, centre of mass, inertia, ten numbers each.
  PerState links, payloads;
  bool own_bodies = false;  // some inertia or armature is not the model's
  bool own_friction = false, own_gravity = false;
  std::uint64_t version = 1;

 private:
  // Of links, where one of the arrays is given; the others are those of `usual`, ten numbers a link.
  PerState links_of(std::size_t states, const BatchArray& masses, const BatchArray& centers,
                    const BatchArray& inertias, const std::vector<double>& usual, bool single_precision,
                    const char* what) const;
  // nodes_ := those of links and, if not null, of what they carry.
  void lump(const double* links_, const double* payloads_);
  PerState of_joints(std::size_t states, const BatchArray& given, bool single_precision,
                     const char* what) const;
  PerState bodies_of(const PerState& links_, const PerState& payloads_);
  void check_bodies(const PerState& links_, const PerState& armature_);

  const std::shared_ptr<const Model> model_;
  std::vector<NodeData> nodes_;  // with the inertias of the state that is looked at
  std::vector<double> node_armature_;
  const bool checked_;                              // the inertias of the model are such as bodies can have
  std::vector<double> usual_bodies_, usual_links_;  // of the model
};

// The workspace that computes a state one by one: that of the batch, with the settings of the state, or another, whose
// bodies have the inertias of the state, rotors among them.
class RobotOfState {
 public:
  explicit RobotOfState(Workspace& usual) : usual_(usual) {}
  ~RobotOfState();

  // Makes the memory for calls with these robots.
  void prepare(const BatchRobots& robots, Instructions instructions);
  Workspace& take(const BatchRobots& robots, std::size_t state);
  // That with inertias of its own; null: not made.
  Workspace* own() const { return own_.get(); }
  // Afterwards: joints are without friction again.
  void leave();
  std::size_t bytes() const;

 private:
  Workspace& usual_;
  std::unique_ptr<Workspace> own_;
  std::vector<double> room_;
  std::uint64_t taken_ = 0;  // version of the robots that the model has; 0: those of one state
};

}  // namespace tenon
