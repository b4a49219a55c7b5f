// From a Mechanism to a model handle, shared by the URDF reader and the builder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tenon.h"
#include "tenon/mechanism.hpp"

namespace tenon::capi {

// Defaults where options is NULL. Throws Error.
tenon_model_options model_options(const tenon_model_options* options);

// Compiles, and reports the warnings to the log callback. Throws Error.
tenon_model* make_model(const Mechanism& mechanism, const tenon_model_options& options);

// A file, or text in memory, as the options that concern reading ask. Throws Error.
Mechanism read_urdf(const char* path, const tenon_model_options& options);
Mechanism read_urdf(const char* text, std::size_t text_size, const tenon_model_options& options);

// Index or an error that names the most similar name there is.
int32_t found(int index, const std::string& name, const char* what,
              const std::vector<const std::string*>& names);

}  // namespace tenon::capi
