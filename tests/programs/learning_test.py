"""The adapters for PyTorch and JAX: `tenon.torch` and `tenon.jax`, against differences and against the batch.

    python3 learning_test.py <torch or jax> <libtenon.so> <models>
"""

import os
import tempfile
import xml.etree.ElementTree

import numpy as np
from learning_scenes import (
    DT,
    EVERY,
    FUNCTIONS,
    JaxCase,
    MODELS,
    STEPS,
    TorchCase,
    arrays_of_rollout,
    held_arm,
    numbers,
    run,
    state,
    tenon,
)


class Torch(TorchCase):
    def unit(self, q):
        unit = self.torch.nn.functional.normalize(q[..., 3:7], dim=-1)
        return self.torch.cat((q[..., :3], unit, q[..., 7:]), -1)

    def function(self, name, batch):
        """Of numbers that need not be unit quaternions."""
        dynamics = getattr(tenon.torch, name)
        if batch is not self.several:
            return lambda q, v, x: dynamics(batch, q, v, x)

        def normalized(q, v, x):
            return dynamics(batch, self.unit(q), v, x)

        return normalized

    def states(self, batch, *leading):
        return [self.torch.from_numpy(a).requires_grad_() for a in state(batch, *leading)[:3]]

    def test_gradients_are_those_of_differences(self):
        for name in FUNCTIONS:
            for batch in (self.arm, self.several):
                inputs = self.states(batch, 3)
                for forward in (False, True):
                    self.assertTrue(
                        self.torch.autograd.gradcheck(self.function(name, batch), inputs, check_forward_ad=forward, atol=1e-6)
                    )

    def test_gradients_of_steps_are_those_of_differences(self):
        torch = self.torch
        for batch in (self.arm, self.several):

            def two(q, v, tau, batch=batch):
                if batch is self.several:
                    q = self.unit(q)
                for _ in range(2):
                    q, v = tenon.torch.step(batch, q, v, tau, 0.05)
                return q, v

            inputs = self.states(batch, 3)
            self.assertTrue(torch.autograd.gradcheck(two, inputs, atol=1e-6))
            q, v, tau = (t.detach() for t in inputs)
            _, mapped = torch.func.vmap(two)(q, v, tau)
            np.testing.assert_array_equal(mapped.numpy(), two(q, v, tau)[1].numpy())

    def through_rollout(self, batch):
        """Of numbers that need not be unit quaternions; of gains that are not zero alone."""

        def function(q, v, tau, stiffness, damping, q_target, v_target):
            if batch is self.several:
                q = self.unit(q)
                stiffness = self.torch.cat((self.torch.zeros_like(stiffness[..., :9]), stiffness[..., 9:]), -1)
            return tenon.torch.rollout(
                batch, q, v, tau, DT, EVERY, None, stiffness, damping, q_target, v_target
            )  # fmt: skip

        return function

    def test_gradients_of_rollouts_are_those_of_differences(self):
        for batch in (self.arm, self.several, held_arm(self.arm)):
            inputs = [self.torch.from_numpy(a).requires_grad_() for a in arrays_of_rollout(batch, 2)]
            function = self.through_rollout(batch)
            self.assertTrue(self.torch.autograd.gradcheck(function, inputs, atol=1e-6, rtol=1e-5))

    def test_records_of_rollouts_are_those_of_steps(self):
        torch = self.torch
        q, v, tau, *_ = (torch.from_numpy(a) for a in arrays_of_rollout(self.arm, 70))
        force = np.random.default_rng(1).uniform(-5, 5, (70, STEPS, 6 * self.arm.model.link_count))
        found = tenon.torch.rollout(self.arm, q, v, tau.requires_grad_(), DT, EVERY, force)
        weights = [torch.from_numpy(np.random.default_rng(2).normal(size=x.shape)) for x in found]
        (by_tau,) = torch.autograd.grad([*found], tau, weights)
        path = []
        for step in range(STEPS):
            q, v = tenon.torch.step(self.arm, q, v, tau[:, step], DT, force[:, step])
            path.append((q, v))
        ends = [torch.stack(x, 1)[:, EVERY - 1 :: EVERY] for x in zip(*path)]
        for one, other in zip(found, ends):
            np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=1e-10, atol=1e-10)
        (by_step,) = torch.autograd.grad(ends, tau, weights)
        np.testing.assert_allclose(by_tau.numpy(), by_step.numpy(), rtol=1e-9, atol=1e-9 * float(by_step.abs().max()))
        self.assertEqual(float(by_tau[:, -1].abs().max()), 0.0)

    def test_rollouts_of_torch_func(self):
        torch = self.torch
        arrays = [torch.from_numpy(a) for a in arrays_of_rollout(self.several, 3)]
        f = self.through_rollout(self.several)
        np.testing.assert_array_equal(torch.func.vmap(f)(*arrays)[1].numpy(), f(*arrays)[1].numpy())
        tau = arrays[2].requires_grad_()
        f(*arrays[:2], tau, *arrays[3:])[1].sum().backward()
        one = torch.func.grad(lambda tau, *x: f(*x[:2], tau, *x[2:])[1].sum())
        mapped = torch.func.vmap(one)(arrays[2].detach(), *arrays[:2], *arrays[3:])
        np.testing.assert_allclose(mapped.numpy(), tau.grad.numpy(), rtol=1e-9, atol=1e-9)

    def test_rollouts_broadcast_and_say_what_is_wrong(self):
        torch, arm = self.torch, self.arm
        q, v, tau, stiffness, damping, q_target, _ = (torch.from_numpy(a) for a in arrays_of_rollout(arm, 4))
        gains = stiffness[0].clone().requires_grad_()
        target = q_target[:, :1].clone().requires_grad_()
        q_end, v_end = tenon.torch.rollout(arm, q[0], v, tau[:1], DT, STEPS, None, gains, damping, target)
        self.assertEqual((q_end.shape, v_end.shape), ((4, 1, 7), (4, 1, 7)))
        q_end.sum().backward()
        self.assertEqual((gains.grad.shape, target.grad.shape), ((7,), (4, 1, 7)))

        def refused(kind, text, *arrays, **more):
            with self.assertRaisesRegex(kind, text):
                tenon.torch.rollout(arm, *arrays, **{"dt": DT, **more})

        refused(ValueError, r"tau is \(4, 5, 6\); 5 x 7 numbers are needed in its last dimensions", q, v, tau[..., :6])
        refused(ValueError, r"tau is \(7,\); steps x 7", q, v, tau[0, 0])
        refused(ValueError, r"q is \(4, 6\); 7 numbers are needed in its last dimension$", q[:, :6], v, tau)
        refused(ValueError, "every is 6, and the rollout of 5 steps", q, v, tau, every=6)
        refused(ValueError, r"q \(4,\).*stiffness \(3,\)", q, v, tau, stiffness=stiffness[:3], q_target=q_target)
        refused(ValueError, "stiffness is given without q_target", q, v, tau, stiffness=stiffness)
        refused(TypeError, "v has numbers of float32, and the batch of float64", q, v.float(), tau)
        refused(NotImplementedError, "derivatives by dt", q, v, tau, dt=torch.tensor(DT, requires_grad=True))
        bad = q.clone()
        bad[2, 3] = np.nan
        refused(tenon.Error, r"q\[3\]", bad, v, tau)
        none = tau[0].clone().requires_grad_()
        tenon.torch.rollout(arm, q[:0], v[:0], none, DT)[0].sum().backward()
        self.assertEqual(float(none.grad.abs().sum()), 0.0)
        q, v, tau, *_ = (torch.from_numpy(a) for a in arrays_of_rollout(self.several, 2))
        with self.assertRaisesRegex(tenon.Error, "unsupported: stiffness .* of the joint 'ball'"):
            tenon.torch.rollout(self.several, self.unit(q), v, tau, DT, stiffness=v, q_target=q[:, None])
        loops = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "four_bar.urdf")))
        closed = torch.from_numpy(np.tile(loops.guess(), (2, 1)))
        still, free = (torch.zeros(*shape, loops.nv, dtype=torch.float64) for shape in ((), (STEPS,)))
        end, _ = tenon.torch.rollout(loops, closed, still, free.requires_grad_(), DT)
        with self.assertRaisesRegex(tenon.Error, "unsupported"):
            end.sum().backward()
        q, v, tau, *_ = (torch.from_numpy(a) for a in arrays_of_rollout(arm, 4))
        (first,) = torch.autograd.grad(
            tenon.torch.rollout(arm, q, v, tau.requires_grad_(), DT)[0].sum(), tau, create_graph=True
        )
        with self.assertRaisesRegex(NotImplementedError, "second derivatives"):
            first.sum().backward()

    def test_what_is_constant_gets_none(self):
        q, v, x = self.states(self.arm, 2, 3)
        y = tenon.torch.forward_dynamics(self.arm, q.detach(), v, x.detach())
        self.assertEqual(y.shape, (2, 3, 7))
        y.sum().backward()
        self.assertIsNone(q.grad)
        self.assertEqual(v.grad.shape, v.shape)
        _, _, by_v, _ = self.arm.forward_dynamics_vjp(
            *(t.detach().numpy().reshape(6, -1) for t in (q, v, x)), np.ones((6, 7))
        )
        np.testing.assert_array_equal(v.grad.numpy().reshape(6, 7), by_v)

    def test_leading_dimensions_are_broadcast(self):
        q, v, x = self.states(self.arm, 5)
        one = v[0].detach().requires_grad_()
        tenon.torch.inverse_dynamics(self.arm, q, one, x).sum().backward()
        each = v[0].detach().expand(5, 7).clone().requires_grad_()
        tenon.torch.inverse_dynamics(self.arm, q, each, x).sum().backward()
        np.testing.assert_allclose(one.grad.numpy(), each.grad.sum(0).numpy(), rtol=1e-12, atol=1e-12)

    def test_functions_of_torch_func(self):
        torch = self.torch
        q, v, x = (t.detach() for t in self.states(self.several, 4))
        f = self.function("forward_dynamics", self.several)
        mapped = torch.func.vmap(f, in_dims=(0, 0, 0))(q, v, x)
        np.testing.assert_array_equal(mapped.numpy(), f(q, v, x).numpy())
        jacobian = torch.func.vmap(torch.func.jacrev(f, argnums=(0, 1, 2)))(q, v, x)
        forward = torch.func.vmap(torch.func.jacfwd(f, argnums=(0, 1, 2)))(q, v, x)
        for a, b in zip(jacobian, forward):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9 * float(a.abs().max()))

    def test_floats_and_what_is_refused(self):
        torch = self.torch
        single = tenon.Batch(self.arm.model, precision="float")
        inputs = [t.detach().float().requires_grad_() for t in self.states(self.arm, 9)]
        tenon.torch.inverse_dynamics(single, *inputs).sum().backward()
        self.assertEqual(inputs[0].grad.dtype, torch.float32)
        with self.assertRaisesRegex(TypeError, "float64, and the batch of float32"):
            tenon.torch.inverse_dynamics(single, *self.states(self.arm, 2))
        with self.assertRaisesRegex(ValueError, "7 numbers are needed"):
            tenon.torch.inverse_dynamics(self.arm, *(t[..., :6] for t in self.states(self.arm, 2)))
        loops = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "four_bar.urdf")))
        q, v, x = self.states(loops, 2)
        with self.assertRaisesRegex(tenon.Error, "singular_configuration"):
            tenon.torch.forward_dynamics(loops, q * 0, v, x)

    def test_the_example_swings_up(self):
        import swing_up

        losses, path = swing_up.optimise(iterations=20, steps=80)
        self.assertLess(losses[-1], 0.85 * losses[0])
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "swing_up.png")
            swing_up.draw(losses, path, 0.01, picture)
            self.assertGreater(os.path.getsize(picture), 1000)

    def test_the_policy_of_the_example_learns(self):
        import policy_gradient

        found = policy_gradient.train(self.arm.model, iterations=15, robots=256)
        self.assertLess(found["unseen"], 0.5 * found["means"][0])
        away = {key: np.linalg.norm(found[key][:, -1] - found["goals"], axis=-1).mean() for key in ("before", "after")}
        self.assertLess(away["after"], 0.5 * away["before"])
        with tempfile.TemporaryDirectory() as folder:
            policy_gradient.draw(folder, found)
            for name in ("return", "motion"):
                xml.etree.ElementTree.parse(os.path.join(folder, f"policy_gradient_{name}.svg"))


class Jax(JaxCase):
    def function(self, name, batch):
        np_, dynamics = self.jax.numpy, getattr(tenon.jax, name)
        if batch is not self.several:
            return lambda q, v, x: dynamics(batch, q, v, x)

        def normalized(q, v, x):
            p = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
            return dynamics(batch, np_.concatenate((q[..., :3], p, q[..., 7:]), -1), v, x)

        return normalized

    def test_gradients_are_those_of_differences(self):
        for name in FUNCTIONS:
            for batch in (self.arm, self.several):
                *inputs, weight = state(batch, 3)
                f = self.function(name, batch)
                loss = self.jax.jit(lambda *x, f=f, weight=weight: (f(*x) * weight).sum())
                found = self.jax.jit(self.jax.grad(loss, argnums=(0, 1, 2)))(*inputs)
                for i, x in enumerate(inputs):
                    difference = np.zeros_like(x)
                    for at in np.ndindex(x.shape):
                        step = np.zeros_like(x)
                        step[at] = 1e-6
                        both = [loss(*(y + s * step if k == i else y for k, y in enumerate(inputs))) for s in (1, -1)]
                        difference[at] = (both[0] - both[1]) / 2e-6
                    scale = np.abs(difference).max()
                    np.testing.assert_allclose(found[i], difference, rtol=1e-6, atol=1e-6 * scale)

    def test_gradients_of_steps_are_those_of_differences(self):
        np_ = self.jax.numpy
        *inputs, weight = state(self.several, 2)

        def loss(q, v, tau):
            p = q[..., 3:7] / np_.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
            q = np_.concatenate((q[..., :3], p, q[..., 7:]), -1)
            for _ in range(2):
                q, v = tenon.jax.step(self.several, q, v, tau, 0.05)
            return (v * weight).sum() + np_.sin(q).sum()

        found = self.jax.jit(self.jax.grad(loss, argnums=(0, 1, 2)))(*inputs)
        for i, x in enumerate(inputs):
            for at in np.ndindex(x.shape):
                step = np.zeros_like(x)
                step[at] = 1e-6
                both = [loss(*(y + s * step if k == i else y for k, y in enumerate(inputs))) for s in (1, -1)]
                self.assertAlmostEqual(float(found[i][at]), float(both[0] - both[1]) / 2e-6, delta=1e-5)

    def test_gradients_of_rollouts_are_those_of_differences(self):
        np_ = self.jax.numpy
        for batch in (self.arm, held_arm(self.arm)):
            inputs = arrays_of_rollout(batch, 2)
            weight = np.random.default_rng(2).normal(size=(2, STEPS // EVERY, 7))

            def loss(q, v, tau, stiffness, damping, q_target, v_target, batch=batch, weight=weight):
                q, v = tenon.jax.rollout(batch, q, v, tau, DT, EVERY, stiffness, damping, q_target, v_target)
                return (v * weight).sum() + np_.sin(q).sum()

            found = self.jax.jit(self.jax.grad(loss, argnums=tuple(range(7))))(*inputs)
            value, random = self.jax.jit(loss), np.random.default_rng(3)
            for i, x in enumerate(inputs):
                for _ in range(4):
                    step = random.normal(size=x.shape)
                    moved = ([y + s * step if k == i else y for k, y in enumerate(inputs)] for s in (1e-6, -1e-6))
                    both = [value(*arrays) for arrays in moved]
                    along = float((found[i] * step).sum())
                    self.assertAlmostEqual(along, float(both[0] - both[1]) / 2e-6, delta=1e-5 * (1 + abs(along)))

    def test_rollouts_in_vmap(self):
        q, v, tau, *_ = arrays_of_rollout(self.arm, 70)
        function = lambda q, v, tau: tenon.jax.rollout(self.arm, q, v, tau, DT, EVERY)  # noqa: E731
        whole, wanted = function(q, v, tau), self.arm.rollout(q, v, tau, dt=DT, steps=STEPS, every=EVERY)
        for one, other, mapped in zip(whole, wanted, self.jax.vmap(function)(q, v, tau)):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(mapped, other)
        with self.assertRaisesRegex(ValueError, "every is 6, and the rollout of 5 steps"):
            tenon.jax.rollout(self.arm, q, v, tau, DT, 6)

    def test_vmap_makes_one_call(self):
        q, v, x, weight = state(self.arm, 6)
        f = self.function("forward_dynamics", self.arm)
        np.testing.assert_array_equal(self.jax.vmap(f)(q, v, x), self.arm.forward_dynamics(q, v, x))
        one = self.jax.vmap(f, in_axes=(0, None, 0))(q, v[0], x)
        np.testing.assert_array_equal(one, self.arm.forward_dynamics(q, np.tile(v[0], (6, 1)), x))
        g = self.jax.vmap(self.jax.grad(lambda q, v, x: f(q, v, x).sum()))(q, v, x)
        _, by_q, _, _ = self.arm.forward_dynamics_vjp(q, v, x, np.ones((6, 7)))
        np.testing.assert_allclose(g, by_q, rtol=1e-12, atol=1e-12)

    def test_what_is_refused(self):
        q, v, x, _ = state(self.arm, 2)
        with self.assertRaisesRegex(TypeError, "float32, and the batch of float64"):
            tenon.jax.inverse_dynamics(self.arm, q.astype(np.float32), v, x)
        with self.assertRaisesRegex(ValueError, "7 numbers are needed"):
            tenon.jax.inverse_dynamics(self.arm, q[:, :6], v, x)


if __name__ == "__main__":
    run(globals())
