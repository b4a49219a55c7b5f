#include "exchange/description.hpp"

namespace client {
namespace {

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string attribute(const char* name, const std::string& value) {
  return format(" %s=\"%s\"", name, escape(value).c_str());
}

// What a kind of variable is to an importer.
struct Role {
  const char *causality, *variability, *initial;  // initial "": none
  bool start, derivative;
};

Role role_of(unit_kind kind) {
  switch (kind) {
    case UNIT_TIME:
      return {"independent", "continuous", "", false, false};
    case UNIT_GRAVITY:
      return {"parameter", "tunable", "exact", true, false};
    case UNIT_TORQUE:
      return {"input", "continuous", "", true, false};
    case UNIT_POSITION:
    case UNIT_VELOCITY:
      return {"output", "continuous", "exact", true, false};
    case UNIT_RATE:
      return {"local", "continuous", "calculated", false, true};
    case UNIT_ACCELERATION:
      return {"output", "continuous", "calculated", false, true};
    default:
      return {"output", "continuous", "calculated", false, false};
  }
}

// FMI 3.0 names variables by their value references; FMI 2.0 by their number in the list, from 1.
std::uint32_t number_of(const DescriptionFacts& facts, std::uint32_t reference) {
  return facts.version == 3 ? reference : reference + 1;
}

std::string write_variable(const DescriptionFacts& facts, const Variable& variable, std::uint32_t reference) {
  const Role role = role_of(variable.kind);
  std::string common = attribute("name", variable.name) +
                       attribute("valueReference", std::to_string(reference)) +
                       attribute("description", variable.description) +
                       attribute("causality", role.causality) + attribute("variability", role.variability);
  if (*role.initial) common += attribute("initial", role.initial);
  std::string real;
  if (*variable.unit) real += attribute("unit", variable.unit);
  if (role.start) real += attribute("start", format("%.17g", variable.start));
  if (role.derivative) real += attribute("derivative", std::to_string(number_of(facts, variable.state)));
  return facts.version == 3 ? "    <Float64" + common + real + "/>\n"
                            : "    <ScalarVariable" + common + "><Real" + real + "/></ScalarVariable>\n";
}

std::string write_unknown(const DescriptionFacts& facts, const char* element, const Variable& variable,
                          std::uint32_t reference, bool with_dependencies) {
  std::string text = format("    <%s", element);
  text +=
      attribute(facts.version == 3 ? "valueReference" : "index", std::to_string(number_of(facts, reference)));
  if (with_dependencies && !variable.depends_on_all) {
    std::string list;
    for (const std::uint32_t other : variable.depends)
      list += (list.empty() ? "" : " ") + std::to_string(number_of(facts, other));
    text += attribute("dependencies", list);
  }
  return text + "/>\n";
}

// The lists of ModelStructure: outputs, derivatives of states, and what is unknown before the initialisation.
std::string write_structure(const DescriptionFacts& facts, const VariableList& list) {
  struct Part {
    const char *folder, *fmi2, *fmi3;  // FMI 2.0 has a folder of Unknowns, FMI 3.0 a name for each element
    bool (*has)(const Role&);
    bool dependencies;
  };
  const Part parts[3] = {{"Outputs", "Unknown", "Output",
                          [](const Role& r) { return std::string("output") == r.causality; }, true},
                         {"Derivatives", "Unknown", "ContinuousStateDerivative",
                          [](const Role& r) { return r.derivative; }, true},
                         {"InitialUnknowns", "Unknown", "InitialUnknown",
                          [](const Role& r) { return std::string("calculated") == r.initial; }, false}};
  std::string text = "  <ModelStructure>\n";
  for (const Part& part : parts) {
    std::string unknowns;
    for (std::size_t i = 0; i < list.variables.size(); ++i)
      if (part.has(role_of(list.variables[i].kind)))
        unknowns += write_unknown(facts, facts.version == 3 ? part.fmi3 : part.fmi2, list.variables[i],
                                  static_cast<std::uint32_t>(i), part.dependencies);
    if (facts.version == 2 && !unknowns.empty())
      unknowns = format("  <%s>\n", part.folder) + unknowns + format("  </%s>\n", part.folder);
    text += unknowns;
  }
  return text + "  </ModelStructure>\n";
}

// FMI 3.0 has its own file for these.
std::string list_sources(const DescriptionFacts& facts) {
  std::string files;
  for (const std::string& file : facts.sources) files += "      <File" + attribute("name", file) + "/>\n";
  return files.empty() ? "" : "    <SourceFiles>\n" + files + "    </SourceFiles>\n";
}

std::string write_interfaces(const DescriptionFacts& facts) {
  const std::string identifier = attribute("modelIdentifier", UNIT_IDENTIFIER);
  if (facts.version == 3) {
    const std::string common = identifier + " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
    return "  <ModelExchange" + common + " needsCompletedIntegratorStep=\"true\"/>\n  <CoSimulation" +
           common + " canHandleVariableCommunicationStepSize=\"true\"" +
           attribute("fixedInternalStepSize", format("%.17g", facts.dt)) + "/>\n";
  }
  const std::string common = identifier +
                             " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                             " canSerializeFMUstate=\"true\"";
  const std::string files = list_sources(facts);
  const char *const open = files.empty() ? "/>\n" : ">\n",
                    *const variable = " canHandleVariableCommunicationStepSize=\"true\"";
  return "  <ModelExchange" + common + open + files + (files.empty() ? "" : "  </ModelExchange>\n") +
         "  <CoSimulation" + common + variable + open + files + (files.empty() ? "" : "  </CoSimulation>\n");
}

}  // namespace

std::string describe_unit(const DescriptionFacts& facts, const VariableList& list) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription";
  text += attribute("fmiVersion", facts.version == 3 ? "3.0" : "2.0") +
          attribute("modelName", facts.model_name) +
          attribute(facts.version == 3 ? "instantiationToken" : "guid", facts.token) +
          attribute("description", facts.description) +
          attribute("generationTool", std::string("Tenon ") + tenon_version_string()) +
          attribute("variableNamingConvention", list.structured ? "structured" : "flat");
  if (facts.version == 2) text += attribute("numberOfEventIndicators", "0");
  text += ">\n" + write_interfaces(facts) + "  <UnitDefinitions>\n";
  for (const UnitDefinition& unit : unit_definitions())
    text += format("    <Unit name=\"%s\"><BaseUnit %s/></Unit>\n", unit.name, unit.base);
  text += "  </UnitDefinitions>\n  <LogCategories><Category name=\"" UNIT_LOG_DISCARD
          "\"/><Category name=\"" UNIT_LOG_ERROR "\"/></LogCategories>\n";
  text += "  <DefaultExperiment startTime=\"0\"" + attribute("stopTime", format("%.17g", facts.stop_time)) +
          attribute("stepSize", format("%.17g", facts.dt)) + "/>\n  <ModelVariables>\n";
  for (std::size_t i = 0; i < list.variables.size(); ++i)
    text += write_variable(facts, list.variables[i], static_cast<std::uint32_t>(i));
  return text + "  </ModelVariables>\n" + write_structure(facts, list) + "</fmiModelDescription>\n";
}

}  // namespace client
