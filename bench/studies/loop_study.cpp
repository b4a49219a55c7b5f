// The papers' studies of dynamics with kinematic loops, in time: README.md says what they show and
// where they differ.
//
//     loop_study [--out=FOLDER] [--study=NAME]... [--peer=LIBRARY]...
//
// writes loop_study.csv and loop_torque.csv into the folder, from which draw_charts.py draws the figures, and
// with peers, builds of generalized_rbda that bench/peer/generalized_rbda/build.sh makes, loop_peers.csv: its
// times in this run.
// Studies: robots ([LOOPS1] Fig. 9, 10, 12, Tables II to IV), chains (Fig. 11, 13, and [LOOPS2] Fig. 8),
// locality ([LOOPS2] Fig. 10), torque ([LOOPS1] Fig. 14, [LOOPS2] Fig. 13), speed (against generalized_rbda: its
// published times, or where there are peers those of this run).
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "studies/loop_methods.hpp"
#include "support/file.hpp"
#include "support/machine.hpp"
#include "support/timing.hpp"
#include "tenon/loops.hpp"
#include "tenonx/loop_methods.hpp"

namespace {

using bench::LoopMethods;
using bench::LoopRobot;
using bench::Task;
using bench::TaskTimes;
using client::CellKind;

// loop_study.csv, loop_torque.csv and with peers loop_peers.csv; nothing where there is no folder.
class Output {
 public:
  Output(const std::string& folder, bool with_peers) {
    if (folder.empty()) return;
    times_ = bench::create_file(folder + "/loop_study.csv");
    std::fprintf(times_.get(), "study,robot,quantity,cluster,projection,multipliers,rows,approximate\n");
    torques_ = bench::create_file(folder + "/loop_torque.csv");
    std::fprintf(torques_.get(), "joint,milliseconds,exact,unconstrained,approximate\n");
    if (!with_peers) return;
    peers_ = bench::create_file(folder + "/loop_peers.csv");
    std::fprintf(peers_.get(), "robot,quantity,tenon,peer,model,compiler,difference\n");
  }

  void row(const char* study, const std::string& robot, const char* quantity, const TaskTimes& t) {
    if (!times_) return;
    std::fprintf(times_.get(), "%s,%s,%s", study, robot.c_str(), quantity);
    for (const double us : {t.cluster, t.projection, t.multipliers, t.rows, t.approximate})
      std::isnan(us) ? std::fprintf(times_.get(), ",") : std::fprintf(times_.get(), ",%.4g", us);
    std::fprintf(times_.get(), "\n");
  }
  void torque(const std::string& joint, double milliseconds, double exact, double unconstrained,
              double approximate) {
    if (torques_)
      std::fprintf(torques_.get(), "%s,%.4g,%.4g,%.4g,%.4g\n", joint.c_str(), milliseconds, exact,
                   unconstrained, approximate);
  }
  void peer(const std::string& robot, const char* quantity, double us, double peer_us, const char* model,
            const std::string& compiler, double difference) {
    if (peers_)
      std::fprintf(peers_.get(), "%s,%s,%.4g,%.4g,%s,%s,%.2g\n", robot.c_str(), quantity, us, peer_us, model,
                   compiler.c_str(), difference);
  }

 private:
  bench::File times_, torques_, peers_;
};

// "-" for what there is not.
std::string shown(double value, const char* pattern = "%.2f") {
  char text[32] = "-";
  if (!std::isnan(value)) std::snprintf(text, sizeof text, pattern, value);
  return text;
}
std::string percent(double time, double cluster) {
  return shown(100 * (time / cluster - 1), "%+.0f");
}

// ---- the robots of [LOOPS1] Fig. 8

struct PaperRobot {
  const char* name;
  LoopRobot robot;
  int end_effectors;
};
std::vector<PaperRobot> paper_robots() {
  return {{"GT chain of 12 links", bench::chain_robot(CellKind::rotor, 12), 1},
          {"PBT chain of 12 links", bench::chain_robot(CellKind::belt, 6), 1},
          {"mini_cheetah", bench::loop_robot("mini_cheetah"), 4},
          {"mit_humanoid", bench::loop_robot("mit_humanoid"), 2},
          {"tello", bench::loop_robot("tello"), 2},
          {"jvrc1", bench::loop_robot("jvrc1"), 2}};
}

// Percent that a method takes more than the cluster method, as the paper prints it, in the order of robots.
struct PaperTable {
  Task task;
  const char *name, *quantity;
  double projection[6], multipliers[6], approximate[6];
};
constexpr double none = 0;
const PaperTable paper_tables[] = {{Task::inverse_dynamics,
                                    "Table II, Fig. 9: inverse dynamics",
                                    "inverse_dynamics",
                                    {38.0, 37.8, 36.7, 35.9, 22.4, 36.6},
                                    {none, none, none, none, none, none},
                                    {-40.3, -36.2, -41.0, -42.0, -59.6, -37.7}},
                                   {Task::forward_dynamics,
                                    "Table III, Fig. 10: forward dynamics",
                                    "forward_dynamics",
                                    {86.8, 73.5, 21.0, 32.5, 22.2, 87.3},
                                    {133.1, 119.8, 76.3, 106.2, 82.7, 212.8},
                                    {-34.1, -34.6, -35.3, -38.6, -49.4, -38.4}},
                                   {Task::inverse_osim,
                                    "Table IV, Fig. 12: inverse operational-space inertia, all feet",
                                    "inverse_osim",
                                    {51.8, 6.3, 19.0, 23.2, 7.8, 107.4},
                                    {none, none, none, none, none, none},
                                    {-35.7, -52.1, -28.6, -37.4, -51.4, -22.54}}};

void study_robots(Output& out) {
  const std::vector<PaperRobot> robots = paper_robots();
  for (const PaperTable& table : paper_tables) {
    std::printf("\n[LOOPS1] %s\n%-22s %9s   %% more than it (the paper's figure)\n%-22s %9s %16s %16s %16s\n",
                table.name, "", "us", "", "cluster", "projection", "multipliers", "approximate");
    for (std::size_t i = 0; i < robots.size(); ++i) {
      LoopMethods methods(robots[i].robot, robots[i].end_effectors);
      const TaskTimes t = methods.time(table.task);
      const auto cell = [&](double us, const double* paper) {
        const std::string own = percent(us, t.cluster);
        return own == "-" ? own : own + " (" + shown(paper[i], "%+.0f") + ")";
      };
      std::printf("%-22s %9s %16s %16s %16s\n", robots[i].name, shown(t.cluster).c_str(),
                  cell(t.projection, table.projection).c_str(),
                  cell(t.multipliers, table.multipliers).c_str(),
                  cell(t.approximate, table.approximate).c_str());
      out.row("robots", robots[i].name, table.quantity, t);
    }
  }
}

// ---- chains

struct ChainStudy {
  const char* title;
  CellKind kind;
  int links_per_cell;
  Task task;
  const char* quantity;
};
const ChainStudy chain_studies[] = {{"Forward dynamics of chains of links and rotors", CellKind::rotor, 1,
                                     Task::forward_dynamics, "forward_dynamics"},
                                    {"Forward dynamics of chains of parallel belts", CellKind::belt, 2,
                                     Task::forward_dynamics, "forward_dynamics"},
                                    {"Forward dynamics of chains of four-bars", CellKind::four_bar, 1,
                                     Task::forward_dynamics, "forward_dynamics"},
                                    {"Forward dynamics of chains of six-bars", CellKind::six_bar, 1,
                                     Task::forward_dynamics, "forward_dynamics"},
                                    {"Forward dynamics of chains of connecting rods",
                                     CellKind::connecting_rod, 1, Task::forward_dynamics, "forward_dynamics"},
                                    {"Forward dynamics of chains of differentials", CellKind::differential, 1,
                                     Task::forward_dynamics, "forward_dynamics"},
                                    {"Inverse operational-space inertia of chains of parallel belts",
                                     CellKind::belt, 2, Task::inverse_osim, "inverse_osim"}};

void study_chain(const ChainStudy& study, Output& out) {
  std::printf("\n%s, us\n%6s %9s %11s %11s %11s %11s\n", study.title, "links", "cluster", "projection",
              "multipliers", "prox_ltl", "approximate");
  const char* const names[] = {"clusters", "projection", "Lagrange multipliers", "loops as rows, prox_ltl",
                               "approximate (armature)"};
  std::vector<double> sizes[5], times[5];
  for (const int links : {2, 4, 8, 12, 16, 20, 24}) {
    const LoopRobot robot = bench::chain_robot(study.kind, links / study.links_per_cell);
    const TaskTimes t = LoopMethods(robot).time(study.task);
    const double us[] = {t.cluster, t.projection, t.multipliers, t.rows, t.approximate};
    std::printf("%6d %9s %11s %11s %11s %11s\n", links, shown(us[0]).c_str(), shown(us[1]).c_str(),
                shown(us[2]).c_str(), shown(us[3]).c_str(), shown(us[4]).c_str());
    out.row("chains", robot.name, study.quantity, t);
    for (int k = 0; k < 5; ++k)
      if (!std::isnan(us[k])) sizes[k].push_back(links), times[k].push_back(us[k]);
  }
  std::printf("exponent from 8 links on:");
  for (int k = 0; k < 5; ++k) {
    if (sizes[k].empty()) continue;
    std::printf(
        " %s %.2f", names[k],
        bench::exponent({sizes[k].begin() + 2, sizes[k].end()}, {times[k].begin() + 2, times[k].end()}));
  }
  std::printf("\n");
}

// [LOOPS2] Fig. 8 varies the branches too: eight cells in 1, 2 and 4 of them.
void study_branches(Output& out) {
  std::printf("\nForward dynamics of eight cells in branches, us\n%-10s %8s %9s %11s %11s %11s\n", "cells",
              "branches", "cluster", "projection", "multipliers", "prox_ltl");
  for (const CellKind kind : {CellKind::rotor, CellKind::belt, CellKind::four_bar}) {
    for (const int branches : {1, 2, 4}) {
      const LoopRobot robot = bench::chain_robot(kind, 8 / branches, branches);
      const TaskTimes t = LoopMethods(robot).time(Task::forward_dynamics);
      std::printf("%-10s %8d %9s %11s %11s %11s\n", client::cell_facts()[static_cast<std::size_t>(kind)].name,
                  branches, shown(t.cluster).c_str(), shown(t.projection).c_str(),
                  shown(t.multipliers).c_str(), shown(t.rows).c_str());
      out.row("branches", robot.name, "forward_dynamics", t);
    }
  }
}

// ---- locality

void study_locality(Output& out) {
  for (const bool rod : {false, true}) {
    std::printf(
        "\n[LOOPS2] Fig. 10: two branches tied by a %s, forward dynamics, us\n%6s %6s %6s %9s %11s %11s "
        "%11s\n",
        rod ? "connecting rod" : "transmission", "depth", "at", "loop", "cluster", "projection",
        "multipliers", "prox_ltl");
    for (const int depth : {5, 10, 20}) {
      for (int at = 1; at <= depth; at += depth > 10 ? 2 : 1) {
        const LoopRobot robot = bench::tied_branches_robot(
            rod ? client::TieKind::connecting_rod : client::TieKind::transmission, depth, at);
        const TaskTimes t = LoopMethods(robot).time(Task::forward_dynamics);
        std::printf("%6d %6d %6d %9s %11s %11s %11s\n", depth, at, 2 * at + (rod ? 1 : 0),
                    shown(t.cluster).c_str(), shown(t.projection).c_str(), shown(t.multipliers).c_str(),
                    shown(t.rows).c_str());
        out.row(rod ? "locality_rod" : "locality_transmission", robot.name, "forward_dynamics", t);
      }
    }
  }
}

// ---- torque

// Joints of the MIT Humanoid's leg follow A sin(2 pi f t); torques by exact inverse dynamics, with the rotors
// as armature, and without them.
void study_torque(Output& out) {
  constexpr double pi = 3.14159265358979323846, amplitude = 0.5, frequency = 1.5;
  constexpr int steps = 1000;  // over one period, so that the mean squares are those of the signals
  const LoopRobot leg = bench::loop_robot("mit_humanoid_leg");
  const tenon::Model& model = *leg.exact;
  tenon::Workspace w(leg.exact);
  const std::size_t ny = static_cast<std::size_t>(model.ny), nv = static_cast<std::size_t>(model.nv);
  const struct {
    const char* name;
    tenon::LoopMethod method;
  } methods[] = {{"exact", tenon::LoopMethod::automatic},
                 {"unconstrained", tenon::LoopMethod::unconstrained},
                 {"approximate", tenon::LoopMethod::approximate}};
  std::vector<std::vector<double>> torques[3];
  std::vector<double> y(ny), ydot(ny), yddot(ny), q(nv), v(nv), tau(ny);
  for (int step = 0; step < steps; ++step) {
    const double phase = 2 * pi * step / steps, rate = 2 * pi * frequency;
    std::fill(y.begin(), y.end(), amplitude * std::sin(phase));
    std::fill(ydot.begin(), ydot.end(), amplitude * rate * std::cos(phase));
    std::fill(yddot.begin(), yddot.end(), -amplitude * rate * rate * std::sin(phase));
    if (tenon::spanning_positions(w, y.data(), nullptr, q.data()) != tenon::Status::ok ||
        tenon::spanning_velocity(w, q.data(), ydot.data(), v.data()) != tenon::Status::ok)
      throw std::runtime_error(w.message());
    for (int k = 0; k < 3; ++k) {
      if (tenon::loop_inverse_dynamics(w, methods[k].method, q.data(), v.data(), yddot.data(), nullptr,
                                       tau.data()) != tenon::Status::ok)
        throw std::runtime_error(w.message());
      torques[k].push_back(tau);
    }
  }
  std::printf(
      "\n[LOOPS1] Fig. 14: torques of the MIT Humanoid's leg, A = 0.5 rad, 1.5 Hz; error in N m (%% of the\n"
      "largest exact torque)\n%-22s %9s %20s %20s\n",
      "joint", "largest", "unconstrained", "approximate");
  for (std::size_t j = 0; j < ny; ++j) {
    double largest = 0, square[3] = {};
    for (std::size_t i = 0; i < torques[0].size(); ++i) {
      largest = std::max(largest, std::abs(torques[0][i][j]));
      for (int k = 1; k < 3; ++k) square[k] += std::pow(torques[k][i][j] - torques[0][i][j], 2);
    }
    const std::string& name = model
                                  .joints[static_cast<std::size_t>(
                                      model.v_node[static_cast<std::size_t>(model.loops.independent[j])])]
                                  .name;
    std::printf("%-22s %9.2f", name.c_str(), largest);
    for (int k = 1; k < 3; ++k) {
      const double rms = std::sqrt(square[k] / steps);
      std::printf("      %5.2f (%5.1f %%)", rms, 100 * rms / largest);
    }
    std::printf("\n");
    for (std::size_t i = 0; i < torques[0].size(); i += 10)
      out.torque(name, 1000.0 * static_cast<double>(i) / steps / frequency, torques[0][i][j],
                 torques[1][i][j], torques[2][i][j]);
  }
}

// ---- speed

// Microseconds of generalized_rbda 45fa7c4: g++ 12 and clang 14, -O3 -march=native, one Xeon core with
// AVX-512, the better of both; measured at another time than what stands beside them.
struct Published {
  const char* name;
  std::function<LoopRobot()> robot;
  double aba, rnea, osim;
  std::string urdf;  // of chains, for peers
};

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Published published_robot(const char* name, double aba, double rnea = unknown, double osim = unknown) {
  return {name, [name] { return bench::loop_robot(name); }, aba, rnea, osim, ""};
}
Published published_chain(const char* name, CellKind kind, int count, double aba) {
  return {name,    [kind, count] { return bench::chain_robot(kind, count); },
          aba,     unknown,
          unknown, client::generate_chain(kind, count, 1)};
}

bench::LoopsPeerBuild load_peer(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = handle ? dlsym(handle, "tenon_bench_loops_peer") : nullptr;
  if (!entry) throw std::runtime_error(dlerror());
  bench::LoopsPeerBuild build;
  reinterpret_cast<void (*)(bench::LoopsPeerBuild*)>(entry)(&build);
  return build;
}

// The models of a robot that the peers have, in the order in which they were added.
struct AddedPeer {
  const bench::LoopsPeerBuild* build;
  const char* model;
};
std::vector<AddedPeer> add_peers(const std::vector<bench::LoopsPeerBuild>& peers, const Published& row,
                                 const std::string& end, LoopMethods& methods) {
  std::vector<AddedPeer> added;
  for (const bench::LoopsPeerBuild& build : peers)
    for (const auto model : {bench::LoopsPeerModel::classes, bench::LoopsPeerModel::urdf}) {
      auto peer = build.make(model, row.name, row.urdf, methods.peer_links(), end);
      if (!peer) continue;
      methods.add_peer(std::move(peer));
      added.push_back({&build, model == bench::LoopsPeerModel::classes ? "classes" : "urdf"});
    }
  return added;
}

void study_speed(Output& out, const std::vector<bench::LoopsPeerBuild>& peers) {
  const Published rows[] = {published_robot("mini_cheetah", 36, 11, 49),
                            published_robot("mit_humanoid", 59, 17, 77),
                            published_robot("jvrc1", 95, 30, 128),
                            published_robot("tello", 280),
                            published_chain("rotor chain of 24 links", CellKind::rotor, 24, 74),
                            published_chain("belt chain of 24 links", CellKind::belt, 12, 94),
                            published_robot("four_bar", 45),
                            published_robot("six_bar", unknown)};
  for (const bench::LoopsPeerBuild& build : peers) std::printf("%s\n", build.description.c_str());
  std::printf(
      "\nus, and how many times generalized_rbda's %s times; exact against armature (C-ABA)\n"
      "%-24s %18s %18s %18s %9s\n",
      peers.empty() ? "published" : "fastest", "robot", "C-ABA", "C-RNEA", "C-EFPA, one end", "armature");
  for (const Published& row : rows) {
    const LoopRobot robot = row.robot();
    LoopMethods methods(robot);
    const std::vector<AddedPeer> added = add_peers(peers, row, robot.ends.front(), methods);
    const struct {
      Task task;
      const char* quantity;
      double published;
    } cells[] = {{Task::forward_dynamics, "forward_dynamics", row.aba},
                 {Task::inverse_dynamics, "inverse_dynamics", row.rnea},
                 {Task::inverse_osim, "inverse_osim", row.osim}};
    std::printf("%-24s", row.name);
    double armature = unknown;
    for (const auto& cell : cells) {
      const TaskTimes t = methods.time(cell.task);
      double theirs = added.empty() ? cell.published : *std::min_element(t.peers.begin(), t.peers.end());
      const std::string ratio = shown(theirs / t.cluster, "%.0f");
      std::printf(" %18s", (shown(t.cluster) + (ratio == "-" ? "" : " (" + ratio + "x)")).c_str());
      if (cell.task == Task::forward_dynamics) armature = t.cluster / t.approximate;
      out.row("speed", row.name, cell.quantity, t);
      for (std::size_t k = 0; k < added.size(); ++k)
        out.peer(row.name, cell.quantity, t.cluster, t.peers[k], added[k].model, added[k].build->compiler,
                 methods.peer_difference(cell.task, k));
    }
    std::printf(" %9s\n", shown(armature).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string folder;
  std::vector<std::string> only;
  std::vector<bench::LoopsPeerBuild> peers;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--out=", 0) == 0)
      folder = argument.substr(6);
    else if (argument.rfind("--study=", 0) == 0)
      only.push_back(argument.substr(8));
    else if (argument.rfind("--peer=", 0) == 0)
      peers.push_back(load_peer(argument.substr(7)));
    else
      throw std::runtime_error("unknown argument '" + argument +
                               "'; there are --out=FOLDER, --study=NAME and --peer=LIBRARY");
  }
  const std::pair<const char*, std::function<void(Output&)>> studies[] = {
      {"robots", study_robots},
      {"chains",
       [](Output& out) {
         for (const ChainStudy& study : chain_studies) study_chain(study, out);
         study_branches(out);
       }},
      {"locality", study_locality},
      {"torque", study_torque},
      {"speed", [&peers](Output& out) { study_speed(out, peers); }}};
  for (const std::string& name : only)
    if (std::none_of(std::begin(studies), std::end(studies), [&](const auto& s) { return name == s.first; }))
      throw std::runtime_error("no study '" + name + "'; there are robots, chains, locality, torque, speed");
  Output out(folder, !peers.empty());
  std::printf("%s, %s\n", bench::cpu_model().c_str(), bench::compiler().c_str());
  for (const auto& [name, study] : studies)
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end()) study(out);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "loop_study: %s\n", error.what());
  return 1;
}
