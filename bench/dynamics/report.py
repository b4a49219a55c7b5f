#!/usr/bin/env python3
"""Writes the tables, plots and summary of a run of bench/peers.sh.

    bench/dynamics/report.py RAW_FOLDER [--out FOLDER]

RAW_FOLDER has what peers.sh measured: dynamics*.json (of dynamics_bench), loop_study.csv, loop_peers.csv where
generalized_rbda was built, loop_cost.txt, derivative_scaling.txt, run.txt.
Written, into bench/results/<cpu>_<isa> unless told otherwise: tables.md, summary.json (goals among the rest), and one SVG
a figure; and beside what was measured timings.json (every row).
"""

import argparse
import glob
import json
import math
import os
import re
import sys
from collections import Counter
from statistics import median

import goals
import papers
from compare import ACCURATE, SAME, best_peer, merge, read
from studies import geared_rows, growth_rows, loop_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))
import chart  # noqa: E402

# What a caller gets who sets nothing.
OURS = {"aba": "tenon", "rnea": "tenon", "crba": "tenon", "constrained": "tenon:automatic",
        "delassus": "tenon:automatic", "damped_inverse": "tenon:automatic"}
# Of constrained dynamics the peer's call gives the derivatives of the forces too.
DERIVATIVES = dict.fromkeys(("rnea_derivatives", "aba_derivatives", "constrained_derivatives", "impact_derivatives",
                             "rnea_regressor"), "tenon")
VJP = dict.fromkeys(("rnea_vjp", "aba_vjp", "constrained_vjp"), "tenon")
# What stands in for what the peer has not: its matrices, which its caller multiplies himself.
PEER_ROW = {name: name.replace("vjp", "derivatives") for name in VJP}
# What is judged by calls of the function whose derivatives they have.
IN_CALLS = {"rnea_derivatives": "rnea", "rnea_vjp": "rnea", "aba_vjp": "aba", "constrained_vjp": "constrained"}
NAMES = {"aba": "ABA", "rnea": "RNEA", "crba": "CRBA", "constrained": "constrained", "delassus": "Delassus",
         "damped_inverse": "damped inverse"}


def peer_cell(found):
    if not found:
        return None
    time, method, timing = found
    return {"us": round(time, 4), "median_us": round(timing.middle, 4), "method": method, "compiler": timing.compiler,
            "error": timing.error}


def product_rows(rows):
    """Derivatives in calls of their function."""
    table = []
    for (robot, quantity), methods in rows.items():
        function = IN_CALLS.get(quantity)
        ours, one = methods.get("tenon"), rows.get((robot, function), {}).get(OURS.get(function))
        if ours and one:
            table.append({"robot": robot, "n": ours.n, "m": ours.m, "quantity": quantity,
                          "tenon_us": round(ours.best, 4), "calls": round(ours.best / one.best, 3)})
    return table


def single_rows(rows, names):
    """names: what Tenon's row of each quantity is called."""
    table = []
    for (robot, quantity), methods in rows.items():
        ours = methods.get(names.get(quantity))
        fastest, accurate = best_peer(methods, math.inf), best_peer(methods, ACCURATE)
        if not ours or not fastest:
            continue
        table.append({
            "robot": robot, "n": ours.n, "m": ours.m, "quantity": quantity, "tenon_us": round(ours.best, 4),
            "tenon_median_us": round(ours.middle, 4), "tenon_error": ours.error, "pinocchio": peer_cell(fastest),
            "ratio": round(fastest[0] / ours.best, 3), "pinocchio_accurate": peer_cell(accurate),
            "ratio_accurate": accurate and round(accurate[0] / ours.best, 3)})
    return table


def same_method_rows(rows):
    """The same algorithm with three plain iterations on both sides."""
    table = []
    for (robot, quantity), methods in rows.items():
        for name, peer_name in SAME.items():
            ours, peer = methods.get("tenon:" + name), methods.get("pinocchio:" + peer_name)
            if ours and peer:
                table.append({"robot": robot, "n": ours.n, "m": ours.m, "quantity": "same: " + name[:-2],
                              "tenon_us": round(ours.best, 4),
                              "pinocchio": peer_cell((peer.best, peer_name, peer)),
                              "ratio": round(peer.best / ours.best, 3)})
    return table


def mujoco_rows(rows):
    table = []
    for (robot, quantity), methods in rows.items():
        peer, ours = methods.get("mujoco:mj_forward"), methods.get("tenon:automatic")
        if peer and ours:
            table.append({"robot": robot, "n": ours.n, "m": peer.m, "tenon_us": round(ours.best, 4),
                          "mujoco_us": round(peer.best, 4), "newton_iterations": peer.sweeps,
                          "mujoco_error": peer.error, "ratio": round(peer.best / ours.best, 3)})
    return table


def batch_rows(rows, names):
    """names: of the quantities, and what Tenon's row of a single call is called."""
    table = []
    for (robot, quantity), methods in rows.items():
        plain = quantity[len("batch_"):]
        if not quantity.startswith("batch_") or plain not in names:
            continue
        single, pools = rows.get((robot, plain), {}), rows.get((robot, "batch_aba"), {})
        peer = best_peer(rows.get((robot, PEER_ROW.get(plain, plain)), {}), math.inf)
        ours_single = single.get(names[plain])
        for precision in ("double", "float"):
            for suffix in ("", "_threads"):
                ours, pool = methods.get("tenon:" + precision + suffix), methods.get("pinocchio:pool" + suffix)
                if not ours:
                    continue
                # Where the peer has no pool: its single call at the speed-up of its pool for ABA.
                one, many = (pools.get("pinocchio:pool" + end) for end in ("", suffix))
                theirs = pool.best if pool else peer[0] * many.best / one.best if peer and one and many else None
                table.append({
                    "robot": robot, "n": ours.n, "m": ours.m, "quantity": plain, "precision": precision,
                    "threads": ours.workers, "states": ours.states, "us": round(ours.best, 5), "error": ours.error,
                    "rounding": ours.rounding,
                    "tenon_single_us": ours_single and round(ours_single.best, 4),
                    "pinocchio_single_us": peer and round(peer[0], 4),
                    "ratio": peer and round(peer[0] / ours.best, 2),
                    "pinocchio_threads_us": theirs and round(theirs, 5), "pinocchio_pool": bool(pool),
                    "ratio_threads": theirs and round(theirs / ours.best, 2)})
    return table


def loop_tables(table):
    if any("peer_us" in row for row in table):
        return ["## Loops beside generalized_rbda\n",
                "In one process on the same states; the fastest of its models (its class of the robot or its specialised "
                "joints; its reader of URDF+) and compilers. Difference: of the results, relative; none where its class "
                "has another end effector.\n",
                markdown(["robot", "quantity", "Tenon", "generalized_rbda", "ratio", "model", "compiler", "difference",
                          "published"],
                         [[r["robot"], r["quantity"], number(r["tenon_us"]), number(r["peer_us"]), number(r["ratio"], "%.0f"),
                           r["model"], r["compiler"], number(r["difference"], "%.0e"), number(r["published_us"], "%g")]
                          for r in table])]
    return ["## Loops beside generalized_rbda's published times\n",
            markdown(["robot", "quantity", "Tenon", "published", "ratio"],
                     [[r["robot"], r["quantity"], number(r["tenon_us"]), number(r["published_us"], "%g"),
                       number(r["ratio"], "%.0f")] for r in table])]


def growth_table(table):
    names = list(table[0])[3:]
    return markdown(["", "n / m"] + names, [
        [r["of"], "**exponent**" if r["n"] is None else "%d / %d" % (r["n"], r["m"])] + [number(r[name]) for name in names]
        for r in table])


def number(value, form="%.2f"):
    return "" if value is None else form % value


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def single_table(table):
    """A line a robot, a column a quantity: ours / peer's (ratio)."""
    robots = {}
    for row in table:
        robots.setdefault((row["robot"], row["n"]), {})[row["quantity"]] = row
    lines = []
    for (robot, n), cells in robots.items():
        rows = max(cell["m"] for cell in cells.values())
        lines.append([robot, "%d / %d" % (n, rows)] + [
            "%.2f / %.2f (**%.2f**)" % (cells[q]["tenon_us"], cells[q]["pinocchio"]["us"], cells[q]["ratio"])
            if q in cells else "" for q in NAMES])
    return markdown(["robot", "n / m"] + list(NAMES.values()), lines)


def inaccurate_table(table):
    """Rows whose fastest peer is wrong by more than ACCURATE, beside the fastest that is not."""
    lines = []
    for row in table:
        if row["pinocchio"]["error"] and row["pinocchio"]["error"] > ACCURATE:
            other = row["pinocchio_accurate"]
            lines.append([row["robot"], NAMES[row["quantity"]], row["pinocchio"]["method"], "%.0e" % row["pinocchio"]["error"],
                          other["method"] if other else "none", number(other and other["us"]), number(row["ratio_accurate"])])
    return markdown(["robot", "quantity", "fastest", "its error", "fastest within 1e-3", "us", "ratio"], lines)


def batch_table(table, precision, threads, names):
    chosen = [row for row in table if row["precision"] == precision and (row["threads"] > 1) == threads]
    robots = {}
    for row in chosen:
        robots.setdefault((row["robot"], row["n"]), {})[row["quantity"]] = row
    ratio, peer = ("ratio_threads", "pinocchio_threads_us") if threads else ("ratio", "pinocchio_single_us")
    quantities = [q for q in names if any(row["quantity"] == q for row in chosen)]
    lines = []
    for (robot, n), cells in robots.items():
        line = [robot, str(n)]
        for q in quantities:
            cell = cells.get(q)
            line.append("" if not cell or not cell[peer] else "%.3f / %.2f (**%.1f**)%s%s" % (
                cell["us"], cell[peer], cell[ratio], ", %.0e (%.0e)" % (cell["error"], cell["rounding"] or 0) if precision == "float" else "",
                "*" if threads and not cell["pinocchio_pool"] else ""))
        lines.append(line)
    return markdown(["robot", "n"] + [names[q] for q in quantities], lines)


def time_of(rows, robot, quantity, name):
    timing = rows.get((robot, quantity), {}).get(name)
    return timing and timing.best


def table_2(rows):
    """Microseconds with three iterations, in brackets what three iterations cost: 3 / 2 of what three cost more than
    one."""
    def cell(robot, name, three="_3"):
        time, first = (time_of(rows, robot, "constrained", name + end) for end in (three, "_1"))
        return number(time) + (" (%.2f)" % max(0, 1.5 * (time - first)) if time and first else "")
    lines = []
    for system, (robot, published) in papers.TABLE_2.items():
        if (robot, "constrained") not in rows:
            continue
        line = [system, number(time_of(rows, robot, "constrained", "tenon:automatic"))]
        for (ours, peer), paper in zip(papers.TABLE_2_METHODS.values(), published):
            line += [cell(robot, "tenon:" + ours), cell(robot, "pinocchio:" + peer, "") if peer else "", number(paper)]
        lines.append(line)
    header = ["system", "automatic, default tolerance"]
    for method, (_, peer) in papers.TABLE_2_METHODS.items():
        header += [method, "Pinocchio's" if peer else "Pinocchio has none", "paper"]
    return markdown(header, lines)


def table_3(rows):
    lines = []
    for system, published in papers.TABLE_3.items():
        robot = papers.TABLE_2[system][0]
        methods = rows.get((robot, "damped_inverse"))
        if not methods:
            continue
        line = [system]
        for ours, paper in zip(papers.TABLE_3_METHODS.values(), published):
            line += [number(time_of(rows, robot, "damped_inverse", "tenon:" + ours)), number(paper)]
        peer = best_peer(methods, math.inf)
        lines.append(line + [number(peer and peer[0])])
    header = ["system"]
    for method in papers.TABLE_3_METHODS:
        header += [method, "paper"]
    return markdown(header + ["Pinocchio's fastest here"], lines)


def goal_table(all_goals):
    word = {True: "yes", False: "no", None: "-"}
    return markdown(["what", "goal", "measured", "met", "which rows"], [
        [g["what"], g["goal"], "" if g["measured"] is None else str(g["measured"]), word[g["met"]], g["note"]]
        for g in all_goals])


def draw_figure_2(rows, folder):
    cases = {}
    for system, (robot, _) in papers.TABLE_2.items():
        bars = {}
        for method, (ours, peer) in papers.TABLE_2_METHODS.items():
            if peer:
                bars[method + ", Tenon"] = time_of(rows, robot, "constrained", "tenon:%s_3" % ours)
                bars[method + ", Pinocchio"] = time_of(rows, robot, "constrained", "pinocchio:" + peer)
        if all(bars.values()):
            cases[system] = bars
    if cases:
        chart.bars(os.path.join(folder, "caba_figure_2.svg"),
                   "Constrained dynamics, three proximal iterations, us ([CABA] Fig. 2)", cases)


def draw_figure_3(rows, folder):
    for kind, shown, held in (("chain_", "chains", "the tip welded"), ("binary_tree_", "binary trees", "leaves at a point")):
        for end, peer_end, count in (("_1", "_1", "one iteration"), ("_3", "", "three iterations")):
            curves = []
            for color, (method, (ours, peer)) in enumerate(papers.TABLE_2_METHODS.items()):
                for library, name in (("Tenon", "tenon:" + ours + end), ("Pinocchio", peer and "pinocchio:" + peer + peer_end)):
                    points = sorted((methods[name].n, methods[name].best) for (robot, quantity), methods in rows.items()
                                    if robot.startswith(kind) and quantity == "constrained" and name in methods)
                    if len(points) > 1:
                        curves.append(chart.Line("%s, %s" % (method, library), points, color, library != "Tenon"))
            if curves:
                chart.lines(os.path.join(folder, "caba_figure_3_%s%s.svg" % (kind.rstrip("_"), end)),
                            "Constrained dynamics of %s, %s, %s" % (shown, held, count), "links", "us", curves, True, True)


def draw_ratios(summary, folder):
    cases = {}
    for row in summary["rows"]:
        if goals.robot_class(row["robot"]):
            cases.setdefault(row["robot"], dict.fromkeys(NAMES.values(), 0))[NAMES[row["quantity"]]] = row["ratio"]
    if cases:
        chart.bars(os.path.join(folder, "ratios.svg"), "One state: Pinocchio's fastest time over Tenon's", cases)
    for precision in ("double", "float"):
        cases = {}
        for row in summary["batches"]:
            if row["precision"] == precision and row["threads"] == 1 and row["ratio"]:
                bars = {NAMES[q]: 0 for q in NAMES if q != "damped_inverse"}
                cases.setdefault(row["robot"], bars)[NAMES[row["quantity"]]] = row["ratio"]
        if cases:
            chart.bars(os.path.join(folder, "batches_%s.svg" % precision),
                       "Many states in %ss on one core: Pinocchio's single call over Tenon's time a state" % precision, cases)


def tables(summary, rows):
    threads = max([row["threads"] for row in summary["batches"]], default=1)
    text = ["# Beside the peers\n", "Written by `bench/peers.sh`; [bench/README.md](../../README.md) says what was timed "
            "and how. Microseconds, ours / theirs (**ratio**); least of the interleaved repetitions.\n",
            "\n".join("- %s: %s" % item for item in summary["machine"].items()) + "\n",
            "## Goals\n", goal_table(summary["goals"]),
            "## One state a call\n", "Tenon by its defaults against Pinocchio's fastest method and build, however "
            "accurate (`summary.json` has methods, compilers, medians and errors). The faster build: %s.\n" % ", ".join(
                "%s in %d rows" % item for item in summary["faster_builds"].items()), single_table(summary["rows"]),
            "Where that is wrong by more than 1e-3:\n", inaccurate_table(summary["rows"]),
            "## The same method, three plain iterations on both sides\n",
            markdown(["robot", "n / m", "method", "Tenon", "Pinocchio", "ratio"],
                     [[r["robot"], "%d / %d" % (r["n"], r["m"]), r["quantity"][6:], number(r["tenon_us"]),
                       "%.2f (%s)" % (r["pinocchio"]["us"], r["pinocchio"]["compiler"]), number(r["ratio"])]
                      for r in summary["same_methods"]]),
            "## Derivatives, one state a call\n",
            "Values and all three matrices; of constrained dynamics and impacts, of which there are two, Pinocchio's call "
            "gives those of the forces too (`bench/derivatives.sh` compares errors, and more libraries). rnea_regressor: of "
            "the forces on the joints, by Tenon without zeros, in a matrix that has them.\n",
            markdown(["robot", "n / m", "quantity", "Tenon", "Pinocchio", "ratio"],
                     [[r["robot"], "%d / %d" % (r["n"], r["m"]), r["quantity"], number(r["tenon_us"]),
                       "%.2f (%s)" % (r["pinocchio"]["us"], r["pinocchio"]["compiler"]), number(r["ratio"])]
                      for r in summary["derivatives"]]),
            "In calls of the function itself, which is among them; vjp: gradients through it, by q, v and a or tau.\n",
            markdown(["robot", "n / m", "quantity", "Tenon", "calls"],
                     [[r["robot"], "%d / %d" % (r["n"], r["m"]), r["quantity"], number(r["tenon_us"]), number(r["calls"])]
                      for r in summary["products"]]),
            *(["## How derivatives grow\n",
               "Microseconds, the last column constrained dynamics itself; exponents are fitted to the larger half.\n",
               growth_table(summary["growth"])] if summary["growth"] else []),
            "## MuJoCo, mj_forward with the same equality rows\n",
            markdown(["robot", "n / m", "Tenon, constrained dynamics", "mj_forward", "ratio", "Newton iterations"],
                     [[r["robot"], "%d / %d" % (r["n"], r["m"]), number(r["tenon_us"]), number(r["mujoco_us"]),
                       number(r["ratio"]), number(r["newton_iterations"], "%.1f")] for r in summary["mujoco"]])]
    for precision in ("double", "float"):
        text += ["## Many states in one call, %s, one thread\n" % precision,
                 "Time a state, against the peer's single call%s.\n" % (
                     "; error against the single call in doubles with the same inputs, in brackets how much the rounding of inputs to "
                     "floats changes the answer in doubles" if precision == "float" else ""),
                 batch_table(summary["batches"], precision, False, NAMES),
                 "Derivatives, likewise; vjp, which the peer has not, against its matrices.\n",
                 batch_table(summary["derivative_batches"], precision, False, {q: q for q in (*DERIVATIVES, *VJP)})]
        if threads > 1:
            text += ["## Many states in one call, %s, %d threads\n" % (precision, threads),
                     "Against Pinocchio's own pool on as many threads, wall time; * where it has none: its single call "
                     "at the speed-up of its pool for ABA.\n", batch_table(summary["batches"], precision, True, NAMES)]
    text += loop_tables(summary["loops"])
    text += ["## Exact geared robots and linkages\n",
             markdown(["robot", "exact", "rotors as armature", "ratio"],
                      [[r["robot"], number(r["exact_us"], "%.3f"), number(r["armature_us"], "%.3f"), number(r["ratio"])]
                       for r in summary["geared"]]),
             "## [CABA] Table II: constrained dynamics, three iterations\n",
             "In brackets the part of the iterations ([CABA] Fig. 2). The paper's times are its own, on its own machine.\n",
             table_2(rows), "## [CABA] Table III: the damped Delassus inverse\n", table_3(rows)]
    return "\n".join(text)


def machine(context, raw):
    """What ran: run.txt, which peers.sh wrote, and the benchmark's context."""
    facts = {}
    with open(os.path.join(raw, "run.txt"), encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition(": ")
            facts[key] = value
    for key, value in context.items():
        if key in ("tenon", "mujoco", "libraries", "date") or key.startswith("peer@"):
            facts[key.replace("peer@", "pinocchio by ")] = value
    isa = re.search(r"batches (\S+)", facts["tenon"])
    facts["isa"] = {"x86_64_v4": "avx512", "x86_64_v3": "avx2"}.get(isa and isa[1], isa[1] if isa else "baseline")
    return facts


def folder_of(facts):
    """amd_epyc_avx512: maker and family of the processor, and the widest instructions that were used."""
    words = re.sub(r"\([^)]*\)", " ", facts["cpu"]).lower().split()
    bench = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    return os.path.normpath(os.path.join(bench, "results", "_".join(words[:2] + [facts["isa"]])))


def summarize(context, rows, raw):
    summary = {"machine": machine(context, raw), "goals": [], "rows": single_rows(rows, OURS),
               "derivatives": single_rows(rows, DERIVATIVES), "products": product_rows(rows),
               "same_methods": same_method_rows(rows), "mujoco": mujoco_rows(rows), "batches": batch_rows(rows, OURS),
               "derivative_batches": batch_rows(rows, {**DERIVATIVES, **VJP}),
               "growth": growth_rows(raw), "loops": loop_rows(raw), "geared": geared_rows(raw)}
    summary["faster_builds"] = Counter(row["pinocchio"]["compiler"] for row in summary["rows"] + summary["same_methods"])
    cassie = rows.get(("cassie", "batch_rollout"), {})
    summary["cassie_rollout_us"] = {name.split(":")[1]: round(timing.best, 4) for name, timing in cassie.items()}
    summary["creation"] = {robot: {"us": round(methods["tenon"].best, 3), "bytes": methods["tenon"].workspace}
                           for (robot, quantity), methods in rows.items() if quantity == "creation"}
    summary["goals"] = goals.all_goals(summary)
    return summary


def json_text(summary):
    """A line for each entry of a list."""
    parts = []
    for key, value in summary.items():
        text = json.dumps(value) if not isinstance(value, list) else "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
        parts.append(' "%s": %s' % (key, text))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_text(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("raw")
    parser.add_argument("--out", help="folder of the report")
    arguments = parser.parse_args()
    parts = []
    for path in sorted(glob.glob(os.path.join(arguments.raw, "dynamics*.json"))):
        context, part = read(path)
        parts.append(part)
        if context.get("libraries") == "DISAGREE":
            sys.exit(path + ": the libraries did not solve the same problem: see what dynamics_bench printed")
    if not parts:
        sys.exit("no dynamics*.json in " + arguments.raw)
    rows = merge(parts)
    summary = summarize(context, rows, arguments.raw)
    out = arguments.out or folder_of(summary["machine"])
    os.makedirs(out, exist_ok=True)
    write_text(out, "summary.json", json_text(summary))
    timings = []
    for row, methods in rows.items():
        for name, t in methods.items():
            facts = {"row": "/".join(row) + "/" + name, "n": t.n, "m": t.m, "us": round(t.best, 5),
                     "median_us": round(median(t.times), 5), "error": t.error, "sweeps": t.sweeps, "compiler": t.compiler}
            if t.states > 1:
                facts.update(states=t.states, workers=t.workers)
            timings.append(json.dumps({key: value for key, value in facts.items() if value not in (None, "")}))
    write_text(arguments.raw, "timings.json", "[\n" + ",\n".join(timings) + "\n]\n")
    write_text(out, "tables.md", tables(summary, rows))
    draw_figure_2(rows, out)
    draw_figure_3(rows, out)
    draw_ratios(summary, out)
    for entry in summary["goals"]:
        print("%-7s %-76s %s; measured %s" % ({True: "met", False: "missed", None: "-"}[entry["met"]], entry["what"],
                                              entry["goal"], entry["measured"]))
    print("report: " + os.path.relpath(out))


if __name__ == "__main__":
    main()
