"""Derivatives by JAX: jax.jacfwd of the plain program in jax.numpy, in doubles, compiled by jax.jit, on one thread of the CPU."""

import os
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from plain import Jax, Program, inputs  # noqa: E402

jax.config.update("jax_enable_x64", True)
VERSION = jax.__version__


class Peer:
    def __init__(self, problem):
        self.problem, self.program, self.n = problem, Program(problem.robot, Jax(jnp)), problem.nv
        self.functions, self.made = {}, {}
        self.states = [(*inputs(problem, state), state) for state in problem.states]

    def plain(self, which):
        if which == "inverse":
            return self.program.rnea
        return self.program.aba if which == "forward" else self.constrained

    def constrained(self, q, x, v, tau, down):
        """The KKT system, solved by jnp.linalg.solve."""
        held, zero = self.problem.case.held, jnp.zeros(self.n)

        def force(a):
            return self.program.rnea(q, x, v, a, down)

        def rows(a):
            return self.program.rows(held, q, x, v, a, down)

        M, J, gamma = jax.jacfwd(force)(zero), jax.jacfwd(rows)(zero), rows(zero)
        K = jnp.block([[M, -J.T], [J, jnp.zeros((len(gamma), len(gamma)))]])
        return jnp.linalg.solve(K, jnp.concatenate([tau - force(zero), -gamma]))[: self.n]

    def function(self, which):
        """[by q, by v, by a or tau] of (q, v, a or tau, down), and the seconds that compiling took."""
        if which not in self.functions:
            value = self.plain(which)
            derivatives = jax.jacfwd(lambda x, v, last, q, down: value(q, x, v, last, down), argnums=(0, 1, 2))
            call = jax.jit(lambda q, v, last, down: derivatives(jnp.zeros(self.n), v, last, q, down))
            begin = time.perf_counter()
            self.functions[which] = call.lower(*self.arguments(which, 0)).compile()
            self.made[which] = time.perf_counter() - begin
        return self.functions[which]

    def many(self, which, count):
        """The same of many states in one call, and its arguments."""
        value = self.plain(which)
        derivatives = jax.jacfwd(lambda x, v, last, q, down: value(q, x, v, last, down), argnums=(0, 1, 2))
        call = jax.jit(jax.vmap(lambda q, v, last, down: derivatives(jnp.zeros(self.n), v, last, q, down)))
        chosen = [self.arguments(which, number % len(self.states)) for number in range(count)]
        return call, [jnp.stack(parts) for parts in zip(*chosen)]

    def arguments(self, which, number):
        q, down, state = self.states[number]
        return [jnp.asarray(x) for x in (q, state.v, state.a if which == "inverse" else state.tau, down)]

    def result(self, which, number):
        return [np.asarray(M) for M in self.function(which)(*self.arguments(which, number))]
