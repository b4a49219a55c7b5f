// The threads of batches as a program sees them: after fork, signals, and which of them are woken.
#include "support.hpp"

#if defined(__linux__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

using namespace tenon_test;

#if defined(__SANITIZE_THREAD__)
#define TENON_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENON_THREAD_SANITIZER
#endif
#endif

namespace {

struct Forward {
  explicit Forward(int32_t threads) : b(batch(model, nullptr, threads)) {}
  tenon_status compute(std::size_t states) {
    const auto qs = rows_of(q, 7), vs = rows_of(v, 7), out = rows_of(qdd, 7);
    return tenon_batch_forward_dynamics(b.get(), states, &qs, &vs, &vs, nullptr, &out, nullptr, 0);
  }
  static constexpr std::size_t most = 512;

  Model model = load("iiwa14");
  Batch b;
  std::vector<double> q = std::vector<double>(7 * most, 0.3), v = std::vector<double>(7 * most, 0.1),
                      qdd = std::vector<double>(7 * most, -77);
};

// Fields of /proc/self/task/*/status of the threads that are not in `others`, which gets them.
std::vector<std::string> of_new_threads(const std::string& field, std::set<std::string>& others) {
  std::vector<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (!others.insert(task.path().filename()).second) continue;
    std::ifstream status(task.path() / "status");
    for (std::string name, value; status >> name; std::getline(status, value))
      if (name == field + ":" && status >> value) found.push_back(value);
  }
  return found;
}

// How often the threads that are not in `others` have waited, once each has and none of them runs any more.
long long waits_of_new_threads(const std::set<std::string>& others, long long threads) {
  for (long long before = -1;;) {
    std::set<std::string> known = others;
    long long sum = 0;
    for (const std::string& count : of_new_threads("voluntary_ctxt_switches", known))
      sum += std::stoll(count);
    if (sum == before && sum >= threads) return sum;
    before = sum;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(BatchThreads, AChildOfForkComputesAloneAndEnds) {
#if defined(TENON_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no threads after fork";
#endif
  Forward f(3);
  ASSERT_EQ(f.compute(f.most), TENON_OK);
  const std::vector<double> expected = f.qdd;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // ends a child that waits
    std::fill(f.qdd.begin(), f.qdd.end(), -77);
    const bool computed = f.compute(f.most) == TENON_OK && f.qdd == expected;
    f.b.reset();
    Forward own(3);  // a batch of the child has threads again
    _exit(computed && own.compute(own.most) == TENON_OK && own.qdd == expected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(f.compute(f.most), TENON_OK);
}

TEST(BatchThreads, SignalsOfTheProgramAreNotForThem) {
  std::set<std::string> others;
  of_new_threads("SigBlk", others);
  Forward f(4);
  waits_of_new_threads(others, 3);  // they have begun: before that all signals of any thread are blocked
  const std::vector<std::string> blocked = of_new_threads("SigBlk", others);
  ASSERT_EQ(blocked.size(), 3U);
  for (const std::string& mask : blocked)
    for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF, SIGPIPE})
      EXPECT_NE(std::stoull(mask, nullptr, 16) >> (signal - 1) & 1U, 0U) << signal << ' ' << mask;
  sigset_t own;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &own), 0);
  EXPECT_EQ(sigismember(&own, SIGINT), 0);
}

TEST(BatchThreads, OnlyAsManyAreWokenAsHaveWork) {
  std::set<std::string> others;
  of_new_threads("voluntary_ctxt_switches", others);
  Forward f(16);
  ASSERT_EQ(f.compute(f.most), TENON_OK);
  const long long before = waits_of_new_threads(others, 15);
  constexpr int calls = 100;
  const auto two_packs = 2 * static_cast<std::size_t>(tenon_batch_width(f.b.get()));
  for (int i = 0; i < calls; ++i) {
    ASSERT_EQ(f.compute(two_packs), TENON_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const long long after = waits_of_new_threads(others, 15);
  // One of fifteen, which may also wait for the caller to let go of the mutex.
  EXPECT_LE(after - before, 3 * calls);
  EXPECT_GE(after, before);
}

}  // namespace
#endif
