// Mock-up units, through the functions of FMI 3.0: settings as bytes, any order of calls, and saved states with bytes
// changed. A state that comes back makes the unit go on as before; one that is none is refused, or leaves a unit whose
// calls still answer.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "support/caller.hpp"

extern "C" {
void* fmi3InstantiateModelExchange(const char*, const char*, const char*, bool, bool, void*,
                                   void (*)(void*, int, const char*, const char*));
void* fmi3InstantiateCoSimulation(const char*, const char*, const char*, bool, bool, bool, bool,
                                  const std::uint32_t*, std::size_t, void*,
                                  void (*)(void*, int, const char*, const char*), void (*)());
void fmi3FreeInstance(void*);
int fmi3EnterInitializationMode(void*, bool, double, double, bool, double);
int fmi3ExitInitializationMode(void*);
int fmi3Terminate(void*);
int fmi3Reset(void*);
int fmi3GetFloat64(void*, const std::uint32_t*, std::size_t, double*, std::size_t);
int fmi3SetFloat64(void*, const std::uint32_t*, std::size_t, const double*, std::size_t);
int fmi3DoStep(void*, double, double, bool, bool*, bool*, bool*, double*);
int fmi3GetFMUState(void*, void**);
int fmi3SetFMUState(void*, void*);
int fmi3FreeFMUState(void*, void**);
int fmi3SerializedFMUStateSize(void*, void*, std::size_t*);
int fmi3SerializeFMUState(void*, void*, std::uint8_t*, std::size_t);
int fmi3DeserializeFMUState(void*, const std::uint8_t*, std::size_t, void**);
int fmi3GetNumberOfContinuousStates(void*, std::size_t*);
int fmi3GetContinuousStates(void*, double*, std::size_t);
int fmi3SetContinuousStates(void*, const double*, std::size_t);
int fmi3GetContinuousStateDerivatives(void*, double*, std::size_t);
int fmi3CompletedIntegratorStep(void*, bool, bool*, bool*);
int fmi3UpdateDiscreteStates(void*, bool*, bool*, bool*, bool*, bool*, double*);
}

namespace tenon::fuzz {
namespace {

constexpr int ok = 0, refused = 3;

// A ball joint, two hinges and the gear between them.
constexpr const char* urdf =
    "<robot name='r'><link name='b'/>"
    "<link name='c'><inertial><mass value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial></link>"
    "<link name='d'><inertial><mass value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial></link>"
    "<link name='e'><inertial><mass value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial></link>"
    "<joint name='j' type='spherical'><parent link='b'/><child link='c'/></joint>"
    "<joint name='k' type='revolute'><parent link='c'/><child link='d'/><origin xyz='.3 0 0'/><axis xyz='0 1 "
    "0'/></joint>"
    "<joint name='l' type='revolute'><parent link='d'/><child link='e'/><origin xyz='.3 0 0'/><axis xyz='0 1 "
    "0'/>"
    "<mimic joint='k' multiplier='-2' offset='0.1'/></joint></robot>";

std::string bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  char text[20];
  std::snprintf(text, sizeof text, " %016llx", static_cast<unsigned long long>(bits));
  return text;
}

// Steps of any length may be a great many, so that those of changed settings are not made.
std::string settings_text(Input& in, bool* changed) {
  std::string text = "tenon-unit 1\ntoken t\nfloating 0\nignore_mimic 0\ntolerant_inertias 0\ngravity";
  // One after the other: the terms of a sum are evaluated in any order.
  const auto add = [&](const std::string& more) { text += more; };
  const auto add_many = [&](std::size_t count, double x) {
    for (std::size_t i = 0; i < count; ++i) add(bits_of(in.once_in(32) ? in.number() : x));
  };
  constexpr double steps[] = {0.01, 0.001, 1, 1e300, 0, -1, HUGE_VAL, NAN};
  add_many(3, -3);
  add("\nrunge_kutta " + std::to_string(in.below(2)));
  add("\nmethod " + std::to_string(in.once_in(8) ? in.below(256) : 0));
  add("\ndt" + bits_of(steps[in.below(8)]));
  add("\nstabilise");
  add_many(2, 1);
  const int contacts = in.below(3);
  add("\ncontacts " + std::to_string(contacts));
  for (int i = 0; i < contacts; ++i) {
    add(" " + std::to_string(in.below(2)));
    add(" " + std::to_string(in.once_in(16) ? in.below(256) : 3));
    add_many(3, 0.1);
  }
  add("\nposes 1 " + std::to_string(in.once_in(16) ? in.below(256) : 2));
  add("\nq 6" + bits_of(0) + bits_of(0) + bits_of(0) + bits_of(1));
  add_many(2, 0.1);
  add("\nv 5");
  add_many(5, 0.2);
  add("\nend\n");
  // As bytes: some changed, or the end cut off.
  *changed = in.once_in(16);
  for (int changes = *changed ? in.below(8) : 0; changes > 0; --changes) {
    const std::size_t at = static_cast<std::size_t>(in.bits(2)) % text.size();
    text[at] = static_cast<char>(in.byte());
  }
  if (in.once_in(64)) text.resize(static_cast<std::size_t>(in.bits(2)) % text.size());
  return text;
}

// The resources of units in a folder of this process.
const std::string& folder() {
  static const struct Folder {
    std::string path = (std::filesystem::temp_directory_path() /
                        ("tenon_fuzz_units_" + std::to_string(std::random_device()())))
                           .string();
    Folder() {
      std::filesystem::create_directories(path);
      std::ofstream(path + "/robot.urdf") << urdf;
    }
    ~Folder() { std::filesystem::remove_all(path); }
  } made;
  return made.path;
}

void told(void*, int status, const char* category, const char* message) {
  DEMAND(status >= 2 && category && message[0], "status %d, message '%s'", status, message);
  DEMAND(std::strstr(message, "fault in Tenon") == nullptr, "%s", message);
}

class Unit {
 public:
  explicit Unit(Input& in) : in_(in), exchange_(in.once_in(3)) {
    std::ofstream(folder() + "/tenon.txt", std::ios::binary) << settings_text(in, &changed_);
    unit_ = exchange_ ? fmi3InstantiateModelExchange("u", "t", folder().c_str(), false, false, nullptr, told)
                      : fmi3InstantiateCoSimulation("u", "t", folder().c_str(), false, false, false, false,
                                                    nullptr, 0, nullptr, told, nullptr);
  }
  ~Unit() {
    if (!unit_) return;
    fmi3FreeFMUState(unit_, &kept_);
    fmi3FreeInstance(unit_);
  }
  bool made() const { return unit_ != nullptr; }

  void step() {
    switch (in_.below(12)) {
      case 0: {
        const double tolerance = in_.number();
        fmi3EnterInitializationMode(unit_, tolerance > 0, tolerance, 0, false, 0);
        return void(fmi3ExitInitializationMode(unit_));
      }
      case 1:
        return void(fmi3Terminate(unit_));
      case 2:
        return void(fmi3Reset(unit_));
      case 3:
        return get();
      case 4: {
        std::uint32_t variables[2];
        std::vector<double> values(2);
        for (int i = 0; i < 2; ++i)
          variables[i] = static_cast<std::uint32_t>(in_.index(40)),
          values[static_cast<std::size_t>(i)] = in_.number();
        return void(fmi3SetFloat64(unit_, variables, 2, values.data(), 2));
      }
      case 5: {
        bool event, terminate, early;
        double last;
        // Not many steps: dt may be anything.
        const double length = in_.once_in(4) ? in_.number() : 0.02;
        const double from = in_.number();
        if (!changed_ && !(length > 0.1))
          fmi3DoStep(unit_, from, length, false, &event, &terminate, &early, &last);
        return;
      }
      case 6:
        DEMAND(fmi3GetFMUState(unit_, &kept_) == ok && kept_, "no state");
        return;
      case 7:
        if (kept_) DEMAND(fmi3SetFMUState(unit_, kept_) == ok, "the unit's own state is refused");
        return;
      case 8:
        return serialised(true);
      case 9:
        return serialised(false);
      case 10:
        return exchange();
      default:
        return repeated();
    }
  }

 private:
  void get() {
    std::vector<std::uint32_t> variables(static_cast<std::size_t>(in_.below(8)));
    for (std::uint32_t& each : variables) each = static_cast<std::uint32_t>(in_.index(48));
    const Exact<double> values = exact<double>(variables.size());
    fmi3GetFloat64(unit_, variables.data(), variables.size(), values.get(), variables.size());
  }

  std::size_t size() {
    std::size_t bytes = 0;
    DEMAND(fmi3SerializedFMUStateSize(unit_, nullptr, &bytes) == ok && bytes % sizeof(double) == 0,
           "%zu bytes", bytes);
    return bytes;
  }

  // The state as bytes and back; changed: with some of them changed, or another size.
  void serialised(bool changed) {
    std::size_t bytes = size();
    void* state = nullptr;
    DEMAND(fmi3GetFMUState(unit_, &state) == ok, "no state");
    Exact<std::uint8_t> written = exact<std::uint8_t>(bytes);
    DEMAND(fmi3SerializeFMUState(unit_, state, written.get(), bytes) == ok, "not written");
    DEMAND(fmi3SerializeFMUState(unit_, state, written.get(), bytes - 1) == refused,
           "written into too little");
    if (changed) {
      const bool shorter = in_.once_in(16);
      const std::size_t keep = shorter ? static_cast<std::size_t>(in_.bits(2)) % bytes : bytes;
      Exact<std::uint8_t> other = exact<std::uint8_t>(keep);
      std::memcpy(other.get(), written.get(), keep);
      for (int changes = 1 + in_.below(4); changes > 0 && keep >= sizeof(double); --changes) {
        const double x = in_.number();
        std::memcpy(other.get() + static_cast<std::size_t>(in_.byte()) % (keep / sizeof x) * sizeof x, &x,
                    sizeof x);
      }
      written = std::move(other), bytes = keep;
    }
    void* back = nullptr;
    const int status = fmi3DeserializeFMUState(unit_, written.get(), bytes, &back);
    DEMAND(changed || status == ok, "the unit's own bytes are refused");
    DEMAND((status == ok) == (back != nullptr), "status %d", status);
    if (back) {
      const int restored = fmi3SetFMUState(unit_, back);
      DEMAND(changed || restored == ok, "the unit's own bytes are no state");
      // Where it is refused nothing has changed.
      if (restored != ok) {
        const Exact<std::uint8_t> now = exact<std::uint8_t>(size()), before = exact<std::uint8_t>(size());
        void* left = nullptr;
        fmi3GetFMUState(unit_, &left);
        fmi3SerializeFMUState(unit_, left, now.get(), size());
        fmi3SerializeFMUState(unit_, state, before.get(), size());
        DEMAND(std::memcmp(now.get(), before.get(), size()) == 0,
               "a state that is refused has changed the unit");
        fmi3FreeFMUState(unit_, &left);
      }
    }
    fmi3FreeFMUState(unit_, &back);
    fmi3FreeFMUState(unit_, &state);
  }

  void exchange() {
    std::size_t count = 0;
    fmi3GetNumberOfContinuousStates(unit_, &count);
    const std::size_t said = in_.once_in(32) ? count + 1 : count;
    const std::vector<double> given = in_.numbers(count);
    const Exact<double> states = exact<double>(count);
    std::copy(given.begin(), given.end(), states.get());
    bool flags[5];
    double next;
    if (in_.once_in(2)) fmi3SetContinuousStates(unit_, states.get(), said);
    fmi3GetContinuousStates(unit_, states.get(), said);
    if (fmi3GetContinuousStateDerivatives(unit_, states.get(), said) == ok)
      for (std::size_t i = 0; i < count; ++i)
        DEMAND(std::isfinite(states[i]), "derivative %zu is %g", i, states[i]);
    fmi3CompletedIntegratorStep(unit_, false, flags, flags + 1);
    fmi3UpdateDiscreteStates(unit_, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next);
  }

  // A step, the state of before, the step again: the same state.
  void repeated() {
    if (exchange_ || changed_) return;
    bool event, terminate, early;
    double last;
    void *before = nullptr, *once = nullptr, *twice = nullptr;
    DEMAND(fmi3GetFMUState(unit_, &before) == ok, "no state");
    const int first = fmi3DoStep(unit_, 1, 0.01, false, &event, &terminate, &early, &last);
    DEMAND(fmi3GetFMUState(unit_, &once) == ok && fmi3SetFMUState(unit_, before) == ok, "no state");
    const int second = fmi3DoStep(unit_, 1, 0.01, false, &event, &terminate, &early, &last);
    DEMAND(fmi3GetFMUState(unit_, &twice) == ok, "no state");
    DEMAND(first == second, "status %d, then %d", first, second);
    // The numbers that a state holds are its bytes.
    const std::size_t bytes = size(), count = bytes / sizeof(double);
    std::vector<double> a(count), b(count);
    fmi3SerializeFMUState(unit_, once, reinterpret_cast<std::uint8_t*>(a.data()), bytes);
    fmi3SerializeFMUState(unit_, twice, reinterpret_cast<std::uint8_t*>(b.data()), bytes);
    for (std::size_t i = 0; i < count; ++i)
      DEMAND(a[i] == b[i] || std::fabs(a[i] - b[i]) <= 1e-9 * (1 + std::fabs(a[i])),
             "number %zu of the state after a step is %.17g, after the same step again %.17g", i, a[i], b[i]);
    for (void** state : {&before, &once, &twice}) fmi3FreeFMUState(unit_, state);
  }

  Input& in_;
  bool exchange_, changed_ = false;
  void *unit_ = nullptr, *kept_ = nullptr;
};

}  // namespace
}  // namespace tenon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::fuzz;
  Input in(data, size);
  Unit unit(in);
  for (int calls = 0; unit.made() && calls < 24 && !in.empty(); ++calls) unit.step();
  return 0;
}
