// URDF text to Mechanism.
#pragma once

#include <string>
#include <string_view>

#include "tenon/mechanism.hpp"

namespace tenon {

struct UrdfOptions {
  bool ignore_loops = false;
  bool ignore_mimic = false;
};

// Throws Error with file, line, link or joint, value and remedy.
Mechanism parse_urdf(std::string_view text, const std::string& source = "text",
                     const UrdfOptions& options = {});
Mechanism load_urdf(const std::string& path, const UrdfOptions& options = {});

}  // namespace tenon
