// Version, build and the names of constants; and the proof that the constants of tenon.h are those of the
// core.
#include <cstdio>
#include <cstring>

#include "kernels/kernel_table.hpp"
#include "support/object.hpp"

#define TENON_SAME(constant, member)                                        \
  static_assert(constant == static_cast<decltype(constant)>(tenon::member), \
                #constant " differs from the core")

TENON_SAME(TENON_OK, Status::ok);
TENON_SAME(TENON_MAX_ITERATIONS, Status::max_iterations);
TENON_SAME(TENON_INFEASIBLE, Status::infeasible);
TENON_SAME(TENON_RANK_DEFICIENT, Status::rank_deficient);
TENON_SAME(TENON_INVALID_ARGUMENT, Status::invalid_argument);
TENON_SAME(TENON_WRONG_SIZE, Status::wrong_size);
TENON_SAME(TENON_NOT_FINITE, Status::not_finite);
TENON_SAME(TENON_OUT_OF_RANGE, Status::out_of_range);
TENON_SAME(TENON_NOT_NORMALIZED, Status::not_normalized);
TENON_SAME(TENON_PARSE_ERROR, Status::parse_error);
TENON_SAME(TENON_FILE_ERROR, Status::file_error);
TENON_SAME(TENON_INVALID_MODEL, Status::invalid_model);
TENON_SAME(TENON_INVALID_INERTIA, Status::invalid_inertia);
TENON_SAME(TENON_NOT_FOUND, Status::not_found);
TENON_SAME(TENON_NOT_POSITIVE_DEFINITE, Status::not_positive_definite);
TENON_SAME(TENON_SINGULAR_CONFIGURATION, Status::singular_configuration);
TENON_SAME(TENON_OPEN_LOOP, Status::open_loop);
TENON_SAME(TENON_UNSUPPORTED, Status::unsupported);
TENON_SAME(TENON_OUT_OF_MEMORY, Status::out_of_memory);
TENON_SAME(TENON_INTERNAL_ERROR, Status::internal_error);

TENON_SAME(TENON_METHOD_AUTOMATIC, Method::automatic);
TENON_SAME(TENON_METHOD_DENSE, Method::dense);
TENON_SAME(TENON_METHOD_CONSTRAINED_ABA, Method::constrained_aba);
TENON_SAME(TENON_METHOD_PROX_LTL, Method::prox_ltl);
TENON_SAME(TENON_METHOD_PROX_LTLS, Method::prox_ltls);
TENON_SAME(TENON_METHOD_PV, Method::pv);
TENON_SAME(TENON_METHOD_PROX_PV, Method::prox_pv);
TENON_SAME(TENON_METHOD_PV_SOFT, Method::pv_soft);
TENON_SAME(TENON_METHOD_PV_EARLY, Method::pv_early);
TENON_SAME(TENON_SPLIT_AUTOMATIC, SplitBase::automatic);
TENON_SAME(TENON_SPLIT_ALWAYS, SplitBase::always);
TENON_SAME(TENON_SPLIT_NEVER, SplitBase::never);

TENON_SAME(TENON_JOINT_FIXED, JointType::fixed);
TENON_SAME(TENON_JOINT_REVOLUTE, JointType::revolute);
TENON_SAME(TENON_JOINT_CONTINUOUS, JointType::continuous);
TENON_SAME(TENON_JOINT_PRISMATIC, JointType::prismatic);
TENON_SAME(TENON_JOINT_SPHERICAL, JointType::spherical);
TENON_SAME(TENON_JOINT_PLANAR, JointType::planar);
TENON_SAME(TENON_JOINT_FLOATING, JointType::floating);
TENON_SAME(TENON_JOINT_UNIVERSAL, JointType::universal);

TENON_SAME(TENON_AXES_LINK, RowAxes::link);
TENON_SAME(TENON_AXES_WORLD, RowAxes::world);
TENON_SAME(TENON_ROWS_ANGULAR, rows_angular);
TENON_SAME(TENON_ROWS_LINEAR, rows_linear);
TENON_SAME(TENON_ROWS_ALL, rows_all);

static_assert(TENON_VERSION_MAJOR == TENON_PROJECT_VERSION_MAJOR &&
                  TENON_VERSION_MINOR == TENON_PROJECT_VERSION_MINOR &&
                  TENON_VERSION_PATCH == TENON_PROJECT_VERSION_PATCH &&
                  TENON_VERSION ==
                      TENON_VERSION_MAJOR * 10000 + TENON_VERSION_MINOR * 100 + TENON_VERSION_PATCH,
              "tenon.h and the project disagree about the version");

#if defined(__clang__)
#define TENON_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define TENON_COMPILER "gcc " __VERSION__
#else
#define TENON_COMPILER "an unknown compiler"
#endif

namespace {

struct BuildInfo {
  char text[256];
  BuildInfo() {
    std::snprintf(text, sizeof text, "tenon %s, %s, %s, kernels %s", TENON_PROJECT_VERSION, TENON_COMPILER,
                  TENON_BUILD_TYPE, tenon::kernels<double>().instruction_set);
  }
};

constexpr const char* method_names[] = {"automatic", "dense",   "constrained_aba", "prox_ltl", "prox_ltls",
                                        "pv",        "prox_pv", "pv_soft",         "pv_early"};
constexpr const char* delassus_method_names[] = {"automatic", "dense",   "ltl_osim", "kjr",
                                                 "efpa",      "pv_osim", "pv_osimr"};
constexpr const char* damped_method_names[] = {"automatic", "dense",    "ltl_inverse", "ltl_cholesky",
                                               "pv_osimr",  "pv_osimf", "caba_osim",   "caba_osimf"};
constexpr const char* joint_type_names[] = {"fixed",     "revolute", "continuous", "prismatic",
                                            "spherical", "planar",   "floating",   "universal"};

template <std::size_t size>
const char* name_of(const char* const (&names)[size], int32_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < size ? names[number] : "unknown";
}

}  // namespace

int32_t tenon_version(void) {
  return TENON_VERSION;
}

const char* tenon_version_string(void) {
  return TENON_PROJECT_VERSION;
}

const char* tenon_build_info(void) {
  static const BuildInfo info;
  return info.text;
}

const char* tenon_status_string(tenon_status status) {
  return tenon::status_name(static_cast<tenon::Status>(status));
}

int32_t tenon_method_count(void) {
  return static_cast<int32_t>(std::size(method_names));
}

const char* tenon_method_string(int32_t method) {
  return name_of(method_names, method);
}

int32_t tenon_delassus_method_count(void) {
  return static_cast<int32_t>(std::size(delassus_method_names));
}

const char* tenon_delassus_method_string(int32_t method) {
  return name_of(delassus_method_names, method);
}

int32_t tenon_damped_method_count(void) {
  return static_cast<int32_t>(std::size(damped_method_names));
}

const char* tenon_damped_method_string(int32_t method) {
  return name_of(damped_method_names, method);
}

int32_t tenon_method_from_string(const char* name) {
  if (name == nullptr) return TENON_INVALID_ARGUMENT;
  for (int32_t method = 0; method < tenon_method_count(); ++method) {
    if (std::strcmp(name, method_names[method]) == 0) return method;
  }
  return TENON_NOT_FOUND;
}

const char* tenon_joint_type_string(int32_t type) {
  return name_of(joint_type_names, type);
}
