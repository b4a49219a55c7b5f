"""Forward mode, constrained dynamics, kinematics, motion of links and threads in `tenon.torch` and `tenon.jax`.

    python3 learning_modes_test.py <torch or jax> <libtenon.so> <models>
"""

import threading
import unittest.mock

import numpy as np
from learning_scenes import (
    DT,
    EVERY,
    FUNCTIONS,
    INTEGRATORS,
    STEPS,
    JaxCase,
    TorchCase,
    arrays_of_rollout,
    numbers,
    run,
    state,
    tenon,
)


class Torch(TorchCase):
    def test_forward_mode_is_that_of_differences(self):
        torch, check = self.torch, self.torch.autograd.gradcheck
        for batch in (self.arm, self.several, self.held):
            for integrator in INTEGRATORS:
                *inputs, stiffness, damping, q_target, v_target = self.tensors(arrays_of_rollout(batch, 2))

                def f(q, v, tau, stiffness, damping, q_target, v_target, batch=batch, integrator=integrator):
                    if batch is self.several:
                        unit = torch.nn.functional.normalize(q[..., 3:7], dim=-1)
                        q = torch.cat((q[..., :3], unit, q[..., 7:]), -1)
                        stiffness = torch.cat((torch.zeros_like(stiffness[..., :9]), stiffness[..., 9:]), -1)
                    gains = (stiffness, damping, q_target, v_target)
                    return tenon.torch.rollout(batch, q, v, tau, DT, EVERY, None, *gains, integrator=integrator)

                inputs += [stiffness, damping, q_target, v_target]
                self.assertTrue(check(f, inputs, check_forward_ad=True, atol=1e-6, rtol=1e-5), f"{batch} {integrator}")
        # Fixed parameters and wrenches count.
        q, v, x, _ = state(self.arm, 2)
        fixed = self.tensors(numbers(self.arm), grad=False)
        f = self.call(self.arm, "forward_dynamics")
        self.assertTrue(check(lambda *a: f(*a, *fixed), self.tensors([q, v, x]), check_forward_ad=True, atol=1e-6))
        for name, at in (("parameters.inertias", 0), ("wrenches", 5)):
            with self.assertRaisesRegex(NotImplementedError, f"forward mode by {name} is not there; use reverse mode"):
                g = lambda y, at=at: f(*map(torch.from_numpy, (q, v, x)), *fixed[:at], y, *fixed[at + 1 :])  # noqa: E731
                torch.func.jvp(g, (fixed[at],), (fixed[at],))

    def test_constrained_dynamics(self):
        torch, check, held = self.torch, self.torch.autograd.gradcheck, self.held
        q, v, tau, *_ = arrays_of_rollout(held, 2)
        desired = np.random.default_rng(4).normal(size=(2, held.m))
        qdd, force = tenon.torch.constrained_dynamics(held, *self.tensors([q, v, tau[:, 0]]))
        for found, wanted in zip((qdd, force), held.constrained_dynamics(q, v, tau[:, 0])):
            np.testing.assert_array_equal(found.detach().numpy(), wanted)

        def f(q, v, tau, desired):
            return tenon.torch.constrained_dynamics(held, q, v, tau, desired=desired)

        inputs = self.tensors([q, v, tau[:, 0], desired])
        self.assertTrue(check(f, inputs, check_forward_ad=True, atol=1e-5, rtol=1e-5))
        mapped = torch.func.vmap(f)(*inputs)
        np.testing.assert_array_equal(mapped[1].detach().numpy(), f(*inputs)[1].detach().numpy())
        free, none = tenon.torch.constrained_dynamics(self.arm, *self.tensors([q, v, tau[:, 0]]))
        self.assertEqual((free.shape, none.shape), ((2, 7), (2, 0)))
        free.sum().backward()

    def test_kinematics(self):
        torch, check = self.torch, self.torch.autograd.gradcheck
        for batch, links in ((self.arm, ["iiwa_link_7", 3]), (self.several, ["d", "a", "c", "d"])):
            q, v, _, _ = state(batch, 2)
            for axes in ("world", "link"):

                def f(q, v, batch=batch, links=links, axes=axes):
                    if batch is self.several:
                        unit = torch.nn.functional.normalize(q[..., 3:7], dim=-1)
                        q = torch.cat((q[..., :3], unit, q[..., 7:]), -1)
                    return tenon.torch.kinematics(batch, q, links, v, axes)

                inputs = self.tensors([q, v])
                self.assertTrue(check(f, inputs, check_forward_ad=True, atol=1e-6), f"{batch} {axes}")
                self.assertTrue(check(lambda q: f(q, None)[0], inputs[:1], check_forward_ad=True, atol=1e-6))  # noqa: B023
                found, unit = f(*inputs), self.normalized(q) if batch is self.several else q
                wanted = batch.kinematics(unit, links, v, axes, jacobians=False)
                for one, other in zip(found, wanted):
                    np.testing.assert_allclose(one.detach().numpy(), other, rtol=1e-12, atol=1e-12)
                for one, other in zip(torch.func.vmap(f)(*inputs), found):
                    np.testing.assert_array_equal(one.detach().numpy(), other.detach().numpy())
        self.assertIsNone(tenon.torch.kinematics(self.arm, torch.zeros(7, dtype=torch.float64), [7])[1])
        with self.assertRaisesRegex(tenon.Error, "hand"):
            tenon.torch.kinematics(self.arm, torch.zeros(7, dtype=torch.float64), ["hand"])
        with self.assertRaisesRegex(ValueError, r"q is \(6,\); 7 numbers are needed"):
            tenon.torch.kinematics(self.arm, torch.zeros(6, dtype=torch.float64), [7])

    def test_link_motion(self):
        torch, check = self.torch, self.torch.autograd.gradcheck
        for batch, links in ((self.arm, ["iiwa_link_7", 3]), (self.several, ["d", "a", "d"])):
            q, v, a, _ = state(batch, 2)
            for axes in ("world", "link"):

                def f(q, v, a, batch=batch, links=links, axes=axes):
                    if batch is self.several:
                        unit = torch.nn.functional.normalize(q[..., 3:7], dim=-1)
                        q = torch.cat((q[..., :3], unit, q[..., 7:]), -1)
                    return tenon.torch.link_motion(batch, q, links, v, a, axes)

                inputs = self.tensors([q, v, a])
                self.assertTrue(check(f, inputs, check_forward_ad=True, atol=1e-6), f"{batch} {axes}")
                self.assertTrue(check(lambda q, v: f(q, v, None)[2], inputs[:2], check_forward_ad=True, atol=1e-6))  # noqa: B023
                found, unit = f(*inputs), self.normalized(q) if batch is self.several else q
                wanted = batch.link_motion(unit, links, v, a, axes, jacobians=False)
                for one, other in zip(found, wanted):
                    np.testing.assert_allclose(one.detach().numpy(), other, rtol=1e-12, atol=1e-12)
                for one, other in zip(torch.func.vmap(f)(*inputs), found):
                    np.testing.assert_array_equal(one.detach().numpy(), other.detach().numpy())
                bias = batch.link_motion(unit, links, v, axes=axes).accelerations
                np.testing.assert_allclose(f(*inputs[:2], None)[2].detach().numpy(), bias, rtol=1e-12, atol=1e-12)

    def test_centroidal(self):
        torch, check = self.torch, self.torch.autograd.gradcheck
        for batch in (self.arm, self.several):
            q, v, _, _ = state(batch, 2)

            def f(q, v, batch=batch):
                if batch is self.several:
                    unit = torch.nn.functional.normalize(q[..., 3:7], dim=-1)
                    q = torch.cat((q[..., :3], unit, q[..., 7:]), -1)
                return tuple(x for x in tenon.torch.centroidal(batch, q, v) if x is not None)

            inputs = self.tensors([q, v])
            self.assertTrue(check(f, inputs, check_forward_ad=True, atol=1e-6), f"{batch}")
            self.assertTrue(check(lambda q: f(q, None), inputs[:1], check_forward_ad=True, atol=1e-6))  # noqa: B023
            found, unit = f(*inputs), self.normalized(q) if batch is self.several else q
            self.assertEqual([x.shape for x in found], [(2, 3), (2, 3), (2, 6), (2,), (2,)])
            for one, other in zip(found, batch.centroidal(unit, v)):
                np.testing.assert_allclose(one.detach().numpy(), other, rtol=1e-12, atol=1e-12)
            for one, other in zip(torch.func.vmap(f)(*inputs), found):
                np.testing.assert_array_equal(one.detach().numpy(), other.detach().numpy())
        still = tenon.torch.centroidal(self.arm, torch.zeros(7, dtype=torch.float64))
        self.assertEqual((still.centers.shape, still.momenta, still.potential.shape), ((3,), None, ()))

    def test_integrators(self):
        arrays = arrays_of_rollout(self.held, 2)[:3]
        for integrator in INTEGRATORS:
            found = tenon.torch.rollout(self.held, *self.tensors(arrays, grad=False), DT, EVERY, integrator=integrator)
            other = tenon.torch.rollout(self.held, *self.tensors(arrays, grad=False), DT, EVERY, integrator=tenon.Integrator[integrator.upper()])
            wanted = self.held.rollout(*arrays, dt=DT, steps=STEPS, every=EVERY, integrator=integrator)
            for at in range(2):
                np.testing.assert_array_equal(found[at], wanted[at])
                np.testing.assert_array_equal(other[at], wanted[at])

    def test_threads(self):
        torch, batch, found = self.torch, self.arm, {}
        q, v, x, _ = state(batch, 40)
        has = [self.tensors(numbers(batch, seed=seed)) for seed in range(4)]

        def work(at):
            for _ in range(20):
                y = self.call(batch, "forward_dynamics")(*self.tensors([q, v, x], grad=False), *has[at])
                found[at] = (y.detach(), *torch.autograd.grad(y.square().sum(), has[at][:2]))

        threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        several = dict(found)
        for at in range(4):
            work(at)
            for one, other in zip(several[at], found[at]):
                np.testing.assert_array_equal(one.numpy(), other.numpy())


class Jax(JaxCase):
    def test_forward_mode(self):
        jax, arm = self.jax, self.arm
        from jax.test_util import check_grads

        *gains, q_target, v_target = arrays_of_rollout(self.held, 2)[3:]
        for integrator in INTEGRATORS:

            def f(q, v, tau, *gains, integrator=integrator):
                return tenon.jax.rollout(self.held, q, v, tau, DT, EVERY, *gains, integrator=integrator)

            inputs = [jax.numpy.asarray(a) for a in (*arrays_of_rollout(self.held, 2)[:3], *gains, q_target, v_target)]
            check_grads(f, inputs, order=1, modes=["fwd", "rev"], eps=1e-6)
            for one, other in zip(jax.jit(f)(*inputs), f(*inputs)):
                np.testing.assert_array_equal(one, other)
        q, v, x, _ = (jax.numpy.asarray(a) for a in state(self.several, 3))
        *fixed, wrenches = numbers(self.several)
        parameters = self.parameters(self.several, *fixed)
        for function in FUNCTIONS:
            f = lambda q, v, x: getattr(tenon.jax, function)(self.several, q, v, x, wrenches, parameters)  # noqa: B023, E731
            unit = jax.numpy.asarray(self.normalized(np.asarray(q)))
            ways = [jax.jit(jax.vmap(way(f, argnums=(0, 1, 2)))) for way in (jax.jacfwd, jax.jacrev)]
            for one, other in zip(*(way(unit, v, x) for way in ways)):
                np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9 * np.abs(other).max())
        with self.assertRaisesRegex(tenon.Error, r"q\[0\] is NaN"):  # outside of jit errors are Tenon's
            tenon.jax.forward_dynamics(arm, np.full(7, np.nan), np.zeros(7), np.zeros(7))

    def test_kinematics(self):
        from jax.test_util import check_grads

        np_, batch = self.jax.numpy, self.several
        q, v, _, _ = state(batch, 3)

        def f(q, v, axes):
            unit = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
            q = np_.concatenate((q[..., :3], unit, q[..., 7:]), -1)
            return tenon.jax.kinematics(batch, q, ["d", "b"], v, axes)

        for axes in ("world", "link"):
            g = lambda q, v, axes=axes: f(q, v, axes)  # noqa: E731
            check_grads(g, (np_.asarray(q), np_.asarray(v)), order=1, modes=["fwd", "rev"], eps=1e-6)
            wanted = batch.kinematics(self.normalized(q), ["d", "b"], v, axes, jacobians=False)
            for one, mapped, other in zip(self.jax.jit(g)(q, v), self.jax.vmap(g)(q, v), wanted):
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(mapped, other, rtol=1e-12, atol=1e-12)
        self.assertIsNone(tenon.jax.kinematics(self.arm, np.zeros(7), [7])[1])

    def test_link_motion(self):
        from jax.test_util import check_grads

        np_, batch = self.jax.numpy, self.several
        q, v, a, _ = state(batch, 3)

        def f(q, v, a, axes="world"):
            unit = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
            q = np_.concatenate((q[..., :3], unit, q[..., 7:]), -1)
            return tenon.jax.link_motion(batch, q, ["d", "b"], v, a, axes)

        for axes in ("world", "link"):
            g = lambda q, v, a, axes=axes: f(q, v, a, axes)  # noqa: E731
            check_grads(g, tuple(np_.asarray(x) for x in (q, v, a)), order=1, modes=["fwd", "rev"], eps=1e-6)
            wanted = batch.link_motion(self.normalized(q), ["d", "b"], v, a, axes, jacobians=False)
            for one, mapped, other in zip(self.jax.jit(g)(q, v, a), self.jax.vmap(g)(q, v, a), wanted):
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(mapped, other, rtol=1e-12, atol=1e-12)
        bias = batch.link_motion(self.normalized(q), ["d", "b"], v).accelerations
        np.testing.assert_allclose(f(q, v, None)[2], bias, rtol=1e-12, atol=1e-12)

    def test_centroidal(self):
        from jax.test_util import check_grads

        np_, batch = self.jax.numpy, self.several
        q, v, _, _ = state(batch, 3)

        def f(q, v):
            unit = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
            return tenon.jax.centroidal(batch, np_.concatenate((q[..., :3], unit, q[..., 7:]), -1), v)

        check_grads(f, (np_.asarray(q), np_.asarray(v)), order=1, modes=["fwd", "rev"], eps=1e-6)
        wanted = batch.centroidal(self.normalized(q), v)
        for one, mapped, other in zip(self.jax.jit(f)(q, v), self.jax.vmap(f)(q, v), wanted):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(mapped, other, rtol=1e-12, atol=1e-12)
        still = tenon.jax.centroidal(self.arm, np.zeros(7))
        self.assertEqual((still.centers.shape, still.kinetic, still.potential.shape), ((3,), None, ()))

    def test_integrators(self):
        arrays = arrays_of_rollout(self.held, 2)[:3]
        for integrator in INTEGRATORS:
            found = tenon.jax.rollout(self.held, *arrays, DT, EVERY, integrator=integrator)
            other = tenon.jax.rollout(self.held, *arrays, DT, EVERY, integrator=tenon.Integrator[integrator.upper()])
            wanted = self.held.rollout(*arrays, dt=DT, steps=STEPS, every=EVERY, integrator=integrator)
            for at in range(2):
                np.testing.assert_array_equal(found[at], wanted[at])
                np.testing.assert_array_equal(other[at], wanted[at])

    def test_threads(self):
        """Many states in several threads: a callback must not wait for threads that callbacks hold."""
        q, v, x, _ = state(self.arm, 20000)
        has, found = numbers(self.arm), {}
        g = self.jax.jit(self.jax.grad(self.loss(self.arm, "forward_dynamics"), argnums=(0, 3)))
        wanted = g(q, v, x, *has)

        def work(at):
            for _ in range(5):
                found[at] = self.jax.block_until_ready(g(q, v, x, *has))

        threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for at in range(4):
            for one, other in zip(found[at], wanted):
                np.testing.assert_array_equal(one, other)

    def test_what_is_not_wanted_is_not_computed(self):
        q, v, x, _ = state(self.arm, 2)
        *_, wrenches = numbers(self.arm)
        refuse = unittest.mock.Mock(side_effect=RuntimeError("not wanted"))
        f = lambda q, p, w: tenon.jax.forward_dynamics(self.arm, q, v, x, w, p).sum()  # noqa: E731
        p = tenon.jax.parameters_of(self.arm)
        with unittest.mock.patch.object(tenon.Batch, "forward_dynamics_parameter_vjp", refuse):
            self.jax.block_until_ready(self.jax.jit(self.jax.grad(f))(q, p, wrenches))
            with self.assertRaisesRegex(Exception, "not wanted"):
                self.jax.block_until_ready(self.jax.grad(f, argnums=2)(q, p, wrenches))

    def test_constrained_dynamics_and_what_is_refused(self):
        q, v, tau, *_ = arrays_of_rollout(self.held, 2)
        found = self.jax.jit(lambda *a: tenon.jax.constrained_dynamics(self.held, *a))(q, v, tau[:, 0])
        for one, wanted in zip(found, self.held.constrained_dynamics(q, v, tau[:, 0])):
            np.testing.assert_array_equal(one, wanted)
        desired = np.random.default_rng(4).normal(size=(2, self.held.m))
        self.compare(lambda d: self.jax.numpy.sin(tenon.jax.constrained_dynamics(self.held, q, v, tau[:, 0], desired=d)[1]).sum(),
                     [desired])  # fmt: skip
        with self.assertRaisesRegex(ValueError, r"parameters.damping is \(6,\); 7 numbers are needed"):
            tenon.jax.forward_dynamics(self.arm, q, v, tau[:, 0], parameters=tenon.jax.Parameters(damping=np.zeros(6)))
        with self.assertRaisesRegex(Exception, "the damping of joint .* is -1; give"):
            parameters = tenon.jax.Parameters(damping=-np.ones(7))
            self.jax.block_until_ready(tenon.jax.forward_dynamics(self.arm, q, v, tau[:, 0], parameters=parameters))


if __name__ == "__main__":
    run(globals())
