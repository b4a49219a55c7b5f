// How the time of each method for the Delassus matrix and for its damped inverse grows: in n with the rows
// fixed, and in m on a fixed chain, with the exponents fitted to the growing part ([OSIMR] Table I, [CABA]
// VI). Rows of a chain are its worst case: the depth is n. README.md says how to run it.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/problem.hpp"
#include "support/timing.hpp"
#include "tenon/delassus.hpp"

namespace {

using tenon::DampedInverseMethod;
using tenon::DelassusMethod;
using tenon::Status;
using tenon::Workspace;

// What is timed: a matrix, or a factor and one product.
struct Method {
  const char* name;
  Status (*run)(Workspace& w, const double* q, double* out, int rows);
};

template <DelassusMethod method>
Status matrix(Workspace& w, const double* q, double* out, int rows) {
  return tenon::delassus_matrix(w, method, q, out, rows);
}
template <DampedInverseMethod method>
Status inverse(Workspace& w, const double* q, double* out, int rows) {
  return tenon::damped_delassus_inverse(w, method, q, {}, out, rows);
}
template <DampedInverseMethod method>
Status product(Workspace& w, const double* q, double* out, int rows) {
  const Status status = tenon::factor_damped_delassus(w, method, q, {});
  std::fill_n(out, rows, 1.0);
  return status == Status::ok ? tenon::apply_damped_delassus_inverse(w, out, rows, 1, out, rows) : status;
}

#define MATRIX(constant, name, ...) {#name, matrix<DelassusMethod::name>},
constexpr Method matrices[] = {TENON_DELASSUS_METHODS(MATRIX)};
#undef MATRIX
template <DampedInverseMethod method>
constexpr Method formed = {tenon::name_of(method), inverse<method>};
constexpr Method inverses[] = {formed<DampedInverseMethod::ltl_inverse>,
                               formed<DampedInverseMethod::pv_osimr>,
                               formed<DampedInverseMethod::pv_osimf>,
                               formed<DampedInverseMethod::caba_osim>,
                               {"caba_osimf, a product", product<DampedInverseMethod::caba_osimf>}};

// Microseconds of one result: the least of many, at one configuration.
double microseconds(const std::shared_ptr<const tenon::Model>& model,
                    const std::vector<tenon::ConstraintSpec>& specs, const Method& method) {
  const auto set = tenon::ConstraintSet::bind(model, specs);
  Workspace workspace(model, set);
  const int m = set->row_count();
  std::vector<double> q(static_cast<std::size_t>(model->nq)), A(static_cast<std::size_t>(m * m));
  tenon::random_configuration(*model, 1, q.data());
  const auto run = [&] {
    if (method.run(workspace, q.data(), A.data(), m) != Status::ok)
      throw std::runtime_error(workspace.message());
  };
  return 1e6 * bench::fastest_passes({run}, 5, 0.1).front();
}

// Welds on links at regular distances, the tip among them.
std::vector<tenon::ConstraintSpec> welds(int links, int count) {
  std::vector<tenon::ConstraintSpec> specs;
  for (int k = 1; k <= count; ++k) specs.push_back(tenon::weld_constraint(links * k / count, {}));
  return specs;
}

// Of what is above y0, on the last three points.
double exponent(const std::vector<double>& x, std::vector<double> y, double y0) {
  for (double& value : y) value -= y0;
  return bench::exponent({x.end() - 3, x.end()}, {y.end() - 3, y.end()});
}

// Points likewise: three rows for as many joints as lie between them.
std::vector<tenon::ConstraintSpec> points(int links, int count) {
  std::vector<tenon::ConstraintSpec> specs;
  for (int k = 1; k <= count; ++k) specs.push_back(tenon::point_constraint(links * k / count, {0.2, 0, 0}));
  return specs;
}

void print_head(const char* first, const std::vector<double>& x, const char* last) {
  std::printf("\n\n| us | %s", first);
  for (const double number : x) std::printf("%.0f | ", number);
  std::printf("%s |\n| --- |", last);
  for (std::size_t k = 0; k < x.size() + (first[0] ? 2 : 1); ++k) std::printf(" --- |");
}

template <std::size_t count>
void in_n(const Method (&methods)[count]) {
  const std::vector<double> links = {25, 50, 100, 200, 400};
  std::printf("\n\nChain of n links, welds on the middle and the tip (m = 12).");
  print_head("", links, "exponent in n");
  for (const Method& m : methods) {
    std::vector<double> times;
    std::printf("\n| %s |", m.name);
    for (const double n : links) {
      const auto model = bench::compile(bench::chain(static_cast<int>(n)));
      times.push_back(microseconds(model, welds(static_cast<int>(n), 2), m));
      std::printf(" %.1f |", times.back());
    }
    std::printf(" %.2f |", exponent(links, times, 0));
  }
}

using Specs = std::vector<tenon::ConstraintSpec> (*)(int links, int count);

// The exponent of what is above the time with one row.
template <std::size_t count>
void in_m(const Method (&methods)[count], int links, Specs specs, const std::vector<double>& counts) {
  const auto model = bench::compile(bench::chain(links));
  std::vector<double> rows;
  for (const double k : counts)
    rows.push_back(tenon::ConstraintSet::bind(model, specs(links, static_cast<int>(k)))->row_count());
  std::printf("\n\nChain of %d links, m rows at regular distances.", links);
  print_head("1 row | ", rows, "exponent in m");
  tenon::ConstraintSpec one = tenon::weld_constraint(1, {});
  one.rows = 1;
  for (const Method& m : methods) {
    std::vector<double> times;
    const double base = microseconds(model, {one}, m);
    std::printf("\n| %s | %.1f |", m.name, base);
    for (const double k : counts) {
      times.push_back(microseconds(model, specs(links, static_cast<int>(k)), m));
      std::printf(" %.1f |", times.back());
    }
    std::printf(" %.2f |", exponent(rows, times, base));
  }
}

}  // namespace

int main() try {
  std::printf("The Delassus matrix");
  in_n(matrices);
  in_m(matrices, 96, welds, {2, 4, 8, 16, 32, 48});
  std::printf("\n\nIts damped inverse at the default mu");
  in_n(inverses);
  in_m(inverses, 768, points, {8, 16, 32, 64, 96, 128});
  std::printf("\n");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "delassus_scaling: %s\n", error.what());
  return 1;
}
