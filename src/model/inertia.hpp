// Which masses and inertias a compiled model can be solved with.
#pragma once

#include "tenon/model.hpp"

namespace tenon {

// Adds a warning for every link whose inertia no body can have but the dynamics can live with. Throws Error
// (invalid_inertia) for a moving body of indefinite inertia, which options may let pass with a warning, and
// for joints that move no inertia of their own.
void check_inertias(const Mechanism& mechanism, const CompileOptions& options, Model& model);

}  // namespace tenon
