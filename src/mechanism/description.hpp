// A checked Mechanism: every name resolved to an index, axes of unit length, rotations orthonormal, universal
// joints replaced by two revolute ones. Model::compile then deals with frames and inertias only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"

namespace tenon {

struct Description {
  struct Joint {
    MechanismJoint data;  // axis normalised, origin's rotation orthonormal; never universal
    std::size_t parent,
        child;  // links; those from link_count on are the massless ones inside universal joints
    int parent_link, child_link;  // as reported: both halves of a universal joint hang on the same link, only
                                  // the second has a child link
  };
  std::size_t link_count = 0;  // links of the mechanism
  std::size_t root = 0;
  std::vector<Joint> joints;
  std::vector<std::vector<std::size_t>> joints_below;  // per link: its child joints, in order
  std::vector<int> joint_above;                        // per link: its parent joint, -1 for the root

  struct Loop {
    std::string name;
    JointType type;
    std::size_t predecessor, successor;       // links
    Pose predecessor_frame, successor_frame;  // in the frames of these links, z along the axis of the loop
    std::vector<std::size_t> joints;          // that move between the two ends
  };
  // One row: the sum of coefficient times position is offset.
  struct CouplingRow {
    struct Term {
      std::size_t joint;
      double coefficient;
      int ratio;  // of the coupling, of which this is the negative; -1: none
    };
    std::vector<Term> terms;
    double offset;
  };
  struct Coupling {
    std::string name;
    std::vector<CouplingRow> rows;
    int ratio_count;
  };
  struct Implicit {
    std::string name;
    std::vector<std::size_t> joints;
    std::size_t source;  // index in Mechanism::implicits
  };
  std::vector<Loop> loops;
  std::vector<Coupling> couplings;
  std::vector<Implicit> implicits;
  std::vector<char> dependent;  // per joint: declared to follow from others
};

// The nearest joint inward of each link that is not fixed, -1 for none.
int moving_joint_above(const Description& description, std::size_t link);

// The part of check_description for loops, couplings and implicit constraints, after the tree.
void add_loops(const Mechanism& mechanism, Description& description);

// Throws Error. The text names link or joint and says how to mend it.
Description check_description(const Mechanism& mechanism, const CompileOptions& options);

// Throws Error(status) with the mechanism's source before the text.
[[noreturn]] void reject(const Mechanism& mechanism, Status status, const std::string& text);

// "'name'"; "'a', 'b', 'c' and 4 more".
std::string quoted(const std::string& name);
std::string quoted_list(const std::vector<std::string>& names, std::size_t most = 4);

// The distance of R^T R from the identity, infinite for a reflection; and the rotation nearest to R.
double rotation_defect(const Matrix3& R);
Matrix3 nearest_rotation(const Matrix3& R);
// A matrix further than this from a rotation is a mistake, not a rounded number.
inline constexpr double rotation_tolerance = 1e-5;
// An axis shorter than this counts as zero. Short axes in descriptions have a few digits, not twelve zeros.
inline constexpr double shortest_axis = 1e-12;
// Components of unit vectors that differ by less count as equal, so that rounding errors choose no axis.
inline constexpr double same_component = 1e-9;

}  // namespace tenon
