// A compiled robot: immutable, shared by any number of threads.
//
// Every link of the description stays addressable as a frame, also behind a fixed joint. Bodies are what
// moves: links joined by fixed joints are lumped into one body; bodies are numbered depth first, so that a
// parent precedes its children. The frame of a body is chosen for speed and never shown: users give and get
// coordinates in link frames, in the joint coordinates of their description.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/model_data.hpp"
#include "tenon/mechanism.hpp"
#include "tenon/status.hpp"

namespace tenon {

struct CompileOptions {
  bool floating_base = false;
  std::string floating_joint_name = "root_joint";
  Vector3 gravity = {0, 0, -9.81};
  // Of loops that do not say it themselves (MechanismLoop::treatment). open applies to all loops, and to
  // couplings, gears and implicit constraints too, which are embedded otherwise.
  LoopTreatment loops = LoopTreatment::embed;
  bool tolerant_inertias = false;
};

struct Model {
  // A link or an extra frame. body -1 is the world.
  struct Link {
    std::string name;
    int body;
    Pose in_body;     // pose of the link frame in its body frame
    int parent_link;  // -1 for the root
    int joint;        // the moving joint it hangs on directly, -1 if fixed or the root of a fixed base
    double mass;
    Vector3 center_of_mass;         // link frame
    std::array<double, 6> inertia;  // about the centre of mass, link axes
    bool is_frame;                  // an extra frame, not a link
  };
  // A moving joint (fixed ones are gone). Joint i moves body i. A universal joint becomes two joints with a
  // massless body between them: both report the same parent link; only the second one ("..._2") reports a
  // child link, the first -1. Limits, armature, damping and friction are those of both.
  struct Joint {
    std::string name;
    JointType type;  // never fixed or universal
    int parent_link, child_link;
    int q_index, v_index, nq, nv;
    Vector3 axis;  // unit, in the joint frame; zero for spherical and floating joints
    JointLimits limits;
    double armature, damping, friction;
    Pose origin;  // of the joint frame in the parent link, or the world; of both joints of a universal one
    double pitch = 0;  // of screws

    // The quaternion of spherical and floating joints is the last four of their positions.
    bool has_quaternion() const { return nq > nv; }
    int quaternion() const { return q_index + nq - 4; }
  };

  Model() = default;
  // data() points into this object.
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Checks and compiles. Throws Error (invalid_model, invalid_inertia, unsupported, ...) naming the link or
  // joint.
  static std::shared_ptr<const Model> compile(const Mechanism& mechanism, const CompileOptions& options = {});

  std::string name;
  std::vector<Link> links;    // in the order of the description, then the extra frames
  std::vector<Joint> joints;  // depth first; joints[i] moves body i
  std::vector<std::string> warnings;
  int nq = 0, nv = 0;
  int ny = 0;                  // independent velocity coordinates; nv without kinematic loops
  int depth = 0;               // bodies on the longest path
  double total_mass = 0;       // of all links, those fixed to the world included
  bool floating_base = false;  // the root body hangs on a floating joint

  int body_count() const { return static_cast<int>(nodes.size()); }
  // -1 when there is none.
  int find_link(std::string_view link_name) const;
  int find_joint(std::string_view joint_name) const;
  int root_link() const;
  // The tree as indented text, one body a line, with the lumped links, joint kinds, axes and masses.
  std::string describe() const;

  const ModelData& data() const { return data_; }

  // The arrays that data() points to.
  std::vector<NodeData> nodes;
  std::vector<std::int32_t> v_parent, v_node;
  std::vector<double> armature, v_sign;
  struct LoopCallback {
    std::function<void(const double* q, const double* v, double* phi, double* K, double* Kdot_v)> evaluate;
    std::vector<std::int32_t> q_index, v_index;  // of the joints it constrains, in its order
  };
  struct Loops {
    std::vector<ClusterData> clusters;
    std::vector<LoopConstraintData> constraints;
    std::vector<CouplingEntry> coupling_entries;
    // The ratio of which an entry is the negative, and the first ratio of a constraint; -1: none. A coupling's are those of
    // MechanismCoupling column by column, one of a gear.
    std::vector<std::int32_t> entry_ratio, first_ratio;
    std::int32_t ratio_count = 0;
    std::vector<std::int32_t> node_cluster, y_index, independent, dependent;
    std::vector<std::int32_t> independent_q;  // positions of joints all of whose coordinates are independent
    std::vector<double> offset, G_initial;
    std::vector<LoopCallback> callbacks;
    std::vector<std::string> names;  // per constraint
    // The entry of Model::warnings about one constraint.
    struct Warning {
      std::int32_t constraint;
      std::size_t index;
    };
    std::vector<Warning> warnings;
    std::vector<double> closed;  // a configuration (nq) at which all loops are closed and none is singular
    std::int32_t K_size = 0, callback_scratch = 0;
  } loops;
  // Loops that closure rows keep closed (LoopTreatment::rows). Every constraint set on the model has these
  // rows after the user's; a workspace without a set has them alone.
  struct RowLoop {
    std::string name;
    int predecessor, successor;  // links
    Pose predecessor_frame, successor_frame;
    std::uint32_t rows;  // as ConstraintSpec::rows; those that some joint moves
  };
  std::vector<RowLoop> row_loops;
  // Loops::constraints, then row_loops.
  int loop_count() const { return static_cast<int>(loops.constraints.size() + row_loops.size()); }
  // The same mechanism with these loops embedded too, which closes configurations, and the places of its
  // coordinates and loops in this model (-1: a loop that constrains nothing). Null without such loops.
  struct Closing {
    std::shared_ptr<const Model> model;
    std::vector<std::int32_t> q, v, loop;
  };
  std::unique_ptr<const Closing> closing;

  std::vector<RotorData> rotors;
  std::vector<RotorDrive> rotor_drives;
  std::vector<double> spin, cluster_F_initial, cluster_D_initial, cluster_U_initial;

  // The same robot without the rotors that fold into their carriers (model/fold_rotors.cpp), on which
  // dynamics are computed, and the numbers of its nodes and coordinates, and of the rotors, in this model.
  struct Folding {
    std::shared_ptr<const Model> model;
    std::vector<std::int32_t> node, q, v, rotor_node;

    // The bodies of the folded model with the coordinates and armatures of this one: what inverse dynamics
    // needs, which takes and returns the numbers of all joints (kernels/tree/rnea.hpp). Clusters are left out,
    // rotors have all of their inertia. `spanning` points to the arrays.
    std::vector<NodeData> spanning_nodes;
    std::vector<RotorData> spanning_rotors;
    std::vector<double> spanning_armature;
    ModelData spanning{};
    // Whether all of the folded model's velocity coordinates are independent: only rotors follow others.
    bool rotors_alone_follow = false;
  };
  std::unique_ptr<const Folding> folding;  // null where no rotor folds

  // Makes data() point to the arrays above, once they are complete.
  void publish(const Vector3& gravity);

 private:
  ModelData data_{};
};

}  // namespace tenon
