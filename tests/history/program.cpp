#include "history/program.hpp"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>

#include "history/history.hpp"

namespace tenon::testing::history {

const char* const usage =
    "       campaign --history [--calls N] [--seconds S] [--seed S] [--kind KIND] [--only A,B]\n"
    "                [--without A,B] [--length N] [--shown N]\n"
    "  --history       whether answers depend on earlier calls; failures with the shortest sequence of each "
    "kind\n"
    "  --calls N       calls to compare, 100000\n"
    "  --seconds S     or until so much time has passed\n"
    "  --seed S        number of the first sequence, 0; with --calls 1 this one alone\n"
    "  --kind KIND     what is called: workspace, batch, constraints, builder or model; all of them\n"
    "  --only A,B      functions with such a part in their names, and --without A,B\n"
    "  --length N      most calls in a sequence, 25\n"
    "  --shown N       failures of a kind that are printed, 1\n"
    "  --statuses 1    how often each function gave which status\n";

namespace {

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

const Kind* kind_of(const std::string& name) {
  for (const Kind* kind : all_kinds())
    if (name == kind->name) return kind;
  throw std::invalid_argument("no kind '" + name + "'");
}

void print(const Failure& f) {
  std::printf("seed %" PRIu64 ": %s, %s, at call %d, shortest of %zu; %s\n%s", f.seed,
              name_of(f.finding.fault), f.finding.what.c_str(), f.calls, f.shortest.size(), f.title.c_str(),
              f.text.c_str());
  std::fflush(stdout);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const std::string& models) {
  Search s;
  long most = 100000, shown = 1;
  double seconds = 1e9;
  bool with_statuses = false;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) throw std::invalid_argument("'" + arguments[i] + "' lacks its value");
    const std::string &option = arguments[i], &value = arguments[i + 1];
    if (option == "--calls")
      most = std::stol(value);
    else if (option == "--seconds")
      seconds = std::stod(value);
    else if (option == "--seed")
      s.first = std::stoull(value);
    else if (option == "--kind")
      s.kind = kind_of(value);
    else if (option == "--only")
      s.options.only = parts_of(value);
    else if (option == "--without")
      s.options.without = parts_of(value);
    else if (option == "--length")
      s.options.most_calls = std::max(4, std::stoi(value));
    else if (option == "--statuses")
      with_statuses = value != "0";
    else if (option == "--shown")
      shown = std::stol(value);
    else
      throw std::invalid_argument("unknown option '" + option + "'");
  }
  RobotLibrary library(models);
  Statuses statuses;
  s.statuses = &statuses;
  std::map<std::string, long> kinds;
  long failures = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  s.enough = [&](long calls) { return calls >= most || passed() > seconds; };
  s.failed = [&](const Failure& f) {
    ++failures;
    if (++kinds[f.names()] <= shown) print(f);
  };
  const long calls = search(s, library);
  std::printf("\n%ld calls compared, %ld failures of %zu kinds, %.1f s\n", calls, failures, kinds.size(),
              passed());
  std::vector<std::pair<long, std::string>> counts;
  for (const auto& [names, count] : kinds) counts.push_back({count, names});
  std::sort(counts.rbegin(), counts.rend());
  for (const auto& [count, names] : counts) std::printf("  %5ld  %s\n", count, names.c_str());
  for (const auto& [function, counts_of] : statuses) {
    if (!with_statuses) break;
    std::printf("%-40s", function.c_str());
    for (const auto& [status, count] : counts_of)
      if (status >= TENON_INTERNAL_ERROR && status <= TENON_RANK_DEFICIENT)
        std::printf(" %s %ld", tenon_status_string(static_cast<tenon_status>(status)), count);
    std::printf("\n");
  }
  return failures > 0;
}

}  // namespace tenon::testing::history
