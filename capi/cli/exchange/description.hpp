// modelDescription.xml of a functional mock-up unit, by the schemas of FMI 2.0 and 3.0.
#pragma once

#include <string>

#include "exchange/variables.hpp"

namespace client {

struct DescriptionFacts {
  int version = 3;  // 2 or 3
  std::string model_name, description, token;
  double dt = 1e-3, stop_time = 1;
  std::vector<std::string> sources;  // files to compile; none: the unit has no sources
};

std::string describe_unit(const DescriptionFacts& facts, const VariableList& list);

}  // namespace client
