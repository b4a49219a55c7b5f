"""Measures errors and times of derivatives by Tenon and its peers on one case. Run by table.py, a process for each part, so
that no peer's threads or memory are in another's way:

    measure.py CASE PART OUT.json [--folder FOLDER] [--compiler CC] [--quick]

PART is tenon, pinocchio, casadi, jax or mujoco. Times: microseconds, least of many passes over the states; of this thread's
processor, of JAX by the clock, since it computes in threads of its own.
"""

import argparse
import ctypes
import json
import os
import subprocess
import time

import judge
import numpy as np
from cases import STATES, Problem, case_named

QUANTITIES = ("inverse", "forward", "constrained")
SETTINGS = [(1e-14, mu, iterations) for mu in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10) for iterations in (1, 2, 3, 5, 10, 20)]
MANY = 256


def least(call, seconds, clock=time.thread_time):
    """Microseconds of call(number), which is called for all states in turn."""
    best, until, calls = float("inf"), time.perf_counter() + seconds, 1
    while time.perf_counter() < until:
        begin = clock()
        for number in range(calls):
            call(number)
        taken = clock() - begin
        if taken < 1e-3:
            calls *= 2
        else:
            best = min(best, taken / calls)
    return best * 1e6


def worst(all_errors):
    """Of each matrix, over the states."""
    return [max(errors) for errors in zip(*all_errors)]


def middle(all_errors):
    return [float(np.median(errors)) for errors in zip(*all_errors)]


def errors(found, exact):
    return [judge.error(x, y) for x, y in zip(found, exact)]


class Exact:
    """The judge's answers."""

    def __init__(self, problem, base="body", judged=None, seen_by_link=True):
        self.problem, self.base, self.rows = problem, base, problem.rows(seen_by_link)
        self.judged = judged or (lambda state: (state.q, state.v, state.a, state.tau))
        self.moved = {}  # rows of each state

    def of(self, which, state):
        """Derivatives by q, by v, by a or tau, and of constrained dynamics those of f = J^T lambda."""
        q, v, a, tau = self.judged(state)
        if which == "inverse":
            return judge.inverse_dynamics(self.problem.robot, q, v, a, self.base)[1:]
        if which == "forward":
            return judge.forward_dynamics(self.problem.robot, q, v, tau, self.base)[1:]
        found = judge.constrained_dynamics(self.problem.robot, q, v, tau, self.rows, self.base)
        return found[1:4], found[5:]

    def of_forces(self, state, multiplier, changes):
        if id(state) not in self.moved:
            self.moved[id(state)] = judge.moved_rows(self.problem.robot, state.q, state.v, self.rows)
        return judge.force_changes(self.moved[id(state)], multiplier, changes)


def quantities(problem):
    return QUANTITIES if not problem.case.loops and problem.case.name != "atlas_soles" else ("constrained",)


def timing_library(folder, compiler):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
    path, tenon = os.path.join(folder, "libtiming.so"), os.environ["TENON_LIBRARY"]
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-I", os.path.join(root, "include"),
                    os.path.join(root, "bench/derivatives/timing.c"), "-o", path, tenon], check=True)  # fmt: skip
    library = ctypes.CDLL(path)
    library.time_tenon.restype = library.time_casadi.restype = ctypes.c_double
    return library


def row(library, which, found, us, **more):
    return {"library": library, "quantity": which, "errors": found, "us": us, **more}


def tenon_rows(problem, options):
    exact, rows = Exact(problem), []
    timing = timing_library(options.folder, options.compiler)
    states, n, m = problem.states, problem.nv, problem.work.m
    q, v, a, tau = (np.array([getattr(state, name) for state in states]) for name in ("q", "v", "a", "tau"))
    out = np.zeros(3 * (n + m) * n + n + m)
    pointer = lambda x: ctypes.c_void_p(x.ctypes.data)  # noqa: E731

    def us(which, last):
        work = problem.free if which < 2 else problem.work
        seconds = timing.time_tenon(ctypes.c_void_p(work._address), which, len(states), options.rounds, pointer(q),
                                    ctypes.c_size_t(q.shape[1]), pointer(v), pointer(last), ctypes.c_size_t(n),
                                    ctypes.c_size_t(m), pointer(out))  # fmt: skip
        return seconds * 1e6

    for which in quantities(problem):
        if which == "constrained":
            found = [problem.constrained(state) for state in states]
            judged = [exact.of(which, state) for state in states]
            by_force = worst(errors(exact.of_forces(state, one[1], one[2]), both[1])
                             for state, one, both in zip(states, found, judged))  # fmt: skip
            by = [errors(one[0], both[0]) for one, both in zip(found, judged)]
            rows.append(row("Tenon", which, worst(by), us(2, tau), middle=middle(by), forces=by_force, us_solution=us(3, tau), largest=max(np.abs(one[2][0]).max() for one in found)))
            continue
        found = worst(errors(getattr(problem, which)(state), exact.of(which, state)) for state in states)
        rows.append(row("Tenon", which, found, us(0 if which == "inverse" else 1, a if which == "inverse" else tau)))
        rows.append(row("Tenon, many states", which, found, many_of_tenon(problem, which)))
    return rows


def many_of_tenon(problem, which):
    import tenon

    batch = tenon.Batch(problem.model, threads=1)
    chosen = [problem.states[number % len(problem.states)] for number in range(MANY)]
    last = "a" if which == "inverse" else "tau"
    given = [np.array([getattr(state, name) for state in chosen]) for name in ("q", "v", last)]
    call = getattr(batch, which + "_dynamics_derivatives")
    outputs = call(*given)
    names = ("dtau_dq", "dtau_dv", "dtau_da") if which == "inverse" else ("dqdd_dq", "dqdd_dv", "dqdd_dtau")
    taken = dict(zip(("out", *names), outputs))
    return least(lambda _: call(*given, **taken), 1.0) / MANY


def pinocchio_rows(problem, options):
    import peer_pinocchio

    peer, exact, rows = peer_pinocchio.Peer(problem), Exact(problem, seen_by_link=False), []
    states, count = problem.states, len(problem.states)
    for which in quantities(problem):
        if which != "constrained":
            found = worst(errors(getattr(peer, which)(i), exact.of(which, state)) for i, state in enumerate(states))
            call = getattr(peer, "call_" + which)
            rows.append(row("pin", which, found, least(lambda i: call(peer.states[i % count]), options.seconds)))
            continue
        judged, tried = [exact.of(which, state) for state in states], []
        for settings in SETTINGS:
            by_state = []
            for i, (state, both) in enumerate(zip(states, judged)):
                by, multiplier, changes = peer.constrained(i, settings)
                by_state.append((errors(by, both[0]), errors(exact.of_forces(state, multiplier, changes), both[1]),
                                 float(np.abs(changes[0]).max())))  # fmt: skip
            tried.append((settings, by_state))

        def score(by_state):
            """Mean of the logarithms of all errors."""
            return np.mean([np.log10(np.clip(one[0], 1e-16, 1e99)) for one in by_state])

        # Of those that are as exact as any but for rounding, the one with the fewest iterations; else the best.
        exact_enough = [one for one in tried if max(worst(state[0] for state in one[1])) <= 1e-11]
        settings, by_state = min(exact_enough or tried,
                                 key=lambda one: (one[0][2] if exact_enough else 0, score(one[1])))  # fmt: skip
        each = [min((tries[1][i] for tries in tried), key=lambda one: score([one])) for i in range(count)]
        for name, chosen in (("pin", by_state), ("pin, the best settings of each state", each)):
            us = least(lambda i: peer.call_constrained(peer.states[i % count], settings), options.seconds)
            rows.append(row(name, which, worst(one[0] for one in chosen), us if name == "pin" else None,
                            middle=middle(one[0] for one in chosen), forces=worst(one[1] for one in chosen), largest=max(one[2] for one in chosen),
                            settings=settings[1:] if name == "pin" else None))  # fmt: skip
    return rows


def casadi_rows(problem, options):
    import peer_casadi

    peer, exact, rows = peer_casadi.Peer(problem, options.folder, options.compiler), Exact(problem), []
    timing = timing_library(options.folder, options.compiler)
    for which in QUANTITIES:
        judged = [exact.of(which, state) for state in problem.states]
        judged = [one[0] for one in judged] if which == "constrained" else judged
        found = worst(errors(peer.result(which, i), both) for i, both in enumerate(judged))
        run, kept = peer.by_machine(which)
        rows.append(row("CasADi, its machine", which, found, least(lambda _: run(), options.seconds), made=peer.made[which]))
        del kept
        if which == "constrained":
            continue  # compiling its solver takes minutes, for a third of the time
        seconds, made = peer.by_compiler(which, timing, options.rounds)
        how = {"late": f"not compiled in {made} s"} if seconds is None else {"made": peer.made[which] + made}
        rows.append(row("CasADi, compiled C", which, found, seconds and seconds * 1e6, **how))
    return rows


def jax_rows(problem, options):
    import jax
    import peer_jax

    peer, exact, rows = peer_jax.Peer(problem), Exact(problem), []
    count = len(problem.states)
    for which in QUANTITIES:
        judged = [exact.of(which, state) for state in problem.states]
        judged = [one[0] for one in judged] if which == "constrained" else judged
        found = worst(errors(peer.result(which, i), both) for i, both in enumerate(judged))
        call, given = peer.function(which), [peer.arguments(which, i) for i in range(count)]
        us = least(lambda i: jax.block_until_ready(call(*given[i % count])), options.seconds, time.perf_counter)
        rows.append(row("JAX", which, found, us, made=peer.made[which]))
        if which == "constrained" or options.quick:
            continue
        begin = time.perf_counter()
        many, stacked = peer.many(which, MANY)
        many = many.lower(*stacked).compile()
        made = time.perf_counter() - begin
        us = least(lambda _: jax.block_until_ready(many(*stacked)), 3 * options.seconds, time.perf_counter) / MANY
        rows.append(row("JAX, many states", which, found, us, made=made))
    nothing = jax.jit(lambda q, v, last, down: (q, v, last)).lower(*given[0]).compile()
    rows.append(row("JAX, a call that computes nothing", "call", [],
                    least(lambda _: jax.block_until_ready(nothing(*given[0])), options.seconds, time.perf_counter)))
    return rows


def mujoco_rows(problem, options):
    import peer_mujoco

    peer = peer_mujoco.Peer(problem)
    exact, rows = Exact(problem, "world", peer.judged), []
    for which in ("inverse", "forward"):
        judged = [exact.of(which, state) for state in problem.states]
        tried = {}
        for step in peer_mujoco.STEPS:
            tried[step] = worst(errors(getattr(peer, which)(state, step), both) for state, both in zip(problem.states, judged))
        step = min(tried, key=lambda one: max(tried[one]))
        call = getattr(peer, "call_" + which)
        rows.append(row("MuJoCo", which, tried[step], least(lambda _: call(step), options.seconds), step=step))
    return rows


PARTS = {"tenon": tenon_rows, "pinocchio": pinocchio_rows, "casadi": casadi_rows, "jax": jax_rows, "mujoco": mujoco_rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("case")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("out")
    parser.add_argument("--folder", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.seconds, options.rounds = (0.1, 10) if options.quick else (1.0, 1000)
    problem = Problem(case_named(options.case), 2 if options.quick else STATES)
    rows = PARTS[options.part](problem, options)
    for one in rows:
        one.update(case=options.case, n=problem.nv, m=sum(h.rows for h in problem.case.held) + 3 * len(problem.robot.loops))
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
