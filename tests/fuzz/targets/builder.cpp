// Calls of a builder in any order, with names, indices and numbers of any kind. What it makes must work.
#include <algorithm>

#include "support/caller.hpp"

namespace tenon::fuzz {
namespace {

const char* message_of(tenon_workspace* w) {
  return tenon_workspace_message(w);
}

// Few names, so that they meet again; some that are none.
const char* any_name(Input& in) {
  static const char* const names[] = {"a", "b",          "c",   "d", "e",    "f",       "g",
                                      "h", "root_joint", "a_2", "",  "\xff", "\xc3\xa9"};
  const int pick = in.below(32);
  return pick < 13 ? names[pick] : pick == 31 ? nullptr : names[pick % 8];
}

tenon_status row(void*, std::int32_t, std::int32_t, std::int32_t, const double* q, const double* v,
                 double* phi, double* K, double* Kdot_v) {
  phi[0] = q[0] * q[0] - q[1];
  K[0] = 2 * q[0], K[1] = -1;
  Kdot_v[0] = 2 * v[0] * v[0];
  return TENON_OK;
}

class Builder {
 public:
  explicit Builder(Input& in) : in_(in) {
    const tenon_status status = tenon_builder_create(any_name(in), &builder_, message_, sizeof message_);
    check("create", status);
    DEMAND((status == TENON_OK) == (builder_ != nullptr), "status %d", status);
  }
  ~Builder() { tenon_builder_destroy(builder_); }
  bool made() const { return builder_ != nullptr; }

  void add() {
    switch (in_.below(10)) {
      case 0:
      case 1:
        return add_link();
      case 2:
      case 3:
      case 4:
        return add_joint();
      case 5: {
        const std::vector<double> pose = in_.pose();
        const char* name = any_name(in_);
        const std::int32_t link = in_.index(links_);
        const double* at = given(pose);
        const std::size_t numbers = count(7);
        return check("add_frame",
                     tenon_builder_add_frame(builder_, name, link, at, numbers, message_, size()));
      }
      case 6:
        return add_loop();
      case 7:
        return add_coupling();
      case 8: {
        const char* name = any_name(in_);
        const std::int32_t link = in_.index(links_), second = in_.index(links_);
        const double ratio = in_.number(), offset = in_.number();
        return check("add_gear",
                     tenon_builder_add_gear(builder_, name, link, second, ratio, offset, message_, size()));
      }
      default: {
        // Joints of one coordinate are those that the function is for.
        const char* name = any_name(in_);
        const char* joints[2] = {
            plain_.empty() ? nullptr : plain_[static_cast<std::size_t>(in_.byte()) % plain_.size()],
            plain_.empty() ? nullptr : plain_[static_cast<std::size_t>(in_.byte()) % plain_.size()]};
        const tenon_implicit_callback function = in_.once_in(32) ? nullptr : row;
        return check("add_implicit", tenon_builder_add_implicit(builder_, name, joints, 2, 1, function,
                                                                nullptr, nullptr, message_, size()));
      }
    }
  }

  void finish() {
    const Struct<tenon_model_options> options(in_, tenon_model_options_init, [&](tenon_model_options& o) {
      o.base = in_.constant(2);
      o.loop_treatment = in_.constant(4);
      o.tolerant_inertias = in_.below(2), o.ignore_loops = in_.below(2), o.ignore_mimic = in_.below(2);
      if (in_.once_in(8)) o.gravity[2] = in_.number();
      if (in_.once_in(8)) o.floating_joint_name = any_name(in_);
    });
    tenon_model* model = nullptr;
    const tenon_status status =
        tenon_builder_finish(builder_, options.get(), &model, message_, sizeof message_);
    check("finish", status);
    DEMAND((status == TENON_OK) == (model != nullptr), "status %d", status);
    DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
    if (model) move(model);
    tenon_model_destroy(model);
  }

 private:
  void check(const char* name, tenon_status status) {
    DEMAND(status <= 0 && status != TENON_INTERNAL_ERROR, "%s: %d %s", name, status, message_);
    if (last_size_ >= sizeof message_)
      DEMAND((status < 0) == (message_[0] != '\0'), "%s: status %d, message '%s'", name, status, message_);
    last_size_ = sizeof message_;
  }
  // Of the message: now and then little.
  std::size_t size() {
    return last_size_ = in_.once_in(16) ? static_cast<std::size_t>(in_.below(8)) : sizeof message_;
  }
  std::size_t count(std::size_t right) { return in_.once_in(64) ? right + 1 : right; }
  // The numbers where they end, or NULL.
  const double* given(const std::vector<double>& x) {
    if (in_.once_in(8)) return nullptr;
    kept_.push_back(exact<double>(x.size()));
    std::copy(x.begin(), x.end(), kept_.back().get());
    return kept_.back().get();
  }

  void add_link() {
    const char* name = any_name(in_);
    const double mass = in_.once_in(2) ? in_.number() : 1;
    const std::vector<double> com = in_.numbers(3);
    std::vector<double> inertia = in_.numbers(6);
    if (!in_.once_in(4)) inertia = {0.1, 0, 0.01, 0.1, 0, 0.15};
    std::int32_t index = -7;
    const double* com_given = given(com);
    const double* inertia_given = given(inertia);
    const std::size_t com_count = count(3), inertia_count = count(6);
    const tenon_status status = tenon_builder_add_link(
        builder_, name, mass, com_given, com_count, inertia_given, inertia_count, &index, message_, size());
    check("add_link", status);
    if (status == TENON_OK) DEMAND(index == links_++, "link %d", index);
  }

  void add_joint() {
    const char* name = any_name(in_);
    const Struct<tenon_joint_options> options(in_, tenon_joint_options_init, [&](tenon_joint_options& o) {
      o.type = in_.constant(8);
      // Mostly the next link on one before it, so that trees come about.
      o.child_link = in_.once_in(8) ? in_.index(links_) : next_;
      o.parent_link = in_.once_in(8) ? in_.index(links_) : next_ > 0 ? in_.below(256) % next_ : 0;
      const std::vector<double> origin = in_.pose(), axis = in_.numbers(3);
      for (std::size_t k = 0; k < 7; ++k) o.origin[k] = origin[k];
      for (std::size_t k = 0; k < 3; ++k) o.axis[k] = axis[k];
      if (in_.once_in(8)) o.axis2[in_.below(3)] = in_.number();
      if (in_.once_in(8)) o.armature = in_.number();
      if (in_.once_in(8)) o.lower = in_.number();
      if (in_.once_in(8)) o.upper = in_.number();
      if (in_.once_in(8)) o.dependent = in_.below(2);
    });
    const bool plain = options.get() && !options.refused() && options.get()->struct_size >= 16 &&
                       options.get()->type >= TENON_JOINT_TYPE_REVOLUTE &&
                       options.get()->type <= TENON_JOINT_TYPE_PRISMATIC;
    const tenon_status status = tenon_builder_add_joint(builder_, name, options.get(), message_, size());
    check("add_joint", status);
    DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
    if (status != TENON_OK) return;
    ++next_;
    if (plain) plain_.push_back(name);
  }

  void add_loop() {
    const char* name = any_name(in_);
    const Struct<tenon_loop_options> options(in_, tenon_loop_options_init, [&](tenon_loop_options& o) {
      o.type = in_.constant(8);
      o.link = in_.index(links_), o.second_link = in_.index(links_);
      const std::vector<double> pose = in_.pose(), second = in_.pose(), axis = in_.numbers(3);
      for (std::size_t k = 0; k < 7; ++k) o.pose[k] = pose[k], o.second_pose[k] = second[k];
      for (std::size_t k = 0; k < 3; ++k) o.axis[k] = axis[k];
      o.treatment = in_.constant(5);
    });
    const tenon_status status = tenon_builder_add_loop(builder_, name, options.get(), message_, size());
    check("add_loop", status);
    DEMAND(status != TENON_OK || !options.refused(), "a struct of a wrong size was taken");
  }

  void add_coupling() {
    const char* name = any_name(in_);
    const int dependent = in_.below(3), independent = in_.below(3);
    std::vector<const char*> names;
    for (int i = 0; i < 4; ++i) names.push_back(any_name(in_));
    const std::vector<double> ratios = in_.numbers(static_cast<std::size_t>(dependent * independent), 3),
                              offsets = in_.numbers(static_cast<std::size_t>(dependent));
    const double* ratios_given = given(ratios);
    const double* offsets_given = given(offsets);
    const std::int32_t ld = in_.once_in(8) ? in_.below(4) : dependent;
    const std::size_t ratio_count = count(ratios.size()), offset_count = count(offsets.size());
    check("add_coupling",
          tenon_builder_add_coupling(builder_, name, names.data(), static_cast<std::size_t>(dependent),
                                     names.data() + 2, static_cast<std::size_t>(independent), ratios_given,
                                     ratio_count, ld, offsets_given, offset_count, message_, size()));
  }

  void move(const tenon_model* model) {
    tenon_workspace* w = nullptr;
    const tenon_status status =
        tenon_workspace_create(model, nullptr, nullptr, &w, message_, sizeof message_);
    DEMAND(status == TENON_OK, "status %d: %s", status, message_);
    const std::size_t nv = static_cast<std::size_t>(tenon_model_nv(model)),
                      nq = static_cast<std::size_t>(tenon_model_nq(model));
    std::vector<double> q(nq), v(nv, 0.5), tau(nv, 0.25);
    DEMAND(tenon_random(w, 1, q.data(), nq) == TENON_OK, "%s", message_of(w));
    tenon_close_loops(w, nullptr, q.data(), nq, nullptr);
    Input none(nullptr, 0);
    Caller calls(none);
    const auto call = [&](const char* name, auto f, const auto&... a) {
      calls.call(name, w, message_of, f, a...);
    };
    call("tenon_mass_matrix", tenon_mass_matrix, In{q}, Matrix{nv, nv});
    call("tenon_forward_dynamics", tenon_forward_dynamics, In{q}, In{v}, In{tau}, nullptr, std::size_t{0},
         Out{nv});
    tenon_workspace_destroy(w);
  }

  Input& in_;
  tenon_builder* builder_ = nullptr;
  std::int32_t links_ = 0, next_ = 1;
  std::vector<const char*> plain_;
  std::vector<Exact<double>> kept_;
  char message_[256] = "";
  std::size_t last_size_ = sizeof message_;
};

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Builder builder(in);
  if (!builder.made()) return 0;
  for (int calls = 0; calls < 40 && !in.empty(); ++calls) builder.add();
  builder.finish();
  builder.finish();
  return 0;
}
