// Configurations and coordinates: integrate, difference, normalize, other libraries' conventions, spanning and
// independent ones. And the ways back: what goes there and back comes out the same.
#include <algorithm>

#include "support/caller.hpp"
#include "support/robots.hpp"

namespace tenon::fuzz {
namespace {

const char* message_of(tenon_workspace* w) {
  return tenon_workspace_message(w);
}

bool moderate(const std::vector<double>& x, double most) {
  return std::all_of(x.begin(), x.end(), [&](double each) { return std::fabs(each) <= most; });
}

class Coordinates {
 public:
  Coordinates(Input& in, const tenon_model* model) : in_(in), model_(model), calls_(in) {
    DEMAND(tenon_workspace_create(model, nullptr, nullptr, &w_, nullptr, 0) == TENON_OK, "no workspace");
    for (std::int32_t i = 0; i < tenon_model_joint_count(model); ++i) {
      tenon_joint_info info;
      tenon_joint_info_init(&info, sizeof info);
      tenon_model_joint_info(model, i, &info);
      joints_.push_back(info);
    }
    set_counts();
  }
  ~Coordinates() { tenon_workspace_destroy(w_); }

  void step() {
    const std::vector<double> q = configuration(), v = in_.numbers(nv_);
    switch (in_.below(12)) {
      case 0: {
        const double dt = in_.once_in(4) ? in_.number() : 0.125;
        call("tenon_integrate", tenon_integrate, In{q}, In{v}, dt, Out{nq_});
        return there_and_back(q, v);
      }
      case 1: {
        const std::vector<double> to = configuration();
        return void(call("tenon_difference", tenon_difference, In{q}, In{to}, Out{nv_}));
      }
      case 2: {
        std::vector<double> any = in_.numbers(nq_, 3);
        return void(call("tenon_normalize", tenon_normalize, Changed{any}));
      }
      case 3:
        return convert(q, v);
      case 4: {
        const std::int32_t positions = in_.constant(2), velocities = in_.constant(2);
        call("tenon_workspace_set_coordinates", tenon_workspace_set_coordinates, positions, velocities);
        return set_counts();
      }
      case 5: {
        const std::vector<double> whole = configuration(true);
        return void(call("tenon_workspace_set_guess", tenon_workspace_set_guess, In{whole}));
      }
      case 6: {
        const std::vector<double> y = in_.numbers(nyq()), guess = configuration(true);
        return void(
            call("tenon_spanning_position", tenon_spanning_position, In{y}, In{guess, true}, Out{all_q()}));
      }
      case 7: {
        const std::vector<double> whole = configuration(true), rates = in_.numbers(all_v()),
                                  y = in_.numbers(ny());
        call("tenon_independent_position", tenon_independent_position, In{whole}, Out{nyq()});
        call("tenon_independent_velocity", tenon_independent_velocity, In{rates}, Out{ny()});
        call("tenon_spanning_velocity", tenon_spanning_velocity, In{whole}, In{y}, Out{all_v()});
        call("tenon_spanning_acceleration", tenon_spanning_acceleration, In{whole}, In{rates}, In{y},
             Out{all_v()});
        call("tenon_independent_force", tenon_independent_force, In{whole}, In{rates}, Out{ny()});
        return void(call("tenon_spanning_force", tenon_spanning_force, In{y}, Out{all_v()}));
      }
      case 8: {
        const std::vector<double> whole = configuration(true), rates = in_.numbers(all_v());
        const std::size_t rows = static_cast<std::size_t>(tenon_model_loop_row_count(model_));
        call("tenon_loop_map", tenon_loop_map, In{whole}, In{rates, true},
             Matrix{all_v(), ny(), nullptr, true}, Out{all_v(), true});
        return void(call("tenon_loop_jacobian", tenon_loop_jacobian, In{whole}, In{rates, true},
                         Matrix{rows, all_v(), nullptr, true}, Out{rows, true}, Out{rows, true}));
      }
      case 9: {
        const std::uint64_t seed = in_.bits(3);
        call("tenon_random", tenon_random, seed, Out{nq_});
        return void(call("tenon_neutral", tenon_neutral, Out{nq_}));
      }
      case 10: {
        const std::vector<double> whole = configuration(true);
        const std::int32_t capacity = in_.once_in(16) ? in_.index(4) : 1 + in_.below(3);
        const Struct<tenon_assembly_options> options(
            in_, tenon_assembly_options_init, [&](tenon_assembly_options& o) { o.starts = in_.below(6); });
        const std::size_t numbers =
            all_q() * static_cast<std::size_t>(capacity > 0 && capacity < 100 ? capacity : 1);
        const Exact<double> found_q = exact<double>(numbers);
        std::int32_t found = -1;
        const tenon_status status = tenon_find_assemblies(w_, options.get(), whole.data(), all_q(), capacity,
                                                          found_q.get(), numbers, &found);
        DEMAND(status != TENON_INTERNAL_ERROR, "%s", message_of(w_));
        DEMAND(status < 0 || (found >= 0 && found <= capacity && !options.refused()), "found %d of %d", found,
               capacity);
        for (std::size_t i = 0; status >= 0 && i < static_cast<std::size_t>(found) * all_q(); ++i)
          DEMAND(std::isfinite(found_q[i]), "number %zu of %d assemblies is %g", i, found, found_q[i]);
        return;
      }
      default: {
        std::vector<double> whole = configuration(true), rates = in_.numbers(all_v());
        const Struct<tenon_closing_options> options(
            in_, tenon_closing_options_init, [&](tenon_closing_options& o) { o.moves = in_.constant(2); });
        double gap = 0;
        const tenon_status status = tenon_close_loops(w_, options.get(), whole.data(), all_q(), &gap);
        DEMAND(status != TENON_INTERNAL_ERROR, "%s", message_of(w_));
        DEMAND(status < 0 || !options.refused(), "a struct of a wrong size was taken");
        if (status == TENON_OK) DEMAND(gap <= 1e-9, "closed, but open by %g", gap);
        if (status >= 0)
          call("tenon_close_loop_velocities", tenon_close_loop_velocities, options, In{whole},
               Changed{rates});
        return;
      }
    }
  }

 private:
  template <class F, class... A>
  tenon_status call(const char* name, F f, const A&... a) {
    return calls_.call(name, w_, message_of, f, a...);
  }
  std::size_t all_q() const { return static_cast<std::size_t>(tenon_model_nq(model_)); }
  std::size_t all_v() const { return static_cast<std::size_t>(tenon_model_nv(model_)); }
  std::size_t ny() const { return static_cast<std::size_t>(tenon_model_ny(model_)); }
  std::size_t nyq() const { return static_cast<std::size_t>(tenon_model_nyq(model_)); }
  void set_counts() {
    nq_ = static_cast<std::size_t>(tenon_workspace_position_count(w_));
    nv_ = static_cast<std::size_t>(tenon_workspace_velocity_count(w_));
  }

  // Mostly one that can be; whole: of every joint.
  std::vector<double> configuration(bool whole = false) {
    const std::size_t count = whole ? all_q() : nq_;
    if (in_.once_in(8)) return in_.numbers(count);
    std::vector<double> q(count);
    const std::uint64_t seed = in_.byte();
    if (count == nq_)
      DEMAND(tenon_random(w_, seed, q.data(), count) == TENON_OK, "%s", message_of(w_));
    else
      DEMAND(tenon_workspace_guess(w_, q.data(), count) == TENON_OK, "%s", message_of(w_));
    // One coordinate may be any number, but of quaternions.
    if (in_.once_in(4) && !joints_.empty()) {
      const tenon_joint_info& joint = joints_[static_cast<std::size_t>(in_.byte()) % joints_.size()];
      const std::size_t at = static_cast<std::size_t>(joint.q_index);
      const double x = in_.number();
      if (joint.type != TENON_JOINT_TYPE_SPHERICAL && at < count) q[at] = x;
    }
    return q;
  }

  // integrate(from, difference(from, to), 1) is to, where a rotation is no whole turn.
  void there_and_back(const std::vector<double>& q, const std::vector<double>& v) {
    if (nq_ != all_q() || nv_ != all_v() || !moderate(q, 1e3) || !moderate(v, 1)) return;
    std::vector<double> to(nq_), back(nv_), again(nq_);
    if (tenon_integrate(w_, q.data(), nq_, v.data(), nv_, 1, to.data(), nq_) != TENON_OK) return;
    DEMAND(tenon_difference(w_, q.data(), nq_, to.data(), nq_, back.data(), nv_) == TENON_OK, "%s",
           message_of(w_));
    for (std::size_t i = 0; i < nv_; ++i)
      DEMAND(std::fabs(back[i] - v[i]) <= 1e-9, "velocity %zu is %g, there and back %g", i, v[i], back[i]);
    DEMAND(tenon_integrate(w_, q.data(), nq_, back.data(), nv_, 1, again.data(), nq_) == TENON_OK, "%s",
           message_of(w_));
    for (std::size_t i = 0; i < nq_; ++i)
      DEMAND(std::fabs(again[i] - to[i]) <= 1e-9, "position %zu is %g, then %g", i, to[i], again[i]);
  }

  void convert(const std::vector<double>&, const std::vector<double>&) {
    const std::int32_t convention = in_.constant(3), direction = in_.constant(2);
    std::vector<std::int32_t> joints;
    for (std::size_t i = 0; in_.once_in(2) && i < joints_.size(); ++i)
      joints.push_back(static_cast<std::int32_t>(i));
    joints.resize(joints.size() == joints_.size() || in_.once_in(8) ? joints.size() : 0);
    for (std::size_t i = joints.size(); i > 1; --i)
      std::swap(joints[i - 1], joints[static_cast<std::size_t>(in_.byte()) % i]);
    if (in_.once_in(16) && !joints.empty()) joints[0] = in_.index(static_cast<int>(joints.size()));
    const std::int32_t* order = joints.empty() ? nullptr : joints.data();
    const std::int32_t there = tenon_convention_nq(model_, convention);
    DEMAND((there < 0) == (convention < 0 || convention > 2), "convention %d has %d", convention, there);
    const std::size_t other_q = there < 0 ? 0 : static_cast<std::size_t>(there);
    const bool to = direction == TENON_DIRECTION_TO_OTHER;
    const std::vector<double> q = configuration(), in_q = to ? q : in_.numbers(other_q), v = in_.numbers(nv_),
                              in_v = in_.numbers(all_v());
    const std::size_t own_v = nv_;
    call("tenon_convert_configuration", tenon_convert_configuration, convention, direction, order,
         joints.size(), In{in_q}, Out{to ? other_q : nq_});
    const std::vector<double>& given = to ? v : in_v;
    const std::size_t out = to ? all_v() : own_v;
    call("tenon_convert_velocity", tenon_convert_velocity, convention, direction, order, joints.size(), In{q},
         In{given}, Out{out});
    call("tenon_convert_acceleration", tenon_convert_acceleration, convention, direction, order,
         joints.size(), In{q}, In{v}, In{given}, Out{out});
    call("tenon_convert_force", tenon_convert_force, convention, direction, order, joints.size(), In{q},
         In{given}, Out{out});
    if (convention < 0 || convention > 2 || nq_ != all_q() || nv_ != all_v() || !moderate(q, 1e3)) return;
    // There and back; orientations up to sign, angles up to turns.
    std::vector<double> other(other_q), back(nq_), v_other(nv_), v_back(nv_), d(nv_);
    if (tenon_convert_configuration(w_, convention, 1, order, joints.size(), q.data(), nq_, other.data(),
                                    other_q) != TENON_OK)
      return;
    DEMAND(tenon_convert_configuration(w_, convention, 0, order, joints.size(), other.data(), other_q,
                                       back.data(), nq_) == TENON_OK,
           "%s", message_of(w_));
    if (tenon_difference(w_, q.data(), nq_, back.data(), nq_, d.data(), nv_) == TENON_OK)
      for (const tenon_joint_info& joint : joints_)
        for (std::int32_t k = joint.v_index; k < joint.v_index + joint.nv; ++k)
          DEMAND(std::fabs(std::remainder(d[static_cast<std::size_t>(k)], 2 * 3.14159265358979323846)) < 1e-6,
                 "joint '%s' is off by %g", joint.name, d[static_cast<std::size_t>(k)]);
    if (!moderate(v, 1e3) || tenon_convert_velocity(w_, convention, 1, order, joints.size(), q.data(), nq_,
                                                    v.data(), nv_, v_other.data(), nv_) != TENON_OK)
      return;
    DEMAND(tenon_convert_velocity(w_, convention, 0, order, joints.size(), q.data(), nq_, v_other.data(), nv_,
                                  v_back.data(), nv_) == TENON_OK,
           "%s", message_of(w_));
    for (std::size_t i = 0; i < nv_; ++i)
      DEMAND(std::fabs(v_back[i] - v[i]) <= 1e-9 * (1 + std::fabs(v[i])) * 1e3, "velocity %zu is %g, then %g",
             i, v[i], v_back[i]);
  }

  Input& in_;
  const tenon_model* model_;
  Caller calls_;
  tenon_workspace* w_ = nullptr;
  std::vector<tenon_joint_info> joints_;
  std::size_t nq_ = 0, nv_ = 0;
};

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Coordinates coordinates(in, robot(in.below(robot_count)));
  for (int calls = 0; calls < 16 && !in.empty(); ++calls) coordinates.step();
  return 0;
}
