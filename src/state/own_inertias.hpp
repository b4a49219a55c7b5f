// Inertias of bodies and armatures that a workspace has in place of the model's: of links that are lighter or heavier, of
// what a gripper holds. The structure of the model stays: what is lumped together, the frames of bodies, which methods are
// taken. Limbs that are swept side by side and the model with folded rotors follow; a rotor whose own inertia or armature
// changes is swept as a body.
#pragma once

#include "state/workspace_impl.hpp"

namespace tenon {

// No product of a few of these numbers overflows.
bool numbers_are_moderate(const ModelData& m);

// Gives w, and all that compute for it, bodies and armatures of their own, at first the model's. Allocates at the first
// call; those below never do.
void make_own_inertias(WorkspaceImpl& w);
// Copies own_nodes and own_armature to where sweeps read them.
void place_own_inertias(WorkspaceImpl& w);
// Bodies and armatures of w, and of all that compute for it, := what the settings say.
void take_own_inertias(WorkspaceImpl& w);
// The bodies that links make without what they carry; loads come and go.
std::vector<NodeData> nodes_without_loads(const WorkspaceImpl& w);

}  // namespace tenon
