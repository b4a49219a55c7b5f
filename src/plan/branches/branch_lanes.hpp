// Branch lanes: which bodies of a tree are swept side by side (kernels/branches/branch_data.hpp), and the
// memory of these sweeps.
//
// A limb is a chain, without branches, of bodies and of clusters, of joints with one degree of freedom. Limbs
// whose clusters are alike and whose joints are of
// the same kinds, none of them above another, share a bundle, up to branch_width of them. Bodies above limbs
// that have no such partner are the trunk, so that parents come before their limbs: of Go1, the base is the
// trunk and the four legs are a bundle; of a humanoid, pelvis, back and neck are the trunk, the legs a bundle
// and the arms another; fingers are bundles whose parents lie in the bundle of the hands.
//
// A folded rotor belongs to the limb whose joint drives it, if it lies on that limb or on the limb's parent, and
// else to the limb it lies on. Limbs of a bundle have the same rotors at the same joints.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "kernels/branches/branch_data.hpp"
#include "plan/choice/what_automatic_takes.hpp"
#include "plan/memory/kernel_memory.hpp"
#include "plan/memory_block.hpp"
#include "scalar/index.hpp"

namespace tenon {

class BranchLanes {
 public:
  using N = Pack<double, branch_width>;

  // Null where branch lanes would not pay (always: where no two limbs are alike), and without kernels. c: null
  // without rows. w: the workspace of the model, for G, g and what rotors do; null for a tree of joints alone
  // (Model::Folding::spanning), for inverse dynamics. gravity: of the workspace, which must live longer.
  static std::unique_ptr<BranchLanes> make(const ModelData& m, const ConstraintData* c,
                                           const WorkspaceData<double>* w, const double* gravity,
                                           const KernelTable<double>& trunk_kernels,
                                           const BranchKernels<branch_width>* kernels, bool always);

  std::size_t bytes() const;
  bool runs(const BranchKernels<branch_width>* kernels) const { return kernels_ == kernels; }

  // aba and rnea of kernels/kernel_table.hpp. The clusters have the independent coordinates of the model.
  bool aba(const Inputs<double>& in, double* qdd) { return kernels_->aba(data_, in, qdd); }
  void rnea(const Inputs<double>& in, double* tau) { kernels_->rnea(data_, in, tau); }
  // The memory of products with derivatives, of joints alone.
  void make_products();
  // Whether, after that, products with derivatives of forward dynamics can be taken, of joints alone; and those of inverse dynamics pay.
  bool takes_products() const { return joints_alone(); }
  bool takes_inverse_products() const { return takes_inverse_products_; }
  // After aba or a Delassus matrix x := M^-1 (x + J^T forces), and motions := J x; null: none. Rows only where products take them.
  void inverse_mass_times(double* x, const double* forces = nullptr, double* motions = nullptr) {
    kernels_->inverse_mass_times(data_, x, forces, motions);
  }
  // Torques (null: not wanted), and x as rnea_vjp and rnea_jvp of packs. in.qdd: not null.
  void rnea_vjp(const Inputs<double>& in, const TreeProduct<double>& x, double* tau) {
    kernels_->rnea_vjp(data_, in, x, tau);
  }
  void rnea_jvp(const Inputs<double>& in, const TreeProduct<double>& x, double* tau) {
    kernels_->rnea_jvp(data_, in, x, tau);
  }
  // Whether they can be taken with rows and pay: all of these are on limbs, and pv_osimr can be used.
  bool takes_row_products() const { return takes_row_products_; }
  // The same, after constraint_state of row_sweeps. in.wrenches: without those of rows.
  void row_accelerations(double* Ka) { kernels_->row_accelerations(data_, Ka); }
  void constrained_vjp(const Inputs<double>& in, const TreeProduct<double>& x,
                       const RowProduct<double>& rows) {
    kernels_->constrained_vjp(data_, in, x, rows);
  }
  void constrained_jvp(const Inputs<double>& in, const TreeProduct<double>& x,
                       const RowProduct<double>& rows) {
    kernels_->constrained_jvp(data_, in, x, rows);
  }
  // sweep_inertias of kernels/kernel_table.hpp, of trees without rotors where copies pay; whole: the workspace of the
  // model, which gets the results.
  bool takes_inertias() const { return takes_inertias_; }
  bool sweep_inertias(const double* q, WorkspaceData<double>& whole) {
    return kernels_->sweep_inertias(data_, q, whole);
  }

  // Whether pv_osimr below can be used: rows as for takes_rows, in the same order on all limbs of a bundle, that the limbs
  // carry to the trunk.
  bool takes_osimr() const { return takes_osimr_; }
  // Its memory.
  void make_osimr(const ConstraintData& c);
  // The Delassus matrix, WorkspaceData::delassus of the whole model. After make_osimr.
  bool pv_osimr(const double* q, WorkspaceData<double>& whole) {
    return kernels_->pv_osimr(data_, q, osimr_->data, whole);
  }
  // After constraint_state of row_sweeps: what is left of aba, and that matrix.
  bool aba_and_osimr(const Inputs<double>& in, double* qdd, WorkspaceData<double>& whole) {
    return kernels_->aba_and_osimr(data_, in, qdd, osimr_->data, whole);
  }

  // Whether matrices of first derivatives can be taken and pay, after make_products.
  bool takes_matrices() const { return takes_matrices_; }
  // Torques and their matrices, null: not wanted; in.qdd: not null. And qdd and its matrices; in.qdd: null.
  void rnea_derivatives(const Inputs<double>& in, double* tau, const StarMatrices& to) {
    kernels_->rnea_derivatives(data_, limb_coordinates_.data(), in, tau, to);
  }
  bool forward_derivatives(const Inputs<double>& in, double* qdd, const StarMatrices& to,
                           const StarMatrices* at_once, bool* went_at_once) {
    return kernels_->forward_derivatives(data_, limb_coordinates_.data(), in, qdd, to, at_once, went_at_once);
  }

  // The same with rows, all on limbs; after constraint_state of row_sweeps (TENON_BRANCH_KERNELS).
  bool takes_row_matrices() const { return takes_row_matrices_; }
  bool start_constrained_derivatives(const Inputs<double>& in, double* qdd, WorkspaceData<double>& whole) {
    return kernels_->start_constrained_derivatives(data_, limb_coordinates_.data(), in, qdd, whole);
  }
  void constrained_derivatives(const Inputs<double>& in, const double* lambda, const double* active,
                               const StarMatrices& to, const StarForces& forces, const StarImpact* impact,
                               WorkspaceData<double>& whole) {
    kernels_->constrained_derivatives(data_, limb_coordinates_.data(), in, lambda, active, to, forces, impact,
                                      whole);
  }
  const StarResponses& responses() const { return data_.star; }

  // Whether crba below can be used and pays.
  bool takes_mass() const { return takes_mass_; }
  // Of kernels/kernel_table.hpp. whole: the workspace of the model.
  void crba(const double* q, double* M, int ld, const WorkspaceData<double>& whole) {
    kernels_->crba(data_, limb_coordinates_.data(), q, M, ld, whole.runs, whole.run_count);
  }

  // How many times faster than bodies one after another (gain_of_limbs).
  double gain() const { return gain_; }

  // Whether the sweeps of constrained_aba below can be used: rows on limbs are those of links held to the world,
  // with the same rows on all limbs of a bundle that have any.
  bool takes_rows() const { return takes_rows_; }
  // The inertias and armatures of another model of the same structure, which must live longer.
  void take_inertias(const ModelData& m);
  // After constraint_state of row_sweeps; those of rows on the world stay.
  void row_velocities(double* velocity) { kernels_->row_velocities(data_, velocity); }
  // After changes of the settings of rows.
  void update_rows(const ConstraintData& c);
  // The sweeps of constrained_aba, made ready for a call.
  const RowSweepKernels<double>& row_sweeps(WorkspaceData<double>& whole) {
    whole.branches = &data_;
    return kernels_->row_sweeps;
  }
  // See cluster_pivot.hpp.
  double smallest_pivot() const;
  // Whether the sweeps of pv_early below can be used: moreover, the joints of each limb can move all its rows.
  bool takes_early() const { return takes_early_; }
  // In which share of configurations rows of limbs need no pivoting, estimated from some.
  double early_chance() const { return early_chance_; }
  // After row_sweeps.
  const PvEarlyKernels<double>& early() const { return kernels_->early; }

 private:
  static constexpr std::size_t lanes = branch_width;

  struct LimbRotor {
    std::int32_t number, wobbles;
    std::int32_t carrier;              // body of the limb, counted from 1; 0: the parent
    std::vector<std::int32_t> drives;  // the same
  };
  struct Limb {
    std::vector<std::int32_t> bodies;
    std::vector<std::int32_t> shape;  // all that limbs of a bundle have in common
    std::vector<LimbRotor> rotors;
    std::int32_t parent;             // body; -1: the world
    std::vector<std::size_t> above;  // limbs that it carries
    bool in_trunk = false;           // because of a joint of several degrees of freedom
  };
  // Where a body is: in the trunk, or in a lane of a bundle.
  struct Place {
    std::int32_t bundle = -1, node = -1, lane = -1;
  };
  // What the arrays of a part point to.
  template <class T>
  struct PartMemory : Memory {
    std::vector<NodeDataOf<T>> nodes;
    std::vector<std::int32_t> flags, support_flags;
    std::vector<std::array<std::int32_t, lanes_in<T>>> items_of;  // of each item: those of the set; -1: none
    T *anchors = nullptr, *gains = nullptr, *active = nullptr, *frames = nullptr;
    T *scale = nullptr, *compliance = nullptr, *weight = nullptr;
    std::unique_ptr<PvEarlyMemory<T>> early;

    std::size_t bytes() const {
      return Memory::bytes() + bytes_of(nodes, flags, support_flags, items_of, early);
    }
  };
  struct BundleMemory : PartMemory<N> {
    std::vector<std::vector<std::int32_t>> limbs;  // bodies
    LimbParent* parents = nullptr;
    Siblings<branch_width>* siblings = nullptr;
    std::vector<std::int32_t> collecting, node_cluster;
    std::vector<std::vector<LimbRotor>> limb_rotors;
    std::vector<ClusterData> clusters;
    N* armature = nullptr;
    std::size_t G_size = 0;
    std::size_t collecting_end = 1;  // behind the last node that carries limbs of other bundles
    std::size_t depth = 0;           // bodies from the root on that support rows
    std::size_t bytes() const {
      return sizeof(*this) + PartMemory::bytes() + bytes_of(node_cluster, clusters);
    }
  };

  BranchLanes(const ModelData& m, const BranchKernels<branch_width>* kernels);
  void find_limbs();
  void share_limbs();
  void add_to_trunk(std::size_t limb);
  void add_bundle(const std::vector<std::size_t>& limbs);
  std::vector<LimbBundle> limb_bundles() const;
  bool joints_alone() const { return m_.cluster_count == 0 && m_.rotor_count == 0; }
  void build(const ConstraintData* c);
  void build_trunk();
  void build_bundle(std::size_t k);
  // The body of a node in a lane; lanes to spare have those of the first limb.
  static std::int32_t body_in(const BundleMemory& memory, std::size_t node, int lane);
  static void set_inertia(const ModelData& m, const NodeData& body, int lane, NodeDataOf<N>& node,
                          N& armature);
  LimbParent parent_at(std::int32_t body);
  void connect(std::size_t k);
  // The child of node `parent` that stores first no longer does: limbs give before.
  template <class T>
  static void let_limbs_store(PartMemory<T>& memory, std::int32_t parent, std::int32_t mark_with_rows);

  bool is_star() const;
  void build_mass();
  void find_coordinates();
  void find_coordinates(std::size_t k, std::vector<bool>& written);

  // The place of a body among those of a limb, counted from 1; 0: the parent, -1: elsewhere.
  std::int32_t place_in(const std::vector<std::int32_t>& limb, std::int32_t body) const;
  // NodeFlag bits of a bundle; supporting: see sweep_flags.
  static std::vector<std::int32_t> flags_of(const ModelDataOf<N>& limbs, const std::vector<bool>& supporting);

  // branch_loops.cpp
  void find_rotors(const std::vector<std::size_t>& limb_of);
  void build_trunk_rotors();
  void build_limb_rotors(std::size_t k);
  const ClusterData* cluster_of(std::int32_t body) const;
  std::vector<std::int32_t> cluster_shape(const ClusterData& c) const;
  void build_trunk_clusters();
  void find_limb_clusters(std::size_t k);
  void build_limb_clusters(std::size_t k);

  // branch_rows.cpp
  bool find_rows(const ConstraintData& c);
  bool find_limb_items(const ConstraintData& c, BundleMemory& memory);
  void mark_supports();
  void build_all_rows(const ConstraintData& c);
  template <class T>
  void build_rows(const ConstraintData& c, const std::vector<bool>& supporting, PartMemory<T>& memory,
                  TreePart<T>& part);
  template <class T>
  static void take_settings(const ConstraintData& c, PartMemory<T>& memory, TreePart<T>& part);
  void build_early(const ConstraintData& c);
  void reduce_sample(const ConstraintData& c, std::minstd_rand& random);
  bool supports(std::int32_t body) const { return supports_[index(body)] != 0; }

  bool limbs_move_all_rows() const;

  // branch_products.cpp
  void make_matrices();
  template <class T>
  static void cut_products(PartMemory<T>& memory, TreePart<T>& part);

  // branch_osimr.cpp
  bool carries_all_rows() const;
  static void count_rows(const Bundle<N>& bundle, LimbBundle& to);
  bool carries_rows_of(const BundleMemory& memory, const Bundle<N>& bundle) const;
  void place_rows_of(BundleMemory& memory, Bundle<N>& bundle, std::vector<bool>& written);

  const ModelData m_;
  const BranchKernels<branch_width>* kernels_;
  Branches<N> data_{};
  std::vector<Limb> limbs_;
  std::vector<std::size_t> ready_;  // limbs whose parents have a place
  std::vector<std::int32_t> trunk_;
  std::vector<Place> places_;  // of bodies
  PartMemory<double> trunk_memory_;
  std::vector<char> collects_, collects_with_rows_,
      base_collects_;  // per body of the trunk: limbs have given to it
  std::vector<BundleMemory> memory_;
  std::vector<Bundle<N>> bundles_;

  std::vector<LimbCoordinates<branch_width>> limb_coordinates_;  // of bundles of a star

  bool takes_inertias_ = false, takes_rows_ = false, takes_early_ = false, takes_osimr_ = false,
       takes_inverse_products_ = false, takes_row_products_ = false, takes_mass_ = false,
       takes_matrices_ = false, takes_row_matrices_ = false, has_products_ = false;
  double gain_ = 1, early_chance_ = 0;
  std::vector<char> supports_;  // per body
  std::unique_ptr<OsimrMemory<double>> osimr_;
};

}  // namespace tenon
