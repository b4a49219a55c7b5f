// The robot as a drawing: its links as strokes at a few moments, its contacts as marks, their forces as
// arrows.
#pragma once

#include "client.hpp"
#include "drawing/chart.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

// moments: from the first to the last, drawn from faint to strong; forces are those of the last.
chart::Drawing draw_robot(const tenon_model* model, tenon_workspace* workspace, const ContactSet& contacts,
                          const std::vector<const Sample*>& moments);

}  // namespace client
