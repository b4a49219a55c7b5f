// The functions of tenon.h and tenonx.h that take a builder, a constraint set or a model. What a builder or a set is
// filled with stays, so a fresh one is told all of it; models never change.
#include <algorithm>
#include <cstring>

#include "history/draws.hpp"
#include "history/entry.hpp"
#include "history/history.hpp"

namespace tenon::testing::history {
namespace {

using namespace draws;

std::tuple<char*, std::size_t> message(Frame& f) {
  constexpr std::size_t room = 60;  // numbers
  return {reinterpret_cast<char*>(f.written_memory(room)), room * sizeof(double)};
}

// A name of a few, so that some are there and some are not; now and then none.
std::string drawn_name(Frame& f, char first) {
  const std::string name = f.random.chance(0.03) ? "" : first + std::to_string(f.random.integer(0, 9));
  f.text += ", '" + name + "'";
  return name;
}
template <char first>
const char* name_of_a(Frame& f) {
  const char* name = f.kept(drawn_name(f, first))->c_str();
  return f.at_fault("name", 1) == 0 ? nullptr : name;
}

// Adding is told again and again: nothing replaces it.
Entry adds(Entry entry) {
  return setter("added", std::move(entry));
}

// ---- Builder: three links in a chain, to which calls add

constexpr int first_links = 3;

void fill(tenon_builder* builder) {
  const double mass = 1, inertia[] = {0.1, 0, 0, 0.1, 0, 0.1}, center[] = {0.1, 0, 0};
  for (int i = 0; i < first_links; ++i) {
    const std::string link = "l" + std::to_string(i), joint = "j" + std::to_string(i);
    tenon_builder_add_link(builder, link.c_str(), mass, center, 3, inertia, 6, nullptr, nullptr, 0);
    if (i == 0) continue;
    tenon_joint_options o;
    tenon_joint_options_init(&o, sizeof o);
    o.parent_link = i - 1, o.child_link = i, o.origin[0] = 0.3;
    tenon_builder_add_joint(builder, joint.c_str(), &o, nullptr, 0);
  }
}

const auto new_link = [](Frame& f) {
  const char* name = name_of_a<'l'>(f);
  const double mass = f.number("mass", f.random.uniform(0.1, 3));
  const Frame::Array center = f.in_or_null("centre", uniform(f, 3, -0.2, 0.2));
  const Frame::Array inertia = f.in("inertia", {0.1, 0, 0, f.random.uniform(0.1, 0.15), 0, 0.12});
  std::int32_t* index = f.result<std::int32_t>(true);
  return std::tuple_cat(std::make_tuple(name, mass), center, inertia, std::make_tuple(index), message(f));
};

void place(Frame& f, double* pose) {
  const Numbers drawn = pose_numbers(f);
  std::copy(drawn.begin(), drawn.end(), pose);
}

const auto joint_options = [](Frame& f) {
  tenon_joint_options o;
  tenon_joint_options_init(&o, sizeof o);
  o.type = f.value("type", 0, tenon_constant_count(TENON_CONSTANT_JOINT_TYPE) - 1);
  o.parent_link = f.index("parent", first_links + 1), o.child_link = f.index("child", first_links + 4);
  if (f.random.chance(0.7)) o.child_link = std::max(o.child_link, first_links);
  place(f, o.origin);
  o.axis[1] = f.random.uniform(-1, 1);
  o.armature = f.random.chance(0.3) ? 0.1 : 0;
  o.dependent = f.random.chance(0.2);
  return f.options(o, false);
};
const auto loop_options = [](Frame& f) {
  tenon_loop_options o;
  tenon_loop_options_init(&o, sizeof o);
  o.type = f.value("type", 0, tenon_constant_count(TENON_CONSTANT_JOINT_TYPE) - 1);
  o.link = f.index("link", first_links + 2), o.second_link = f.index("second link", first_links + 2);
  place(f, o.pose), place(f, o.second_pose);
  o.treatment = f.value("treatment", 0, tenon_constant_count(TENON_CONSTANT_LOOP_TREATMENT) - 1);
  return f.options(o, false);
};

std::tuple<const char* const*, std::size_t> names_of_joints(Frame& f, std::size_t count) {
  std::vector<const char*> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(f.kept("j" + std::to_string(i + 1))->c_str());
  return {f.kept(std::move(names))->data(), count};
}
const auto coupling = [](Frame& f) {
  const char* name = name_of_a<'c'>(f);
  const auto dependent = names_of_joints(f, 1);
  std::vector<const char*> leading = {f.kept(std::string("j2"))->c_str()};
  const auto independent =
      std::make_tuple(static_cast<const char* const*>(f.kept(std::move(leading))->data()), std::size_t{1});
  const Frame::Array ratios = f.in("ratios", uniform(f, 1, -2, 2)),
                     offsets = f.in_or_null("offsets", uniform(f, 1, -1, 1));
  const std::int32_t ld = f.at_fault("ldr", 1) == 0 ? 0 : f.random.integer(1, 3);
  return std::tuple_cat(std::make_tuple(name), dependent, independent, ratios, std::make_tuple(ld), offsets,
                        message(f));
};
const auto gear = [](Frame& f) {
  const char* name = name_of_a<'c'>(f);
  const std::int32_t link = f.index("link", first_links + 1),
                     second = f.index("second link", first_links + 1);
  const double ratio = f.number("ratio", f.random.uniform(-2, 2)), offset = f.number("offset", 0);
  return std::tuple_cat(std::make_tuple(name, link, second, ratio, offset), message(f));
};
tenon_status sum_is_zero(void*, std::int32_t, std::int32_t, std::int32_t, const double* q, const double*,
                         double* phi, double* K, double* Kdot_v) {
  phi[0] = q[0] + q[1], K[0] = K[1] = 1, Kdot_v[0] = 0;
  return TENON_OK;
}
const auto implicit = [](Frame& f) {
  const char* name = name_of_a<'c'>(f);
  const auto joints = names_of_joints(f, 2);
  const std::int32_t rows = f.value("rows", 0, 1);
  return std::tuple_cat(std::make_tuple(name), joints,
                        std::make_tuple(std::min(rows, 1), &sum_is_zero, static_cast<void*>(nullptr),
                                        tenon_release_callback{nullptr}),
                        message(f));
};
const auto frame = [](Frame& f) {
  const char* name = name_of_a<'f'>(f);
  const std::int32_t link = f.index("link", first_links + 1);
  const Frame::Array pose = f.in_or_null("pose", pose_numbers(f));
  return std::tuple_cat(std::make_tuple(name, link), pose, message(f));
};
template <char first>
auto name_and_index() {
  return [](Frame& f) {
    const char* name = name_of_a<first>(f);
    std::int32_t* index = f.result<std::int32_t>(false);
    return std::tuple_cat(std::make_tuple(name, index), message(f));
  };
}

void append(std::string& text, const void* bytes, std::size_t count) {
  text.append(static_cast<const char*>(bytes), count);
}

// All that a model says in words, and a motion of it.
std::string described(const tenon_model* model) {
  std::size_t needed = 0;
  tenon_model_describe(model, nullptr, 0, &needed);
  std::string text(needed, ' ');
  tenon_model_describe(model, text.data(), text.size(), nullptr);
  tenon_workspace* made = nullptr;
  if (tenon_workspace_create(model, nullptr, nullptr, &made, nullptr, 0) != TENON_OK) return text;
  const Handle<tenon_workspace> w(made);
  const auto nq = static_cast<std::size_t>(tenon_model_nq(model)),
             nv = static_cast<std::size_t>(tenon_model_nv(model));
  Numbers q(nq), v(nv, 0.1), qdd(nv);
  tenon_workspace_guess(made, q.data(), nq);
  const tenon_status status =
      tenon_forward_dynamics(made, q.data(), nq, v.data(), nv, v.data(), nv, nullptr, 0, qdd.data(), nv);
  append(text, &status, sizeof status), append(text, qdd.data(), nv * sizeof(double));
  return text;
}

Entry finish_builder() {
  Entry made;
  made.name = "tenon_builder_finish";
  made.run = [](Frame& f, void* builder) -> std::int64_t {
    tenon_model_options o;
    tenon_model_options_init(&o, sizeof o);
    o.base = f.value("base", 0, 1), o.loop_treatment = f.value("treatment", 0, 3);
    const tenon_model_options* options = f.options(o);
    const auto [text, size] = message(f);
    tenon_model* model = nullptr;
    const tenon_status status =
        tenon_builder_finish(static_cast<tenon_builder*>(builder), options, &model, text, size);
    const Handle<tenon_model> owner(model);
    if (model) f.answer_text = described(model);
    return status;
  };
  return made;
}

// ---- Constraint sets

const auto constraint_options = [](Frame& f) -> const tenon_constraint_options* {
  tenon_constraint_options o;
  tenon_constraint_options_init(&o, sizeof o);
  o.axes = f.value("axes", 0, 1);
  if (f.random.chance(0.4)) o.rows = static_cast<std::uint32_t>(f.random.integer(0, 63));
  if (f.random.chance(0.5)) o.name = f.kept(drawn_name(f, 'c'))->c_str();
  if (f.random.chance(0.3)) o.frequency = f.number("frequency", 3);
  if (f.random.chance(0.2)) std::tie(o.weights, o.weights_count) = f.in("weights", uniform(f, 3, 0.5, 2));
  if (f.random.chance(0.2))
    std::tie(o.compliance, o.compliance_count) = f.in("compliance", uniform(f, 3, 0, 1));
  return f.options(o);
};
const auto of_point = [](Frame& f) {
  const std::int32_t on = link(f);
  const Frame::Array at = point(f);
  const tenon_constraint_options* options = constraint_options(f);
  return std::tuple_cat(std::make_tuple(on), at, std::make_tuple(options, f.result<std::int32_t>(true)),
                        message(f));
};
const auto of_weld = [](Frame& f) {
  const std::int32_t on = link(f);
  const Frame::Array at = f.in_or_null("pose", pose_numbers(f));
  const tenon_constraint_options* options = constraint_options(f);
  return std::tuple_cat(std::make_tuple(on), at, std::make_tuple(options, f.result<std::int32_t>(true)),
                        message(f));
};
const auto of_rows = [](Frame& f) {
  const std::int32_t on = link(f), rows = f.random.integer(1, 3);
  const Frame::Array K = f.in("K", uniform(f, static_cast<std::size_t>(6 * rows), -1, 1));
  const tenon_constraint_options* options = constraint_options(f);
  return std::tuple_cat(std::make_tuple(on, rows), K,
                        std::make_tuple(rows, options, f.result<std::int32_t>(true)), message(f));
};
const auto of_closure = [](Frame& f) {
  const std::int32_t on = link(f);
  const Frame::Array at = f.in_or_null("pose", pose_numbers(f));
  const std::int32_t second = f.random.chance(0.3) ? TENON_WORLD : link(f);
  const Frame::Array there = f.in_or_null("second pose", pose_numbers(f));
  const tenon_constraint_options* options = constraint_options(f);
  return std::tuple_cat(std::make_tuple(on), at, std::make_tuple(second), there,
                        std::make_tuple(options, f.result<std::int32_t>(true)), message(f));
};

// The Delassus matrix of a workspace with the set: all of its numbers.
Entry workspace_of_set() {
  Entry made;
  made.name = "tenon_workspace_create";
  made.run = [](Frame& f, void* object) -> std::int64_t {
    const auto [text, size] = message(f);
    tenon_workspace* workspace = nullptr;
    const tenon_status status = tenon_workspace_create(
        f.scene.model.get(), static_cast<tenon_constraints*>(object), nullptr, &workspace, text, size);
    const Handle<tenon_workspace> owner(workspace);
    if (status != TENON_OK) return status;
    const auto rows = static_cast<std::size_t>(tenon_workspace_row_count(workspace));
    Numbers A(rows * rows);
    const Numbers& q_here = f.state().q;
    const tenon_status solved = tenon_delassus(workspace, nullptr, q_here.data(), q_here.size(), A.data(),
                                               A.size(), std::max(static_cast<std::int32_t>(rows), 1));
    append(f.answer_text, &solved, sizeof solved), append(f.answer_text, A.data(), A.size() * sizeof(double));
    return status;
  };
  return made;
}

// Information with a borrowed name in it, which is compared as text.
template <class T, class Object>
Entry information(const char* name, tenon_status (*function)(const Object*, std::int32_t, T*),
                  tenon_status (*init)(T*, std::size_t), std::size_t (*count)(const Object*)) {
  Entry made;
  made.name = name;
  made.run = [=](Frame& f, void* object) -> std::int64_t {
    const auto* of = static_cast<const Object*>(object);
    const std::int32_t index = f.index("index", count(of));
    T info;
    init(&info, sizeof info);
    if (f.at_fault("information", 1) == 0) info.struct_size = 3;
    const tenon_status status = function(of, index, &info);
    if (status != TENON_OK) return status;
    f.answer_text = info.name;
    info.name = nullptr;
    append(f.answer_text, &info, sizeof info);
    return status;
  };
  return made;
}
std::size_t at_least_none(std::int32_t count) {
  return static_cast<std::size_t>(std::max(count, 0));
}

// ---- Models

const auto text_buffer = [](Frame& f) {
  constexpr std::size_t room = 300;  // numbers
  char* text = reinterpret_cast<char*>(f.written_memory(room));
  return std::make_tuple(text, room * sizeof(double), f.result<std::size_t>(true));
};
template <class Count>
auto integers(Count count) {
  return [=](Frame& f) {
    const std::size_t expected = count(f), given = f.at_fault("count", 1) == 0 ? expected + 1 : expected;
    return std::make_tuple(reinterpret_cast<std::int32_t*>(f.written_memory(expected + 1)), given);
  };
}
// Of a link or a joint.
const char* a_name(Frame& f) {
  const tenon_model* model = f.scene.model.get();
  const int joints = tenon_model_joint_count(model);
  std::string name =
      joints > 0 && f.random.chance(0.5)
          ? tenon_model_joint_name(model, f.random.integer(0, joints - 1))
          : tenon_model_link_name(model, f.random.integer(0, static_cast<int>(f.scene.links) - 1));
  if (f.random.chance(0.3)) name += "x";
  return f.kept(std::move(name))->c_str();
}
const auto find = [](Frame& f) {
  const char* name = a_name(f);
  std::int32_t* index = f.result<std::int32_t>(false);
  return std::tuple_cat(std::make_tuple(name, index), message(f));
};
// An algorithm, on the scene's rows or without.
const auto traced = [](Frame& f) {
  const tenon_constraints* set = f.random.chance(0.5) ? f.scene.set.get() : nullptr;
  const char* algorithm = tenonx_traceable_name(f.random.integer(0, tenonx_traceable_count() - 1));
  if (f.scene.nv > 15) algorithm = "none: of larger robots it takes too long";
  f.text += std::string(", ") + algorithm;
  tenonx_trace_options o;
  tenonx_trace_options_init(&o, sizeof o);
  o.iterations = f.random.integer(1, 2);
  o.derivatives = f.random.chance(0.1), o.hessian = f.scene.nv <= 4 && f.random.chance(0.1);
  return std::make_tuple(set, algorithm, f.options(o));
};
const auto counted = [](Frame& f) {
  const auto how = traced(f);
  tenonx_operation_counts* counts = f.information(tenonx_operation_counts_init);
  return std::tuple_cat(how, std::make_tuple(counts), message(f));
};
const auto generated = [](Frame& f) {
  const auto how = traced(f);
  const auto text = text_buffer(f);
  return std::tuple_cat(how, text, message(f));
};

const char* no_message(void*) {
  return "";  // it comes with each call
}

}  // namespace

const Kind& builder_kind() {
  static const std::vector<Entry> functions = {
      makes("tenon_builder_create"),
      makes("tenon_builder_load_urdf"),
      makes("tenon_builder_parse_urdf"),
      makes("tenon_builder_destroy"),
      entry(TENON_NAMED(tenon_builder_find_link), name_and_index<'l'>()),
      adds(entry(TENON_NAMED(tenon_builder_add_link), new_link)),
      adds(entry(TENON_NAMED(tenon_builder_add_joint), name_of_a<'j'>, joint_options, message)),
      adds(entry(TENON_NAMED(tenon_builder_add_frame), frame)),
      adds(entry(TENON_NAMED(tenon_builder_add_loop), name_of_a<'c'>, loop_options, message)),
      adds(entry(TENON_NAMED(tenon_builder_add_coupling), coupling)),
      adds(entry(TENON_NAMED(tenon_builder_add_gear), gear)),
      adds(entry(TENON_NAMED(tenon_builder_add_implicit), implicit)),
      finish_builder(),
  };
  static const Kind kind = {"builder",
                            &functions,
                            [](const Scene&, const Making&) {
                              tenon_builder* builder = nullptr;
                              tenon_builder_create("built", &builder, nullptr, 0);
                              fill(builder);
                              return std::shared_ptr<void>(builder, [](void* b) {
                                tenon_builder_destroy(static_cast<tenon_builder*>(b));
                              });
                            },
                            no_message,
                            nullptr,
                            true};
  return kind;
}

const Kind& constraints_kind() {
  static const std::vector<Entry> functions = {
      makes("tenon_constraints_create"),
      makes("tenon_constraints_destroy"),
      adds(entry(TENON_NAMED(tenon_constraints_add_point), of_point)),
      adds(entry(TENON_NAMED(tenon_constraints_add_weld), of_weld)),
      adds(entry(TENON_NAMED(tenon_constraints_add_rows), of_rows)),
      adds(entry(TENON_NAMED(tenon_constraints_add_closure), of_closure)),
      adds(entry(TENON_NAMED(tenon_constraints_finish), message)),
      entry(TENON_NAMED(tenon_constraints_constraint_count)),
      entry(TENON_NAMED(tenon_constraints_row_count)),
      entry(TENON_NAMED(tenon_constraints_find_constraint), name_and_index<'c'>()),
      information<tenon_constraint_info, tenon_constraints>(
          TENON_NAMED(tenon_constraints_constraint_info), tenon_constraint_info_init,
          [](const tenon_constraints* c) { return at_least_none(tenon_constraints_constraint_count(c)); }),
      workspace_of_set(),
  };
  static const Kind kind = {"constraints",
                            &functions,
                            [](const Scene& scene, const Making&) {
                              tenon_constraints* made = nullptr;
                              tenon_constraints_create(scene.model.get(), &made, nullptr, 0);
                              return std::shared_ptr<void>(made, [](void* c) {
                                tenon_constraints_destroy(static_cast<tenon_constraints*>(c));
                              });
                            },
                            no_message,
                            nullptr,
                            true};
  return kind;
}

const Kind& model_kind() {
  static const std::vector<Entry> functions = {
      makes("tenon_model_load_urdf"),
      makes("tenon_model_parse_urdf"),
      makes("tenon_model_destroy"),
      entry(TENON_NAMED(tenon_model_nq)),
      entry(TENON_NAMED(tenon_model_nv)),
      entry(TENON_NAMED(tenon_model_link_count)),
      entry(TENON_NAMED(tenon_model_joint_count)),
      entry(TENON_NAMED(tenon_model_body_count)),
      entry(TENON_NAMED(tenon_model_depth)),
      entry(TENON_NAMED(tenon_model_floating_base)),
      entry(TENON_NAMED(tenon_model_total_mass)),
      entry(TENON_NAMED(tenon_model_root_link)),
      entry(TENON_NAMED(tenon_model_gravity), [](Frame& f) { return f.out("gravity", 3); }),
      entry(TENON_NAMED(tenon_model_name)),
      entry(TENON_NAMED(tenon_model_link_name), link),
      entry(TENON_NAMED(tenon_model_joint_name), link),
      entry(TENON_NAMED(tenon_model_find_link), find),
      entry(TENON_NAMED(tenon_model_find_joint), find),
      information<tenon_link_info, tenon_model>(
          TENON_NAMED(tenon_model_link_info), tenon_link_info_init,
          [](const tenon_model* m) { return at_least_none(tenon_model_link_count(m)); }),
      information<tenon_joint_info, tenon_model>(
          TENON_NAMED(tenon_model_joint_info), tenon_joint_info_init,
          [](const tenon_model* m) { return at_least_none(tenon_model_joint_count(m)); }),
      entry(TENON_NAMED(tenon_model_describe), text_buffer),
      entry(TENON_NAMED(tenon_model_warning_count)),
      entry(TENON_NAMED(tenon_model_warning), link),
      entry(TENON_NAMED(tenon_model_ny)),
      entry(TENON_NAMED(tenon_model_nyq)),
      entry(TENON_NAMED(tenon_model_cluster_count)),
      entry(TENON_NAMED(tenon_model_loop_count)),
      entry(TENON_NAMED(tenon_model_loop_row_count)),
      entry(TENON_NAMED(tenon_model_ratio_count)),
      entry(TENON_NAMED(tenon_model_independent_v), integers([](const Frame& f) { return f.scene.ny(); })),
      entry(TENON_NAMED(tenon_model_independent_q), integers([](const Frame& f) { return f.scene.nyq(); })),
      entry(TENON_NAMED(tenon_model_cluster_info), link,
            [](Frame& f) { return f.information(tenon_cluster_info_init); }),
      information<tenon_loop_info, tenon_model>(
          TENON_NAMED(tenon_model_loop_info), tenon_loop_info_init,
          [](const tenon_model* m) { return at_least_none(tenon_model_loop_count(m)); }),
      entry(TENON_NAMED(tenon_convention_nq), [](Frame& f) { return f.value("convention", 0, 2); }),
      entry(TENON_NAMED(tenonx_count_operations), counted),
      entry(TENON_NAMED(tenonx_generate_c), generated),
  };
  static const Kind kind = {"model",
                            &functions,
                            [](const Scene& scene, const Making&) {
                              return std::shared_ptr<void>(scene.model.get(), [](void*) {});
                            },
                            no_message,
                            nullptr,
                            true};
  return kind;
}

const std::vector<const Kind*>& all_kinds() {
  static const std::vector<const Kind*> all = {&workspace_kind(), &batch_kind(), &constraints_kind(),
                                               &builder_kind(), &model_kind()};
  return all;
}

}  // namespace tenon::testing::history
