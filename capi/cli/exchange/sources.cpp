#include "exchange/sources.hpp"

#include <layout.h>

#include "exchange/code.hpp"

namespace client {
namespace {

// Names in quotes with commas between, the first ones of many.
template <class Name>
std::string name_some(std::size_t count, const Name& name) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < count && i < most; ++i) text += (i ? ", '" : "'") + std::string(name(i)) + "'";
  return text + (count > most ? ", ..." : "");
}

void check_supported(const tenon_model* model, const ContactSet& contacts) {
  const auto loops = static_cast<std::size_t>(tenon_model_loop_count(model));
  if (loops > 0)
    throw Failure(format(
        "unsupported: sources of a robot with kinematic loops or couplings (%s): generated code cannot close "
        "them. Leave --sources away: binaries take every robot.",
        name_some(loops, [&](std::size_t i) {
          tenon_loop_info info;
          tenon_loop_info_init(&info, sizeof info);
          tenon_model_loop_info(model, static_cast<int32_t>(i), &info);
          return info.name;
        }).c_str()));
  if (!contacts.contacts.empty())
    throw Failure(format(
        "unsupported: sources of a robot with contacts (%s): generated code cannot pull them back to where "
        "they are held. Leave --sources away: binaries take every robot.",
        name_some(contacts.contacts.size(), [&](std::size_t i) {
          return contacts.contacts[i].name;
        }).c_str()));
}

const char* joint_type(int32_t type) {
  switch (type) {
    case TENON_JOINT_TYPE_SPHERICAL:
      return "ROBOT_JOINT_SPHERICAL";
    case TENON_JOINT_TYPE_PLANAR:
      return "ROBOT_JOINT_PLANAR";
    case TENON_JOINT_TYPE_FLOATING:
      return "ROBOT_JOINT_FLOATING";
    default:
      return "ROBOT_JOINT_PLAIN";
  }
}

std::string generate(const tenon_model* model, const char* algorithm, const char* function) {
  return "\n" + generate_code(model, algorithm, function);
}

// generated.c; generated.h says what is in it.
std::string generate_robot(const ModelSource& source, const tenon_model* model) {
  std::string text = "/* One robot, by Tenon " + std::string(tenon_version_string()) +
                     ". */\n#include \"generated.h\"\n\nstatic const robot_joint joints[] = {\n";
  const std::vector<tenon_joint_info> all = joints(model);
  for (const tenon_joint_info& joint : all)
    text += format("  {%s, %d, %d},\n", joint_type(joint.type), joint.q_index, joint.v_index);
  if (all.empty()) text += "  {ROBOT_JOINT_PLAIN, 0, 0}, /* none */\n";
  text += format(
      "};\n\nconst generated_facts generated_robot = {%d, %d, %zu, %d, joints, {%.17g, %.17g, %.17g}};\n",
      tenon_model_nq(model), tenon_model_nv(model), all.size(), tenon_model_link_count(model),
      source.gravity[0], source.gravity[1], source.gravity[2]);
  text += generate(model, "aba", "generated_aba") + generate(model, "kinematics", "generated_kinematics");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ModelSource along = source;
    along.gravity = {0, 0, 0};
    along.gravity[axis] = 1;
    text += generate(load(along).get(), "bias", format("generated_bias_%c", "xyz"[axis]).c_str());
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> make_sources(const ModelSource& source, const tenon_model* model,
                                                const ContactSet& contacts, int version,
                                                const std::map<std::string, std::string>& common) {
  check_supported(model, contacts);
  std::map<std::string, std::string> files = common;
  files.erase(version == 3 ? "fmi2.c" : "fmi3.c");
  files["generated.c"] = generate_robot(source, model);
  return files;
}

bool is_compiled(const std::string& name) {
  return name.size() > 2 && name.compare(name.size() - 2, 2, ".c") == 0;
}

std::string describe_build(const std::map<std::string, std::string>& sources) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"" UNIT_IDENTIFIER
      "\">\n    <SourceFileSet language=\"C99\">\n";
  for (const auto& file : sources)
    if (is_compiled(file.first)) text += "      <SourceFile name=\"" + file.first + "\"/>\n";
  return text +
         "    </SourceFileSet>\n    <Library name=\"m\" description=\"mathematical functions, where they are "
         "not "
         "in the C library\" external=\"true\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n";
}

}  // namespace client
