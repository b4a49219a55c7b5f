"""Second derivatives in `tenon.torch` and `tenon.jax`, in all ways that these libraries differentiate twice, against differences.

    python3 learning_second_test.py <torch or jax> <libtenon.so> <models>
"""

import itertools
import unittest.mock

import numpy as np
from learning_scenes import DT, FUNCTIONS, JaxCase, TorchCase, arrays_of_rollout, moving, numbers, run, state, tenon

DYNAMICS = (*FUNCTIONS, "constrained_dynamics")


def arrays_of(batch, function):
    """Of the same two states for which `held` has anchors; q is normalized by who calls."""
    q, v, x, _ = state(batch, 2)
    if function != "constrained_dynamics" or batch.m == 0:
        return [q, v, x]
    return [arrays_of_rollout(batch, 2)[0], v, x, np.random.default_rng(4).normal(size=(2, batch.m))]


def floating_and_held(several):
    """With a point of its last link held away from where it is: without that nothing depends on where a robot floats."""
    constraints = tenon.Constraints(several.model)
    constraints.add_point("d", frequency=3.0)
    batch = tenon.Batch(several.model, constraints)
    batch.set_anchor(0, [0.3, -0.2, 0.5, 0, 0, 0, 1])
    return batch


def robots_and_functions(self, but=None):
    robots = (self.arm, self.several, self.held)
    pairs = [(batch, name) for batch, name in itertools.product(robots, DYNAMICS) if batch is not but]
    return [*pairs, (floating_and_held(self.several), "constrained_dynamics")]


class Torch(TorchCase):
    robots_and_functions = robots_and_functions

    def unit(self, q):
        unit = self.torch.nn.functional.normalize(q[..., 3:7], dim=-1)  # of the batch `several`
        return self.torch.cat((q[..., :3], unit, q[..., 7:]), -1)

    def function(self, batch, name, normalizes=True, **more):
        def f(q, v, x, *desired):
            q = self.unit(q) if batch.nq > 7 and normalizes else q
            given = {"desired": desired[0], **more} if desired else more
            results = getattr(tenon.torch, name)(batch, q, v, x, **given)
            return tuple(y for y in results if y.shape[-1]) if isinstance(results, tuple) else results

        return f

    def test_they_are_those_of_differences(self):
        check = self.torch.autograd.gradgradcheck
        for batch, name in self.robots_and_functions():
            inputs = self.tensors(arrays_of(batch, name))
            # By q, v and x, and by the gradients: reverse over reverse, and forward over reverse.
            good = check(self.function(batch, name), inputs, check_fwd_over_rev=True, atol=1e-5, rtol=1e-5)
            self.assertTrue(good, f"{batch} {name}")

    def test_they_count_what_is_constant(self):
        check = self.torch.autograd.gradgradcheck
        q, v, x, _ = state(self.arm, 2)
        for name in DYNAMICS:
            f = self.call(self.arm, name)
            *own, _ = numbers(self.arm, 2)
            for fixed in ([*own, numbers(self.arm)[-1]], numbers(self.arm)):

                def g(q, v, x, f=f, fixed=fixed):
                    y = f(q, v, x, *self.tensors(fixed, grad=False))
                    return y[0] if isinstance(y, tuple) else y

                self.assertTrue(check(g, self.tensors([q, moving(v), x]), check_fwd_over_rev=True, atol=1e-5, rtol=1e-5), name)

    def test_all_ways_give_one_hessian(self):
        func = self.torch.func
        ways = [lambda f, a=a, b=b: a(b(f)) for a, b in itertools.product((func.jacfwd, func.jacrev), repeat=2)]
        for batch, name in self.robots_and_functions(self.held):
            q, v, x, *_ = self.tensors(arrays_of(batch, name), grad=False)
            q = self.unit(q) if batch.nq > 7 else q
            sizes = [batch.nq, batch.nv, batch.nv]

            def loss(y, normalizes=True, batch=batch, name=name, sizes=sizes):
                found = self.function(batch, name, normalizes)(*y.split(sizes, -1))
                found = found[0] if isinstance(found, tuple) else found
                return found.sin().sum()

            at = self.torch.cat((q, v, x), -1)
            wanted = func.hessian(loss)(at)
            scale = float(wanted.abs().max())
            for way in ways:
                # Those by numbers of q are of what is normalized, whether the user does so or not.
                found = way(lambda y: loss(y, False))(at)
                np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-9, atol=1e-9 * scale)
            square = wanted.reshape(at.numel(), -1)
            np.testing.assert_allclose(square.numpy(), square.T.numpy(), rtol=1e-9, atol=1e-10 * scale)

    def test_a_penalty_on_a_gradient_is_learned_from(self):
        torch = self.torch
        q, v, x = self.tensors(arrays_of(self.arm, "forward_dynamics"))

        def penalty(q):
            y = tenon.torch.forward_dynamics(self.arm, q, v, x)
            return torch.autograd.grad(y.sum(), v, create_graph=True)[0].square().sum()

        penalty(q).backward()
        along, size = torch.from_numpy(np.random.default_rng(2).normal(size=q.shape)), 1e-6
        both = [float(penalty(q.detach() + s * along)) for s in (size, -size)]
        self.assertAlmostEqual(float((q.grad * along).sum()), (both[0] - both[1]) / (2 * size), delta=1e-6 * (1 + abs(both[0])))
        # What nothing depends on gets no gradient, and what is not wanted is not computed.
        self.assertEqual(x.grad is None, False)
        first = torch.autograd.grad(tenon.torch.inverse_dynamics(self.arm, q, v, x).sum(), x, create_graph=True)[0]
        with unittest.mock.patch.object(tenon.Batch, "inverse_dynamics_vjp", side_effect=RuntimeError("not wanted")):
            first.sum().backward()

    def test_what_is_refused(self):
        torch, arm = self.torch, self.arm
        q, v, x, _ = state(arm, 2)
        has = tenon.torch.parameters_of(arm)

        def penalty(of, **more):
            tensors = dict(zip("qvx", self.tensors([q, v, x])), **more)
            parameters = tenon.torch.Parameters(inertias=tensors.get("inertias"))
            y = tenon.torch.forward_dynamics(
                arm, tensors["q"], tensors["v"], tensors["x"], tensors.get("wrenches"), parameters=parameters
            )
            return torch.autograd.grad(y.sum(), tensors[of], create_graph=True)[0].square().sum()

        inertias = has.inertias.clone().requires_grad_()
        wrenches = torch.zeros(6 * arm.model.link_count, dtype=torch.float64, requires_grad=True)
        for of, more, text in (
            ("inertias", {"inertias": inertias}, "parameters.inertias"),
            ("q", {"inertias": inertias}, "parameters.inertias"),
            ("v", {"wrenches": wrenches}, "wrenches"),
        ):
            wanted = f"second derivatives of forward_dynamics by {text} are not there, only by q, v, tau; hold it constant"
            with self.assertRaisesRegex(NotImplementedError, wanted):
                penalty(of, **more).backward()
        loops = (("centroidal", (q, v)), ("rollout", (q, v, x[:, None], DT)), ("link_motion", (q, [3], v)))
        for name, (of_q, *rest) in loops:
            (at,) = self.tensors([of_q])
            given = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in rest]
            found = getattr(tenon.torch, name)(arm, at, *given)[0].square().sum()
            (first,) = torch.autograd.grad(found, at, create_graph=True)
            with self.assertRaisesRegex(NotImplementedError, f"second derivatives of {name} are not there, only of inverse_dyn"):
                first.square().sum().backward()
        f = lambda q: tenon.torch.inverse_dynamics(arm, q, *map(torch.from_numpy, (v, x))).sum()  # noqa: E731
        with self.assertRaisesRegex(NotImplementedError, "third derivatives"):
            torch.func.jacrev(torch.func.hessian(f))(torch.from_numpy(q))

    def test_floats(self):
        single = tenon.Batch(self.arm.model, precision="float")
        arrays = arrays_of(self.arm, "forward_dynamics")
        found = []
        for batch, kind in ((self.arm, self.torch.float64), (single, self.torch.float32)):
            q, v, x = (t.detach().to(kind).requires_grad_() for t in self.tensors(arrays))
            (first,) = self.torch.autograd.grad(tenon.torch.forward_dynamics(batch, q, v, x).sum(), q, create_graph=True)
            found.append(self.torch.autograd.grad(first.sum(), (q, v)))
        for one, other in zip(*found):
            self.assertEqual(other.dtype, self.torch.float32)
            np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-3, atol=1e-4 * float(one.abs().max()))


class Jax(JaxCase):
    robots_and_functions = robots_and_functions

    def unit(self, q):
        np_ = self.jax.numpy
        unit = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
        return np_.concatenate((q[..., :3], unit, q[..., 7:]), -1)

    def function(self, batch, name, normalizes=True):
        def f(q, v, x, *desired):
            q = self.unit(q) if batch.nq > 7 and normalizes else q
            return getattr(tenon.jax, name)(batch, q, v, x, **({"desired": desired[0]} if desired else {}))

        return f

    def test_they_are_those_of_differences(self):
        from jax.test_util import check_grads

        for batch, name in self.robots_and_functions():
            f, arrays = self.function(batch, name), arrays_of(batch, name)
            # Forward and reverse over forward and reverse.
            check_grads(self.jax.jit(f) if batch is self.several else f, arrays, order=2, eps=1e-5, atol=1e-4, rtol=1e-4)

    def test_all_ways_give_one_hessian(self):
        jax = self.jax
        ways = [lambda f, a=a, b=b: a(b(f)) for a, b in itertools.product((jax.jacfwd, jax.jacrev), repeat=2)]
        ways.append(lambda f: jax.jit(jax.hessian(f)))
        for batch, name in self.robots_and_functions(self.held):
            q, v, x, *_ = arrays_of(batch, name)
            q = self.normalized(q) if batch.nq > 7 else q
            ends = [batch.nq, batch.nq + batch.nv]

            def loss(y, normalizes=True, batch=batch, name=name, ends=ends):
                found = self.function(batch, name, normalizes)(*jax.numpy.split(y, ends, -1))
                return jax.numpy.sin(jax.tree.leaves(found)[0]).sum()

            at = np.concatenate((q, v, x), -1)
            wanted = np.asarray(jax.hessian(loss)(at))
            scale = np.abs(wanted).max()
            for way in ways:
                found = way(lambda y: loss(y, False))(at)
                np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * scale)
            square = wanted.reshape(at.size, -1)
            np.testing.assert_allclose(square, square.T, rtol=1e-9, atol=1e-10 * scale)

    def test_products_with_hessians_are_changes_of_gradients(self):
        jax, batch = self.jax, self.several
        q, v, x, d = state(batch, 70)
        dq = np.random.default_rng(1).normal(size=q.shape)

        def loss(q, v, x):
            return jax.numpy.sin(self.function(batch, "forward_dynamics")(q, v, x)).sum()

        gradient = jax.grad(loss, argnums=(0, 1))

        def hvp(q, v, x, dq, d):
            return jax.jvp(lambda q, v: gradient(q, v, x), (q, v), (dq, d))[1]

        one = jax.jit(hvp)(q, v, x, dq, d)
        each = jax.jit(jax.vmap(hvp))(q, v, x, dq, d)
        both = [gradient(q + s * dq, v + s * d, x) for s in (1e-6, -1e-6)]
        for found, mapped, more, less in zip(one, each, *both):
            scale = float(np.abs(found).max())
            np.testing.assert_allclose(mapped, found, rtol=1e-12, atol=1e-12 * scale)
            np.testing.assert_allclose(found, (np.asarray(more) - np.asarray(less)) / 2e-6, rtol=1e-5, atol=1e-6 * scale)

    def test_they_count_what_is_constant(self):
        jax, batch = self.jax, self.arm
        q, v, x, d = state(batch, 2)
        for own in ((2,), ()):
            *has, _ = numbers(batch, *own)
            fixed = [*has, numbers(batch)[-1]]
            f = self.loss(batch, "forward_dynamics")
            g = jax.jit(jax.grad(lambda q, f=f, fixed=fixed: f(q, moving(v), x, *fixed)))
            found = jax.jvp(g, (q,), (d,))[1]
            wanted = (np.asarray(g(q + 1e-6 * d)) - np.asarray(g(q - 1e-6 * d))) / 2e-6
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())

    def test_what_is_refused(self):
        jax, arm = self.jax, self.arm
        q, v, x, d = state(arm, 2)
        has = tenon.jax.parameters_of(arm)

        def f(q, inertias):
            parameters = tenon.jax.Parameters(inertias=inertias)
            return (tenon.jax.forward_dynamics(arm, q, v, x, parameters=parameters) ** 2).sum()

        text = "second derivatives of forward_dynamics by parameters.inertias are not there, only by q, v, tau; hold it constant"
        for of, by in itertools.product((0, 1), repeat=2):
            if of + by:
                with self.assertRaisesRegex(NotImplementedError, text):
                    jax.jacrev(jax.grad(f, argnums=of), argnums=by)(q, has.inertias)
        for name, g in (
            ("centroidal", lambda q: tenon.jax.centroidal(arm, q, v).momenta),
            ("rollout", lambda q: tenon.jax.rollout(arm, q, v, x[:, None], DT)[1]),
            ("link_motion", lambda q: tenon.jax.link_motion(arm, q, [3], v)[0]),
        ):
            with self.assertRaisesRegex(NotImplementedError, f"second derivatives of {name} are not there, only of inverse_dyn"):
                jax.hessian(lambda q, g=g: (g(q) ** 2).sum())(q)
            # Gradients are linear in what they start from: that has all derivatives.
            weight = np.random.default_rng(1).normal(size=np.shape(g(q)))
            back = lambda w, g=g: jax.vjp(g, q)[1](w)[0]  # noqa: E731
            found, linear = jax.jvp(back, (weight,), (2 * weight,))
            np.testing.assert_allclose(linear, 2 * found, rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(NotImplementedError, "third derivatives"):
            jax.jacrev(jax.hessian(lambda q: tenon.jax.inverse_dynamics(arm, q, v, x).sum()))(q)


if __name__ == "__main__":
    run(globals())
