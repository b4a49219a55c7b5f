// URDF text to Mechanism.
#pragma once

#include <string>
#include <string_view>

#include "tenon/mechanism.hpp"

namespace tenon {

// Joints that <mimic> (URDF), <loop> and <coupling> (URDF+) tie together are read so. These options read the
// tree without them, every joint free, with a warning for each element ignored. Drake's <loop_joint> is
// refused as unsupported unless loops are ignored.
struct UrdfOptions {
  bool ignore_loops = false;
  bool ignore_mimic = false;
};

// Throws Error (parse_error, file_error, invalid_model, unsupported) with file, line, link or joint, value
// and remedy.
Mechanism parse_urdf(std::string_view text, const std::string& source = "text",
                     const UrdfOptions& options = {});
Mechanism load_urdf(const std::string& path, const UrdfOptions& options = {});

}  // namespace tenon
