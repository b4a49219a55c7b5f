// Generated C: compiled by the system's compiler, loaded, and held against the library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/small_mechanisms.hpp"
#include "support/largest.hpp"
#include "support/locale/decimal_comma.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"
#include "tenon/urdf.hpp"
#include "tenonx/trace.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;
using Function = void (*)(...);

// A folder of its own, removed with the object, and one library loaded from it.
class Compiled {
 public:
  Compiled(const std::string& code, const std::string& function, const std::string& flags = "-O0") {
    folder_ = fs::temp_directory_path() / ("tenon_codegen_" + std::to_string(::getpid()) + "_" + function);
    fs::create_directories(folder_);
    const std::string source = (folder_ / "f.c").string(), library = (folder_ / "f.so").string();
    std::ofstream(source) << code;
    const std::string command = "cc -std=c99 -Wall -Wextra -Wpedantic -Werror " + flags + " -shared -fPIC '" +
                                source + "' -o '" + library + "' -lm";
    if (std::system(command.c_str()) != 0) return;
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) symbol_ = ::dlsym(handle_, function.c_str());
  }
  ~Compiled() {
    if (handle_) ::dlclose(handle_);
    fs::remove_all(folder_);
  }
  template <class... Pointers>
  void call(Pointers... pointers) const {
    reinterpret_cast<void (*)(Pointers...)>(symbol_)(pointers...);
  }
  bool good() const { return symbol_ != nullptr; }

 private:
  fs::path folder_;
  void* handle_ = nullptr;
  void* symbol_ = nullptr;
};

struct Robot {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v, tau;
};

Robot robot(const char* name, bool floating) {
  CompileOptions options;
  options.floating_base = floating;
  Robot r{
      Model::compile(load_urdf(std::string(TENON_MODELS_DIR) + "/" + name + ".urdf"), options), {}, {}, {}};
  r.q.resize(static_cast<std::size_t>(r.model->nq));
  random_configuration(*r.model, 3, r.q.data());
  for (int i = 0; i < r.model->nv; ++i) {
    r.v.push_back(std::sin(1.0 + i));
    r.tau.push_back(3 * std::cos(2.0 * i));
  }
  return r;
}

void expect_close(const std::vector<double>& given, const std::vector<double>& expected, double tolerance,
                  const std::string& what) {
  EXPECT_LE(testing::largest_difference(given, expected), tolerance * testing::largest(expected)) << what;
}

constexpr double same = 1e-12;

TEST(GeneratedC, InverseDynamicsAndMassMatrix) {
  for (const auto& [name, floating] : {std::pair{"iiwa14", false}, std::pair{"solo12", true}}) {
    const Robot r = robot(name, floating);
    Workspace w(r.model);
    const std::size_t n = static_cast<std::size_t>(r.model->nv);
    std::vector<double> expected(n), given(n), M(n * n), M_given(n * n);
    inverse_dynamics(w, {r.q.data(), r.v.data(), nullptr, nullptr, nullptr, r.tau.data()}, expected.data());
    const Compiled rnea(generate_c(*r.model, nullptr, "rnea", {}, {"f_rnea", "a test"}), "f_rnea");
    ASSERT_TRUE(rnea.good()) << name;
    rnea.call(r.q.data(), r.v.data(), r.tau.data(), given.data());
    expect_close(given, expected, same, std::string(name) + " rnea");

    mass_matrix(w, r.q.data(), M.data(), r.model->nv);
    const Compiled crba(generate_c(*r.model, nullptr, "crba", {}, {"f_crba", ""}), "f_crba");
    ASSERT_TRUE(crba.good()) << name;
    crba.call(r.q.data(), M_given.data());
    expect_close(M_given, M, same, std::string(name) + " crba");
  }
}

TEST(GeneratedC, ForwardDynamics) {
  for (const auto& [name, floating] :
       {std::pair{"double_pendulum", false}, std::pair{"panda_arm", false}, std::pair{"go1", true}}) {
    const Robot r = robot(name, floating);
    Workspace w(r.model);
    const std::size_t n = static_cast<std::size_t>(r.model->nv);
    std::vector<double> expected(n), given(n);
    ASSERT_EQ(forward_dynamics(w, {r.q.data(), r.v.data(), r.tau.data()}, expected.data()), Status::ok);
    const Compiled aba(generate_c(*r.model, nullptr, "aba", {}, {"f_aba", ""}), "f_aba");
    ASSERT_TRUE(aba.good()) << name;
    aba.call(r.q.data(), r.v.data(), r.tau.data(), given.data());
    expect_close(given, expected, same, std::string(name) + " aba");
  }
}

// Several states at a time: each lane is what the function for one state gives.
TEST(GeneratedC, Lanes) {
  for (const char* algorithm : {"kinematics", "rnea", "aba"}) {
    for (const int lanes : {2, 8}) {
      const Robot r = robot("go1", true);
      GeneratedFunction function = {"lanes", "", lanes};
      const Compiled wide(generate_c(*r.model, nullptr, algorithm, {}, function), "lanes", "-O0 -Wno-psabi");
      function = {"one", "", 1};
      const Compiled one(generate_c(*r.model, nullptr, algorithm, {}, function), "one");
      ASSERT_TRUE(wide.good() && one.good()) << algorithm;
      const std::size_t L = static_cast<std::size_t>(lanes), nq = r.q.size(), nv = r.v.size();
      const std::size_t results = std::max(nv * nv, 12 * r.model->links.size());
      std::vector<double> q(L * nq), v(L * nv), tau(L * nv), out(L * results), expected(results),
          lane(results);
      std::vector<std::vector<double>> qs(L, std::vector<double>(nq)), vs(L, r.v), taus(L, r.tau);
      for (std::size_t l = 0; l < L; ++l) {
        random_configuration(*r.model, 5 + l, qs[l].data());
        for (std::size_t k = 7; k < nq; ++k) qs[l][k] *= l == 1 ? 1e8 : 1 + 10.0 * static_cast<double>(l);
        for (double& x : vs[l]) x *= 1 + static_cast<double>(l);
        for (std::size_t i = 0; i < nq; ++i) q[L * i + l] = qs[l][i];
        for (std::size_t i = 0; i < nv; ++i) v[L * i + l] = vs[l][i], tau[L * i + l] = taus[l][i];
      }
      const bool of_q = algorithm == std::string("kinematics");
      if (of_q)
        wide.call(q.data(), out.data());
      else
        wide.call(q.data(), v.data(), tau.data(), out.data());
      for (std::size_t l = 0; l < L; ++l) {
        if (of_q)
          one.call(qs[l].data(), expected.data());
        else
          one.call(qs[l].data(), vs[l].data(), taus[l].data(), expected.data());
        for (std::size_t i = 0; i < results; ++i) lane[i] = out[L * i + l];
        expect_close(lane, expected, same, std::string(algorithm) + " lane " + std::to_string(l));
      }
    }
  }
  EXPECT_THROW(generate_c(*robot("iiwa14", false).model, nullptr, "aba", {}, {"f", "", 3}), Error);
}

TEST(GeneratedC, PosesOfLinks) {
  const Robot r = robot("iiwa14", false);
  Workspace w(r.model);
  const Compiled f(generate_c(*r.model, nullptr, "kinematics", {}, {"poses", ""}), "poses");
  ASSERT_TRUE(f.good());
  std::vector<double> poses(12 * r.model->links.size());
  f.call(r.q.data(), poses.data());
  kinematics(w, r.q.data(), nullptr, nullptr);
  for (std::size_t link = 0; link < r.model->links.size(); ++link) {
    if (r.model->links[link].is_frame) continue;
    std::vector<double> expected(12);
    link_pose(w, static_cast<int>(link), expected.data(), nullptr, expected.data() + 3);
    const std::vector<double> given(poses.begin() + static_cast<std::ptrdiff_t>(12 * link),
                                    poses.begin() + static_cast<std::ptrdiff_t>(12 * link + 12));
    expect_close(given, expected, same, r.model->links[link].name);
  }
}

TEST(GeneratedC, ConstrainedDynamics) {
  const Robot r = robot("solo12", true);
  const auto set = ConstraintSet::bind(
      r.model, {point_constraint(r.model->find_link("FL_FOOT"), {0, 0, 0}),
                point_constraint(r.model->find_link("HR_FOOT"), {0, 0, 0.01}, RowAxes::world)});
  Workspace w(r.model, set);
  const std::vector<double> desired = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6};
  const std::size_t n = static_cast<std::size_t>(r.model->nv);
  std::vector<double> qdd(n), lambda(6), qdd_given(n), lambda_given(6);
  SolveOptions options;
  options.method = Method::dense;
  ASSERT_EQ(constrained_dynamics(w, options, {r.q.data(), r.v.data(), r.tau.data(), nullptr, desired.data()},
                                 qdd.data(), lambda.data()),
            Status::ok);
  // Proximal ones without the refinement of the library's last iteration: rounding times mu.
  for (const auto& [method, tolerance] :
       {std::pair{"pv", same}, std::pair{"prox_pv", 1e-10}, std::pair{"prox_ltl", 1e-10},
        std::pair{"prox_ltls", 1e-9}, std::pair{"constrained_aba", 1e-8}}) {
    const Compiled f(generate_c(*r.model, set.get(), method, {}, {"f", ""}), "f");
    ASSERT_TRUE(f.good()) << method;
    f.call(r.q.data(), r.v.data(), r.tau.data(), desired.data(), qdd_given.data(), lambda_given.data());
    expect_close(qdd_given, qdd, tolerance, std::string(method) + " qdd");
    expect_close(lambda_given, lambda, tolerance, std::string(method) + " lambda");
  }
}

TEST(GeneratedC, ForwardDynamicsWithKinematicLoops) {
  for (const auto& [name, floating] :
       {std::pair{"mini_cheetah", true}, std::pair{"mit_humanoid", true}, std::pair{"four_bar", false}}) {
    Robot r = robot(name, floating);
    Workspace w(r.model);
    const std::size_t n = static_cast<std::size_t>(r.model->nv);
    std::vector<double> expected(n), given(n);
    ASSERT_EQ(close_loops(w, LoopMoves::all, r.q.data(), nullptr), Status::ok);
    ASSERT_EQ(project_velocity(w, LoopMoves::dependent, r.q.data(), r.v.data()), Status::ok);
    ASSERT_EQ(forward_dynamics(w, {r.q.data(), r.v.data(), r.tau.data()}, expected.data()), Status::ok);
    const std::string code = generate_c(*r.model, nullptr, "c_aba", {}, {"f_c_aba", ""});
    EXPECT_NE(code.find("independent"), std::string::npos) << name;
    const Compiled f(code, "f_c_aba");
    ASSERT_TRUE(f.good()) << name;
    f.call(r.q.data(), r.v.data(), r.tau.data(), given.data());
    expect_close(given, expected, 1e-11, std::string(name) + " c_aba");
  }
}

TEST(GeneratedC, SaysWhatItIs) {
  Mechanism arm = testing::two_link_arm();
  arm.name = "a /* strange */ name";
  arm.joints[0].name = "*/ int x;";
  const std::string code = generate_c(*Model::compile(arm), nullptr, "bias", {}, {"", "Tenon in a test"});
  for (const char* part :
       {"bias: ", "q (in, 2)", "c (out, 2)", "elbow (revolute): q[1], v[1]", "Tenon in a test",
        "void a____strange____name_bias(const double *q, const double *v, double *c)"})
    EXPECT_NE(code.find(part), std::string::npos) << part << " in\n" << code;
  EXPECT_EQ(code.find("*/"), code.rfind("*/"));
}

TEST(GeneratedC, IsTheSameInEveryLocale) {
  const auto model = robot("solo12", true).model;
  const std::string code = generate_c(*model, nullptr, "aba");
  const testing::DecimalComma locale;
  if (!locale.here()) GTEST_SKIP() << "no locale with a decimal comma";
  EXPECT_EQ(generate_c(*model, nullptr, "aba"), code);
}

// Names that would not compile, or that mean something else to the compiler or the linker.
TEST(GeneratedC, RefusesNamesThatAreTaken) {
  const auto model = Model::compile(testing::two_link_arm());
  const auto named = [&](const char* name) { return generate_c(*model, nullptr, "rnea", {}, {name, ""}); };
  for (const char* name :
       {"double", "while", "_Bool", "restrict", "class", "new", "co_await", "main", "_Hidden", "__x", "_x"})
    testing::expect_error(Status::invalid_argument, {"'" + std::string(name) + "'", "C function"},
                          [&] { named(name); });
  for (const char* name : {"sin", "cosf", "fmal", "y0", "gamma", "lgamma_r", "lgammaf_r", "sinf64x", "isnan",
                           "NAN", "INFINITY", "M_PI", "HUGE_VALF", "fadd", "f32addf64"})
    testing::expect_error(Status::invalid_argument, {"'" + std::string(name) + "'", "<math.h>"},
                          [&] { named(name); });
  for (const char* name : {"memcpy", "strlen"})
    testing::expect_error(Status::invalid_argument, {"'" + std::string(name) + "'", "<string.h>"},
                          [&] { named(name); });
  for (const char* name : {"sine", "f", "l", "q", "t0", "Double", "memory_", "mem", "structure", "y", "M",
                           "a_r", "M_arm", "f64_arm", "f32fmaf_arm"}) {
    const Compiled function(named(name), name);
    EXPECT_TRUE(function.good()) << name;
  }
  // A name made of the robot's is never one of them.
  Mechanism arm = testing::two_link_arm();
  arm.name = "_";
  EXPECT_NE(generate_c(*Model::compile(arm), nullptr, "rnea").find("void robot___rnea("), std::string::npos);
}

TEST(GeneratedC, RefusesWhatOneRecordingDoesNotHold) {
  const auto model = Model::compile(testing::two_link_arm());
  const auto set = ConstraintSet::bind(model, {point_constraint(2, {0, 0, 0})});
  testing::expect_error(Status::unsupported, {"pv_early", "by values"},
                        [&] { generate_c(*model, set.get(), "pv_early"); });
  testing::expect_error(Status::unsupported, {"pivots", "dependent coordinates", "gears"},
                        [&] { generate_c(*robot("cassie", true).model, nullptr, "c_aba"); });
  testing::expect_error(Status::invalid_argument, {"'9 lives'", "C function"}, [&] {
    generate_c(*model, nullptr, "rnea", {}, {"9 lives", ""});
  });
  ConstraintSpec held = point_constraint(2, {0, 0, 0});
  held.name = "grip";
  held.frequency = 10;
  const auto stabilised = ConstraintSet::bind(model, {held});
  testing::expect_error(Status::unsupported, {"'grip'", "anchor", "frequency"},
                        [&] { generate_c(*model, stabilised.get(), "pv"); });
}

}  // namespace
}  // namespace tenon
