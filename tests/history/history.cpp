#include "history/history.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "history/lacking_memory.hpp"
#include "support/largest.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tenon::testing::history {
namespace {

constexpr std::uint64_t sequences_a_robot = 8;
// Where arrays begin in their memory: of calls on the object, and on the fresh one.
constexpr int used_layout = 0, fresh_layout = 1;

struct Answer {
  std::int64_t result = 0;
  std::string message, returned, text;
  std::vector<unsigned char> bytes, report_before, report;
  std::int32_t constraint = 0;
  Coordinates asked;
  bool sets_nothing = false;
  bool untouched = true;
};

Answer call(const Kind& kind, const Scene& scene, void* object, Coordinates coordinates, const Call& c,
            int layout) {
  Frame f(scene, coordinates, c.seed, layout);
  f.memory_lacks = layout == used_layout && c.function->role != Role::asks;
  Answer answer;
  if (kind.report) answer.report_before = kind.report(object);
  answer.result = c.function->run(f, object);
  let_allocation_fail(-1);
  answer.message = kind.message(object);
  if (kind.report) answer.report = kind.report(object);
  answer.bytes = f.written_bytes();
  answer.untouched = f.untouched();
  answer.returned = f.answer_text, answer.text = f.text;
  answer.constraint = f.constraint, answer.asked = f.asked;
  answer.sets_nothing = f.sets_nothing;
  return answer;
}

// Of bytes that hold doubles: the largest difference over the largest number.
double relative_difference(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b) {
  double largest = 0, difference = 0;
  if (a.size() != b.size()) return HUGE_VAL;
  for (std::size_t i = 0; i + sizeof(double) <= std::min(a.size(), b.size()); i += sizeof(double)) {
    double x, y;
    std::memcpy(&x, a.data() + i, sizeof x), std::memcpy(&y, b.data() + i, sizeof y);
    if (std::memcmp(&x, &y, sizeof x) == 0 && !std::isfinite(x)) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return HUGE_VAL;
    largest = std::max({largest, std::abs(x), std::abs(y)});
    difference = larger(difference, std::abs(x - y));
  }
  return largest > 0 ? difference / largest : 0;
}

Finding compare(const Kind& kind, const Entry& function, const Answer& used, const Answer& fresh) {
  const auto found = [](Fault fault, std::string what) { return Finding{fault, std::move(what), 0}; };
  if (used.result < 0 && !used.untouched && !kind.writes_after_failures)
    return found(Fault::written, "status " + std::to_string(used.result) + ", but outputs were written");
  if (function.role == Role::asks || used.result == TENON_OUT_OF_MEMORY) return {};
  if (used.result != fresh.result)
    return found(Fault::status, std::to_string(used.result) + " '" + used.message + "', fresh " +
                                    std::to_string(fresh.result) + " '" + fresh.message + "'");
  if (used.bytes != fresh.bytes) {
    Finding finding = found(Fault::numbers, "");
    finding.size = relative_difference(used.bytes, fresh.bytes);
    char text[64];
    std::snprintf(text, sizeof text, "relative difference %.1e", finding.size);
    finding.what = text;
    return finding;
  }
  if ((used.message != fresh.message && !function.silent) || used.returned != fresh.returned)
    return found(Fault::message, "'" + used.message + "', fresh '" + fresh.message + "'");
  const bool kept = fresh.report == fresh.report_before && used.report == used.report_before;
  if (!kept && used.report != fresh.report) return found(Fault::report, "another report");
  return {};
}

// What setters said so far, and the calls whose results are kept: what a fresh object is told.
class Settings {
 public:
  Coordinates coordinates;

  void note(const Call& c, const Answer& answer) {
    const Entry& f = *c.function;
    const bool good = answer.result >= 0;
    if (f.role != Role::keeper && !(f.role == Role::setter && good && !answer.sets_nothing)) return;
    Item item{c, coordinates, f.slot, f.role == Role::keeper, f.reads, good};
    if (f.of_constraint) item.slot += " " + std::to_string(answer.constraint) + ";";
    for (Item& before : items_)
      if (f.slot != "added" && replaces(item, before)) before.replaced = true;
    items_.push_back(item);
    if (f.slot == "coordinates") coordinates = answer.asked;
    drop_replaced();
  }

  void tell(const Kind& kind, const Scene& scene, void* object) const {
    for (const Item& item : items_) call(kind, scene, object, item.coordinates, item.made, fresh_layout);
  }

 private:
  struct Item {
    Call made;
    Coordinates coordinates;
    std::string slot;
    bool keeps, reads, good;
    bool replaced = false;
  };

  static bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }
  static bool replaces(const Item& item, const Item& before) {
    if (!item.good) return false;  // what it left is not known: both are told
    const std::vector<std::string>& forgets = item.made.function->forgets;
    return begins(before.slot, item.slot) ||
           std::any_of(forgets.begin(), forgets.end(),
                       [&](const std::string& slot) { return begins(before.slot, slot); });
  }

  // A setting that was replaced is still told where a kept result was made with it.
  void drop_replaced() {
    bool read_later = false;
    for (std::size_t i = items_.size(); i-- > 0;) {
      const Item& item = items_[i];
      if (item.replaced && (item.keeps || !read_later))
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
      else
        read_later = read_later || item.reads;
    }
  }

  std::vector<Item> items_;
};

std::vector<unsigned char> report_of(void* object) {
  tenon_solve_report report;
  tenon_solve_report_init(&report, sizeof report);
  tenon_workspace_report(static_cast<tenon_workspace*>(object), &report);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&report);
  return {bytes, bytes + sizeof report};
}

// New memory holds what nobody wrote, and not the same each time, so that who reads it shows.
std::shared_ptr<void> made(const Kind& kind, const Scene& scene, std::uint64_t seed) {
#ifdef __GLIBC__
  mallopt(M_PERTURB, static_cast<int>(1 + seed % 255));
#endif
  return kind.make(scene, {seed});
}

bool contains_any(const std::string& name, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

// Leaves out calls, in halves and then one by one, as long as the last one still fails in the same way.
std::vector<Call> shortened(const Kind& kind, const Scene& scene, std::vector<Call> calls, std::uint64_t seed,
                            Fault fault) {
  for (std::size_t piece = std::max(calls.size() / 2, std::size_t{1});;) {
    bool shorter = false;
    for (std::size_t end = calls.size() - 1; end > 0;) {
      const std::size_t begin = end > piece ? end - piece : 0;
      std::vector<Call> fewer = calls;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (run(kind, scene, fewer, seed, false).fault == fault) calls = fewer, shorter = true;
      end = begin;
    }
    if (piece == 1 && !shorter) return calls;
    if (piece > 1) piece /= 2;
  }
}

}  // namespace

const char* name_of(Fault fault) {
  static const char* const names[] = {"none", "status", "message", "report", "numbers", "written"};
  return names[static_cast<int>(fault)];
}

const Kind& workspace_kind() {
  static const Kind kind = {"workspace",
                            &workspace_functions(),
                            [](const Scene& scene, const Making& making) {
                              return std::shared_ptr<void>(scene.workspace(making).release(), [](void* w) {
                                tenon_workspace_destroy(static_cast<tenon_workspace*>(w));
                              });
                            },
                            [](void* w) { return tenon_workspace_message(static_cast<tenon_workspace*>(w)); },
                            report_of,
                            false,
                            [](void* w) {
                              tenon_workspace* clone = nullptr;
                              tenon_workspace_clone(static_cast<tenon_workspace*>(w), &clone, nullptr, 0);
                              return std::shared_ptr<void>(clone, [](void* c) {
                                tenon_workspace_destroy(static_cast<tenon_workspace*>(c));
                              });
                            }};
  return kind;
}

std::string Failure::names() const {
  std::string all = name_of(finding.fault);
  for (const Call& c : shortest) all += std::string(" ") + c.function->name;
  return all;
}

Finding run(const Kind& kind, const Scene& scene, const std::vector<Call>& calls, std::uint64_t seed,
            bool all, Watch* watch) {
  const std::shared_ptr<void> used = made(kind, scene, seed);
  Settings settings;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Entry& function = *calls[i].function;
    // A clone answers too, but for what is kept in the first.
    const bool compared = all || i + 1 == calls.size();
    const bool asks_clone = compared && kind.clone && function.wants.empty() && function.role != Role::asks;
    const std::shared_ptr<void> clone = asks_clone && (seed + i) % 4 == 0 ? kind.clone(used.get()) : nullptr;
    const Answer answer = call(kind, scene, used.get(), settings.coordinates, calls[i], used_layout);
    if (watch) {
      ++watch->calls;
      watch->text += std::string("  ") + function.name + " (" + answer.text +
                     "): " + std::to_string(answer.result) +
                     (answer.message.empty() ? "" : " " + answer.message) + "\n";
      if (watch->statuses) ++(*watch->statuses)[function.name][answer.result];
    }
    if (compared) {
      const std::shared_ptr<void> fresh = made(kind, scene, seed + i + 1);
      settings.tell(kind, scene, fresh.get());
      const Answer expected = call(kind, scene, fresh.get(), settings.coordinates, calls[i], fresh_layout);
      Finding finding = compare(kind, function, answer, expected);
      if (finding.fault == Fault::none && clone) {
        finding =
            compare(kind, function,
                    call(kind, scene, clone.get(), settings.coordinates, calls[i], fresh_layout), expected);
        finding.what += " of a clone";
      }
      if (finding.fault != Fault::none) return finding;
    }
    // What it kept before is then unknown.
    if (answer.result == TENON_OUT_OF_MEMORY && function.role == Role::keeper) return {};
    if (answer.result != TENON_OUT_OF_MEMORY) settings.note(calls[i], answer);
  }
  return {};
}

std::vector<Call> draw_calls(const Kind& kind, std::uint64_t seed, const Options& options) {
  Random random(seed);
  std::vector<const Entry*> from;
  for (const Entry& function : *kind.functions)
    if (function.run && (options.only.empty() || contains_any(function.name, options.only)) &&
        !contains_any(function.name, options.without))
      from.push_back(&function);
  if (from.empty()) return {};
  const auto any = [&](const std::vector<const Entry*>& entries) {
    return entries[static_cast<std::size_t>(random.integer(0, static_cast<int>(entries.size()) - 1))];
  };
  // What keeps the results that a function asks for; null: it asks for none.
  const auto keeper_for = [&](const Entry& function) -> const Entry* {
    std::vector<const Entry*> keepers;
    for (const Entry* each : from)
      if (!function.wants.empty() && each->role == Role::keeper && each->slot == function.wants)
        keepers.push_back(each);
    return keepers.empty() ? nullptr : any(keepers);
  };
  // A few functions called often meet more often than all of them called once.
  std::vector<const Entry*> few;
  for (int i = random.integer(3, 12); i > 0; --i) few.push_back(any(from));
  const bool often = random.chance(0.6);
  std::vector<Call> calls;
  for (int i = random.integer(4, options.most_calls); i > 0; --i) {
    const Entry* function = any(often ? few : from);
    const Entry* keeper = keeper_for(*function);
    if (keeper && random.chance(0.5)) calls.push_back({keeper, random.bits()});
    calls.push_back({function, random.bits()});
  }
  return calls;
}

namespace {

// One sequence; its failure, if any, made short. calls: += those that were compared.
std::unique_ptr<Failure> search_one(const Kind& kind, const Scene& scene, std::uint64_t seed, const Search& s,
                                    long* calls) {
  std::vector<Call> drawn = draw_calls(kind, seed, s.options);
  auto failure = std::make_unique<Failure>();
  Watch watch;
  watch.statuses = s.statuses;
  failure->finding = run(kind, scene, drawn, seed, true, &watch);
  *calls += watch.calls;
  if (failure->finding.fault == Fault::none) return nullptr;
  failure->seed = seed, failure->title = scene.title, failure->calls = watch.calls;
  drawn.resize(static_cast<std::size_t>(watch.calls));
  failure->shortest = drawn;
  if (run(kind, scene, drawn, seed, false).fault == failure->finding.fault) {
    Watch shortest;
    failure->shortest = shortened(kind, scene, drawn, seed, failure->finding.fault);
    failure->finding = run(kind, scene, failure->shortest, seed, false, &shortest);
    failure->text = shortest.text;
  } else {
    failure->text = "  does not show again where only the last call is compared\n";
  }
  return failure;
}

}  // namespace

long search(const Search& s, RobotLibrary& library) {
  long calls = 0;
  std::unique_ptr<Scene> scene;
  bool drawn = false;
  for (std::uint64_t seed = s.first; !s.enough(calls); ++seed) {
    if (!drawn || seed % sequences_a_robot == 0) scene = draw_scene(seed / sequences_a_robot, library);
    drawn = true;
    if (!scene) continue;
    // Most defects are a workspace's.
    const std::size_t other = seed % (2 * all_kinds().size());
    const Kind& kind = s.kind ? *s.kind : *all_kinds()[other < all_kinds().size() ? other : 0];
    if (const std::unique_ptr<Failure> failure = search_one(kind, *scene, seed, s, &calls))
      s.failed(*failure);
  }
  return calls;
}

}  // namespace tenon::testing::history
