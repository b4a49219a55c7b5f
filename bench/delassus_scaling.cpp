// How the time of each method for the Delassus matrix grows: in n with the rows fixed, and in m on a fixed
// chain, with the exponents fitted to the growing part ([OSIMR] Table I). Rows of a chain are its worst case:
// the depth is n. bench/README.md says how to run it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem.hpp"
#include "tenon/delassus.hpp"

namespace {

using tenon::DelassusMethod;

struct Named {
  DelassusMethod method;
  const char* name;
};
constexpr Named methods[] = {{DelassusMethod::ltl_osim, "ltl_osim"},
                             {DelassusMethod::kjr, "kjr"},
                             {DelassusMethod::efpa, "efpa"},
                             {DelassusMethod::pv_osim, "pv_osim"},
                             {DelassusMethod::pv_osimr, "pv_osimr"}};

double thread_seconds() {
  std::timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Microseconds of one matrix: the least of many, at one configuration.
double microseconds(const std::shared_ptr<const tenon::Model>& model,
                    const std::vector<tenon::ConstraintSpec>& specs, DelassusMethod method) {
  const auto set = tenon::ConstraintSet::bind(model, specs);
  tenon::Workspace workspace(model, set);
  const int m = set->row_count();
  std::vector<double> q(static_cast<std::size_t>(model->nq)), A(static_cast<std::size_t>(m * m));
  tenon::random_configuration(*model, 1, q.data());
  double least = 1e9, spent = 0;
  for (int run = 0; run < 5 || (spent < 0.1 && run < 2000); ++run) {
    const double begin = thread_seconds();
    if (tenon::delassus_matrix(workspace, method, q.data(), A.data(), m) != tenon::Status::ok)
      throw std::runtime_error(workspace.message());
    const double seconds = thread_seconds() - begin;
    least = std::min(least, seconds);
    spent += seconds;
  }
  return least * 1e6;
}

// Welds on links at regular distances, the tip among them.
std::vector<tenon::ConstraintSpec> welds(int links, int count) {
  std::vector<tenon::ConstraintSpec> specs;
  for (int k = 1; k <= count; ++k) specs.push_back(tenon::weld_constraint(links * k / count, {}));
  return specs;
}

// Slope of log(y - y0) over log x between the last point and the third last.
double exponent(const std::vector<double>& x, const std::vector<double>& y, double y0) {
  const std::size_t last = x.size() - 1, first = last - 2;
  return std::log((y[last] - y0) / (y[first] - y0)) / std::log(x[last] / x[first]);
}

void in_n() {
  const std::vector<double> links = {25, 50, 100, 200, 400};
  std::printf("\nchain of n links, welds on the middle and the tip (m = 12): microseconds\n%-10s", "method");
  for (const double n : links) std::printf(" %9.0f", n);
  std::printf("   exponent in n\n");
  for (const Named& m : methods) {
    std::vector<double> times;
    std::printf("%-10s", m.name);
    for (const double n : links) {
      const auto model = bench::compile(bench::chain(static_cast<int>(n)));
      times.push_back(microseconds(model, welds(static_cast<int>(n), 2), m.method));
      std::printf(" %9.2f", times.back());
    }
    std::printf("   %.2f\n", exponent(links, times, 0));
  }
}

void in_m() {
  constexpr int links = 96;
  const std::vector<double> counts = {2, 4, 8, 16, 32, 48};
  const auto model = bench::compile(bench::chain(links));
  std::printf("\nchain of %d links, m rows by welds at regular distances: microseconds\n%-10s %9s", links,
              "method", "1 row");
  for (const double k : counts) std::printf(" %9.0f", 6 * k);
  std::printf("   exponent in m of what is above one row\n");
  tenon::ConstraintSpec one = tenon::weld_constraint(1, {});
  one.rows = 1;
  for (const Named& m : methods) {
    std::vector<double> times;
    const double base = microseconds(model, {one}, m.method);
    std::printf("%-10s %9.2f", m.name, base);
    for (const double k : counts) {
      times.push_back(microseconds(model, welds(links, static_cast<int>(k)), m.method));
      std::printf(" %9.2f", times.back());
    }
    std::printf("   %.2f\n", exponent(counts, times, base));
  }
}

}  // namespace

int main() try {
  in_n();
  in_m();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "delassus_scaling: %s\n", error.what());
  return 1;
}
