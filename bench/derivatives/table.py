#!/usr/bin/env python3
"""Measures derivatives by Tenon and its peers, and writes the table of the site: derivatives.md and derivatives.json.

    table.py RAW_FOLDER [--out FOLDER] [--compiler CC] [--quick] [--again]

Run by bench/derivatives.sh, which writes RAW_FOLDER/run.txt and dynamics.json (of dynamics_bench) before. Each case and
library is a process of its own (measure.py), one after another; what one measured stays in RAW_FOLDER, and --again writes the
table of it without measuring.
"""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "dynamics"))
import compare  # noqa: E402
import report  # noqa: E402

FREE = ("iiwa14", "solo12", "go1", "atlas")
DEPENDENT = ("atlas_soles", "cassie", "cassie_feet", "cassie_fixed")
TITLES = {"inverse": ("Inverse dynamics", "rnea_derivatives", "a"), "forward": ("Forward dynamics", "aba_derivatives", "tau"),
          "constrained": ("Constrained dynamics", "constrained_derivatives", "tau")}  # fmt: skip
CPP = "Pinocchio, C++"


def measure(raw, case, part, arguments):
    path = os.path.join(raw, f"{case}_{part}.json")
    command = [sys.executable, "-W", "ignore", os.path.join(HERE, "measure.py"), case, part, path, "--folder", raw,
               "--compiler", arguments.compiler] + ["--quick"] * arguments.quick  # fmt: skip
    if not arguments.again:
        print(f"  {case} {part}", flush=True)
        subprocess.run(command, check=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def cpp_rows(timings):
    """Of dynamics_bench: Pinocchio as C++, the faster compiler, and Tenon in the same process on the same states."""
    rows = []
    for (robot, quantity), methods in timings.items():
        which = next((name for name, (_, row, _) in TITLES.items() if row == quantity), None)
        if which is None or robot not in FREE:
            continue
        for name, timing in methods.items():
            if name.startswith("pinocchio:"):
                rows.append({"library": CPP, "quantity": which, "case": robot, "n": timing.n, "errors": [], "us": timing.best,
                             "compiler": timing.compiler})  # fmt: skip
        forces = timings.get((robot, "solution_derivatives"), {}).get("tenon")
        rows.append({"library": "Tenon, beside it", "quantity": which, "case": robot, "n": methods["tenon"].n, "errors": [],
                     "us": methods["tenon"].best,
                     **({"us_solution": forces.best} if which == "constrained" and forces else {})})  # fmt: skip
    return rows


# ---- the table


def number(x):
    return "-" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def error(x):
    return f"{x:.0e}".replace("e-0", "e-").replace("e+0", "e+")


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
                     + ["| " + " | ".join(map(str, line)) + " |" for line in lines]) + "\n"  # fmt: skip


LABELS = {"Tenon": "Tenon, C", "pin": "Pinocchio, from Python", "MuJoCo": "MuJoCo, differences, from Python",
          "CasADi, its machine": "CasADi, virtual machine", "CasADi, compiled C": "CasADi, compiled C",
          "JAX": "JAX, jitted"}  # fmt: skip


def free_table(rows, which):
    lines = []
    for case in FREE:
        chosen = [row for row in rows if row["case"] == case and row["quantity"] == which]
        ours = next((row["us"] for row in chosen if row["library"] == "Tenon"), None)
        for label, name in [(LABELS["Tenon"], "Tenon"), ("Pinocchio, C++", CPP), *((LABELS[n], n) for n in list(LABELS)[1:])]:
            row = next((row for row in chosen if row["library"] == name), None)
            if row is None:
                continue
            beside = next((r["us"] for r in chosen if r["library"] == "Tenon, beside it"), None) if name == CPP else ours
            found = [error(x) for x in row["errors"]] + ["-"] * (3 - len(row["errors"]))
            if name == CPP:
                found = ["as from Python"] + ["same"] * 2
            note = {"MuJoCo": f"step {row.get('step', 0):.0e}", CPP: row.get("compiler")}.get(name, "")
            if row.get("made"):
                note = f"made in {row['made']:.0f} s"
            if row.get("late"):
                note = row["late"]
            lines.append([case, row["n"], label, *found, number(row["us"]),
                          number(row["us"] / beside) if beside and row["us"] else "-", note])  # fmt: skip
    return markdown(["robot", "n", "library", "by q", "by v", "by " + TITLES[which][2], "us", "times Tenon's", ""], lines)


def beside_table(rows):
    """C against C++, of dynamics_bench alone."""
    lines = []
    for which, (title, _, _) in TITLES.items():
        for case in FREE:
            chosen = {row["library"]: row for row in rows if row["case"] == case and row["quantity"] == which}
            if CPP not in chosen:
                continue
            ours, theirs = chosen["Tenon, beside it"], chosen[CPP]
            lines.append([title, case, ours["n"], number(ours["us"]), number(theirs["us"]), theirs["compiler"],
                          number(theirs["us"] / ours["us"])])  # fmt: skip
            if "us_solution" in ours:
                both = ours["us_solution"]
                lines.append([title + ", with those of the forces", case, ours["n"], number(both), number(theirs["us"]),
                              theirs["compiler"], number(theirs["us"] / both)])  # fmt: skip
    return markdown(["derivatives", "robot", "n", "Tenon, us", "Pinocchio, us", "compiler of Pinocchio", "ratio"], lines)


def in_short(rows):
    """Least and most of how many times as fast as Pinocchio in C++ Tenon is; how exact both are."""
    lines = []
    for which, (title, _, _) in TITLES.items():
        alone, both, exact = [], [], {}
        for case in FREE:
            chosen = {row["library"]: row for row in rows if row["case"] == case and row["quantity"] == which}
            for name in ("Tenon", "pin", "MuJoCo", "CasADi, its machine", "JAX"):
                if name in chosen:
                    exact.setdefault(name, []).append(max(chosen[name]["errors"]))
            if CPP in chosen:
                ours = chosen["Tenon, beside it"]
                alone.append(chosen[CPP]["us"] / ours["us"])
                if "us_solution" in ours:
                    both.append(chosen[CPP]["us"] / ours["us_solution"])
        for times, what in ((alone, title), (both, title + ", with those of the forces")):
            if times:
                worst = [error(max(exact[name])) if name in exact and times is alone else "" for name in
                         ("Tenon", "pin", "CasADi, its machine", "JAX", "MuJoCo")]  # fmt: skip
                lines.append([what, f"{min(times):.2f} to {max(times):.2f}", *worst])
    return markdown(["derivatives", "times as fast as Pinocchio in C++", "worst error: Tenon", "Pinocchio", "CasADi", "JAX",
                     "MuJoCo"], lines)  # fmt: skip


def many_table(rows):
    lines = []
    for which in ("inverse", "forward"):
        for case in FREE:
            chosen = {row["library"]: row for row in rows if row["case"] == case and row["quantity"] == which}
            ours, theirs = chosen.get("Tenon, many states"), chosen.get("JAX, many states")
            if ours and theirs:
                lines.append([TITLES[which][0], case, ours["n"], number(ours["us"]), number(theirs["us"]),
                              number(theirs["us"] / ours["us"]), f"{theirs['made']:.0f} s"])  # fmt: skip
    return markdown(["derivatives", "robot", "n", "Tenon, us a state", "JAX vmap, us a state", "ratio", "JAX compiled in"], lines)


def dependent_table(rows, cases):
    lines = []
    for case in DEPENDENT:
        for row in rows:
            if row["case"] != case or row["library"] not in ("Tenon", "pin", "pin, the best settings of each state"):
                continue
            label = {"Tenon": "Tenon, C", "pin": "Pinocchio, from Python"}.get(row["library"], "the same, best of each state")
            settings = "mu {:.0e}, {} iterations".format(*row["settings"]) if row.get("settings") else ""
            us = row.get("us_solution", row["us"])
            by = [f"{error(x)}, {error(y)}" for x, y in zip(row["middle"], row["errors"])]
            lines.append([f"{case}: {cases[case]}", label, settings, *by, error(row["forces"][0]), error(row["largest"]),
                          number(us)])  # fmt: skip
    return markdown(["case", "library", "settings", "dqdd/dq", "dqdd/dv", "dqdd/dtau", "df/dq", "largest dlambda/dq",
                     "us"], lines)


def text(facts, rows, wrong):
    from cases import CASES, STATES

    cases = {case.name: case.what for case in CASES}
    nothing = next((row["us"] for row in rows if row["quantity"] == "call"), None)
    held = "; ".join(f"{name}: {cases[name]}" for name in FREE)
    parts = ["# Derivatives beside the peers\n",
             "Written by `bench/derivatives.sh`; bench/derivatives/README.md says how. Errors are relative: the largest "
             "difference of a matrix from the judge's over the judge's largest number, the worst of " + str(STATES) + " states. The judge is a "
             "program of its own by the complex step in 80-bit numbers. Times: microseconds, the least of many passes.\n",
             markdown(["", ""], facts.items()), "## In short\n",
             "Trees of ordinary joints and contacts. Below one Pinocchio is faster. Its call gives the derivatives of forces and "
             "accelerations at once; Tenon has a call for both, and one for accelerations alone.\n", in_short(rows)]
    for which, (title, _, _) in TITLES.items():
        parts += [f"## {title}\n"]
        if which == "constrained":
            parts += [f"Accelerations by q, v and tau. {held}. Pinocchio's call gives the derivatives of the forces too, the "
                      "others' do not. Pinocchio's settings are the best of 30. MuJoCo's rows are soft: another problem.\n"]
        if which == "forward":
            parts += ["MuJoCo differentiates its step of time, by q and v, from which those of the acceleration follow.\n"]
        parts += [free_table(rows, which)]
    parts += ["Tenon and compiled C are called from C, Pinocchio's C++ in another process (next table); Pinocchio's package and "
              "MuJoCo from Python, arrays that the binding makes included; JAX from Python, where a call that computes nothing "
              f"takes {number(nothing)} us. CasADi's compiled C is of {facts.get('C of CasADi', 'cc')}.\n",
              "## C against C++, in one process\n",
              "`dynamics_bench`: the C API of the shared library, and Pinocchio's templates with `-O3 -march=native` by the faster "
              "of the compilers, both with the values and all three matrices, 1,000 states in turn.\n", beside_table(rows),
              "## Many states in one call, one thread\n", "256 states, time a state.\n", many_table(rows),
              "## Loops, and rows that depend on each other\n",
              "What has a derivative is qdd, and f = J^T lambda, the forces on the joints. dlambda itself is a choice: its size "
              "is shown. Pinocchio's settings: the ones that are best for all states, and the best of 30 for each state by "
              "itself, which only the judge can choose. Errors of qdd are the middle of the states, and the worst: some of "
              "Cassie's lie near a dead centre. Times include the derivatives of the forces.\n",
              dependent_table(rows, cases), "## Where Pinocchio's are wrong\n",
              "By `bench/derivatives/peer_wrong.py`, which shows each case beside Pinocchio's own differences.\n",
              wrong]  # fmt: skip
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("raw")
    parser.add_argument("--out")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    context, timings = compare.read(os.path.join(arguments.raw, "dynamics.json"))
    if context.get("libraries") == "DISAGREE":
        sys.exit("dynamics_bench: the libraries did not solve the same problem")
    facts = report.machine(context, arguments.raw)
    rows = cpp_rows(timings)
    for case in ("iiwa14",) if arguments.quick else FREE:
        for part in ("tenon", "pinocchio", "casadi", "mujoco", "jax"):
            rows += measure(arguments.raw, case, part, arguments)
    for case in ("cassie",) if arguments.quick else DEPENDENT:
        for part in ("tenon", "pinocchio"):
            rows += measure(arguments.raw, case, part, arguments)
    wrong = subprocess.run([sys.executable, "-W", "ignore", os.path.join(HERE, "peer_wrong.py")], check=True,
                           capture_output=True, text=True).stdout  # fmt: skip
    out = arguments.out or report.folder_of(facts)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "derivatives.json"), "w", encoding="utf-8") as file:
        file.write(report.json_text({"machine": facts, "rows": rows}))
    with open(os.path.join(out, "derivatives.md"), "w", encoding="utf-8") as file:
        file.write(text(facts, rows, wrong))
    print("table: " + os.path.relpath(os.path.join(out, "derivatives.md")))


if __name__ == "__main__":
    main()
