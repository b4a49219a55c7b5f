// What a workspace changes of its robot between calls: loads on links, inertias of links, armatures and friction of joints.
#include <algorithm>

#include "support/arguments.hpp"
#include "support/call.hpp"
#include "tenon/dynamics.hpp"

using namespace tenon::capi;

namespace {

// mass, center_of_mass and inertia among the arguments; zero where they are NULL.
tenon::LinkInertia given(double mass, const double* center_of_mass, const double* inertia) {
  tenon::LinkInertia x;
  x.mass = mass;
  if (center_of_mass != nullptr) std::copy_n(center_of_mass, 3, x.center_of_mass.begin());
  if (inertia != nullptr) std::copy_n(inertia, 6, x.inertia.begin());
  return x;
}

void give(const tenon::LinkInertia& x, double* mass, double* center_of_mass, double* inertia) {
  if (mass != nullptr) *mass = x.mass;
  if (center_of_mass != nullptr) std::copy_n(x.center_of_mass.begin(), 3, center_of_mass);
  if (inertia != nullptr) std::copy_n(x.inertia.begin(), 6, inertia);
}

void check(Call& call, std::int32_t link, const Array& center_of_mass, const Array& inertia) {
  call.index("link", link, call.links(), "links");
  call.optional(center_of_mass, 3);
  call.optional(inertia, 6);
}

}  // namespace

tenon_status tenon_workspace_set_payload(tenon_workspace* workspace, int32_t link, double mass,
                                         const double* center_of_mass, size_t center_of_mass_count,
                                         const double* inertia, size_t inertia_count) {
  Call call(workspace, __func__);
  check(call, link, ARRAY(center_of_mass), ARRAY(inertia));
  return call.run(
      [&] { return tenon::set_payload(workspace->core, link, given(mass, center_of_mass, inertia)); });
}

tenon_status tenon_workspace_payload(const tenon_workspace* workspace, int32_t link, double* mass,
                                     double* center_of_mass, size_t center_of_mass_count, double* inertia,
                                     size_t inertia_count) {
  Call call(workspace, __func__);
  check(call, link, ARRAY(center_of_mass), ARRAY(inertia));
  return call.run_glue(
      [&](tenon::Workspace& w) { give(tenon::payload(w, link), mass, center_of_mass, inertia); });
}

tenon_status tenon_workspace_set_inertia(tenon_workspace* workspace, int32_t link, double mass,
                                         const double* center_of_mass, size_t center_of_mass_count,
                                         const double* inertia, size_t inertia_count) {
  Call call(workspace, __func__);
  check(call, link, ARRAY(center_of_mass), ARRAY(inertia));
  return call.run(
      [&] { return tenon::set_link_inertia(workspace->core, link, given(mass, center_of_mass, inertia)); });
}

tenon_status tenon_workspace_inertia(const tenon_workspace* workspace, int32_t link, double* mass,
                                     double* center_of_mass, size_t center_of_mass_count, double* inertia,
                                     size_t inertia_count) {
  Call call(workspace, __func__);
  check(call, link, ARRAY(center_of_mass), ARRAY(inertia));
  return call.run_glue(
      [&](tenon::Workspace& w) { give(tenon::link_inertia(w, link), mass, center_of_mass, inertia); });
}

tenon_status tenon_workspace_set_joint_parameters(tenon_workspace* workspace, const double* armatures,
                                                  size_t armatures_count, const double* damping,
                                                  size_t damping_count, const double* friction,
                                                  size_t friction_count) {
  Call call(workspace, __func__);
  call.optional(ARRAY(armatures), call.nv());
  call.optional(ARRAY(damping), call.nv());
  call.optional(ARRAY(friction), call.nv());
  return call.run([&] { return tenon::set_joint_parameters(workspace->core, armatures, damping, friction); });
}

tenon_status tenon_workspace_joint_parameters(const tenon_workspace* workspace, double* armatures,
                                              size_t armatures_count, double* damping, size_t damping_count,
                                              double* friction, size_t friction_count) {
  Call call(workspace, __func__);
  call.optional(ARRAY(armatures), call.nv());
  call.optional(ARRAY(damping), call.nv());
  call.optional(ARRAY(friction), call.nv());
  return call.run_glue(
      [&](tenon::Workspace& w) { tenon::joint_parameters(w, armatures, damping, friction); });
}
