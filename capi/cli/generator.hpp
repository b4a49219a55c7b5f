// Robots with kinematic loops as URDF+ text, any length, for benchmarks and experiments: chains of the
// sub-mechanisms by which robots are driven ([LOOPS1] Fig. 1, [LOOPS2] VI-A), and two branches tied together
// somewhere ([LOOPS2] VI-B). Lengths and masses are our own; all loops are closed at q = 0 and away from dead
// centres. Text alone: nothing here calls Tenon.
//
// [LOOPS1] Chignoli, Adrian, Kim, Wensing, Recursive Rigid-Body Dynamics Algorithms for Systems with
// Kinematic Loops. [LOOPS2] the same authors, A Propagation Perspective on Recursive Forward Dynamics for
// Systems with Kinematic Loops.
#pragma once

#include <string>
#include <vector>

namespace client {

enum class CellKind {
  rotor,           // a link and its geared rotor: 2 bodies, 1 independent coordinate
  belt,            // two links, two rotors, the second belt over the first link: 4 bodies, 2 independent
  four_bar,        // crank, coupler, rocker: 3 bodies, 1 independent
  six_bar,         // Watt's chain of the first kind: 5 bodies, 1 independent, 2 loops
  connecting_rod,  // a geared motor turns a crank, whose rod turns the link: 4 bodies, 1 independent
  differential,    // bevel gears: two rotors turn a carrier and a link on it: 5 bodies, 2 independent
};

struct CellFacts {
  CellKind kind;
  const char* name;
  int bodies, independent, rows;  // rows: rank of the constraints
  const char* summary;
};
const std::vector<CellFacts>& cell_facts();

// `count` cells one after another on each of `branches`, which all hang on the link "base". Axes of
// successive cells are at right angles, their planes vertical and horizontal in turn. The last link of a
// branch is "link_<count>", with "b<number>_" before it where there are several branches.
std::string generate_chain(CellKind kind, int count, int branches);

enum class TieKind {
  transmission,   // the sums of the first `at` joint angles of both branches are equal
  connecting_rod  // a rod between the tips of link `at` of both branches
};

// Two branches of `depth` links with parallel axes, tied at link `at` (1 to depth): "link_1_<i>" and
// "link_2_<i>". The loop holds 2 at joints, 2 at + 1 with the rod.
std::string generate_tied_branches(TieKind kind, int depth, int at);

}  // namespace client
