// The steps of Model::compile, in their order; the analysis of loops (plan/compile/loop_analysis.hpp) follows the second.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/model.hpp"

namespace tenon {

// Returns the mechanism with every joint made fixed that moves neither mass nor inertia, has no armature and
// is in no loop, gear or implicit constraint; a joint that others follow only if these are made fixed too.
// Such a joint makes the mass matrix singular, and its torque has no effect on other joints. Adds one warning
// that names them. For CompileOptions::tolerant_inertias.
Mechanism hold_massless_joints(const Mechanism& mechanism);

// Bodies, joints, frames and loop constraints of a description with every loop embedded, or none if options say
// open. Returns, per velocity coordinate, whether it is declared dependent; empty without loops. Throws Error where
// the description is wrong.
std::vector<char> compile_description(const Mechanism& mechanism, const CompileOptions& options,
                                      Model& model);

// Adds a warning for every link with an inertia that no real body has but dynamics can use. Throws Error
// (invalid_inertia) for a moving body of indefinite inertia (a warning where options accept it), and for
// joints that move no inertia.
void check_inertias(const Mechanism& mechanism, const CompileOptions& options, Model& model);

// Of a model with the inertias of these nodes and these armatures: the first body of indefinite inertia, or joint that
// moves no inertia, and what is wrong; "" where nothing is.
std::string wrong_inertia(const Model& model, const std::vector<NodeData>& nodes,
                          const std::vector<double>& armature);

// Whether a principal moment is negative, by more than rounding errors: xx xy xz yy yz zz.
bool has_negative_moment(const std::array<double, 6>& inertia);

// Adds mass and inertia (about the centre of mass, axes of the link) that a link, which moves, has to its body.
void add_inertia(const Model::Link& link, double mass, const Vector3& center_of_mass,
                 const std::array<double, 6>& inertia, std::vector<NodeData>& nodes);
// Inertias of the bodies := the sums of those of their links.
void lump_inertias(const std::vector<Model::Link>& links, std::vector<NodeData>& nodes);

// The same robot without its foldable rotors, or null where it has none. Links and independent coordinates
// keep their numbers; links of folded rotors are fixed to their carriers.
std::unique_ptr<Model::Folding> fold_rotors(const Model& model);
// The bodies of the folded model := those of `nodes`, the whole model's, with what rotors add to their carriers.
void fold_inertias(const Model::Folding& folding, const std::vector<NodeData>& nodes,
                   std::vector<NodeData>& folded);

}  // namespace tenon
