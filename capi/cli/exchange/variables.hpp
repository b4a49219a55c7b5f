// The variables of a functional mock-up unit: their names, kinds, units and what they depend on, in the order
// of their value references (capi/fmu/layout.h).
#pragma once

#include <layout.h>

#include <string>
#include <vector>

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

struct Variable {
  std::string name, description;
  unit_kind kind = UNIT_TIME;
  const char* unit = "";    // of unit_definitions(); "": none
  double start = 0;         // of inputs, parameters and states
  std::uint32_t state = 0;  // of rates and accelerations: the variable that they are the derivative of
  bool depends_on_all = true;
  std::vector<std::uint32_t> depends;  // else: on these
};

struct VariableList {
  std::vector<Variable> variables;
  bool structured = true;  // all names keep to FMI's structured naming convention
};

// q, v: the start. links: whose poses are outputs.
VariableList make_variables(const tenon_model* model, const ContactSet& contacts,
                            const std::vector<int32_t>& links, const std::array<double, 3>& gravity,
                            const Vector& q, const Vector& v);

// Attributes of FMI's element BaseUnit for each unit that variables have.
struct UnitDefinition {
  const char *name, *base;
};
const std::vector<UnitDefinition>& unit_definitions();

}  // namespace client
