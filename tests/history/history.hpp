// A call's answer follows from its arguments and from what setters said, and from nothing else. Sequences of random
// calls on one object; after each the same call on a fresh object that was told the same settings must give the same
// status, message, report and bits. Where it does not, the shortest sequence that still shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "history/entry.hpp"
#include "history/scene.hpp"

namespace tenon::testing::history {

// What sequences of calls are made on.
struct Kind {
  const char* name;
  const std::vector<Entry>* functions;
  std::shared_ptr<void> (*make)(const Scene&, const Making&);
  const char* (*message)(void*);
  std::vector<unsigned char> (*report)(void*);  // null: there is none
  bool writes_after_failures;                   // messages, and states that did not fail
  std::shared_ptr<void> (*clone)(void*) = nullptr;
};
const Kind& workspace_kind();
const Kind& batch_kind();
const Kind& builder_kind();
const Kind& constraints_kind();
const Kind& model_kind();
const std::vector<const Kind*>& all_kinds();

struct Call {
  const Entry* function = nullptr;
  std::uint64_t seed = 0;
};

enum class Fault { none, status, message, report, numbers, written };
const char* name_of(Fault fault);

// What was found at the last call of a sequence.
struct Finding {
  Fault fault = Fault::none;
  std::string what;
  double size = 0;  // of numbers that differ, the largest relative difference
};

struct Options {
  std::vector<std::string> only, without;  // parts of names of functions; empty: all, none
  int most_calls = 25;                     // in a sequence
};

struct Failure {
  std::uint64_t seed = 0;
  std::string title;
  int calls = 0;  // before it showed
  Finding finding;
  std::vector<Call> shortest;
  std::string text;           // the shortest sequence, a line a call
  std::string names() const;  // of it, to compare failures by
};

// What a run saw: calls made, a line for each, and how often each function gave which status.
using Statuses = std::map<std::string, std::map<std::int64_t, long>>;
struct Watch {
  int calls = 0;
  std::string text;
  Statuses* statuses = nullptr;
};

// The calls of a sequence, the last one alone or all of them compared. Stops at the first finding.
Finding run(const Kind& kind, const Scene& scene, const std::vector<Call>& calls, std::uint64_t seed,
            bool all, Watch* watch = nullptr);

std::vector<Call> draw_calls(const Kind& kind, std::uint64_t seed, const Options& options);

// Sequences number first, first + 1, ... of all kinds of objects, several a robot, until `enough`.
struct Search {
  std::uint64_t first = 0;
  Options options;
  const Kind* kind = nullptr;  // null: all
  std::function<bool(long calls)> enough;
  std::function<void(const Failure&)> failed;
  Statuses* statuses = nullptr;
};
long search(const Search& search, RobotLibrary& library);

}  // namespace tenon::testing::history
