// Times builds of the shared library beside each other: by several compilers, with other flags, of other days.
//
//     library_builds [--rounds=N] [--states=N] [--copies=N] [--robot=NAME]... [--calls=TEXT] libtenon_a.so ...
//
// All are loaded into this process and take turns of a few milliseconds on the same states, so that a change of the
// clock or other work on the machine meets all of them; of each figure the least counts. Prints microseconds of a
// state by the first build, and of each other one the ratio to it: 1.10 is ten per cent slower. At the end the
// geometric means by kind of call. TENON_INSTRUCTION_SET pins the instructions of all.
// Each build is loaded from several copies of its file, by default four: the same code in other pages of memory takes up to a
// tenth more or less time, and so would differ from itself.
// --robot takes one of those below or of support/robots.hpp.
// --calls takes only those whose name holds the text, for instance "inverse, batch".
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/robots.hpp"
#include "support/timing.hpp"
#include "tenon.h"

namespace {

#define TENON_FUNCTIONS(X)        \
  X(tenon_build_info)             \
  X(tenon_model_options_init)     \
  X(tenon_model_parse_urdf)       \
  X(tenon_model_find_link)        \
  X(tenon_model_nq)               \
  X(tenon_model_nv)               \
  X(tenon_constraints_create)     \
  X(tenon_constraints_add_point)  \
  X(tenon_constraints_add_weld)   \
  X(tenon_constraints_finish)     \
  X(tenon_constraints_row_count)  \
  X(tenon_workspace_create)       \
  X(tenon_workspace_message)      \
  X(tenon_random)                 \
  X(tenon_forward_dynamics)       \
  X(tenon_inverse_dynamics)       \
  X(tenon_mass_matrix)            \
  X(tenon_constrained_dynamics)   \
  X(tenon_delassus)               \
  X(tenon_delassus_inverse)       \
  X(tenon_delassus_factor)        \
  X(tenon_delassus_solve)         \
  X(tenon_batch_options_init)     \
  X(tenon_batch_create)           \
  X(tenon_batch_message)          \
  X(tenon_batch_forward_dynamics) \
  X(tenon_batch_inverse_dynamics) \
  X(tenon_batch_mass_matrix)      \
  X(tenon_batch_constrained_dynamics)

// The functions of one build.
struct Library {
#define TENON_POINTER(name) decltype(&::name) name;
  TENON_FUNCTIONS(TENON_POINTER)

  // Loads a copy of the file, so that it gets memory of its own.
  explicit Library(const std::string& path) {
    std::string copy = std::filesystem::temp_directory_path() / "library_builds_XXXXXX";
    const int made = mkstemp(copy.data());
    if (made < 0) throw std::runtime_error(copy + " cannot be made");
    close(made);
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::filesystem::remove(copy);
    if (!handle) throw std::runtime_error(dlerror());
#define TENON_FIND(name)                                         \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, #name)); \
  if (!name) throw std::runtime_error(path + " has no " #name);
    TENON_FUNCTIONS(TENON_FIND)
  }
};

struct Options {
  int rounds = 40;
  std::size_t states = 4096, copies = 4;
  std::vector<std::string> robots, libraries;
  std::string calls;
};

std::vector<bench::Robot> robots(const Options& options) {
  using bench::hold;
  using bench::model_text;
  std::vector<bench::Robot> all = {
      {"iiwa14", model_text("iiwa14"), false, {{"iiwa_link_7", {0, 0, 0.1}, 6}}},
      {"go1", model_text("go1"), true, hold({"FL_foot", "FR_foot", "RL_foot", "RR_foot"}, 3)},
      {"atlas", model_text("atlas"), true, hold({"l_foot", "r_foot"}, 6)},
      {"cassie", model_text("cassie"), true, hold({"left-foot", "right-foot"}, 3)}};
  if (options.robots.empty()) return all;
  std::vector<bench::Robot> chosen;
  for (const std::string& name : options.robots) {
    const std::size_t before = chosen.size();
    for (const bench::Robot& robot : all)
      if (robot.name == name) chosen.push_back(robot);
    if (chosen.size() == before) chosen.push_back(bench::robot_named(name));
  }
  return chosen;
}

// The numbers of all states, as a batch takes them.
template <class N>
struct Column {
  std::vector<N> data;
  tenon_batch_array array{};

  Column(std::size_t states, std::size_t count) : data(states * count) {
    array.struct_size = sizeof array;
    array.data = data.data(), array.size = data.size(), array.count = count;
    array.number_stride = 1, array.state_stride = static_cast<ptrdiff_t>(count);
  }
  Column(const std::vector<double>& numbers, std::size_t states) : Column(states, numbers.size() / states) {
    for (std::size_t i = 0; i < numbers.size(); ++i) data[i] = static_cast<N>(numbers[i]);
  }
};

// A robot in one build, with the states that all builds share.
class Subject {
 public:
  Subject(const Library& library, const bench::Robot& robot, std::size_t states)
      : library_(library), states_(states) {
    tenon_model_options options;
    library.tenon_model_options_init(&options, sizeof options);
    options.base = robot.floating_base ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
    check(library.tenon_model_parse_urdf(robot.urdf.data(), robot.urdf.size(), &options, &model_, message_,
                                         sizeof message_));
    check(library.tenon_constraints_create(model_, &contacts_, message_, sizeof message_));
    for (const bench::ContactSpec& contact : robot.contacts) {
      int32_t link = 0;
      const double pose[7] = {contact.point[0], contact.point[1], contact.point[2], 0, 0, 0, 1};
      check(library.tenon_model_find_link(model_, contact.link.c_str(), &link, message_, sizeof message_));
      check(contact.rows == 3
                ? library.tenon_constraints_add_point(contacts_, link, contact.point, 3, nullptr, nullptr,
                                                      message_, sizeof message_)
                : library.tenon_constraints_add_weld(contacts_, link, pose, 7, nullptr, nullptr, message_,
                                                     sizeof message_));
    }
    check(library.tenon_constraints_finish(contacts_, message_, sizeof message_));
    check(library.tenon_workspace_create(model_, contacts_, nullptr, &workspace_, message_, sizeof message_));
    nq_ = static_cast<std::size_t>(library.tenon_model_nq(model_));
    nv_ = static_cast<std::size_t>(library.tenon_model_nv(model_));
    rows_ = static_cast<std::size_t>(library.tenon_constraints_row_count(contacts_));
    qdd_.resize(nv_), M_.resize(nv_ * nv_), A_.resize(rows_ * rows_);
    product_.resize(rows_), lambda_.assign(rows_, 1.0);
    draw();
  }

  // Adds the calls of this build: by name, a pass over `states` states each.
  struct Call {
    std::string name;
    std::size_t states;
    std::function<void()> pass;
  };
  std::vector<Call> calls() {
    std::vector<Call> all;
    // A thousand states: their inputs fit into the second cache level beside the memory of the workspace.
    const std::size_t few = std::min<std::size_t>(states_, 1000);
    const auto add = [&](const char* name, tenon_status (Subject::*one)(std::size_t)) {
      all.push_back({name, few, [this, few, one] {
                       for (std::size_t i = 0; i < few; ++i)
                         if ((this->*one)(i) < 0)
                           throw std::runtime_error(library_.tenon_workspace_message(workspace_));
                     }});
    };
    add("forward", &Subject::forward);
    add("inverse", &Subject::inverse);
    add("mass matrix", &Subject::mass);
    add("constrained", &Subject::constrained);
    add("Delassus matrix", &Subject::delassus);
    add("damped inverse", &Subject::damped_inverse);
    add("damped inverse, a product", &Subject::damped_product);
    add_batch<double>(all, "double", TENON_PRECISION_DOUBLE);
    add_batch<float>(all, "float", TENON_PRECISION_SINGLE);
    return all;
  }

 private:
  void check(tenon_status status) const {
    if (status < 0) throw std::runtime_error(message_);
  }

  void draw() {
    std::mt19937_64 generator(1);
    const auto uniform = [&](std::vector<double>& numbers, double reach) {
      numbers.resize(states_ * nv_);
      for (double& x : numbers) x = reach * (std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0);
    };
    q_.resize(states_ * nq_);
    for (std::size_t i = 0; i < states_; ++i)
      if (library_.tenon_random(workspace_, i + 1, &q_[i * nq_], nq_) < 0)
        throw std::runtime_error(library_.tenon_workspace_message(workspace_));
    uniform(v_, 1), uniform(a_, 1), uniform(tau_, 10);
  }

  tenon_status forward(std::size_t i) {
    return library_.tenon_forward_dynamics(workspace_, &q_[i * nq_], nq_, &v_[i * nv_], nv_, &tau_[i * nv_],
                                           nv_, nullptr, 0, qdd_.data(), nv_);
  }
  tenon_status inverse(std::size_t i) {
    return library_.tenon_inverse_dynamics(workspace_, &q_[i * nq_], nq_, &v_[i * nv_], nv_, &a_[i * nv_],
                                           nv_, nullptr, 0, qdd_.data(), nv_);
  }
  tenon_status mass(std::size_t i) {
    return library_.tenon_mass_matrix(workspace_, &q_[i * nq_], nq_, M_.data(), M_.size(),
                                      static_cast<int32_t>(nv_));
  }
  tenon_status constrained(std::size_t i) {
    return library_.tenon_constrained_dynamics(workspace_, nullptr, &q_[i * nq_], nq_, &v_[i * nv_], nv_,
                                               &tau_[i * nv_], nv_, nullptr, 0, nullptr, 0, qdd_.data(), nv_,
                                               lambda_.data(), rows_);
  }

  tenon_status delassus(std::size_t i) {
    return library_.tenon_delassus(workspace_, nullptr, &q_[i * nq_], nq_, A_.data(), A_.size(),
                                   static_cast<int32_t>(rows_));
  }
  tenon_status damped_inverse(std::size_t i) {
    return library_.tenon_delassus_inverse(workspace_, nullptr, &q_[i * nq_], nq_, A_.data(), A_.size(),
                                           static_cast<int32_t>(rows_));
  }
  tenon_status damped_product(std::size_t i) {
    const int32_t ld = static_cast<int32_t>(rows_);
    const tenon_status status = library_.tenon_delassus_factor(workspace_, nullptr, &q_[i * nq_], nq_);
    return status < 0 ? status
                      : library_.tenon_delassus_solve(workspace_, 1, lambda_.data(), rows_, ld,
                                                      product_.data(), rows_, ld);
  }

  template <class N>
  void add_batch(std::vector<Call>& all, const std::string& numbers, int32_t precision) {
    tenon_batch_options options;
    library_.tenon_batch_options_init(&options, sizeof options);
    options.threads = 1;
    options.precision = precision;
    tenon_batch* batch = nullptr;
    check(library_.tenon_batch_create(model_, contacts_, &options, &batch, message_, sizeof message_));
    struct Arrays {
      Column<N> q, v, a, tau, qdd, lambda, M;
    };
    const auto arrays = std::make_shared<Arrays>(Arrays{
        Column<N>(q_, states_), Column<N>(v_, states_), Column<N>(a_, states_), Column<N>(tau_, states_),
        Column<N>(states_, nv_), Column<N>(states_, rows_), Column<N>(states_, nv_ * nv_)});
    const auto add = [&](const std::string& name, const std::function<tenon_status(Arrays&)>& call) {
      all.push_back({name + ", batch, " + numbers, states_, [this, batch, arrays, call] {
                       if (call(*arrays) < 0) throw std::runtime_error(library_.tenon_batch_message(batch));
                     }});
    };
    const Library& l = library_;
    const std::size_t states = states_;
    add("forward", [&l, batch, states](Arrays& x) {
      return l.tenon_batch_forward_dynamics(batch, states, &x.q.array, &x.v.array, &x.tau.array, nullptr,
                                            &x.qdd.array, nullptr, 0);
    });
    add("inverse", [&l, batch, states](Arrays& x) {
      return l.tenon_batch_inverse_dynamics(batch, states, &x.q.array, &x.v.array, &x.a.array, nullptr,
                                            &x.qdd.array, nullptr, 0);
    });
    add("mass matrix", [&l, batch, states](Arrays& x) {
      return l.tenon_batch_mass_matrix(batch, states, &x.q.array, &x.M.array, nullptr, 0);
    });
    add("constrained", [&l, batch, states](Arrays& x) {
      return l.tenon_batch_constrained_dynamics(batch, nullptr, states, &x.q.array, &x.v.array, &x.tau.array,
                                                nullptr, nullptr, &x.qdd.array, &x.lambda.array, nullptr, 0,
                                                nullptr, 0);
    });
  }

  const Library& library_;
  std::size_t states_, nq_ = 0, nv_ = 0, rows_ = 0;
  tenon_model* model_ = nullptr;
  tenon_constraints* contacts_ = nullptr;
  tenon_workspace* workspace_ = nullptr;
  std::vector<double> q_, v_, a_, tau_, qdd_, lambda_, M_, A_, product_;
  char message_[512] = "";
};

// Processor time: what else runs on the machine does not count.
double seconds_of(const std::function<void()>& call) {
  const double begin = bench::thread_seconds();
  call();
  return bench::thread_seconds() - begin;
}

struct Mean {
  double logarithms = 0;
  int count = 0;
};

// For each kind of call and each build, of the ratios to the first.
using Means = std::map<std::string, std::vector<Mean>>;

void time_robot(const std::vector<Library>& libraries, const bench::Robot& robot, const Options& options,
                Means& means) {
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<std::vector<Subject::Call>> calls;
  for (const Library& library : libraries) {
    subjects.push_back(std::make_unique<Subject>(library, robot, options.states));
    calls.push_back(subjects.back()->calls());
  }
  for (std::size_t c = 0; c < calls.front().size(); ++c) {
    if (calls.front()[c].name.find(options.calls) == std::string::npos) continue;
    std::vector<double> least(options.libraries.size(), std::numeric_limits<double>::infinity());
    for (int round = -1; round < options.rounds; ++round)
      for (std::size_t k = 0; k < libraries.size(); ++k) {
        const double seconds = seconds_of(calls[k][c].pass);
        double& of_build = least[k / options.copies];
        if (round >= 0) of_build = std::min(of_build, seconds);  // the first round warms up
      }
    const Subject::Call& call = calls.front()[c];
    std::printf("%-8s %-28s %8.4f", robot.name.c_str(), call.name.c_str(),
                1e6 * least.front() / static_cast<double>(call.states));
    const std::size_t batch = call.name.find("batch");
    std::vector<Mean>& of_kind = means[batch == std::string::npos ? "single calls" : call.name.substr(batch)];
    of_kind.resize(least.size());
    for (std::size_t k = 1; k < least.size(); ++k) {
      const double ratio = least[k] / least.front();
      of_kind[k].logarithms += std::log(ratio), ++of_kind[k].count;
      std::printf(" %7.3f", ratio);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&](const char* name) {
      return argument.rfind(name, 0) == 0 ? argument.c_str() + std::string(name).size() : nullptr;
    };
    if (const char* rounds = value("--rounds="))
      options.rounds = std::atoi(rounds);
    else if (const char* states = value("--states="))
      options.states = static_cast<std::size_t>(std::atoi(states));
    else if (const char* copies = value("--copies="))
      options.copies = static_cast<std::size_t>(std::atoi(copies));
    else if (const char* calls = value("--calls="))
      options.calls = calls;
    else if (const char* robot = value("--robot="))
      options.robots.push_back(robot);
    else
      options.libraries.push_back(argument);
  }
  if (options.libraries.empty() || options.rounds < 1 || options.states < 1 || options.copies < 1)
    throw std::runtime_error("give the paths of libraries; --rounds, --states and --copies are at least 1");
  return options;
}

}  // namespace

int main(int count, char** arguments) try {
  const Options options = parse(count, arguments);
  std::vector<Library> libraries;
  std::printf("%s\n", bench::cpu_model().c_str());
  for (const std::string& path : options.libraries) {
    for (std::size_t copy = 0; copy < options.copies; ++copy) libraries.emplace_back(path);
    std::printf("%zu: %s, %s\n", libraries.size() / options.copies, path.c_str(),
                libraries.back().tenon_build_info());
  }
  std::printf("microseconds of a state by 1, then ratios of the others to it\n");
  Means means;
  for (const bench::Robot& robot : robots(options)) time_robot(libraries, robot, options, means);
  for (const auto& [kind, ratios] : means) {
    std::printf("%-8s %-28s %8s", "mean", kind.c_str(), "");
    for (std::size_t k = 1; k < ratios.size(); ++k)
      std::printf(" %7.3f", std::exp(ratios[k].logarithms / ratios[k].count));
    std::printf("\n");
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "library_builds: %s\n", error.what());
  return 1;
}
