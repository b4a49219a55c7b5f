// URDF text, well formed or not. Its last byte holds the options of the model. What is read must be a robot that
// works: its facts can be asked, a workspace can be made, and its dynamics are finite or say why not.
#include "support/caller.hpp"

namespace tenon::fuzz {
namespace {

const char* message_of(tenon_workspace* w) {
  return tenon_workspace_message(w);
}

void ask(const tenon_model* model) {
  const std::int32_t links = tenon_model_link_count(model), joints = tenon_model_joint_count(model);
  char message[64];
  for (std::int32_t i = -1; i <= links; ++i) {
    const bool there = i >= 0 && i < links;
    tenon_link_info info;
    tenon_link_info_init(&info, sizeof info);
    DEMAND((tenon_model_link_info(model, i, &info) == TENON_OK) == there, "link %d", i);
    DEMAND((tenon_model_link_name(model, i) != nullptr) == there, "link %d", i);
    std::int32_t found = -1;
    if (there)
      DEMAND(
          tenon_model_find_link(model, info.name, &found, message, sizeof message) == TENON_OK && found == i,
          "link %d '%s' is number %d", i, info.name, found);
  }
  for (std::int32_t i = -1; i <= joints; ++i) {
    const bool there = i >= 0 && i < joints;
    tenon_joint_info info;
    tenon_joint_info_init(&info, sizeof info);
    DEMAND((tenon_model_joint_info(model, i, &info) == TENON_OK) == there, "joint %d", i);
    if (there)
      DEMAND(
          info.q_index + info.nq <= tenon_model_nq(model) && info.v_index + info.nv <= tenon_model_nv(model),
          "joint %d", i);
  }
  for (std::int32_t i = 0; i < tenon_model_warning_count(model); ++i)
    DEMAND(tenon_model_warning(model, i) != nullptr, "warning %d", i);
  std::size_t needed = 0;
  DEMAND(tenon_model_describe(model, nullptr, 0, &needed) == TENON_OK && needed > 0, "%zu", needed);
  const Exact<char> text = exact<char>(needed);
  DEMAND(tenon_model_describe(model, text.get(), needed, nullptr) == TENON_OK && text[needed - 1] == '\0',
         "%zu", needed);
}

void move(const tenon_model* model, Input& in) {
  tenon_constraints* set = nullptr;
  tenon_workspace* w = nullptr;
  char message[256] = "";
  const std::int32_t links = tenon_model_link_count(model);
  DEMAND(tenon_constraints_create(model, &set, nullptr, 0) == TENON_OK, "no set");
  tenon_constraints_add_point(set, links - 1, nullptr, 0, nullptr, nullptr, nullptr, 0);
  tenon_status status = tenon_constraints_finish(set, message, sizeof message);
  DEMAND(status == TENON_OK, "finish: status %d: %s", status, message);
  status = tenon_workspace_create(model, set, nullptr, &w, message, sizeof message);
  DEMAND(status == TENON_OK, "workspace: status %d: %s", status, message);
  const std::size_t nv = static_cast<std::size_t>(tenon_model_nv(model)),
                    nq = static_cast<std::size_t>(tenon_model_nq(model));
  const std::size_t rows = static_cast<std::size_t>(tenon_workspace_row_count(w));
  std::vector<double> q(nq), v(nv, 0.5), tau(nv, 0.25);
  DEMAND(tenon_random(w, in.byte(), q.data(), nq) == TENON_OK, "%s", message_of(w));
  Caller calls(in);
  tenon_close_loops(w, nullptr, q.data(), nq, nullptr);
  const auto call = [&](const char* name, auto f, const auto&... a) {
    calls.call(name, w, message_of, f, a...);
  };
  call("tenon_bias", tenon_bias, In{q}, In{v}, nullptr, std::size_t{0}, Out{nv});
  call("tenon_mass_matrix", tenon_mass_matrix, In{q}, Matrix{nv, nv});
  call("tenon_forward_dynamics", tenon_forward_dynamics, In{q}, In{v}, In{tau}, nullptr, std::size_t{0},
       Out{nv});
  call("tenon_constrained_dynamics", tenon_constrained_dynamics, nullptr, In{q}, In{v}, In{tau}, nullptr,
       std::size_t{0}, nullptr, std::size_t{0}, Out{nv}, Out{rows, true});
  tenon_workspace_destroy(w);
  tenon_constraints_destroy(set);
}

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  if (size == 0) return 0;
  const std::uint8_t choice = data[size - 1];
  const Exact<char> text = exact<char>(size - 1);
  std::memcpy(text.get(), data, size - 1);
  tenon_model_options options;
  tenon_model_options_init(&options, sizeof options);
  options.base = choice & 1;
  options.ignore_mimic = choice >> 1 & 1;
  options.tolerant_inertias = choice >> 2 & 1;
  options.loop_treatment = choice >> 3 & 3;
  options.ignore_loops = choice >> 5 & 1;
  options.log_level = choice >> 6;
  options.log_callback = [](void*, std::int32_t, const char* sentence) {
    DEMAND(sentence[0] != '\0', "log");
  };
  tenon_model* model = nullptr;
  char message[512] = "";
  const tenon_status status =
      tenon_model_parse_urdf(text.get(), size - 1, &options, &model, message, sizeof message);
  DEMAND(status != TENON_INTERNAL_ERROR && status <= 0, "status %d: %s", status, message);
  DEMAND((status == TENON_OK) == (model != nullptr) && (status == TENON_OK) == (message[0] == '\0'),
         "status %d, message '%s'", status, message);
  if (model) {
    Input in(nullptr, 0);
    ask(model);
    // What is large is slow, and shows nothing that small ones do not.
    if (tenon_model_nv(model) <= 60) move(model, in);
  }
  tenon_model_destroy(model);
  // A builder is filled by the same text: what is wrong with the robot as a whole comes at the end.
  tenon_builder* builder = nullptr;
  if (tenon_builder_parse_urdf(text.get(), size - 1, &options, &builder, message, sizeof message) ==
      TENON_OK) {
    const tenon_status again = tenon_builder_finish(builder, &options, &model, message, sizeof message);
    DEMAND(again == status, "the builder: status %d, the text %d: %s", again, status, message);
    tenon_model_destroy(model);
  } else {
    DEMAND(status != TENON_OK, "the text is taken, but not by a builder: %s", message);
  }
  tenon_builder_destroy(builder);
  return 0;
}
