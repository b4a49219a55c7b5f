// The numbers of independent programs (tests/golden/data/README.md) through batches, in double and single
// precision, for every instruction set of this machine: against the file, against single calls, and bit by
// bit against the same states in other company.
#include <cstring>

#include "golden_file.hpp"

using namespace tenon_test;

namespace {

enum class Task { forward, inverse, mass, constrained, delassus };
constexpr Task tasks[] = {Task::forward, Task::inverse, Task::mass, Task::constrained, Task::delassus};

// What a state gives: the numbers, its status, and its iterations where there are some.
template <class N>
struct Result {
  std::vector<N> numbers;
  int32_t status, iterations;

  bool operator==(const Result& other) const {
    return status == other.status && iterations == other.iterations &&
           numbers.size() == other.numbers.size() &&
           std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(N)) == 0;
  }
};

class GoldenBatch : public ::testing::TestWithParam<std::string>, protected GoldenFile {
 protected:
  GoldenBatch()
      : GoldenFile(GetParam()),
        set(contacts()),
        w(workspace(model, set)),
        nv(v_index.size()),
        rows(set ? static_cast<size_t>(tenon_constraints_row_count(set.get())) : 0) {
    for (const Json& state : cases) {
      q.push_back(configuration(state));
      v.push_back(velocity(state.at("v")));
      tau.push_back(velocity(state.at("tau")));
      a.push_back(velocity(state.at("acc")));
    }
  }

  bool loops() const { return tenon_golden::has_loops(file); }
  size_t numbers(Task task) const {
    return task == Task::mass ? nv * nv : task == Task::delassus ? rows * rows : nv;
  }

  // The file's answer, empty where it has none.
  Vector golden(Task task, size_t number) const {
    const Json& state = cases[number];
    switch (task) {
      case Task::forward:
        return velocity(loops() ? state.at("loop").at("qdd") : state.at("aba_qdd"));
      case Task::inverse:
        return velocity(state.at("rnea_tau_for_acc"));
      case Task::mass:
        return state.contains("M") ? matrix(state.at("M"), v_index) : Vector();
      case Task::constrained: {
        const char* answer = loops() ? "loop_and_contact" : "contact";
        return state.contains(answer) ? velocity(state.at(answer).at("qdd")) : Vector();
      }
      default: {
        if (loops() || !state.contains("contact") || !state.at("contact").contains("delassus")) return {};
        std::vector<int32_t> order(rows);
        for (size_t r = 0; r < rows; ++r) order[r] = static_cast<int32_t>(r);
        return matrix(state.at("contact").at("delassus"), order);
      }
    }
  }
  static Vector matrix(const Json& list, const std::vector<int32_t>& index) {
    const size_t n = index.size();
    Vector x(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        x[static_cast<size_t>(index[i]) + n * static_cast<size_t>(index[j])] = list[i][j].get<double>();
    return x;
  }
  // How well posed a solve is; 1 and more for what has no rows.
  double kept(Task task, size_t number) const {
    if (task != Task::constrained) return 1;
    return cases[number].at(loops() ? "loop_and_contact" : "contact").at("min_kept_over_max").get<double>();
  }
  // As golden_test.cpp has it.
  double allowed(Task task, size_t number) const {
    const double solved = tolerance * std::max(1.0, 1e-6 / kept(task, number));
    return task == Task::constrained || (task == Task::forward && loops()) ? solved : 1e-10;
  }

  // The single call on numbers of a state.
  Result<double> single(Task task, const Vector& x, const Vector& rate, const Vector& force,
                        const Vector& motion) const {
    Result<double> out{Vector(numbers(task)), 0, 0};
    double* to = out.numbers.data();
    const size_t nq = x.size();
    const int32_t n = static_cast<int32_t>(nv), m = static_cast<int32_t>(rows);
    switch (task) {
      case Task::forward:
        out.status = tenon_forward_dynamics(w.get(), x.data(), nq, rate.data(), nv, force.data(), nv, nullptr,
                                            0, to, nv);
        break;
      case Task::inverse:
        out.status = tenon_inverse_dynamics(w.get(), x.data(), nq, rate.data(), nv, motion.data(), nv,
                                            nullptr, 0, to, nv);
        break;
      case Task::mass:
        out.status = tenon_mass_matrix(w.get(), x.data(), nq, to, nv * nv, n);
        break;
      case Task::constrained:
        out.status = tenon_constrained_dynamics(w.get(), nullptr, x.data(), nq, rate.data(), nv, force.data(),
                                                nv, nullptr, 0, nullptr, 0, to, nv, nullptr, 0);
        break;
      default:
        out.status = tenon_delassus(w.get(), nullptr, x.data(), nq, to, rows * rows, m);
    }
    return out;
  }

  template <class N>
  static std::vector<N> laid_out(const std::vector<Vector>& of, const std::vector<size_t>& order) {
    std::vector<N> x;
    for (const size_t number : order)
      for (const double e : of[number]) x.push_back(static_cast<N>(e));
    return x;
  }
  // The answers of states in an order.
  template <class N>
  std::vector<Result<N>> answers(Task task, tenon_batch* b, const std::vector<size_t>& order) const {
    std::vector<N> q_of = laid_out<N>(q, order), v_of = laid_out<N>(v, order),
                   x_of = laid_out<N>(task == Task::inverse ? a : tau, order);
    const size_t count = order.size(), n = numbers(task);
    std::vector<N> out(count * n, static_cast<N>(-77));
    std::vector<int32_t> status(count, 77), iterations(count, 0);
    const auto qs = rows_of(q_of, q[0].size()), vs = rows_of(v_of, nv), xs = rows_of(x_of, nv),
               to = rows_of(out, n);
    tenon_status all = TENON_OK;
    switch (task) {
      case Task::forward:
        all = tenon_batch_forward_dynamics(b, count, &qs, &vs, &xs, nullptr, &to, status.data(), count);
        break;
      case Task::inverse:
        all = tenon_batch_inverse_dynamics(b, count, &qs, &vs, &xs, nullptr, &to, status.data(), count);
        break;
      case Task::mass:
        all = tenon_batch_mass_matrix(b, count, &qs, &to, status.data(), count);
        break;
      case Task::constrained:
        all = tenon_batch_constrained_dynamics(b, nullptr, count, &qs, &vs, &xs, nullptr, nullptr, &to,
                                               nullptr, iterations.data(), count, status.data(), count);
        break;
      default:
        all = tenon_batch_delassus(b, nullptr, count, &qs, &to, status.data(), count);
    }
    EXPECT_EQ(all, TENON_OK) << tenon_batch_message(b);
    std::vector<Result<N>> found;
    for (size_t i = 0; i < count; ++i) {
      const auto from = out.begin() + static_cast<ptrdiff_t>(i * n);
      found.push_back({{from, from + static_cast<ptrdiff_t>(n)}, status[i], iterations[i]});
    }
    return found;
  }

  // Each state first alone, then repeated and permuted among others.
  template <class N>
  std::vector<Result<N>> alone_and_in_company(Task task, tenon_batch* b) const {
    std::vector<Result<N>> alone;
    for (size_t number = 0; number < cases.size(); ++number)
      alone.push_back(answers<N>(task, b, {number})[0]);
    for (const size_t count : {7U, 33U}) {
      std::vector<size_t> order(count);
      for (size_t i = 0; i < count; ++i) order[i] = (3 * i + i / cases.size() + count) % cases.size();
      const auto found = answers<N>(task, b, order);
      for (size_t i = 0; i < count; ++i)
        EXPECT_TRUE(found[i] == alone[order[i]]) << "state " << i << " of " << count;
    }
    return alone;
  }

  template <class N>
  static Vector rounded(const Vector& x) {
    Vector y;
    for (const double e : x) y.push_back(static_cast<double>(static_cast<N>(e)));
    return y;
  }

  template <class N>
  void check(Task task, tenon_batch* b) {
    const bool exact = sizeof(N) == sizeof(double);
    const auto found = alone_and_in_company<N>(task, b);
    for (size_t number = 0; number < found.size(); ++number) {
      SCOPED_TRACE("case " + std::to_string(number));
      const Vector expected = golden(task, number);
      if (expected.empty()) continue;
      ++compared;
      const Vector numbers(found[number].numbers.begin(), found[number].numbers.end());
      const double single_precision = nv > 40 ? 1e-3 : 1e-4;
      // Single precision moves the state; what a solve makes of that depends on how well posed it is.
      EXPECT_LE(relative_error(numbers, expected), exact ? allowed(task, number) : single_precision);
      const Result<double> one = single(task, rounded<N>(q[number]), rounded<N>(v[number]),
                                        rounded<N>(tau[number]), rounded<N>(a[number]));
      EXPECT_EQ(found[number].status, one.status);
      const double solved = task == Task::constrained ? 1e-9 : 1e-12;
      EXPECT_LE(relative_error(numbers, one.numbers), exact ? solved : single_precision);
    }
  }

  Constraints set;
  Workspace w;
  size_t nv, rows;
  std::vector<Vector> q, v, tau, a;
  int compared = 0;
};

TEST_P(GoldenBatch, IsThatOfTheFileAndOfSingleCalls) {
  for (const int32_t instructions :
       {TENON_INSTRUCTION_SET_BASELINE, TENON_INSTRUCTION_SET_X86_64_V3, TENON_INSTRUCTION_SET_X86_64_V4}) {
    for (const int32_t precision : {TENON_PRECISION_DOUBLE, TENON_PRECISION_SINGLE}) {
      const auto options = options_of(tenon_batch_options_init, [&](auto& o) {
        o.instruction_set = instructions, o.precision = precision;
      });
      tenon_batch* made = nullptr;
      const tenon_status status = tenon_batch_create(model.get(), set.get(), options, &made, nullptr, 0);
      const Batch b(made);
      if (status == TENON_UNSUPPORTED) continue;  // not on this machine
      ASSERT_EQ(status, TENON_OK);
      for (const Task task : tasks) {
        if (rows == 0 && (task == Task::constrained || task == Task::delassus)) continue;
        SCOPED_TRACE("instructions " + std::to_string(instructions) + ", precision " +
                     std::to_string(precision) + ", task " + std::to_string(static_cast<int>(task)));
        if (precision == TENON_PRECISION_DOUBLE)
          check<double>(task, b.get());
        else
          check<float>(task, b.get());
      }
    }
  }
  EXPECT_GE(compared, static_cast<int>(4 * cases.size()));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenBatch,
                         ::testing::ValuesIn(tenon_golden::names(tenon_golden::Robots::all)),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
