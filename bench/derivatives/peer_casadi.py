"""Derivatives by CasADi: Jacobians of the plain program as SX graphs, run by its virtual machine, and as C that it writes,
compiled here. Constrained dynamics is the solution of the KKT system by its own solver `qr` (MX), run by the machine."""

import ctypes
import os
import subprocess
import time

import casadi
import numpy as np
from plain import Casadi, Program, inputs

VERSION = casadi.__version__
FLAGS = ["-O2", "-march=native", "-fPIC", "-shared"]
LIMIT = 240  # seconds for the compiler


class Peer:
    def __init__(self, problem, folder, compiler):
        self.problem, self.folder, self.compiler = problem, folder, compiler
        self.program, self.n = Program(problem.robot, Casadi(casadi)), problem.nv
        self.functions, self.made = {}, {}
        self.states = [(*inputs(problem, state), state) for state in problem.states]

    def symbols(self, kind):
        return [kind.sym(name, count) for name, count in
                (("q", self.n), ("x", self.n), ("v", self.n), ("last", self.n), ("down", 3))]  # fmt: skip

    def function(self, which):
        """[by q, by v, by a or tau] of (q, v, a or tau, down)."""
        if which not in self.functions:
            begin = time.perf_counter()
            if which == "constrained":
                self.functions[which] = self.constrained_function()
            else:
                q, x, v, last, down = self.symbols(casadi.SX)
                value = (self.program.rnea if which == "inverse" else self.program.aba)(q, x, v, last, down)
                zero = casadi.SX.zeros(self.n)
                parts = [casadi.substitute(casadi.densify(casadi.jacobian(value, by)), x, zero) for by in (x, v, last)]
                self.functions[which] = casadi.Function(which, [q, v, last, down], parts, {"cse": True})
            self.made[which] = time.perf_counter() - begin
        return self.functions[which]

    def constrained_function(self):
        q, x, v, a, down = self.symbols(casadi.SX)
        zero = casadi.SX.zeros(self.n)
        held = self.problem.case.held
        tau, rows = self.program.rnea(q, x, v, a, down), self.program.rows(held, q, x, v, a, down)
        parts = [casadi.jacobian(tau, a), casadi.substitute(tau, a, zero), casadi.jacobian(rows, a),
                 casadi.substitute(rows, a, zero)]  # fmt: skip
        terms = casadi.Function("terms", [q, x, v, down], parts)
        q, x, v, tau, down = self.symbols(casadi.MX)
        M, c, J, gamma = terms(q, x, v, down)
        m = gamma.shape[0]
        K = casadi.blockcat([[M, -J.T], [J, casadi.MX.zeros(m, m)]])
        qdd = casadi.solve(casadi.densify(K), casadi.vertcat(tau - c, -gamma), "qr")[: self.n]
        whole = casadi.Function("kkt", [q, x, v, tau, down], [casadi.jacobian(qdd, by) for by in (x, v, tau)])
        q, v, tau, down = (casadi.MX.sym(name, count) for name, count in (("q", self.n), ("v", self.n), ("tau", self.n), ("d", 3)))
        return casadi.Function("constrained", [q, v, tau, down], whole(q, casadi.MX.zeros(self.n), v, tau, down))

    def arguments(self, which, number):
        q, down, state = self.states[number]
        return q, state.v, state.a if which == "inverse" else state.tau, down

    def result(self, which, number):
        return [np.array(casadi.densify(M)) for M in self.function(which)(*self.arguments(which, number))]

    # ---- what is timed

    def by_machine(self, which):
        """A call of CasADi's virtual machine without conversions: buffers are filled before. And the state's numbers, to
        be kept for as long."""
        call = self.function(which)
        buffer, run = call.buffer()
        given = [np.array(x, dtype=float) for x in self.arguments(which, 0)]
        taken = [np.zeros(call.nnz_out(i)) for i in range(call.n_out())]
        for i, x in enumerate(given):
            buffer.set_arg(i, memoryview(x))
        for i, x in enumerate(taken):
            buffer.set_res(i, memoryview(x))
        return run, (buffer, given, taken)

    def by_compiler(self, which, timing, rounds):
        """Seconds of a call of the C that CasADi writes, from C, and those that writing and compiling took. None where
        compiling takes longer than LIMIT."""
        begin = time.perf_counter()
        call, name = self.function(which), f"{self.problem.case.name}_{which}"
        generator = casadi.CodeGenerator(name + ".c")
        generator.add(call)
        source, library = (os.path.join(self.folder, name + end) for end in (".c", ".so"))
        generator.generate(self.folder + os.sep)
        try:
            subprocess.run([self.compiler, *FLAGS, source, "-o", library, "-lm"], check=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None, LIMIT
        made, loaded = time.perf_counter() - begin, ctypes.CDLL(library)
        given = [[np.array(x, dtype=float) for x in self.arguments(which, i)] for i in range(len(self.states))]
        taken = [np.zeros(call.nnz_out(i)) for i in range(call.n_out())]
        sizes = [ctypes.c_longlong() for _ in range(4)]
        getattr(loaded, which + "_work")(*map(ctypes.byref, sizes))
        room_in, room_out, integers, doubles = (max(1, size.value) for size in sizes)
        inputs_ = np.zeros(len(given) * room_in, dtype=np.uintp)
        for i, parts in enumerate(given):
            inputs_[i * room_in : i * room_in + len(parts)] = [part.ctypes.data for part in parts]
        outputs = np.zeros(room_out, dtype=np.uintp)
        outputs[: len(taken)] = [part.ctypes.data for part in taken]
        integers, doubles = np.zeros(integers, dtype=np.int64), np.zeros(doubles)
        function = ctypes.cast(getattr(loaded, which), ctypes.c_void_p)
        seconds = timing.time_casadi(function, len(given), rounds, *(ctypes.c_void_p(x) if i != 1 else x for i, x in enumerate(
            (inputs_.ctypes.data, room_in, outputs.ctypes.data, integers.ctypes.data, doubles.ctypes.data))))  # fmt: skip
        whole = [np.array(casadi.densify(casadi.DM(call.sparsity_out(i), part))) for i, part in enumerate(taken)]
        wanted = self.result(which, len(given) - 1)
        if not all(np.allclose(x, y, rtol=1e-9, atol=1e-9 * np.abs(y).max()) for x, y in zip(whole, wanted)):
            raise RuntimeError(f"{name}: the compiled function and CasADi's machine disagree")
        return seconds, made
