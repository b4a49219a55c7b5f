#include "support/campaign/campaign.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>

#include "support/constrained_scene.hpp"
#include "support/oracle.hpp"
#include "tenon/batch.hpp"
#include "tenon/dynamics.hpp"
#include "tenon/loops.hpp"

namespace tenon::testing {
namespace {

using Eigen::VectorXd;

constexpr int states_a_case = 4;

// Of relative errors. The second one is for least-squares answers.
constexpr double tolerance_ok = 1e-8, tolerance_infeasible = 1e-6;
// Below this ratio of singular values (smallest kept over largest or one) tolerances grow in proportion.
constexpr double well_posed = 1e-3;
// Rounding of M moves the answer by its condition times this.
constexpr double mass_rounding = 1e-14;
// The reference takes singular values below rank_cut of the largest for zero. Within `status_border` of it on
// either side a method may find another rank and so another status; within `answer_border` another answer.
constexpr double rank_cut = 1e-6, status_border = 100, answer_border = 10;
// The size of a contradiction within this factor of the tolerance.
constexpr double contradiction_border = 1e3;

// ---- the reference ----------------------------------------------------------------------------------------

struct Expected {
  bool solved = false;
  Status status = Status::ok;
  VectorXd qdd;
  SolveReport report;
  reference::KktMargins margins;
  double stretch = 1;     // largest entry of G: what a joint moves with the coordinates solved for
  double loop_error = 0;  // of the embedded loops' motion against the spanning tree with multipliers
};

class Yardstick {
 public:
  explicit Yardstick(const CampaignCase& c)
      : model_(*c.robot.model),
        reduced_(!model_.loops.clusters.empty()),
        solver_(tree_of(c.robot.mechanism, c.robot.options, model_), c.set->specs(),
                {reduced_ ? model_.ny : -1, 0}),
        scale_(scale_of_user_rows(*c.set)) {}

  Expected solve(Workspace& w, const CampaignState& s) {
    Expected e;
    reference::KktInputs in;
    in.q = s.q.data(), in.v = s.v.data(), in.tau = s.tau.data();
    in.wrenches = s.wrenches.empty() ? nullptr : s.wrenches.data();
    in.desired = s.desired.data();
    in.anchors = s.anchors.data();
    in.gravity = s.gravity;
    in.scale = scale_.data();
    Eigen::MatrixXd G(model_.nv, model_.ny);
    VectorXd g(model_.nv);
    if (reduced_) {
      if (loop_map(w, s.q.data(), s.v.data(), G.data(), model_.nv, g.data()) != Status::ok) return e;
      in.G = G.data(), in.g = g.data();
      e.stretch = std::max(1.0, largest(G));
    }
    e.qdd.resize(model_.nv);
    e.status = solver_.solve(in, {}, e.qdd.data(), nullptr, e.report);
    e.solved = static_cast<std::int32_t>(e.status) >= 0 && e.qdd.allFinite();
    e.margins = solver_.margins();
    return e;
  }

 private:
  const Model& model_;
  bool reduced_;
  reference::BasicKktSolver<long double> solver_;
  std::vector<double> scale_;
};

// G and g of the reference are the library's: on random loops its answer is held against one that knows
// neither.
void check_loops_of_reference(const CampaignCase& c, const CampaignState& s, Expected& e) {
  if (!c.whole || c.robot.model->loops.clusters.empty() || e.status != Status::ok) return;
  for (std::size_t i = 0; i < c.contacts; ++i)
    if (c.specs[i].frequency > 0 || !c.specs[i].compliance.empty()) return;
  if (std::any_of(s.desired.begin(), s.desired.end(), [](double x) { return x != 0; })) return;
  if (s.gravity != c.robot.options.gravity) return;
  const Model &model = *c.robot.model, &whole = *c.whole->model;
  const std::vector<ConstraintSpec> contacts(c.specs.begin(),
                                             c.specs.begin() + static_cast<long>(c.contacts));
  for (const ConstraintSpec& spec : contacts)
    if (spec.axes == RowAxes::world && !spec.closure) return;  // along anchors, which the other knows not
  const std::vector<double> none(6 * model.links.size(), 0.0);
  Posedness posedness;
  std::vector<double> scale = scale_of_user_rows(*c.set);  // the contacts come first
  int contact_rows = 0;
  for (const ConstraintSpec& spec : contacts) contact_rows += row_count(spec);
  scale.resize(static_cast<std::size_t>(contact_rows));
  const VectorXd other = multiplier_accelerations(
      *c.whole, contacts, in_order_of(whole, model, as_vector(s.q), true),
      in_order_of(whole, model, as_vector(s.v), false), in_order_of(whole, model, as_vector(s.tau), false),
      s.wrenches.empty() ? none.data() : s.wrenches.data(), &posedness, scale);
  if (!posedness.feasible || posedness.kept < 1e-6) return;
  e.loop_error = relative_error(in_order_of(model, whole, other, false), e.qdd,
                                std::max(1.0, e.margins.free_acceleration));
}

// ---- what is asked ----------------------------------------------------------------------------------------

enum class Variant { plain, warm, split, independent, all_independent, batch };
const char* name_of(Variant variant) {
  static const char* const names[] = {"", "warm", "split_base", "independent_v", "independent_q", "batch"};
  return names[static_cast<int>(variant)];
}

struct Question {
  Method method;
  Variant variant;
};

Variant any_variant(Random& random, Method method, const Model& model) {
  const double kind = random.uniform(0, 1);
  if (kind < 0.15) return Variant::warm;
  if (kind > 0.9 && (method == Method::pv || method == Method::prox_pv)) return Variant::split;
  if (model.loops.clusters.empty()) return Variant::plain;
  return kind < 0.35 ? Variant::independent : kind < 0.45 ? Variant::all_independent : Variant::plain;
}

std::vector<Question> draw_questions(Random random, const CampaignCase& c, const CampaignOptions& options) {
  const std::vector<Method>& methods = available_methods();
  std::vector<Question> asked = {{Method::automatic, Variant::plain}};
  const int more = random.integer(1, 3);
  for (int i = 0; i < more; ++i) {
    const int index = random.integer(0, static_cast<int>(methods.size()) - 1);
    const Method method = methods[static_cast<std::size_t>(index)];
    const Question next = {method, any_variant(random, method, *c.robot.model)};
    if (std::none_of(asked.begin(), asked.end(), [&](const Question& question) {
          return question.method == next.method && question.variant == next.variant;
        }))
      asked.push_back(next);
  }
  if (options.method) {  // plainly, and from multipliers where that was drawn
    std::vector<Question> only = {{*options.method, Variant::plain}};
    for (const Question& question : asked)
      if (question.variant == Variant::warm && only.size() == 1)
        only.push_back({*options.method, Variant::warm});
    return only;
  }
  if (random.chance(0.3)) asked.push_back({Method::automatic, Variant::batch});
  return asked;
}

struct Given {
  std::vector<double> q, v, tau;
};

// The state in the coordinates of the variant. False where they cannot tell it.
bool take_coordinates(Workspace& w, const CampaignState& s, Variant variant, Given& given) {
  given = {s.q, s.v, s.tau};
  if (variant != Variant::independent && variant != Variant::all_independent) return true;
  const bool all = variant == Variant::all_independent;
  if (independent_velocity(w, s.v.data(), given.v.data()) != Status::ok) return false;
  if (independent_force(w, s.q.data(), s.tau.data(), given.tau.data()) != Status::ok) return false;
  if (all && (set_guess(w, s.q.data()) != Status::ok ||
              independent_positions(w, s.q.data(), given.q.data()) != Status::ok))
    return false;
  return set_coordinates(w, all ? Coordinates::independent : Coordinates::spanning,
                         Coordinates::independent) == Status::ok;
}

// The state as the last of a batch of two.
void solve_in_batch(CampaignCase& c, CampaignState s, VectorXd& qdd, Answer& a) {
  Batch batch(c.robot.model, c.set, {});
  batch.workspace().set_gravity(s.gravity);
  for (std::size_t i = 0; i < s.anchors.size(); ++i)
    if (!c.set->specs()[i].closure) batch.set_anchor(static_cast<int>(i), s.anchors[i]);
  const auto of_both = [](auto& numbers) {
    BatchArray array;
    if (numbers.size() > 0) array.data = numbers.data();
    return array;
  };
  BatchCall call;
  call.function = BatchFunction::constrained_dynamics, call.states = 2;
  call.q = of_both(s.q), call.v = of_both(s.v), call.x = of_both(s.tau);
  call.wrenches = of_both(s.wrenches), call.desired = of_both(s.desired);
  call.out[0] = of_both(qdd);
  std::int32_t status[2] = {};
  call.status = status;
  a.status = batch.run(call);
  if (static_cast<std::int32_t>(a.status) < 0) return void(a.reason = batch.message());
  a.status = static_cast<Status>(status[1]);
}

// ---- judging ----------------------------------------------------------------------------------------------

bool may_refuse(const CampaignCase& c, Method method) {
  return method != Method::automatic &&
         (c.set->data().inter_body_count > 0 || !c.robot.model->loops.clusters.empty());
}

// What rounding of positions far away costs stabilised rows.
double rounding_of_positions(const CampaignCase& c, double scale) {
  double stiffness = 0;
  for (const ConstraintSpec& spec : c.specs) stiffness = std::max(stiffness, spec.frequency * spec.frequency);
  const double distance = std::hypot(c.away[0], c.away[1], c.away[2]);
  return 1e-14 * distance * stiffness / (scale * std::min(1.0, c.length));
}

// How far answers may be from the reference, as a share of `scale`. warm: multipliers to start from.
//
// In proportion to the condition of the rows what an iteration may leave of them. Beside it what the rows
// themselves are known to: E added to rows B moves their least-squares solution x with residual r by up to
// |E| (|B^+| |x| + |B^+|^2 |r|) to first order (P. Wedin, Perturbation theory for pseudo-inverses, 1973,
// Theorem 5.1). x does not care for the length of rows, so B is the scaled rows there; r is least in the
// weighted ones. E is rounding, more of it in rows in which large numbers cancel, or the
// rows that were taken for dependent: with or without these the answer is right. Along them the multipliers
// that a solve starts from act as well. And residuals below the tolerances of the options are the user's.
double tolerance_of(const CampaignCase& c, const Expected& e, double scale, const VectorXd& warm) {
  const reference::KktMargins& m = e.margins;
  const double base = e.status == Status::ok ? tolerance_ok : tolerance_infeasible;
  const double rounding = mass_rounding * m.mass_condition + rounding_of_positions(c, scale);
  const double loosened = std::max(base, rounding) * std::max(1.0, well_posed / m.kept);
  const double rows = rounding + m.dropped;
  const double residual = SolveOptions{}.absolute_tolerance + SolveOptions{}.relative_tolerance * scale;
  const double moved = (rows + mass_rounding * m.cancellation) * m.solution / m.kept + rows * m.unreachable +
                       mass_rounding * m.unreachable_cancelling + m.dropped * m.longest_row * warm.norm() +
                       residual / (m.shortest_row * m.kept);
  return loosened + m.mobility * e.stretch / scale * moved;
}

bool near_cut(const reference::KktMargins& m, double factor) {
  return m.kept < rank_cut * factor || m.dropped > rank_cut / factor;
}

bool fine(Status status) {
  return status == Status::ok || status == Status::rank_deficient;
}

void judge(const CampaignCase& c, const Expected& e, Answer& a) {
  const auto wrong = [&](const std::string& reason, bool on_border) {
    a.verdict = on_border ? Verdict::border : Verdict::wrong;
    a.reason = a.reason.empty() ? reason : reason + ": " + a.reason;
  };
  const double contradiction = e.margins.contradiction;
  const bool unclear = contradiction > 1 / contradiction_border && contradiction < contradiction_border;
  if (a.status == Status::unsupported && may_refuse(c, a.method)) return;
  if (a.status == Status::not_positive_definite && e.margins.mass_condition > 1e14) return;
  if (static_cast<std::int32_t>(a.status) < 0) return wrong("status", false);
  if (!(a.error < HUGE_VAL)) return wrong("not a number", false);
  const bool right = a.error <= a.tolerance;
  if (a.status == Status::max_iterations)
    return wrong(right ? "max_iterations, right numbers" : "max_iterations, wrong numbers",
                 near_cut(e.margins, answer_border));
  if (fine(a.status) != fine(e.status))
    return wrong(fine(a.status)
                     ? (right ? "ok for infeasible, right numbers" : "ok for infeasible, wrong numbers")
                     : (right ? "infeasible for ok, right numbers" : "infeasible for ok, wrong numbers"),
                 near_cut(e.margins, status_border) || unclear);
  if (!right)
    return wrong(fine(a.status) ? "ok, wrong numbers" : "infeasible, wrong numbers",
                 near_cut(e.margins, answer_border));
}

// ---- details ----------------------------------------------------------------------------------------------

void print_spec(std::FILE* out, const CampaignCase& c, std::size_t i) {
  const ConstraintSpec& spec = c.set->specs()[i];
  const auto link = [&](int k) {
    return k < 0 ? std::string("world") : c.robot.model->links[static_cast<std::size_t>(k)].name;
  };
  std::fprintf(out, "  %-12s link %s", spec.name.c_str(), link(spec.link).c_str());
  if (spec.closure) std::fprintf(out, " to %s", link(spec.second_link).c_str());
  if (spec.custom.empty())
    std::fprintf(out, ", rows 0x%02x along %s axes", spec.rows,
                 spec.axes == RowAxes::link ? "link" : "world");
  else
    std::fprintf(out, ", %d custom rows", row_count(spec));
  std::fprintf(out, ", at %.17g %.17g %.17g", spec.frame.translation[0], spec.frame.translation[1],
               spec.frame.translation[2]);
  if (spec.frequency > 0) std::fprintf(out, ", frequency %.3g", spec.frequency);
  if (i < c.twin.size() && c.twin[i] >= 0)
    std::fprintf(out, ", %s number %d", c.twins_agree ? "repeats" : "contradicts", c.twin[i]);
  for (const auto& [name, list] :
       {std::make_pair("weight", &spec.weight), std::make_pair("compliance", &spec.compliance)}) {
    if (list->empty()) continue;
    std::fprintf(out, ", %s", name);
    for (const double x : *list) std::fprintf(out, " %.3g", x);
  }
  std::fprintf(out, "\n");
}

void print_case(std::FILE* out, const CampaignCase& c) {
  const Model& model = *c.robot.model;
  std::fprintf(out, "case %" PRIu64 ": %s, contacts %s\n", c.seed, name_of(c.robot_kind),
               name_of(c.contact_kind));
  std::fprintf(out, "  %s; nv %d, ny %d, %s base, lengths x %g, masses x %g, %g m away; %d rows\n",
               c.title.c_str(), model.nv, model.ny, model.floating_base ? "floating" : "fixed", c.length,
               c.mass, std::hypot(c.away[0], c.away[1], c.away[2]), c.set->row_count());
  for (std::size_t i = 0; i < c.set->specs().size(); ++i) print_spec(out, c, i);
  std::fprintf(out, "%s", model.describe().c_str());
}

void print_vector(std::FILE* out, const char* name, const double* x, std::size_t count) {
  std::fprintf(out, "    %s =", name);
  for (std::size_t k = 0; k < count; ++k) std::fprintf(out, " %.17g", x[k]);
  std::fprintf(out, "\n");
}

void print_state(std::FILE* out, const CampaignState& s, const Expected& e, int index) {
  std::fprintf(out, "state %d: %s\n", index, name_of(s.kind));
  print_vector(out, "q", s.q.data(), s.q.size());
  print_vector(out, "v", s.v.data(), s.v.size());
  print_vector(out, "tau", s.tau.data(), s.tau.size());
  print_vector(out, "desired", s.desired.data(), s.desired.size());
  print_vector(out, "gravity", s.gravity.data(), 3);
  if (!e.solved) return void(std::fprintf(out, "    skipped: the reference has no answer\n"));
  std::fprintf(
      out,
      "  reference: %s, rank %d, kept %.2e, dropped %.2e, contradiction %.2e of its tolerance, condition "
      "of M %.1e, free acceleration %.3g, loops by multipliers %.1e away\n",
      status_name(e.status), e.report.rank, e.margins.kept, e.margins.dropped, e.margins.contradiction,
      e.margins.mass_condition, e.margins.free_acceleration, e.loop_error);
  print_vector(out, "qdd", e.qdd.data(), static_cast<std::size_t>(e.qdd.size()));
}

// ---- one case ---------------------------------------------------------------------------------------------

class Solver {
 public:
  Solver(CampaignCase& c, const CampaignOptions& options)
      : c_(c), options_(options), w_(*c.workspace), yardstick_(c) {}

  void solve_state(int index, CaseAnswers& out) {
    CampaignState s;
    set_coordinates(w_, Coordinates::spanning, Coordinates::spanning);
    if (!draw_state(c_, index, s)) return void(++out.states_skipped);
    w_.set_gravity(s.gravity);
    for (std::size_t i = 0; i < s.anchors.size(); ++i) w_.set_anchor(static_cast<int>(i), s.anchors[i]);
    Expected e = yardstick_.solve(w_, s);
    if (e.solved && index == 0) check_loops_of_reference(c_, s, e);
    if (options_.details) print_state(options_.details, s, e, index);
    if (!e.solved) return void(++out.states_skipped);
    Random random(c_.seed * states_a_case + static_cast<std::uint64_t>(index) + 0x7000000);
    for (const Question& question : draw_questions(random, c_, options_)) {
      Answer a;
      a.seed = c_.seed, a.state_index = index;
      a.robot = c_.robot_kind, a.contacts = c_.contact_kind, a.state = s.kind;
      a.method = question.method, a.variant = name_of(question.variant);
      if (!ask(question, s, e, a)) continue;
      judge(c_, e, a);
      if (e.loop_error > 1e-7 && a.verdict == Verdict::right && fine(a.status) &&
          !near_cut(e.margins, status_border))
        a.verdict = Verdict::wrong, a.reason = "loops: the reference by multipliers says otherwise";
      if (options_.details) print_answer(a);
      out.answers.push_back(std::move(a));
    }
  }

 private:
  bool ask(const Question& question, const CampaignState& s, const Expected& e, Answer& a) {
    Given given;
    set_coordinates(w_, Coordinates::spanning, Coordinates::spanning);
    if (!take_coordinates(w_, s, question.variant, given)) return false;
    SolveOptions how;
    how.method = question.method;
    how.warm_start = question.variant == Variant::warm;
    if (question.variant == Variant::split) how.split_base = SplitBase::always;
    const int n = velocity_count(w_);
    VectorXd qdd = VectorXd::Constant(n, HUGE_VAL), expected = e.qdd;
    // Some start, the same whatever was solved before.
    VectorXd lambda = VectorXd::Zero(c_.set->row_count());
    Random start(c_.seed);
    for (double& x : lambda) x = how.warm_start ? c_.mass * start.uniform(-100, 100) : 0;
    const VectorXd start_from = lambda;
    if (question.variant == Variant::batch) {
      solve_in_batch(c_, s, qdd, a);
    } else {
      a.status = constrained_dynamics(w_, how,
                                      {given.q.data(), given.v.data(), given.tau.data(),
                                       s.wrenches.empty() ? nullptr : s.wrenches.data(), s.desired.data()},
                                      qdd.data(), lambda.data());
      a.report = w_.report();
      if (static_cast<std::int32_t>(a.status) < 0) a.reason = w_.message();
    }
    a.expected = e.status;
    a.margins = e.margins;
    if (n != w_.model().nv) {
      expected.resize(n);
      independent_velocity(w_, e.qdd.data(), expected.data());
    }
    // Where all is small next to what cancelled, one unit of its own counts.
    const double unit = std::min(1.0, 1 / c_.length);
    const double scale = std::max({e.margins.free_acceleration, largest(e.qdd), unit});
    a.error = static_cast<std::int32_t>(a.status) < 0 ? 0 : difference_of(qdd, expected) / scale;
    a.tolerance = tolerance_of(c_, e, scale, start_from);
    last_ = qdd;
    return true;
  }

  static double difference_of(const VectorXd& a, const VectorXd& b) {
    if (!a.allFinite()) return HUGE_VAL;
    return a.size() > 0 ? largest(a - b) : 0;
  }

  void print_answer(const Answer& a) const {
    std::fprintf(options_.details, "  %s\n", describe_answer(a).c_str());
    if (static_cast<std::int32_t>(a.status) < 0)
      std::fprintf(options_.details, "    %s\n", w_.message());
    else
      print_vector(options_.details, "qdd", last_.data(), static_cast<std::size_t>(last_.size()));
  }

  CampaignCase& c_;
  const CampaignOptions& options_;
  Workspace& w_;
  Yardstick yardstick_;
  VectorXd last_;
};

std::string class_name(RobotKind robot, ContactKind contacts, StateKind state) {
  return std::string(name_of(robot)) + "/" + name_of(contacts) + "/" + name_of(state);
}

}  // namespace

CaseAnswers run_case(std::uint64_t seed, RobotLibrary& library, const CampaignOptions& options) {
  CaseAnswers out;
  RobotKind robot;
  ContactKind contacts;
  kinds_of_case(seed, robot, contacts);
  std::vector<int> wanted;
  for (int i = 0; i < states_a_case; ++i)
    if (class_name(robot, contacts, state_kind_of(seed, i)).find(options.only) != std::string::npos)
      wanted.push_back(i);
  if (wanted.empty()) return out;
  std::unique_ptr<CampaignCase> c;
  try {
    c = draw_case(seed, library);
  } catch (const Error& error) {
    out.refused = true;
    if (options.details)
      std::fprintf(options.details, "case %" PRIu64 " is refused: %s\n", seed, error.what());
    return out;
  }
  if (options.details) print_case(options.details, *c);
  Solver solver(*c, options);
  for (const int index : wanted) solver.solve_state(index, out);
  return out;
}

std::string class_of(const Answer& a) {
  return class_name(a.robot, a.contacts, a.state);
}

std::string describe_answer(const Answer& a) {
  char text[640];
  std::snprintf(text, sizeof text,
                "seed %" PRIu64
                " state %d %s %s%s%s: %s%s%s, expected %s, error %.2e (tolerance %.1e), kept %.1e, "
                "dropped %.1e, contradiction %.1e, cond %.0e, %d iterations, residual %.1e, rank %d, by %s",
                a.seed, a.state_index, class_of(a).c_str(), name_of(a.method), *a.variant ? " " : "",
                a.variant,
                a.verdict == Verdict::wrong    ? "WRONG "
                : a.verdict == Verdict::border ? "border "
                                               : "",
                status_name(a.status), a.reason.empty() ? "" : (" (" + a.reason + ")").c_str(),
                status_name(a.expected), a.error, a.tolerance, a.margins.kept, a.margins.dropped,
                a.margins.contradiction, a.margins.mass_condition, a.report.iterations,
                a.report.primal_residual, a.report.rank, name_of(a.report.method));
  return text;
}

void Tally::add(const Answer& a) {
  ++solves;
  ++statuses[a.status];
  wrong += a.verdict == Verdict::wrong;
  border += a.verdict == Verdict::border;
  if (static_cast<std::int32_t>(a.status) < 0 || a.status == Status::max_iterations) return;
  const bool mismatch = fine(a.status) != fine(a.expected);
  mismatches += mismatch && a.verdict == Verdict::wrong;
  if (mismatch || a.verdict == Verdict::border) return;
  // A comparison would pass over what is no number.
  const auto or_infinite = [](double x) { return x < HUGE_VAL ? x : HUGE_VAL; };
  const double error = or_infinite(a.error), ratio = or_infinite(a.error / a.tolerance);
  const auto decade = [](double x) {
    return static_cast<std::size_t>(std::min(std::max(std::ceil(std::log10(x) + 8), 0.0), decades - 1.0));
  };
  ++errors[decade(error)];
  ++tolerances[decade(or_infinite(a.tolerance))];
  worst_error = std::max(worst_error, error);
  worst_ratio = std::max(worst_ratio, ratio);
}

}  // namespace tenon::testing
