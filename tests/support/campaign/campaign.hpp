// A search for wrong answers of constrained forward dynamics: cases of cases.hpp, each solved by several
// methods and compared with the dense reference in long double. The program bench/studies/campaign.cpp and its
// short run among the tests share this.
//
// What is wrong: a negative status that does not fit; max_iterations at default options; a status ok where
// the reference says infeasible, or the reverse; an acceleration off by more than its tolerance. A case near
// the border where rank or contradiction is decided (Limits) may be decided either way and counts as such.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/kkt_solver.hpp"
#include "support/campaign/cases.hpp"

namespace tenon::testing {

struct CampaignOptions {
  std::optional<Method> method;  // solve every state by this one alone
  std::string only;              // of "robot/contacts/state", a part that must occur
  std::FILE* details = nullptr;  // everything about each solve
};

enum class Verdict { right, border, wrong };

// One solve.
struct Answer {
  std::uint64_t seed = 0;
  int state_index = 0;
  RobotKind robot = RobotKind::tree_fixed;
  ContactKind contacts = ContactKind::points;
  StateKind state = StateKind::random;
  Method method = Method::automatic;
  const char* variant = "";  // how it was asked for, where not at default options
  Status status = Status::ok, expected = Status::ok;
  double error = 0, tolerance = 0;  // of qdd, relative
  reference::KktMargins margins;
  SolveReport report;
  Verdict verdict = Verdict::right;
  std::string reason;
};

struct CaseAnswers {
  std::vector<Answer> answers;
  int states_skipped = 0;  // their loops do not close, or the configuration is singular
  bool refused = false;    // the mechanism or its contacts cannot be built
};
CaseAnswers run_case(std::uint64_t seed, RobotLibrary& library, const CampaignOptions& options);

std::string class_of(const Answer& answer);         // "robot/contacts/state"
std::string describe_answer(const Answer& answer);  // one line

// What came of all solves of a kind.
struct Tally {
  long solves = 0, wrong = 0, border = 0, mismatches = 0;
  double worst_error = 0, worst_ratio = 0;  // of those that are neither on the border nor of another status
  std::map<Status, long> statuses;
  // By powers of ten: 10^-8 or less, up to 10^-7, ... up to 10^-1, more.
  static constexpr int decades = 9;
  std::array<long, decades> errors{}, tolerances{};
  void add(const Answer& answer);
};

}  // namespace tenon::testing
