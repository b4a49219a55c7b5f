#include "campaign_search.hpp"

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <thread>
#include <vector>

#include "support/campaign/search.hpp"
#include "support/constrained_scene.hpp"

namespace tenon::testing {
namespace {

void print(const Found& found) {
  std::printf("  error %.2e (coordinate %d), %s by %s: %s\n", found.error.motion, found.error.coordinate,
              status_name(found.status), name_of(found.method), path_of(found).c_str());
}

struct ClassResult {
  Climb all;
  long wrong = 0;  // seeds whose worst motion is
  std::uint64_t seeds = 0;
};

ClassResult search_class(SearchClass kind, const SearchProgram& program, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
  };
  std::atomic<std::uint64_t> next{program.first};
  std::vector<ClassResult> results(static_cast<std::size_t>(program.threads));
  const auto work = [&](ClassResult& mine) {
    mine.all.worst.kind = kind, mine.all.worst.seed = program.first;
    while (!over()) {
      SearchOptions options;
      options.kind = kind, options.method = program.method, options.seed = next++,
      options.changes = program.changes;
      const Climb found = climb(options);
      mine.all.solves += found.solves, mine.all.refused += found.refused;
      mine.wrong += found.worst.wrong();
      ++mine.seeds;
      if (found.worst.error.motion > mine.all.worst.error.motion) mine.all.worst = found.worst;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < results.size(); ++t) threads.emplace_back(work, std::ref(results[t]));
  work(results[0]);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 1; t < results.size(); ++t) {
    results[0].all.solves += results[t].all.solves, results[0].all.refused += results[t].all.refused;
    results[0].wrong += results[t].wrong, results[0].seeds += results[t].seeds;
    if (results[t].all.worst.error.motion > results[0].all.worst.error.motion)
      results[0].all.worst = results[t].all.worst;
  }
  return results[0];
}

}  // namespace

int run_search(const SearchProgram& program) {
  if (!program.path.empty()) {
    const Found found = solve_path(program.path, program.method);
    print(found);
    return found.wrong();
  }
  std::vector<SearchClass> kinds;
  for (int i = 0; i < search_classes; ++i) kinds.push_back(static_cast<SearchClass>(i));
  if (!program.only.empty()) kinds = {search_class_of(program.only)};
  long wrong = 0;
  for (const SearchClass kind : kinds) {
    const ClassResult result =
        search_class(kind, program, program.seconds / static_cast<double>(kinds.size()));
    std::printf("%-12s %9ld solves from %7" PRIu64
                " seeds, %ld of them end in a wrong motion; no robot %ld times\n",
                name_of(kind), result.all.solves, result.seeds, result.wrong, result.all.refused);
    print(result.all.worst);
    std::fflush(stdout);
    wrong += result.wrong;
  }
  return wrong > 0;
}

}  // namespace tenon::testing
