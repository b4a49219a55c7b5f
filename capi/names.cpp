// The constants of tenon.h: a table for each kind, the functions that name them, and the proof that the values are those
// of the core. Version and build.
#include "support/constants.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "data/model_data.hpp"
#include "plan/dispatch.hpp"
#include "support/object.hpp"
#include "tenon/conventions.hpp"
#include "tenon/delassus.hpp"
#include "tenon/loops.hpp"

namespace tenon::capi {

const Constant* Kind::find(std::int32_t value) const noexcept {
  const Constant* found =
      std::find_if(first, first + count, [&](const Constant& c) { return c.value == value; });
  return found == first + count ? nullptr : found;
}

const Constant* Kind::find(const char* name) const noexcept {
  const Constant* found =
      std::find_if(first, first + count, [&](const Constant& c) { return std::strcmp(c.name, name) == 0; });
  return found == first + count ? nullptr : found;
}

const char* Kind::name(std::int32_t value) const noexcept {
  const Constant* found = find(value);
  return found ? found->name : "unknown";
}

tenon_status Kind::value(const char* name, std::int32_t* value) const noexcept {
  if (name == nullptr || value == nullptr) return TENON_INVALID_ARGUMENT;
  const Constant* found = find(name);
  if (!found) return TENON_NOT_FOUND;
  *value = found->value;
  return TENON_OK;
}

void need_one_of(const Kind& kind, std::int32_t value, const char* name) {
  if (!kind.find(value))
    throw Error(Status::invalid_argument,
                std::string(name) + " is " + std::to_string(value) + ", which is none of " + kind.constants);
}

}  // namespace tenon::capi

#define C(CONSTANT, name, number) same(TENON_##CONSTANT, Status::name, #name),
TENON_KIND(status, "the statuses", TENON_STATUSES(C))
#undef C

#define C(CONSTANT, name, ...) , same(TENON_METHOD_##CONSTANT, Method::name, #name)
TENON_KIND(method, "TENON_METHOD_*",
           same(TENON_METHOD_AUTOMATIC, Method::automatic, "automatic") TENON_METHODS(C))
#undef C

#define C(CONSTANT, name, ...) , same(TENON_DELASSUS_METHOD_##CONSTANT, DelassusMethod::name, #name)
TENON_KIND(delassus_method, "TENON_DELASSUS_METHOD_*",
           same(TENON_DELASSUS_METHOD_AUTOMATIC, DelassusMethod::automatic, "automatic")
               TENON_DELASSUS_METHODS(C))
#undef C

#define C(CONSTANT, name, ...) , same(TENON_DAMPED_METHOD_##CONSTANT, DampedInverseMethod::name, #name)
TENON_KIND(damped_method, "TENON_DAMPED_METHOD_*",
           same(TENON_DAMPED_METHOD_AUTOMATIC, DampedInverseMethod::automatic, "automatic")
               TENON_DAMPED_INVERSE_METHODS(C))
#undef C

#define C(NAME, member) same(TENON_SPLIT_##NAME, SplitBase::member, #member)
TENON_KIND(split, "TENON_SPLIT_*", C(AUTOMATIC, automatic), C(ALWAYS, always), C(NEVER, never))
#undef C

#define C(NAME, member) same(TENON_JOINT_TYPE_##NAME, JointType::member, #member)
TENON_KIND(joint_type, "TENON_JOINT_TYPE_*", C(FIXED, fixed), C(REVOLUTE, revolute),
           C(CONTINUOUS, continuous), C(PRISMATIC, prismatic), C(SPHERICAL, spherical), C(PLANAR, planar),
           C(FLOATING, floating), C(UNIVERSAL, universal), C(SCREW, screw))
#undef C

TENON_KIND(base, "TENON_BASE_*", {TENON_BASE_FIXED, "fixed"}, {TENON_BASE_FLOATING, "floating"})

#define C(NAME, member) same(TENON_AXES_##NAME, RowAxes::member, #member)
TENON_KIND(axes, "TENON_AXES_*", C(LINK, link), C(WORLD, world))
#undef C

#define C(NAME, member) same(TENON_COORDINATES_##NAME, Coordinates::member, #member)
TENON_KIND(coordinates, "TENON_COORDINATES_*", C(SPANNING, spanning), C(INDEPENDENT, independent))
#undef C

#define C(NAME, member) same(TENON_LOOP_TREATMENT_##NAME, LoopTreatment::member, #member)
TENON_KIND(loop_treatment, "TENON_LOOP_TREATMENT_*", C(EMBED, embed), C(OPEN, open), C(ROWS, rows),
           C(AUTOMATIC, automatic), C(BY_MODEL, by_model))
#undef C

#define C(NAME, member) same(TENON_LOOP_MOVES_##NAME, LoopMoves::member, #member)
TENON_KIND(loop_moves, "TENON_LOOP_MOVES_*", C(DEPENDENT, dependent), C(ALL, all))
#undef C

#define C(NAME, member) same(TENON_LOOP_KIND_##NAME, loop_##member, #member)
TENON_KIND(loop_kind, "TENON_LOOP_KIND_*", C(COUPLING, coupling), C(GEOMETRIC, geometric),
           C(CALLBACK, callback))
#undef C

#define C(NAME, member) same(TENON_CONVENTION_##NAME, Convention::member, #member)
TENON_KIND(convention, "TENON_CONVENTION_*", C(PINOCCHIO, pinocchio), C(MUJOCO, mujoco), C(DRAKE, drake))
#undef C

#define C(NAME, member) same(TENON_DIRECTION_##NAME, Direction::member, #member)
TENON_KIND(direction, "TENON_DIRECTION_*", C(FROM_OTHER, from_other), C(TO_OTHER, to_other))
#undef C

#define C(NAME, name) \
  { TENON_LOG_LEVEL_##NAME, #name }
TENON_KIND(log_level, "TENON_LOG_LEVEL_*", C(TRACE, trace), C(DEBUG, debug), C(INFO, info),
           C(WARNING, warning), C(ERROR, error), C(OFF, off))
#undef C

#define C(NAME, member) same(TENON_INSTRUCTION_SET_##NAME, Instructions::member, #member)
TENON_KIND(instruction_set, "TENON_INSTRUCTION_SET_*", C(AUTOMATIC, automatic), C(BASELINE, baseline),
           C(X86_64_V3, x86_64_v3), C(X86_64_V4, x86_64_v4))
#undef C

TENON_KIND(precision, "TENON_PRECISION_*", {TENON_PRECISION_DOUBLE, "double"},
           {TENON_PRECISION_SINGLE, "single"})

TENON_KIND(integrator, "TENON_INTEGRATOR_*", {TENON_INTEGRATOR_SEMI_IMPLICIT_EULER, "semi_implicit_euler"},
           {TENON_INTEGRATOR_RUNGE_KUTTA_4, "runge_kutta_4"})

// The bits of rows have no names, but are the core's too.
static_assert(TENON_ROWS_ANGULAR == tenon::rows_angular && TENON_ROWS_LINEAR == tenon::rows_linear &&
              TENON_ROWS_ALL == tenon::rows_all);

namespace {

using namespace tenon::capi;

// In the order of TENON_CONSTANT_*.
constexpr const Kind* in_order[] = {&kinds::status,
                                    &kinds::method,
                                    &kinds::delassus_method,
                                    &kinds::damped_method,
                                    &kinds::split,
                                    &kinds::joint_type,
                                    &kinds::base,
                                    &kinds::axes,
                                    &kinds::coordinates,
                                    &kinds::loop_treatment,
                                    &kinds::loop_moves,
                                    &kinds::loop_kind,
                                    &kinds::convention,
                                    &kinds::direction,
                                    &kinds::log_level,
                                    &kinds::instruction_set,
                                    &kinds::precision,
                                    &kinds::integrator};
static_assert(std::size(in_order) == TENON_CONSTANT_INTEGRATOR + 1);

const Kind* kind_of(int32_t number) {
  return number >= 0 && number <= TENON_CONSTANT_INTEGRATOR ? in_order[number] : nullptr;
}

}  // namespace

int32_t tenon_constant_count(int32_t kind) {
  const Kind* all = kind_of(kind);
  return all ? all->count : 0;
}

const char* tenon_constant_name(int32_t kind, int32_t value) {
  const Kind* all = kind_of(kind);
  return all ? all->name(value) : "unknown";
}

tenon_status tenon_constant_from_name(int32_t kind, const char* name, int32_t* value) {
  const Kind* all = kind_of(kind);
  return all ? all->value(name, value) : TENON_INVALID_ARGUMENT;
}

const char* tenon_status_string(tenon_status value) {
  return tenon_constant_name(TENON_CONSTANT_STATUS, value);
}

tenon_status tenon_status_at(int32_t index) {
  const Kind& all = kinds::status;
  return index >= 0 && index < all.count ? all.first[index].value : TENON_OUT_OF_RANGE;
}

// ---- version and build

static_assert(TENON_VERSION_MAJOR == TENON_PROJECT_VERSION_MAJOR &&
                  TENON_VERSION_MINOR == TENON_PROJECT_VERSION_MINOR &&
                  TENON_VERSION_PATCH == TENON_PROJECT_VERSION_PATCH &&
                  TENON_VERSION ==
                      TENON_VERSION_MAJOR * 10000 + TENON_VERSION_MINOR * 100 + TENON_VERSION_PATCH,
              "tenon.h and the project disagree about the version");

#define TENON_TEXT_OF(number) #number
#define TENON_TEXT(number) TENON_TEXT_OF(number)
#if defined(__clang__)
#define TENON_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define TENON_COMPILER "gcc " __VERSION__
#elif defined(_MSC_FULL_VER)
#define TENON_COMPILER "msvc " TENON_TEXT(_MSC_FULL_VER)
#else
#define TENON_COMPILER "an unknown compiler"
#endif

namespace {

struct BuildInfo {
  char text[256];
  BuildInfo() {
    const tenon::KernelTable<double>& kernels = tenon::kernels<double>();
    std::snprintf(text, sizeof text, "tenon %s, %s, %s, kernels %s, derivatives %s, batches %s",
                  TENON_PROJECT_VERSION, TENON_COMPILER, TENON_BUILD_TYPE, kernels.instruction_set,
                  kernels.of_derivatives, tenon::best_instructions());
  }
};

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
