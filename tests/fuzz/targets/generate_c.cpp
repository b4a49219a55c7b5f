// Algorithms as C code: any names and options. The text fits the size that was asked for, the function is what its
// name says, and names of robot, links and joints change comments alone, whatever stands in them.
#include <algorithm>

#include "support/caller.hpp"
#include "tenonx.h"

namespace tenon::fuzz {
namespace {

// Up to three links on a base, by shape; names: of robot, links and joints.
tenon_model* made(int shape, int base, const std::string (&names)[4]) {
  tenon_builder* builder = nullptr;
  bool taken = tenon_builder_create(names[0].c_str(), &builder, nullptr, 0) == TENON_OK;
  const double inertia[6] = {0.1, 0, 0.01, 0.1, 0, 0.15}, com[3] = {0.1, 0, 0.2};
  const int links = 1 + shape % 3;
  for (int i = 0; i < links + 1; ++i)
    taken = taken && tenon_builder_add_link(builder, (names[i ? 1 : 2] + std::to_string(i)).c_str(), 1, com,
                                            3, inertia, 6, nullptr, nullptr, 0) == TENON_OK;
  for (int i = 0; i < links; ++i) {
    tenon_joint_options joint;
    tenon_joint_options_init(&joint, sizeof joint);
    joint.type = 1 + (shape / 3 + i) % 4;
    joint.parent_link = i, joint.child_link = i + 1;
    joint.origin[2] = 0.3, joint.axis[i % 3] = 1;
    taken = taken && tenon_builder_add_joint(builder, (names[3] + std::to_string(i)).c_str(), &joint, nullptr,
                                             0) == TENON_OK;
  }
  tenon_model_options options;
  tenon_model_options_init(&options, sizeof options);
  options.base = base;
  tenon_model* model = nullptr;
  if (taken) tenon_builder_finish(builder, &options, &model, nullptr, 0);
  tenon_builder_destroy(builder);
  return model;
}

tenon_constraints* held(const tenon_model* model, const std::string& name, int rows) {
  if (rows == 0) return nullptr;
  tenon_constraints* set = nullptr;
  tenon_constraints_create(model, &set, nullptr, 0);
  tenon_constraint_options options;
  tenon_constraint_options_init(&options, sizeof options);
  options.name = name.c_str();
  tenon_constraints_add_point(set, tenon_model_link_count(model) - 1, nullptr, 0, &options, nullptr, nullptr,
                              0);
  DEMAND(tenon_constraints_finish(set, nullptr, 0) == TENON_OK, "finish");
  return set;
}

std::string written(const tenon_model* model, const tenon_constraints* set, const char* algorithm,
                    const tenonx_trace_options* options, tenon_status* status) {
  std::size_t needed = 0;
  char message[256] = "";
  *status = tenonx_generate_c(model, set, algorithm, options, nullptr, 0, &needed, message, sizeof message);
  DEMAND(*status <= 0 && *status != TENON_INTERNAL_ERROR, "status %d: %s", *status, message);
  DEMAND((*status < 0) == (message[0] != '\0'), "status %d, message '%s'", *status, message);
  if (*status < 0) return "";
  for (const std::size_t size : {needed, needed / 2, std::size_t{1}}) {
    const Exact<char> text = exact<char>(size);
    std::size_t again = 0;
    DEMAND(
        tenonx_generate_c(model, set, algorithm, options, text.get(), size, &again, nullptr, 0) == TENON_OK &&
            again == needed,
        "%zu, then %zu", needed, again);
    const std::size_t length = std::find(text.get(), text.get() + size, '\0') - text.get();
    DEMAND(length < size && (size < needed || length + 1 == needed), "%zu of %zu", length, needed);
    if (size == needed) return std::string(text.get(), length);
  }
  return "";
}

std::string without_comments(const std::string& text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", at + 2);
      DEMAND(end != std::string::npos, "a comment without end");
      at = end + 2;
    } else {
      DEMAND(text.compare(at, 2, "//") != 0, "a comment to the end of its line");
      code += text[at++];
    }
  }
  return code;
}

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  const int shape = in.below(12), base = in.once_in(4), rows = in.below(2), kind = in.below(64);
  const std::int32_t number = in.index(tenonx_traceable_count());
  const bool named = in.once_in(4), other_algorithm = in.once_in(16);
  std::string function_name = named ? in.text(24) : "f";
  function_name.resize(std::min(function_name.size(), function_name.find('\0')));
  const Struct<tenonx_trace_options> options(in, tenonx_trace_options_init, [&](tenonx_trace_options& o) {
    o.function_name = kind == 63 ? nullptr : function_name.c_str();
    if (kind % 4 == 1) o.iterations = in.constant(4);
    if (kind % 4 == 2) o.mu = in.number();
    if (kind % 8 == 3) o.lanes = 1 << in.below(6);
    if (kind % 16 == 5) o.lanes = in.constant(8);
    if (kind % 8 == 6) o.derivatives = in.below(3);
    if (kind % 8 == 7) o.hessian = in.below(3);
  });
  std::string algorithm = tenonx_traceable_name(number);
  if (other_algorithm) algorithm = in.text(24).c_str();
  const std::string plain[4] = {"robot", "link", "base", "joint"};
  std::string odd[4];
  for (std::string& name : odd) name = in.text(24).c_str();
  // A recording of many iterations is long.
  if (options.get() && !options.refused() && options.get()->iterations > 4) return 0;
  tenon_model* model = made(shape, base, plain);
  DEMAND(model, "no robot");
  tenon_constraints* set = held(model, "contact", rows);
  tenon_status status = TENON_OK;
  const std::string code = without_comments(written(model, set, algorithm.c_str(), options.get(), &status));
  DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
  const bool by_name = options.get() && !options.refused() && options.get()->struct_size >= 24 &&
                       kind != 63 && !function_name.empty();
  if (status == TENON_OK && by_name) {
    DEMAND(is_identifier(function_name), "the function '%s'", function_name.c_str());
    DEMAND(code.find(" " + function_name + "(") != std::string::npos, "no function '%s'",
           function_name.c_str());
  }
  // Names of a robot that are none are refused before.
  if (tenon_model* other = made(shape, base, odd)) {
    tenon_constraints* same = held(other, odd[3], rows);
    tenon_status again = TENON_OK;
    const std::string other_code =
        without_comments(written(other, same, algorithm.c_str(), options.get(), &again));
    DEMAND(again == status, "status %d, with other names %d", status, again);
    if (by_name)
      DEMAND(other_code == code, "names of the robot are part of the code:\n%s", other_code.c_str());
    tenon_constraints_destroy(same);
    tenon_model_destroy(other);
  }
  tenon_constraints_destroy(set);
  tenon_model_destroy(model);
  return 0;
}
