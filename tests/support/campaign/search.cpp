#include "support/campaign/search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/constrained_scene.hpp"
#include "tenon/dynamics.hpp"

namespace tenon::testing {

const char* name_of(SearchClass kind) {
  static const char* const names[] = {"light_wrist", "dummy_links", "limbs", "scaled", "switched"};
  return names[static_cast<int>(kind)];
}

SearchClass search_class_of(const std::string& name) {
  for (int i = 0; i < search_classes; ++i)
    if (name == name_of(static_cast<SearchClass>(i))) return static_cast<SearchClass>(i);
  throw std::invalid_argument("no class '" + name + "' of searches");
}

Genes::Genes(std::uint64_t seed) : seed_(seed), all_(count) {
  Random random(seed);
  for (double& each : all_) each = random.uniform(0, 1);
}

void Genes::change(int number) {
  Random random(seed_ * 0x10001 + static_cast<std::uint64_t>(number) + 1);
  const int last = std::max(1, static_cast<int>(used_)) - 1;
  for (int some = random.chance(0.7) ? 1 : random.integer(2, 4); some > 0; --some) {
    double& gene = all_[static_cast<std::size_t>(random.integer(0, last))];
    const double step = std::pow(10, -random.uniform(0.5, 4)) * (random.chance(0.5) ? 1 : -1);
    gene = random.chance(0.4) ? random.uniform(0, 1) : std::min(std::max(gene + step, 0.0), 1 - 0x1p-53);
  }
}

double Genes::power(double low, double high) {
  return std::pow(10, uniform(low, high));
}

int Genes::integer(int low, int high) {
  return low + static_cast<int>(next() * (high - low + 1));
}

Vector3 Genes::vector(double reach) {
  const double x = uniform(-reach, reach), y = uniform(-reach, reach), z = uniform(-reach, reach);
  return {x, y, z};
}

Vector3 Genes::direction() {
  const double z = uniform(-1, 1), turn = uniform(-3.14159265358979323846, 3.14159265358979323846);
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

namespace {

void solve(Genes& genes, Method method, Found& found) {
  genes.rewind();
  const SearchCase c = draw_search_case(found.kind, genes);
  Workspace w(c.robot.model, c.set);
  for (int i = 0; i < c.set->constraint_count(); ++i)
    set_constraint_active(w, i, c.state.active[static_cast<std::size_t>(i)]);
  SolveOptions how;
  how.method = method;
  std::vector<double> qdd(static_cast<std::size_t>(c.robot.model->nv)),
      lambda(static_cast<std::size_t>(c.set->row_count()));
  const MotionState& s = c.state;
  found.status = constrained_dynamics(
      w, how, {s.q.data(), s.v.data(), s.tau.data(), nullptr, s.desired.data()}, qdd.data(), lambda.data());
  found.method = w.report().method;
  found.error = {};
  // An honest error is no wrong number.
  if (static_cast<std::int32_t>(found.status) < 0) return;
  found.error = MotionJudge(c.robot, *c.set).judge(s, qdd.data(), lambda.data());
}

}  // namespace

std::string path_of(const Found& found) {
  std::string path = std::string(name_of(found.kind)) + ":" + std::to_string(found.seed) + ":";
  for (const int change : found.changes) path += std::to_string(change) + ".";
  if (path.back() == '.') path.pop_back();
  return path;
}

Found solve_path(const std::string& path, Method method) {
  const std::size_t first = path.find(':'), second = path.find(':', first + 1);
  if (second == std::string::npos)
    throw std::invalid_argument("'" + path + "' is no robot; write class:seed:change.change...");
  Found found;
  found.kind = search_class_of(path.substr(0, first));
  found.seed = std::stoull(path.substr(first + 1, second - first - 1));
  Genes genes(found.seed);
  solve(genes, method, found);
  for (std::size_t at = second + 1; at < path.size(); at = path.find('.', at) + 1) {
    found.changes.push_back(std::stoi(path.substr(at)));
    genes.change(found.changes.back());
    solve(genes, method, found);
    if (path.find('.', at) == std::string::npos) break;
  }
  return found;
}

Climb climb(const SearchOptions& options) {
  Climb out;
  out.worst.kind = options.kind, out.worst.seed = options.seed;
  Genes best(options.seed);
  try {
    solve(best, options.method, out.worst);
    ++out.solves;
  } catch (const Error&) {
    ++out.refused;
    return out;
  }
  for (int number = 0, idle = 0; number < options.changes && idle < options.patience; ++number, ++idle) {
    Genes changed = best;
    changed.change(number);
    Found next = out.worst;
    next.changes.push_back(number);
    try {
      solve(changed, options.method, next);
      ++out.solves;
    } catch (const Error&) {
      ++out.refused;
      continue;
    }
    if (!(next.error.motion > out.worst.error.motion)) continue;
    out.worst = std::move(next), best = std::move(changed), idle = 0;
  }
  return out;
}

}  // namespace tenon::testing
