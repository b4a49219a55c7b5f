"""The adapters for PyTorch and JAX: `tenon.torch` and `tenon.jax`, against differences and against the batch.

    python3 learning_test.py <torch or jax> <libtenon.so> <models>
"""

import os
import sys
import tempfile
import unittest

import numpy as np

KIND, LIBRARY, MODELS = sys.argv[1:4]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "capi/clients/python"), os.path.join(ROOT, "capi/clients/python/examples")]
os.environ["TENON_LIBRARY"] = LIBRARY
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")

import tenon  # noqa: E402

URDF = """<robot name="several"><link name="base"/>
%s<joint name="ball" type="floating"><parent link="base"/><child link="a"/><origin xyz="0.1 0 0.2" rpy="0.3 0.2 0.1"/></joint>
<joint name="slide" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0.6 0.8"/><origin xyz="0 0.3 0"/></joint>
<joint name="turn" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><origin xyz="0.2 0 0"/></joint>
</robot>""" % "".join(
    f'<link name="{n}"><inertial><mass value="{m}"/><origin xyz="0.1 0.05 -0.1"/>'
    '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.002" ixz="-0.001" iyz="0.003"/></inertial></link>'
    for n, m in (("a", 2), ("b", 1.5), ("c", 1))
)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")


def state(batch, *leading, seed=3):
    """q, v, x and a gradient. Quaternions are not normalized."""
    random = np.random.default_rng(seed)
    return [random.uniform(-1, 1, (*leading, n)).astype(batch.dtype) for n in (batch.nq, batch.nv, batch.nv, batch.nv)]


class Torch(unittest.TestCase):
    def setUp(self):
        import torch

        import tenon.torch

        self.torch = torch
        self.arm = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "iiwa14.urdf")))
        self.several = tenon.Batch(tenon.Model.parse(URDF))

    def normalized(self, q):
        unit = self.torch.nn.functional.normalize(q[..., 3:7], dim=-1)
        return self.torch.cat((q[..., :3], unit, q[..., 7:]), -1)

    def function(self, name, batch):
        """Of numbers that need not be unit quaternions."""
        dynamics = getattr(tenon.torch, name)
        if batch is not self.several:
            return lambda q, v, x: dynamics(batch, q, v, x)

        def normalized(q, v, x):
            return dynamics(batch, self.normalized(q), v, x)

        return normalized

    def tensors(self, batch, *leading):
        return [self.torch.from_numpy(a).requires_grad_() for a in state(batch, *leading)[:3]]

    def test_gradients_are_those_of_differences(self):
        for name in FUNCTIONS:
            for batch in (self.arm, self.several):
                inputs = self.tensors(batch, 3)
                for forward in (False, True):
                    self.assertTrue(
                        self.torch.autograd.gradcheck(self.function(name, batch), inputs, check_forward_ad=forward, atol=1e-6)
                    )

    def test_gradients_of_steps_are_those_of_differences(self):
        torch = self.torch
        for batch in (self.arm, self.several):

            def two(q, v, tau, batch=batch):
                if batch is self.several:
                    q = self.normalized(q)
                for _ in range(2):
                    q, v = tenon.torch.step(batch, q, v, tau, 0.05)
                return q, v

            inputs = self.tensors(batch, 3)
            self.assertTrue(torch.autograd.gradcheck(two, inputs, atol=1e-6))
            q, v, tau = (t.detach() for t in inputs)
            _, mapped = torch.func.vmap(two)(q, v, tau)
            np.testing.assert_array_equal(mapped.numpy(), two(q, v, tau)[1].numpy())

    def test_what_is_constant_gets_none(self):
        q, v, x = self.tensors(self.arm, 2, 3)
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
        q, v, x = self.tensors(self.arm, 5)
        one = v[0].detach().requires_grad_()
        tenon.torch.inverse_dynamics(self.arm, q, one, x).sum().backward()
        each = v[0].detach().expand(5, 7).clone().requires_grad_()
        tenon.torch.inverse_dynamics(self.arm, q, each, x).sum().backward()
        np.testing.assert_allclose(one.grad.numpy(), each.grad.sum(0).numpy(), rtol=1e-12, atol=1e-12)

    def test_functions_of_torch_func(self):
        torch = self.torch
        q, v, x = (t.detach() for t in self.tensors(self.several, 4))
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
        inputs = [t.detach().float().requires_grad_() for t in self.tensors(self.arm, 9)]
        tenon.torch.inverse_dynamics(single, *inputs).sum().backward()
        self.assertEqual(inputs[0].grad.dtype, torch.float32)
        with self.assertRaisesRegex(TypeError, "float64, and the batch of float32"):
            tenon.torch.inverse_dynamics(single, *self.tensors(self.arm, 2))
        with self.assertRaisesRegex(ValueError, "7 numbers are needed"):
            tenon.torch.inverse_dynamics(self.arm, *(t[..., :6] for t in self.tensors(self.arm, 2)))
        q, v, x = self.tensors(self.arm, 2)
        with self.assertRaises(NotImplementedError):
            tenon.torch.inverse_dynamics(self.arm, q, v, x, torch.zeros(2, 66, dtype=torch.float64, requires_grad=True))
        (first,) = torch.autograd.grad(tenon.torch.forward_dynamics(self.arm, q, v, x).sum(), v, create_graph=True)
        with self.assertRaisesRegex(NotImplementedError, "second derivatives"):
            first.sum().backward()
        loops = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "four_bar.urdf")))
        q, v, x = self.tensors(loops, 2)
        with self.assertRaisesRegex(tenon.Error, "unsupported"):
            tenon.torch.inverse_dynamics(loops, q * 0, v, x).sum().backward()

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


class Jax(unittest.TestCase):
    def setUp(self):
        import jax

        import tenon.jax

        self.jax = jax
        self.arm = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "iiwa14.urdf")))
        self.several = tenon.Batch(tenon.Model.parse(URDF))

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
    chosen = {"torch": Torch, "jax": Jax}[KIND]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
