#!/usr/bin/env python3
"""Reads what dynamics_bench wrote, sets Tenon beside Pinocchio row by row, and checks the goals.

    bench/dynamics/compare.py RESULT.json [RESULT.json ...]

Of several files, and of the compilers that built the peer, the fastest time of a row counts. Leaves with status 1 when
a goal is missed. README.md explains the columns.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from statistics import median

CHAINS = [20, 50, 100, 200]
# The same algorithm, three plain iterations, in both libraries.
SAME = {"constrained_aba_3": "constrainedABA", "prox_pv_3": "pv", "prox_ltl_3": "constraintDynamics"}
ACCURATE = 1e-3  # a method that is further off than this has not solved the row


class Timing:
    """All repetitions of one benchmark. compiler: which built the peer. states, workers: of a batch; rounding: error
    that rounded inputs alone make."""

    def __init__(self, entry, compiler):
        self.n, self.m = int(entry["n"]), int(entry["m"])
        self.error, self.rounding = entry.get("error"), entry.get("rounding")
        self.sweeps = entry.get("sweeps")
        self.workspace = entry.get("workspace_bytes")
        self.states, self.workers = int(entry.get("states", 1)), int(entry.get("workers", 1))
        self.compiler = compiler
        self.times = []

    def add(self, entry):
        """Microseconds a state: processor time, but wall time where several threads work."""
        scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3}[entry["time_unit"]]
        self.times.append(entry["real_time" if self.workers > 1 else "cpu_time"] * scale / self.states)

    @property
    def best(self):
        return min(self.times)

    @property
    def middle(self):
        return median(self.times)


def read(path):
    """Context and {(robot, quantity): {method: Timing}} of a file; of a peer's method by several compilers the
    fastest."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    by_compiler = defaultdict(lambda: defaultdict(dict))
    for entry in sorted(document["benchmarks"], key=lambda entry: entry["family_index"]):
        if entry["run_type"] != "iteration" or entry.get("error_occurred"):
            continue
        robot, quantity, name = entry["run_name"].split("/")[:3]
        method, _, compiler = name.partition("@")
        row = by_compiler[compiler][robot, quantity]
        row.setdefault(method, Timing(entry, compiler)).add(entry)
    return document["context"], merge(by_compiler.values())


def merge(all_rows):
    """The faster timing of every method."""
    merged = defaultdict(dict)
    for rows in all_rows:
        for row, methods in rows.items():
            for method, timing in methods.items():
                old = merged[row].get(method)
                if old is None or timing.best < old.best:
                    merged[row][method] = timing
    return merged


def best_peer(methods, worst_error):
    """The fastest peer method of a row that is no further off than worst_error: (time, method, Timing) or None. A single
    iteration (_1) shows how methods grow, and is no answer."""
    candidates = [
        (timing.best, name.split(":")[-1], timing)
        for name, timing in methods.items()
        if name.startswith("pinocchio") and not name.endswith("_1") and (timing.error or 0) <= worst_error
    ]
    return min(candidates, default=None, key=lambda item: item[0])


def number(value, form=".2f"):
    return "" if value is None else format(value, form)


def print_table(rows, show_all):
    """Prints every row; returns {(robot, quantity, method): ratio} where there is a peer."""
    ratios = {}
    print(f"{'robot':20} {'n/m':>7} {'quantity':12} {'tenon':18} {'min':>8} {'median':>8} {'it':>4} {'error':>7}  "
          f"{'fastest peer':18} {'min':>8} {'median':>8} {'error':>7} {'ratio':>6} {'accurate':>8}")
    for (robot, quantity), methods in rows.items():
        if quantity.startswith("batch_") or quantity == "creation":
            continue
        peer, accurate = best_peer(methods, math.inf), best_peer(methods, ACCURATE)
        for name, ours in methods.items():
            if not name.startswith("tenon"):
                continue
            method = name.partition(":")[2] or quantity
            line = (f"{robot:20} {ours.n:>3}/{ours.m:<3} {quantity:12} {method:18} {ours.best:8.2f} {ours.middle:8.2f} "
                    f"{number(ours.sweeps, '.1f'):>4} {number(ours.error, '.0e'):>7}")
            if peer:
                ratio = peer[0] / ours.best
                ratios[robot, quantity, method] = ratio
                line += (f"  {peer[1]:18} {peer[0]:8.2f} {peer[2].middle:8.2f} {number(peer[2].error, '.0e'):>7} "
                         f"{ratio:6.2f} {number(accurate and accurate[0] / ours.best):>8}")
            print(line)
        if show_all:
            for name, timing in methods.items():
                if name.startswith("pinocchio"):
                    print(f"{'':20} {'':7} {'':12} {name:27} {timing.best:8.2f} {timing.middle:8.2f} "
                          f"{number(timing.error, '.0e'):>7}")
    return ratios


def check_same(rows, goal):
    """Each method beside the same method of the peer, both at three iterations."""
    good, counted = True, 0
    for ours_name, peer_name in SAME.items():
        for (robot, quantity), methods in rows.items():
            ours, peer = methods.get("tenon:" + ours_name), methods.get("pinocchio:" + peer_name)
            if not ours or not peer:
                continue
            if counted == 0:
                print(f"\nthe same method, three iterations, at least {goal} times as fast")
            counted += 1
            ratio = peer.best / ours.best
            good = good and ratio >= goal
            print(f"  {robot:20} {ours_name:18} {ours.best:8.2f}  {peer_name:18} {peer.best:8.2f} {ratio:6.2f}"
                  f"{'' if ratio >= goal else '  missed'}")
    return good


def check_ratios(ratios, goal, goal_methods):
    counted = {row: ratio for row, ratio in ratios.items()
               if row[1] not in ("constrained", "delassus", "damped_inverse") or row[2] in goal_methods}
    missed = {row: ratio for row, ratio in counted.items() if ratio < goal}
    print(f"\nratio to the fastest peer method, however accurate, at least {goal}: "
          f"{len(counted) - len(missed)} of {len(counted)} rows")
    for (robot, quantity, method), ratio in sorted(missed.items(), key=lambda item: item[1]):
        print(f"  missed: {robot} {quantity} {method} {ratio:.2f}")
    return not missed


def check_flat(rows, tolerance, goal_methods):
    """Time per link of the chains, microseconds, must not rise from the shortest to the longest."""
    print(f"\nmicroseconds per link of chains, the longest within {tolerance:.0%} of the shortest")
    flat = True
    for quantity in ["aba", "rnea", "constrained"]:
        names = {name for links in CHAINS for name in rows.get((f"chain_{links}", quantity), {})}
        for name in sorted(names):
            times = [rows.get((f"chain_{links}", quantity), {}).get(name) for links in CHAINS]
            if None in times:
                continue
            per_link = [timing.best / links for timing, links in zip(times, CHAINS)]
            verdict = per_link[-1] <= (1 + tolerance) * per_link[0]
            ours = name == "tenon" or (name.startswith("tenon") and name.split(":")[1] in goal_methods)
            flat = flat and (verdict or not ours)
            mark = ("flat" if verdict else "NOT FLAT") if ours else ""
            print(f"  {quantity:12} {name:32} " + " ".join(f"{value:7.4f}" for value in per_link) + f"  {mark}")
    return flat


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+", help="files of dynamics_bench --benchmark_out")
    parser.add_argument("--goal", type=float, default=1.5, help="least ratio of a row (default %(default)s)")
    parser.add_argument("--flat", type=float, default=0.10, help="rise per link allowed (default %(default)s)")
    parser.add_argument("--method", action="append",
                        help="Tenon's method that must meet the goals (default constrained_aba and, of matrices, automatic; may be repeated)")
    parser.add_argument("--all", action="store_true", help="show every peer method, not only the best")
    arguments = parser.parse_args()
    goal_methods = arguments.method or ["constrained_aba", "automatic"]

    all_rows = []
    for path in arguments.results:
        context, rows = read(path)
        all_rows.append(rows)
        print(path)
        if context.get("libraries") == "DISAGREE":
            sys.exit("the libraries did not solve the same problem in this run: see what dynamics_bench printed")
        for key, value in context.items():
            if key in ("cpu", "tenon", "mujoco", "date", "mhz_per_cpu", "load_avg") or key.startswith("peer@"):
                print(f"  {key:12} {value}")
    print()
    rows = merge(all_rows)
    ratios = print_table(rows, arguments.all)
    good = check_ratios(ratios, arguments.goal, goal_methods) if ratios else True
    good = check_same(rows, arguments.goal) and good
    good = check_flat(rows, arguments.flat, goal_methods) and good
    sizes = {(robot, timing.n, timing.m): timing.workspace for (robot, _), methods in rows.items()
             for timing in methods.values() if timing.workspace}
    for (robot, n, m), size in sizes.items():
        if robot == "atlas_shadow_hands":
            print(f"\nworkspace of {robot} (n {n}, m {m}): {int(size):,} bytes")
    if sizes:
        (robot, n, m), size = max(sizes.items(), key=lambda item: item[1])
        print(f"largest workspace: {robot} (n {n}, m {m}), {int(size):,} bytes")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
