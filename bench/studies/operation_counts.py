#!/usr/bin/env python3
"""The papers' studies of operation counts, by `tenon count`.

    bench/studies/operation_counts.py build/release/bin/tenon build/operation_counts

writes counts.csv, report.txt (also printed) and one SVG for each figure into the folder. README.md beside
this file says what the figures show and where they differ from the papers.

[OSIMR] Sathya, Decre, Swevers, PV-OSIMr, versions 1 and 2; [CABA] Sathya, Carpentier, Constrained Articulated Body
Dynamics Algorithms; [LOOPS1] Chignoli, Adrian, Kim, Wensing, recursive rigid-body dynamics algorithms for systems with
kinematic loops.
"""

import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path.insert(0, os.path.join(BENCH, "support"))
from chart import Line, bars, lines  # noqa: E402

MODELS = os.path.join(BENCH, os.pardir, "models")
DELASSUS = ["pv_osimr", "pv_osim", "efpa", "kjr", "ltl_osim"]
DYNAMICS = ["constrained_aba", "prox_pv", "prox_ltls", "prox_ltl"]
DAMPED = ["caba_osimf", "caba_osim", "pv_osimf", "pv_osimr_cholesky", "ltl_cholesky", "ltl_inverse"]
LOOPS = ["c_aba", "approximate_aba", "projection", "multipliers"]
# What [LOOPS1]'s implementation, generalized_rbda 45fa7c4, does on CasADi's scalars: q, v, spanning tau -> spanning qdd.
# Tello is not here: its differentials are functions of the user's, which cannot be recorded.
LOOPS_PUBLISHED = {"mini_cheetah": (11191, 7190, 27478, 97127), "mit_humanoid": (21119, 12266, 60584, 258637),
                   "jvrc1": (27633, 14859, 193314, 820430),
                   "four_bar": (484, None, None, None), "six_bar": (1481, None, None, None)}
# Corners of a foot. A rectangle's rows are partly equal, which sharing of terms finds and CasADi does not.
RECTANGLE = ["0.17,0.06,-0.08", "0.17,-0.06,-0.08", "-0.09,0.06,-0.08", "-0.09,-0.06,-0.08"]
CORNERS = ["0.171,0.061,-0.081", "0.172,-0.062,-0.082", "-0.093,0.063,-0.083", "-0.094,-0.064,-0.084"]


# ---- robots -----------------------------------------------------------------------------------------------------------


def model(name):
    return os.path.join(MODELS, name + ".urdf")


def link(name):
    """No number of it is zero, so that nothing folds that a real robot would not fold."""
    return ('<link name="%s"><inertial><origin xyz="0.01 -0.02 0.1"/><mass value="1.3"/><inertia ixx="0.012" iyy="0.013" '
            'izz="0.004" ixy="0.0007" ixz="-0.0005" iyz="0.0009"/></inertial></link>\n' % name)


def joint(parent, child, number):
    axis = ["1 0 0", "0 1 0", "0 0 1"][number % 3]
    return ('<joint name="to_%s" type="continuous"><parent link="%s"/><child link="%s"/><origin xyz="0.02 0.03 0.2"/>'
            '<axis xyz="%s"/></joint>\n' % (child, parent, child, axis))


def write_robot(folder, name, parts):
    path = os.path.join(folder, name + ".urdf")
    with open(path, "w") as file:
        file.write('<robot name="%s">\n%s</robot>\n' % (name, "".join(parts)))
    return path


def write_row(parts, parent, prefix, count):
    """Links one after another; the name of the last."""
    for i in range(count):
        child = "%s_%d" % (prefix, i + 1)
        parts += [link(child), joint(parent, child, i)]
        parent = child
    return parent


def stem_with_branches(folder, stem, branches):
    """A stem of links with branches of seven at either end; the base, which floats, is its first link."""
    parts, tips = [link("stem")], []
    last = write_row(parts, "stem", "stem", stem - 1)
    for end, prefix in (("stem", "near"), (last, "far")):
        for i in range(branches):
            tips.append(write_row(parts, end, "%s_%d" % (prefix, i), 7))
    return write_robot(folder, "stem_%d_%d" % (stem, branches), parts), tips


def chain(folder, links):
    parts = [link("base")]
    write_row(parts, "base", "link", links)
    return write_robot(folder, "chain_%d" % links, parts)


def atlas_with_left_hand(folder):
    tree = xml.parse(model("atlas_shadow_hands"))
    robot = tree.getroot()
    for element in list(robot):
        if element.get("name", "").startswith("rh_"):
            robot.remove(element)
    names = {element.get("name") for element in robot.findall("link")}
    for element in robot.findall("joint"):
        if element.find("child").get("link") not in names:
            robot.remove(element)
    robot.set("name", "atlas_left_hand")
    path = os.path.join(folder, "atlas_left_hand.urdf")
    tree.write(path)
    return path


def welds(*links):
    return [part for name in links for part in ("--weld", name)]


def points(*links):
    return [part for name in links for part in ("--point", name)]


def tips(side):
    return ["%sh_%stip" % (side, finger) for finger in ("ff", "mf", "rf", "lf", "th")]


def feet_by(corners):
    return points(*["%s@%s" % (foot, corner) for foot in ("l_foot", "r_foot") for corner in corners])


# ---- counting ---------------------------------------------------------------------------------------------------------


class Counter:
    def __init__(self, program, folder):
        self.program, self.folder, self.records = program, folder, []

    def count(self, study, case, x, path, contacts, algorithms, floating=True, iterations=3):
        table = os.path.join(self.folder, "table.csv")
        command = [self.program, "count", path, "--csv", table, "--iterations", str(iterations)] + contacts
        command += ["--floating"] if floating else []
        command += [part for name in algorithms for part in ("--algorithm", name)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode != 0:
            sys.exit("operation_counts: %s\n%s" % (" ".join(command), done.stderr))
        head = done.stdout.split(":")[1].split()
        totals = {}
        with open(table, newline="") as file:
            for row in csv.DictReader(file):
                totals[row["algorithm"]] = int(row["total"])
                self.records.append({"study": study, "case": case, "x": x, "dof": head[0], "rows": head[4],
                                     "iterations": iterations, **row})
        return totals


# ---- studies ----------------------------------------------------------------------------------------------------------


class Report:
    def __init__(self, folder):
        self.folder, self.lines = folder, []

    def say(self, text=""):
        self.lines.append(text)
        print(text, flush=True)

    def table(self, title, first, cases):
        self.say("\n" + title)
        names = list(next(iter(cases.values())))
        self.say("%-28s" % first + "".join("%19s" % name for name in names))
        for case, totals in cases.items():
            self.say("%-28s" % case + "".join("%19d" % totals[name] for name in names))

    def plot_bars(self, name, title, cases):
        bars(self.path(name), title, cases)

    def plot_lines(self, name, title, x_title, x, totals, logarithmic):
        """totals: name -> one total for each x."""
        lines(self.path(name), title, x_title, "operations",
              [Line(algorithm, list(zip(x, line))) for algorithm, line in totals.items()], log_x=logarithmic,
              log_y=logarithmic, from_zero=not logarithmic)

    def path(self, name):
        return os.path.join(self.folder, name + ".svg")


def transposed(cases):
    return {name: [totals[name] for totals in cases.values()] for name in next(iter(cases.values()))}


def exponent(x, y):
    """Slope of log y over log x by least squares over the larger half."""
    a, b = [math.log(v) for v in x[len(x) // 2:]], [math.log(v) for v in y[len(y) // 2:]]
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    return sum((u - mean_a) * (v - mean_b) for u, v in zip(a, b)) / sum((u - mean_a) ** 2 for u in a)


def stems(counter, report, folder):
    lengths = [2, 5, 10, 20, 40]
    for branches in (1, 2, 4, 7, 10):
        cases = {}
        for stem in lengths:
            path, ends = stem_with_branches(folder, stem, branches)
            cases[stem] = counter.count("osimr_fig3", "%d branches" % branches, stem, path, welds(*ends), DELASSUS)
        title = "[OSIMR] Fig. 3: stem with %d branch%s at either end" % (branches, "es" if branches > 1 else "")
        report.table(title, "links of the stem", cases)
        growth = {name: (line[-1] - line[-2]) / (lengths[-1] - lengths[-2]) for name, line in transposed(cases).items()}
        report.say("a link more costs            " + "".join("%18.0f " % v for v in growth.values()))
        report.plot_lines("osimr_fig3_%d" % branches, title, "links of the stem", lengths, transposed(cases), False)


def chains(counter, report, folder):
    studies = [("osimr_fig4a", "[OSIMR] v2 Fig. 4a: chain of n links, sqrt(n) of them welded", (16, 36, 64, 100, 144),
                lambda n: [i for i in range(1, n + 1) if i % math.isqrt(n) == 0]),
               ("osimr_fig4b", "[OSIMR] v2 Fig. 4b: chain, all links welded", (2, 4, 8, 16, 24), lambda n: range(1, n + 1)),
               ("chain_tip", "Chain, tip welded (n grows, m is 6)", (8, 16, 32, 64, 128), lambda n: [n])]
    for study, title, sizes, held in studies:
        algorithms = DELASSUS + (["caba_osim"] if study == "chain_tip" else [])
        cases = {n: counter.count(study, "chain", n, chain(folder, n), welds(*["link_%d" % i for i in held(n)]),
                                  algorithms, floating=False) for n in sizes}
        report.table(title, "links", cases)
        report.say("exponent in n               " +
                   "".join("%19.2f" % exponent(sizes, line) for line in transposed(cases).values()))
        report.plot_lines(study, title, "links", sizes, transposed(cases), True)


def joints(counter, report, folder):
    """Slopes of long chains: what one joint adds, which is the same for all."""
    tip = {"3 rows": lambda n: points("link_%d" % n), "6 rows": lambda n: welds("link_%d" % n),
           "12 rows": lambda n: points(*["link_%d@%s" % (n, corner) for corner in CORNERS])}
    cases = {}
    for case, contacts in tip.items():
        few, many = (counter.count("joint", case, n, chain(folder, n), contacts(n), DELASSUS, floating=False)
                     for n in (32, 48))
        cases[case] = {name: (many[name] - few[name]) // 16 for name in DELASSUS[:4]}
    report.table("What a revolute joint between constraint and base adds", "rows", cases)


def humanoids(counter, report, folder):
    atlas = model("atlas")
    feet = welds("l_foot", "r_foot")
    cases = {"6D a foot": counter.count("osimr_fig5", "6D a foot", "", atlas, feet, DELASSUS),
             "4 points a foot": counter.count("osimr_fig5", "12D a foot", "", atlas, feet_by(CORNERS), DELASSUS),
             "a rectangle a foot": counter.count("osimr_fig5", "rectangle", "", atlas, feet_by(RECTANGLE), DELASSUS),
             "6D a foot and a hand": counter.count("osimr_caveat", "feet and hands", "", atlas,
                                                   feet + welds("l_hand", "r_hand"), DELASSUS)}
    report.table("[OSIMR] v2 Fig. 5 (v1 Fig. 4) and its caveat: Atlas", "", cases)
    for case, totals in cases.items():
        report.say("  %s: pv_osim %+.1f %% against pv_osimr" % (case, 100 * (totals["pv_osim"] / totals["pv_osimr"] - 1)))
    report.plot_bars("osimr_fig5", "[OSIMR] v2 Fig. 5: Atlas", cases)

    both = model("atlas_shadow_hands")
    cases = {"one Shadow hand": counter.count("osimr_fig6", "a", "", model("shadow_hand"), points(*tips("r")), DELASSUS,
                                              floating=False),
             "Atlas, one hand": counter.count("osimr_fig6", "b", "", atlas_with_left_hand(folder), points(*tips("l")),
                                              DELASSUS),
             "Atlas, two hands": counter.count("osimr_fig6", "c", "", both, points(*tips("l") + tips("r")), DELASSUS),
             "two hands and feet": counter.count("osimr_fig6", "d", "", both, points(*tips("l") + tips("r")) + feet,
                                                 DELASSUS)}
    report.table("[OSIMR] v2 Fig. 6 (v1 Fig. 5): Shadow hands, 3D at each fingertip", "", cases)
    for case, totals in cases.items():
        report.say("  %s: pv_osimr %+.1f %% against pv_osim" % (case, 100 * (totals["pv_osimr"] / totals["pv_osim"] - 1)))
    report.plot_bars("osimr_fig6", "[OSIMR] v2 Fig. 6: Shadow hands", cases)


def systems():
    """Those of [CABA] Table II and III; Atlas stands for Talos, whose file is not among the models."""
    feet, hands = welds("l_foot", "r_foot"), welds("l_hand", "r_hand")
    solo = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]
    go1 = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    both = model("atlas_shadow_hands")
    return {"Iiwa H3": (model("iiwa14"), points("iiwa_link_7"), False),
            "Iiwa H6": (model("iiwa14"), welds("iiwa_link_7"), False),
            "Solo F3x2": (model("solo12"), points(solo[0], solo[3]), True),
            "Solo F3x4": (model("solo12"), points(*solo), True),
            "Go1 F3x4": (model("go1"), points(*go1), True),
            "Atlas F6x2": (model("atlas"), feet, True),
            "Atlas F6x2 H6x2": (model("atlas"), feet + hands, True),
            "Atlas F3x8": (model("atlas"), feet_by(CORNERS), True),
            "Atlas SR F6x2": (both, feet, True),
            "Atlas SR F6x2 T3x5": (both, feet + points(*tips("l")), True),
            "Atlas SR F6x2 T3x10": (both, feet + points(*tips("l") + tips("r")), True)}


def constrained_dynamics(counter, report):
    one, three = {}, {}
    for name, (path, contacts, floating) in systems().items():
        one[name] = counter.count("caba_fig1", name, 1, path, contacts, DYNAMICS, floating, iterations=1)
        three[name] = counter.count("caba_fig1", name, 3, path, contacts, DYNAMICS + ["pv_early", "pv"], floating)
    report.table("[CABA] Fig. 1: constrained dynamics, three proximal iterations", "system", three)
    each = {name: {a: (three[name][a] - one[name][a]) // 2 for a in DYNAMICS} for name in three}
    report.table("  of these, a proximal iteration more", "system", each)
    for group in ("Go1", "Atlas F", "Atlas SR"):
        report.plot_bars("caba_fig1_" + group.lower().replace(" ", "_"), "[CABA] Fig. 1: " + group,
                         {k: v for k, v in three.items() if k.startswith(group)})


def damped_inverse(counter, report):
    cases = {name: counter.count("caba_fig6", name, "", path, contacts, DAMPED, floating)
             for name, (path, contacts, floating) in systems().items()}
    report.table("[CABA] Fig. 6 and Table III: damped Delassus inverse (caba_osim and ltl_inverse form it, the others "
                 "apply it once)", "system", cases)
    for group in ("Go1", "Atlas F", "Atlas SR"):
        report.plot_bars("caba_fig6_" + group.lower().replace(" ", "_"), "[CABA] Fig. 6: " + group,
                         {k: v for k, v in cases.items() if k.startswith(group)})


def kinematic_loops(counter, report):
    """Forward dynamics by the methods of [LOOPS1]. Robots float, linkages stand; a model that is not there is passed over."""
    for name, published in LOOPS_PUBLISHED.items():
        if not os.path.exists(model(name)):
            continue
        floating = published[1] is not None
        ours = counter.count("loops1", name, "", model(name), [], LOOPS + ["c_aba_unfolded", "c_rnea"], floating)
        cases = {"here": {a: ours[a] for a in LOOPS}, "generalized_rbda": {a: n or 0 for a, n in zip(LOOPS, published)}}
        report.table("[LOOPS1] forward dynamics: %s (0: not known)" % name, "", cases)
        report.say("  c_aba with every rotor a body %d, c_rnea %d" % (ours["c_aba_unfolded"], ours["c_rnea"]))


def generated(counter, *arguments):
    """A robot by `tenon generate`."""
    path = os.path.join(counter.folder, "_".join(arguments).replace("--", "") + ".urdf")
    subprocess.run([counter.program, "generate", *arguments, "-o", path], check=True)
    return path


def loop_chains(counter, report):
    exact = ["c_aba", "projection", "multipliers"]
    depths = [1, 2, 4, 8, 12]
    for kind, what in (("rotor", "link and rotor"), ("belt", "parallel belts"), ("four_bar", "four-bars")):
        for branches in ("1", "2", "4"):
            cases = {d: counter.count("loops2_fig8", kind + " x " + branches, d,
                                      generated(counter, "chain", "--kind", kind, "--count", str(d), "--branches", branches),
                                      [], exact, floating=False) for d in depths}
            title = "[LOOPS2] Fig. 8: %s, %s branch%s" % (what, branches, "" if branches == "1" else "es")
            report.table(title, "clusters of a branch", cases)
            for first, last in ((2, 3), (3, 4)):
                report.say("one more costs, %2d to %2d     " % (depths[first], depths[last]) +
                           "".join("%18.0f " % ((line[last] - line[first]) / (depths[last] - depths[first]))
                                   for line in transposed(cases).values()))
            report.plot_lines("loops2_fig8_%s_%s" % (kind, branches), title, "clusters of a branch", depths,
                              transposed(cases), True)


def loop_locality(counter, report):
    for tie, what in (("transmission", "a transmission"), ("connecting_rod", "a connecting rod")):
        for depth, places in ((5, [1, 2, 3, 4, 5]), (10, [1, 2, 3, 4, 5, 6, 7, 8, 10]), (20, [1, 2, 4, 7, 10, 14, 17, 20])):
            cases = {at: counter.count("loops2_fig10", tie + " " + str(depth), at,
                                       generated(counter, "branches", "--tie", tie, "--depth", str(depth), "--at", str(at)),
                                       [], ["c_aba", "multipliers", "projection"], floating=False) for at in places}
            title = "[LOOPS2] Fig. 10: two branches of %d links tied by %s" % (depth, what)
            report.table(title, "link that is tied", cases)
            report.plot_lines("loops2_fig10_%s_%d" % (tie, depth), title, "link that is tied", places,
                              transposed(cases), True)


def loop_actuators(counter, report):
    cases = {name: counter.count("loops2_fig12", name, "", model(name), [], ["c_aba", "approximate_aba"])
             for name in ("mini_cheetah", "mit_humanoid", "jvrc1")}
    report.table("[LOOPS2] Fig. 12: robots with rotors, exact and as armature", "", cases)
    for name, totals in cases.items():
        report.say("  %s: approximate_aba %+.1f %%" % (name, 100 * (totals["approximate_aba"] / totals["c_aba"] - 1)))
    report.plot_bars("loops2_fig12", "[LOOPS2] Fig. 12: rotors exact and as armature", cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tenon", help="the program")
    parser.add_argument("out", help="folder for tables and plots")
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    report = Report(arguments.out)
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(arguments.tenon, folder)
        stems(counter, report, folder)
        chains(counter, report, folder)
        joints(counter, report, folder)
        humanoids(counter, report, folder)
        constrained_dynamics(counter, report)
        damped_inverse(counter, report)
        kinematic_loops(counter, report)
        loop_chains(counter, report)
        loop_locality(counter, report)
        loop_actuators(counter, report)
    with open(os.path.join(arguments.out, "counts.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, counter.records[0].keys())
        writer.writeheader()
        writer.writerows(counter.records)
    with open(os.path.join(arguments.out, "report.txt"), "w") as file:
        file.write("\n".join(report.lines) + "\n")


if __name__ == "__main__":
    main()
