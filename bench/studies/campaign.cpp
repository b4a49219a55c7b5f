// A search for wrong answers of constrained forward dynamics: random and real robots, contacts, states and
// methods by the million, against the dense reference in long double (tests/support/campaign). Exit
// status 1 where it finds any. README.md says how to run and read it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "campaign_search.hpp"
#include "history/program.hpp"
#include "support/campaign/campaign.hpp"
#include "support/constrained_scene.hpp"

namespace {

using namespace tenon::testing;
using tenon::Status;

constexpr int batch = 256;  // cases between two looks at the number of solves

struct Options {
  CampaignOptions campaign;
  std::string json;
  long solves = 10000;
  std::uint64_t first = 0;
  bool one = false, border = false, search = false;
  int threads = 1, shown = 200, changes = 200;
  double seconds = 0;  // 0: until all solves are made; of a search 60
  std::string path;
};

constexpr const char* usage =
    "usage: campaign [--solves N] [--seconds T] [--first-seed S] [--method NAME] [--class PART] [--threads "
    "N]\n"
    "                [--json FILE] [--shown N] [--border]\n"
    "       campaign --seed S [--method NAME] [--class PART]\n"
    "       campaign --search [--changes N] [--seconds T] [--first-seed S] [--method NAME] [--class NAME] "
    "[--threads N]\n"
    "       campaign --robot PATH [--method NAME]\n"
    "  --solves N      solves to make, 10000; cases are finished, so it makes a few more\n"
    "  --seconds T     no case begins later; of a search for all its classes, 60\n"
    "  --first-seed S  number of the first case, 0\n"
    "  --seed S        this case alone, in full\n"
    "  --search        robots that are changed step by step for the largest error of the motion, joint by "
    "joint;\n"
    "                  classes light_wrist, dummy_links, limbs, scaled, switched\n"
    "  --changes N     tried from one seed of a search, 200; 0: random robots of these classes\n"
    "  --robot PATH    one robot that a search has printed, class:seed:changes\n"
    "  --method NAME   automatic, dense, constrained_aba, ...: every state by this one\n"
    "  --class PART    cases whose robot/contacts/state has this part, for instance still or floating/welds\n"
    "  --threads N     1\n"
    "  --json FILE     all classes and all failures\n"
    "  --shown N       failures listed, 200\n"
    "  --border        list cases on the border of rank or contradiction too\n";

tenon::Method method_of(const std::string& name) {
  for (const tenon::Method method : available_methods())
    if (name == name_of(method)) return method;
  throw std::invalid_argument("no method '" + name + "'");
}

Options read_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--border") {
      o.border = true;
      continue;
    }
    if (option == "--search") {
      o.search = true;
      continue;
    }
    if (option == "--help" || option == "-h") {
      std::printf("%s%s", usage, history::usage);
      std::exit(0);
    }
    if (i + 1 == argc) throw std::invalid_argument("'" + option + "' is unknown or lacks its value");
    const std::string value = argv[++i];
    if (option == "--solves")
      o.solves = std::stol(value);
    else if (option == "--seconds")
      o.seconds = std::stod(value);
    else if (option == "--changes")
      o.changes = std::stoi(value);
    else if (option == "--robot")
      o.search = true, o.path = value;
    else if (option == "--first-seed")
      o.first = std::stoull(value);
    else if (option == "--seed")
      o.one = true, o.first = std::stoull(value);
    else if (option == "--method")
      o.campaign.method = method_of(value);
    else if (option == "--class")
      o.campaign.only = value;
    else if (option == "--threads")
      o.threads = std::max(1, std::stoi(value));
    else if (option == "--json")
      o.json = value;
    else if (option == "--shown")
      o.shown = std::stoi(value);
    else
      throw std::invalid_argument("unknown option '" + option + "'");
  }
  return o;
}

struct Findings {
  std::map<std::string, Tally> robots, contacts, states, methods, chosen, classes, reasons;
  std::vector<Answer> wrong, border;
  Tally all;
  long cases = 0, refused = 0, states_skipped = 0;
  std::uint64_t next = 0;  // the first case that was not run
  double seconds = 0;

  void add(const CaseAnswers& answers) {
    cases += !answers.answers.empty();
    refused += answers.refused;
    states_skipped += answers.states_skipped;
    for (const Answer& a : answers.answers) {
      all.add(a);
      robots[name_of(a.robot)].add(a);
      contacts[name_of(a.contacts)].add(a);
      states[name_of(a.state)].add(a);
      methods[std::string(name_of(a.method)) + (*a.variant ? " " : "") + a.variant].add(a);
      if (a.method == tenon::Method::automatic) chosen[name_of(a.report.method)].add(a);
      classes[class_of(a)].add(a);
      if (a.verdict == Verdict::wrong) wrong.push_back(a);
      if (a.verdict == Verdict::border) border.push_back(a);
    }
  }
};

// Cases in batches of the same bounds for any number of threads.
Findings run(const Options& o, RobotLibrary& library) {
  Findings found;
  const auto start = std::chrono::steady_clock::now();
  found.next = o.first;
  long idle = 0;
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (found.all.solves < o.solves && idle < 2000 && (o.seconds == 0 || passed() < o.seconds)) {
    std::vector<CaseAnswers> answers(batch);
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i; (i = next++) < batch;)
        answers[static_cast<std::size_t>(i)] =
            run_case(found.next + static_cast<std::uint64_t>(i), library, o.campaign);
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < o.threads; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    const long before = found.all.solves;
    for (const CaseAnswers& each : answers) found.add(each);
    found.next += batch;
    idle = found.all.solves == before ? idle + 1 : 0;
  }
  found.seconds = passed();
  return found;
}

void print_table(const char* title, const std::map<std::string, Tally>& rows) {
  std::printf("\n%-36s %9s %7s %7s %8s %6s %6s %6s %8s %8s  %s\n", title, "solves", "wrong", "status", "ok",
              "infeas", "maxit", "other", "border", "error", "error/tolerance");
  for (const auto& [name, t] : rows) {
    const auto count = [&tally = t](Status status) {
      const auto at = tally.statuses.find(status);
      return at == tally.statuses.end() ? 0L : at->second;
    };
    const long ok = count(Status::ok) + count(Status::rank_deficient), infeasible = count(Status::infeasible),
               limit = count(Status::max_iterations);
    std::printf("%-36s %9ld %7ld %7ld %8ld %6ld %6ld %6ld %8ld %8.1e  %8.1e\n", name.c_str(), t.solves,
                t.wrong, t.mismatches, ok, infeasible, limit, t.solves - ok - infeasible - limit, t.border,
                t.worst_error, t.worst_ratio);
  }
}

void print_statuses(const Tally& all) {
  std::printf("\nstatuses:");
  for (const auto& [status, count] : all.statuses) std::printf(" %s %ld", status_name(status), count);
  std::printf("\n");
}

// How sharp the judgement is, and how far from it the answers are.
void print_decades(const Tally& all) {
  std::printf("\n%-12s", "up to");
  for (int i = 0; i + 1 < Tally::decades; ++i) std::printf(" %8.0e", std::pow(10, i - 8));
  std::printf(" %8s", "more");
  for (const auto& [name, counts] :
       {std::make_pair("\nerrors", &all.errors), std::make_pair("\ntolerances", &all.tolerances)}) {
    std::printf("%-13s", name);
    for (const long count : *counts) std::printf(" %8ld", count);
  }
  std::printf("\n");
}

// Classes with failures, the worst first.
void print_failing_classes(const Findings& found) {
  std::vector<std::pair<std::string, Tally>> failing;
  for (const auto& each : found.classes)
    if (each.second.wrong > 0) failing.push_back(each);
  std::stable_sort(failing.begin(), failing.end(),
                   [](const auto& a, const auto& b) { return a.second.wrong > b.second.wrong; });
  std::printf("\n%zu of %zu classes have failures%s\n", failing.size(), found.classes.size(),
              failing.size() > 30 ? ", the first thirty:" : "");
  if (failing.size() > 30) failing.resize(30);
  for (const auto& [name, t] : failing)
    std::printf("  %-44s %6ld of %8ld\n", name.c_str(), t.wrong, t.solves);
}

void print_reasons(const std::vector<Answer>& wrong) {
  std::map<std::string, long> counts;
  for (const Answer& a : wrong) {
    const std::string reason = static_cast<std::int32_t>(a.status) < 0 ? status_name(a.status) : a.reason;
    ++counts[reason + ", " + name_of(a.report.method)];
  }
  if (!counts.empty()) std::printf("\nfailures by what is wrong and by the method that answered\n");
  for (const auto& [reason, count] : counts) std::printf("  %-60s %6ld\n", reason.c_str(), count);
}

void print_answers(const char* title, const std::vector<Answer>& answers, int most) {
  if (answers.empty()) return;
  std::printf("\n%s\n", title);
  for (std::size_t i = 0; i < answers.size() && i < static_cast<std::size_t>(most); ++i)
    std::printf("%s\n", describe_answer(answers[i]).c_str());
  if (answers.size() > static_cast<std::size_t>(most))
    std::printf("... and %zu more (--shown, --json)\n", answers.size() - static_cast<std::size_t>(most));
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

void write_tallies(std::FILE* f, const char* name, const std::map<std::string, Tally>& rows) {
  std::fprintf(f, "  \"%s\": {", name);
  const char* comma = "";
  for (const auto& [key, t] : rows) {
    std::fprintf(
        f, "%s\n    %s: {\"solves\": %ld, \"wrong\": %ld, \"border\": %ld, \"status_mismatches\": %ld, ",
        comma, quoted(key).c_str(), t.solves, t.wrong, t.border, t.mismatches);
    std::fprintf(f, "\"worst_error\": %.3e, \"worst_error_over_tolerance\": %.3e, \"statuses\": {",
                 t.worst_error, t.worst_ratio);
    const char* inner = "";
    for (const auto& [status, count] : t.statuses) {
      std::fprintf(f, "%s\"%s\": %ld", inner, status_name(status), count);
      inner = ", ";
    }
    std::fprintf(f, "}}");
    comma = ",";
  }
  std::fprintf(f, "\n  },\n");
}

void write_json(const std::string& file, const Options& o, const Findings& found) {
  std::FILE* f = std::fopen(file.c_str(), "w");
  if (!f) throw std::runtime_error("cannot write " + file);
  std::fprintf(
      f, "{\n  \"first_seed\": %" PRIu64 ", \"end_seed\": %" PRIu64 ", \"solves\": %ld, \"wrong\": %zu,\n",
      o.first, found.next, found.all.solves, found.wrong.size());
  std::fprintf(f, "  \"cases\": %ld, \"refused\": %ld, \"states_skipped\": %ld, \"seconds\": %.1f,\n",
               found.cases, found.refused, found.states_skipped, found.seconds);
  write_tallies(f, "methods", found.methods);
  write_tallies(f, "classes", found.classes);
  std::fprintf(f, "  \"failures\": [");
  const char* comma = "";
  for (const Answer& a : found.wrong) {
    std::fprintf(f,
                 "%s\n    {\"seed\": %" PRIu64 ", \"class\": %s, \"method\": \"%s\", \"variant\": \"%s\", ",
                 comma, a.seed, quoted(class_of(a)).c_str(), name_of(a.method), a.variant);
    std::fprintf(f, "\"reason\": %s, \"line\": %s}", quoted(a.reason).c_str(),
                 quoted(describe_answer(a)).c_str());
    comma = ",";
  }
  std::fprintf(f, "\n  ]\n}\n");
  if (std::fclose(f) != 0) throw std::runtime_error("cannot write " + file);
}

int run_one(Options o, RobotLibrary& library) {
  o.campaign.details = stdout;
  const CaseAnswers answers = run_case(o.first, library, o.campaign);
  const auto is_wrong = [](const Answer& a) { return a.verdict == Verdict::wrong; };
  const long wrong = std::count_if(answers.answers.begin(), answers.answers.end(), is_wrong);
  std::printf("%ld of %zu solves are wrong\n", wrong, answers.answers.size());
  return wrong > 0;
}

int run_search(const Options& o) {
  SearchProgram program;
  program.only = o.campaign.only, program.path = o.path, program.first = o.first;
  program.method = o.campaign.method.value_or(tenon::Method::automatic);
  if (o.seconds > 0) program.seconds = o.seconds;
  program.changes = o.changes, program.threads = o.threads;
  return tenon::testing::run_search(program);
}

int run_many(const Options& o, RobotLibrary& library) {
  const Findings found = run(o, library);
  std::printf("%ld solves of %ld cases (%" PRIu64 " to %" PRIu64
              "), %.1f s, %.0f solves a second, %d threads\n",
              found.all.solves, found.cases, o.first, found.next - 1, found.seconds,
              static_cast<double>(found.all.solves) / found.seconds, o.threads);
  std::printf("%ld mechanisms refused, %ld states skipped (loops that do not close, dead centres)\n",
              found.refused, found.states_skipped);
  std::printf(
      "wrong: failures; status: those of them where ok stands for infeasible or the reverse; border: rank "
      "or\n"
      "contradiction may be decided either way; error: of qdd, worst where the status is right\n");
  print_table("robot", found.robots);
  print_table("contacts", found.contacts);
  print_table("state", found.states);
  print_table("method", found.methods);
  print_table("answers of automatic, by", found.chosen);
  print_statuses(found.all);
  print_decades(found.all);
  print_failing_classes(found);
  print_reasons(found.wrong);
  print_answers("failures", found.wrong, o.shown);
  if (o.border) print_answers("on the border", found.border, o.shown);
  if (!o.json.empty()) write_json(o.json, o, found);
  std::printf("\n%zu failures\n", found.wrong.size());
  return found.wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && argv[1] == std::string("--history"))
    return history::run_program({argv + 2, argv + argc}, TENON_BENCH_MODELS);
  const Options options = read_options(argc, argv);
  if (options.search) return run_search(options);
  RobotLibrary library(TENON_BENCH_MODELS);
  return options.one ? run_one(options, library) : run_many(options, library);
} catch (const std::exception& error) {
  std::fprintf(stderr, "campaign: %s\n%s", error.what(), usage);
  return 2;
}
