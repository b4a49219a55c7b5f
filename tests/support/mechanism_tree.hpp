// The reference's tree straight from a Mechanism: one body a link, fixed joints kept, the frames of the
// description. Only names are taken from the compiled Model, to find coordinates; none of its frames, lumped
// inertias or numbering.
#pragma once

#include "reference/tree.hpp"
#include "tenon/mechanism.hpp"
#include "tenon/model.hpp"

namespace tenon::testing {

reference::Tree tree_of(const Mechanism& mechanism, const CompileOptions& options, const Model& names);

}  // namespace tenon::testing
