// From a Mechanism to a model handle, shared by the URDF reader and the builder.
#pragma once

#include "tenon.h"
#include "tenon/mechanism.hpp"

namespace tenon::capi {

// Defaults where options is NULL. Throws Error.
tenon_model_options model_options(const tenon_model_options* options);

// Compiles, and reports the warnings to the log callback. Throws Error.
tenon_model* make_model(const Mechanism& mechanism, const tenon_model_options& options);

}  // namespace tenon::capi
