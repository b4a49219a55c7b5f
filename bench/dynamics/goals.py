"""The goals of the benchmarks, each judged by the worst of its rows in one run."""

import math

import papers

NOT_HERE = "not measured by this script"


def robot_class(robot):
    """Which goal a robot falls under, or None."""
    if robot.startswith(("panda", "iiwa", "chain_", "spherical_chain_")):
        return "arms and chains"
    if robot.startswith(("solo12", "go1")):
        return "quadrupeds"
    if robot.startswith(("atlas", "talos")):
        return "humanoids"
    return "wide trees" if robot in ("binary_tree_93", "binary_tree_189") else None


def goal(what, required, measured=None, met=None, note=""):
    return {"what": what, "goal": required, "measured": measured, "met": met, "note": note}


def least(what, required, rows, name=lambda row: "%s %s" % (row["robot"], row["quantity"]), ratio="ratio"):
    """Rows have a ratio each, and the least of them must reach `required`."""
    if not rows:
        return goal(what, "at least %g times" % required, None, None, "no such rows in this run")
    worst, best = min(rows, key=lambda row: row[ratio]), max(rows, key=lambda row: row[ratio])
    reached = sum(row[ratio] >= required for row in rows)
    by_quantity = {}
    for row in rows:
        by_quantity[row["quantity"]] = min(row[ratio], by_quantity.get(row["quantity"], row[ratio]))
    return goal(what, "at least %g times" % required, round(worst[ratio], 2), worst[ratio] >= required,
                "%d of %d rows; least %.2f (%s), most %.2f (%s); least by quantity: %s" % (
                    reached, len(rows), worst[ratio], name(worst), best[ratio], name(best),
                    ", ".join("%s %.2f" % item for item in by_quantity.items())))


def most(what, required, rows):
    """(value, label) each, of which the largest must stay below `required`."""
    if not rows:
        return goal(what, "at most %g" % required, None, None, "no such rows in this run")
    (best, at_best), (worst, at_worst) = min(rows), max(rows)
    return goal(what, "at most %g" % required, float("%.3g" % worst), worst <= required,
                "%d of %d rows; least %.3g (%s), most %.3g (%s)" % (
                    sum(value <= required for value, _ in rows), len(rows), best, at_best, worst, at_worst))


# Of one state: what is asked of each class of robots, by groups of quantities. Rows "same: ..." are no goals: there both
# libraries do the same three iterations.
SINGLE = (
    (("constrained",), {"arms and chains": 2.5, "quadrupeds": 4, "humanoids": 3.3, "wide trees": 4.5}),
    (("delassus", "damped_inverse"), {"arms and chains": 2.5, "quadrupeds": 3.5, "humanoids": 3.5, "wide trees": 3.5}),
    (("crba",), {"arms and chains": 2.5, "quadrupeds": 4, "humanoids": 4, "wide trees": 6}),
    (("aba", "rnea"), {"arms and chains": 2.5, "quadrupeds": 5.5, "humanoids": 4, "wide trees": 6}),
)


def single_goals(rows):
    return [least("one state: %s, %s" % (" and ".join(quantities), robots), required,
                  [row for row in rows if row["quantity"] in quantities and robot_class(row["robot"]) == robots])
            for quantities, classes in SINGLE for robots, required in classes.items()]


def batch_goals(batches, wide):
    """wide: whether the batches were computed in AVX-512."""
    single = [row for row in batches if row["threads"] == 1]
    double = [row for row in single if row["precision"] == "double" and row["ratio"]]
    floats = [row for row in single if row["precision"] == "float" and row["ratio"]]
    isa = "AVX-512" if wide else "AVX2"
    goals = [least("many states, double, one core, %s" % isa, 14 if wide else 7, double),
             least("many states, single precision, one core, %s" % isa, 25 if wide else 13, floats)]
    for limit, label, chosen in ((1e-4, "up to 40 coordinates", [row for row in floats if row["n"] <= 40]),
                                 (1e-3, "beyond 40 coordinates", [row for row in floats if row["n"] > 40])):
        goals.append(most("many states, single precision, relative error, " + label, limit,
                          [(row["error"], "%s %s" % (row["robot"], row["quantity"])) for row in chosen]))
    missed = [row for row in floats if row["error"] > (1e-4 if row["n"] <= 40 else 1e-3) and row.get("rounding")]
    goals.append(most("the same, where missed: error over what the rounding of inputs to floats alone makes", 5,
                      [(row["error"] / row["rounding"], "%s %s" % (row["robot"], row["quantity"])) for row in missed]))
    panda = [row for row in single if row["robot"] == "panda_arm" and row["quantity"] == "aba"]
    best = {row["precision"]: 1e3 * row["us"] / 16 for row in panda}
    note = "one core's time over 16, extrapolated; MuJoCo Warp publishes about %d ns for its smooth stages" % \
        papers.MUJOCO_WARP_PANDA
    goals.append(goal("16 cores: forward dynamics of the Panda", "below 6 ns a state",
                      {k: round(v, 2) for k, v in best.items()} or None,
                      best["double"] < 6 if "double" in best else None, note))
    return goals


def loop_goals(loops, geared, cassie):
    def name(row):
        return "%s %s" % (row["robot"], row["quantity"])
    forward = [row for row in loops if row["quantity"] != "inverse_dynamics"]
    inverse = [row for row in loops if row["quantity"] == "inverse_dynamics"]
    theirs = "generalized_rbda" if any("peer_us" in row for row in loops) else "generalized_rbda's published times"
    goals = [least("loops: C-ABA and C-EFPA against " + theirs, 30, forward, name),
             least("loops: inverse dynamics against " + theirs, 30, inverse, name),
             most("exact geared robot against its armature approximation, times", 1.10,
                  [(row["ratio"], row["robot"]) for row in geared if row["ratio"]])]
    double = cassie.get("double")
    ratio = papers.KAMINO_WORLD_STEP / double if double else None
    goals.append(goal("batches of robots with loops: Cassie against Kamino's published world-step",
                      "at least 20 times fewer us a state and core", ratio and round(ratio, 1), ratio and ratio >= 20,
                      "" if not double else "%.2f us a state and step in doubles, one core; published %.1f us on a "
                      "whole GPU" % (double, papers.KAMINO_WORLD_STEP)))
    return goals


def creation_goals(creation):
    goals = []
    for robot, what, time, memory in (
            ("atlas_shadow_hands", "84 coordinates, 42 rows", 1e3, 0.5e6),
            ("chain_1000_welds", "1,000 links, 1,002 rows", 1e6, 100e6)):
        row = creation.get(robot)
        required = "below %g ms and %g MB" % (time / 1e3, memory / 1e6)
        if not row:
            goals.append(goal("creation of a workspace: " + what, required))
            continue
        goals.append(goal("creation of a workspace: " + what, required,
                          "%.3g ms, %.3g MB" % (row["us"] / 1e3, row["bytes"] / 1e6),
                          row["us"] < time and row["bytes"] < memory))
    return goals


def derivative_goals(matrices, products, batches, wide):
    """wide: whether the batches were computed in AVX-512, for which their goals are."""
    goals = [least("derivatives of %s, against the peer's" % of, required,
                   [row for row in matrices if row["quantity"] == quantity])
             for quantity, of, required in (("rnea_derivatives", "inverse dynamics", 4.5),
                                            ("aba_derivatives", "forward dynamics", 4),
                                            ("constrained_derivatives", "constrained dynamics", 4),
                                            ("impact_derivatives", "impacts", 4))]
    goals.append(least("regressors of inverse dynamics, against the peer's", 3,
                       [row for row in matrices if row["quantity"] == "rnea_regressor"]))
    for quantity, what, required in (("rnea_derivatives", "derivatives of inverse dynamics, in calls of it", 2.7),
                                     ("rnea_vjp", "their vjp, in calls of it", 3),
                                     ("aba_vjp", "vjp of forward dynamics, in calls of it", 3),
                                     ("constrained_vjp", "vjp of constrained dynamics, in calls of it", 3)):
        goals.append(most(what, required, [(row["calls"], row["robot"]) for row in products
                                           if row["quantity"] == quantity]))
    double = [row for row in batches if row["precision"] == "double" and row["ratio"]] if wide else []
    for quantities, what, required, most_n in (
            (("rnea_vjp", "aba_vjp", "constrained_vjp"), "vjp", 20, math.inf),
            (("rnea_derivatives",), "derivatives of inverse dynamics", 10, math.inf),
            (("aba_derivatives",), "derivatives of forward dynamics, up to 36 coordinates", 6, 36)):
        goals.append(least("many states, double, one core, AVX-512: %s, against the peer's matrices" % what, required,
                           [row for row in double if row["quantity"] in quantities and row["n"] <= most_n]))
    return goals


def growth_goals(growth):
    """On a chain, where the depth is n: matrices have n^2 numbers, products n + m."""
    exponents = next((row for row in growth if row["n"] is None and row["of"].startswith("chain")), {})
    return [most("exponents of derivatives in the coordinates of a chain: " + of, required,
                 [(exponents[name], name) for name in names if name in exponents])
            for of, names, required in (("matrices", ("inverse", "forward", "constrained"), 2.1),
                                        ("products", ("inverse vjp", "forward vjp", "constrained vjp"), 1.1))]


def all_goals(summary):
    return (single_goals(summary["rows"])
            + batch_goals(summary["batches"], summary["machine"]["isa"] == "avx512")
            + loop_goals(summary["loops"], summary["geared"], summary["cassie_rollout_us"])
            + derivative_goals(summary["derivatives"], summary["products"], summary["derivative_batches"],
                               summary["machine"]["isa"] == "avx512")
            + growth_goals(summary["growth"])
            + creation_goals(summary["creation"])
            + [goal("clean Release build, two cores; size of the stripped library", "below 190 s, below 9.5 MB",
                    NOT_HERE),
               goal("the shipped portable library against -march=native by the better compiler", "within 10 %",
                    NOT_HERE)])
