// States of other libraries.
#include "tenon/conventions.hpp"
#include "support/call.hpp"
#include "support/object.hpp"

using namespace tenon::capi;

namespace {

struct Conversion {
  tenon::OtherState other;
  tenon::Direction direction;
};

Conversion checked(Call& call, const tenon_workspace* workspace, std::int32_t convention,
                   std::int32_t direction, const std::int32_t* joints, std::size_t joint_count) {
  call.one_of(kinds::convention, "convention", convention);
  call.one_of(kinds::direction, "direction", direction);
  const std::size_t count = workspace ? workspace->core.model().joints.size() : 0;
  if (joints && joint_count != count)
    call.fail(tenon::Status::wrong_size, "joint_count is %zu; list each of the %zu joints of the model once",
              joint_count, count);
  return {{static_cast<tenon::Convention>(convention), joints}, static_cast<tenon::Direction>(direction)};
}

// The other library's vectors hold every joint, whatever coordinates ours have.
void check_motion(Call& call, std::int32_t direction, const double* in, std::size_t in_count,
                  const double* out, std::size_t out_count) {
  if (direction == TENON_DIRECTION_TO_OTHER) {
    call.velocities(ARRAY(in));
    call.needed(ARRAY(out), call.nv());
  } else {
    call.needed(ARRAY(in), call.nv());
    call.velocities(ARRAY(out));
  }
}

template <class Convert>
tenon_status convert_motion(const char* function, tenon_workspace* workspace, std::int32_t convention,
                            std::int32_t direction, const std::int32_t* joints, std::size_t joint_count,
                            const double* q, std::size_t q_count, const double* in, std::size_t in_count,
                            const double* out, std::size_t out_count, Convert convert) {
  Call call(workspace, function);
  const Conversion conversion = checked(call, workspace, convention, direction, joints, joint_count);
  call.positions(ARRAY(q));
  check_motion(call, direction, in, in_count, out, out_count);
  return call.run([&] { return convert(conversion.other, conversion.direction); });
}

}  // namespace

std::int32_t tenon_convention_nq(const tenon_model* model, std::int32_t convention) {
  if (!model || !kinds::convention.find(convention)) return TENON_INVALID_ARGUMENT;
  return tenon::position_count(*model->core, static_cast<tenon::Convention>(convention));
}

tenon_status tenon_convert_configuration(tenon_workspace* workspace, std::int32_t convention,
                                         std::int32_t direction, const std::int32_t* joints,
                                         size_t joint_count, const double* in, size_t in_count, double* out,
                                         size_t out_count) {
  Call call(workspace, __func__);
  const Conversion conversion = checked(call, workspace, convention, direction, joints, joint_count);
  const std::size_t other = workspace && call.good()
                                ? static_cast<std::size_t>(tenon::position_count(workspace->core.model(),
                                                                                 conversion.other.convention))
                                : 0;
  if (direction == TENON_DIRECTION_TO_OTHER) {
    call.positions(ARRAY(in));
    call.needed(ARRAY(out), other);
  } else {
    call.needed(ARRAY(in), other);
    call.positions(ARRAY(out));
  }
  return call.run([&] {
    return tenon::convert_configuration(workspace->core, conversion.other, conversion.direction, in, out);
  });
}

tenon_status tenon_convert_velocity(tenon_workspace* workspace, std::int32_t convention,
                                    std::int32_t direction, const std::int32_t* joints, size_t joint_count,
                                    const double* q, size_t q_count, const double* in, size_t in_count,
                                    double* out, size_t out_count) {
  return convert_motion(__func__, workspace, convention, direction, joints, joint_count, q, q_count, in,
                        in_count, out, out_count, [&](const tenon::OtherState& other, tenon::Direction way) {
                          return tenon::convert_velocity(workspace->core, other, way, q, in, out);
                        });
}

tenon_status tenon_convert_acceleration(tenon_workspace* workspace, std::int32_t convention,
                                        std::int32_t direction, const std::int32_t* joints,
                                        size_t joint_count, const double* q, size_t q_count, const double* v,
                                        size_t v_count, const double* in, size_t in_count, double* out,
                                        size_t out_count) {
  Call call(workspace, __func__);
  const Conversion conversion = checked(call, workspace, convention, direction, joints, joint_count);
  call.state(ARRAY(q), ARRAY(v));
  check_motion(call, direction, in, in_count, out, out_count);
  return call.run([&] {
    return tenon::convert_acceleration(workspace->core, conversion.other, conversion.direction, q, v, in,
                                       out);
  });
}

tenon_status tenon_convert_force(tenon_workspace* workspace, std::int32_t convention, std::int32_t direction,
                                 const std::int32_t* joints, size_t joint_count, const double* q,
                                 size_t q_count, const double* in, size_t in_count, double* out,
                                 size_t out_count) {
  return convert_motion(__func__, workspace, convention, direction, joints, joint_count, q, q_count, in,
                        in_count, out, out_count, [&](const tenon::OtherState& other, tenon::Direction way) {
                          return tenon::convert_force(workspace->core, other, way, q, in, out);
                        });
}
