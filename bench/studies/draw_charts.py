#!/usr/bin/env python3
"""Draws the figures of loop_study and convergence_study from the tables that they wrote.

    bench/studies/draw_charts.py bench/results

A table that is not in the folder is passed over.
"""

import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))
from chart import Line, lines  # noqa: E402

# Cells of a chain: what they are called, and how many links a cell has.
CHAINS = {"rotor": ("links and rotors", 1), "belt": ("parallel belts", 2), "four_bar": ("four-bars", 1),
          "six_bar": ("six-bars", 1), "connecting_rod": ("connecting rods", 1), "differential": ("differentials", 1)}
METHODS = {"cluster": "clusters", "projection": "projection", "multipliers": "Lagrange multipliers",
           "rows": "loops as rows, prox_ltl", "approximate": "approximate (armature)"}
FILES = {"connecting_rod": "rod"}
FEWEST = 1e-4  # %, the end of the figure: less than one case of 100,000


def table(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def draw_chains(folder, rows):
    for kind, (cells, links) in CHAINS.items():
        for quantity, what, suffix in (("forward_dynamics", "Forward dynamics", ""),
                                       ("inverse_osim", "Inverse operational-space inertia", "_osim")):
            chain = [row for row in rows if row["study"] == "chains" and row["quantity"] == quantity
                     and row["robot"].rpartition("_")[0] == kind]
            curves = [Line(name, [(links * int(row["robot"].rpartition("_")[2]), float(row[method])) for row in chain
                                  if row[method]], color, method == "approximate")
                      for color, (method, name) in enumerate(METHODS.items())]
            if chain:
                lines(os.path.join(folder, "loops_%s_chain%s.svg" % (FILES.get(kind, kind), suffix)),
                      "%s of chains of %s" % (what, cells), "links", "us", [c for c in curves if c.points], log_y=True)


def draw_locality(folder, rows):
    for tie, what, other, name in (("rod", "connecting rod", "rows", "prox_ltl"),
                                   ("transmission", "transmission", "multipliers", "Lagrange multipliers")):
        curves = []
        for color, depth in enumerate((5, 10, 20)):
            branch = [row for row in rows if row["study"] == "locality_" + tie
                      and row["robot"].split("_")[-2] == str(depth)]
            for method, label in (("cluster", "clusters"), (other, name)):
                points = [(int(row["robot"].split("_")[-1]), float(row[method])) for row in branch]
                curves.append(Line("%s, depth %d" % (label, depth), points, color, method != "cluster"))
        if curves[0].points:
            lines(os.path.join(folder, "loops_locality_%s.svg" % tie),
                  "Two branches tied by a %s, forward dynamics" % what, "link that is tied", "us", curves, log_y=True)


def draw_torques(folder, rows):
    for joint, name in (("hipy_to_knee_link", "knee"), ("knee_to_ankle", "ankle")):
        curves = [Line(method, [(float(row["milliseconds"]), float(row[method])) for row in rows
                                if row["joint"] == joint], None, method != "exact")
                  for method in ("exact", "unconstrained", "approximate")]
        if curves[0].points:
            lines(os.path.join(folder, "loops_torque_%s.svg" % name), "Torque of " + joint, "time, ms", "N m", curves)


def draw_convergence(folder, rows):
    """As in the paper, of each robot the rows that do worst; but the cases that are left instead of those solved."""
    share = {}
    for row in rows:
        of_robot = share.setdefault((row["mu"], row["robot"]), {})
        of_robot.setdefault(row["rows"], []).append((int(row["iterations"]), float(row["share_within_1e-10"])))
    colors = sorted({robot for _, robot in share})
    curves = []
    for (mu, robot), by_rows in share.items():
        held, cases = min(by_rows.items(), key=lambda item: sum(within for _, within in item[1]))
        left = [(k, max(100 * (1 - within), FEWEST)) for k, within in cases]
        end = next((i for i, (_, percent) in enumerate(left) if percent <= FEWEST), len(left))
        curves.append(Line("%s %s, %s" % (robot, held, mu), left[:end + 1], colors.index(robot), mu != "schedule"))
    if curves:
        lines(os.path.join(folder, "convergence.svg"),
              "Cases not yet solved to 1e-10; of each robot the rows that do worst", "iterations",
              "share of cases, %", sorted(curves, key=lambda curve: curve.dashed), log_y=True)


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: draw_charts.py FOLDER, with loop_study.csv, loop_torque.csv or convergence.csv in it")
    folder = sys.argv[1]
    rows = table(folder, "loop_study.csv")
    draw_chains(folder, rows)
    draw_locality(folder, rows)
    draw_torques(folder, table(folder, "loop_torque.csv"))
    draw_convergence(folder, table(folder, "convergence.csv"))


if __name__ == "__main__":
    main()
