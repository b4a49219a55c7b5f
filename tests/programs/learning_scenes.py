"""What the tests of `tenon.torch` and `tenon.jax` share: robots, states and parameters, and differences.

These are called with <torch or jax> <libtenon.so> <models>.
"""

import os
import sys
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
<joint name="slip" type="prismatic"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/><limit effort="1" velocity="1"/></joint>
</robot>""" % "".join(
    f'<link name="{n}"><inertial><mass value="{m}"/><origin xyz="0.1 0.05 -0.1"/>'
    '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.002" ixz="-0.001" iyz="0.003"/></inertial></link>'
    for n, m in (("a", 2), ("b", 1.5), ("c", 1), ("d", 0.5))
)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
DT, STEPS, EVERY = 0.01, 5, 2  # of rollouts: after the last record one step is left


def state(batch, *leading, seed=3):
    """q, v, x and a gradient. Quaternions are not normalized."""
    random = np.random.default_rng(seed)
    return [random.uniform(-1, 1, (*leading, n)).astype(batch.dtype) for n in (batch.nq, batch.nv, batch.nv, batch.nv)]


def arrays_of_rollout(batch, *leading, seed=5):
    """q, v, tau, stiffness, damping, q_target and v_target. Springs are on joints of one coordinate only."""
    random = np.random.default_rng(seed)
    nq, nv = batch.nq, batch.nv
    sizes = ((nq,), (nv,), (STEPS, nv), (nv,), (nv,), (STEPS, nq), (STEPS, nv))
    arrays = [random.uniform(-1, 1, (*leading, *shape)) for shape in sizes]
    joints = [batch.model.joint(i) for i in range(len(batch.model.joints))]
    single = [j.v_index for j in joints if j.nv == 1]
    arrays[3], arrays[4] = np.zeros_like(arrays[3]), 0.02 * np.abs(arrays[4])
    arrays[3][..., single] = random.uniform(1, 3, (*leading, len(single)))
    return arrays


def held_arm(arm):
    """With a point of its last link held, near its anchor at first; for the states of arrays_of_rollout(arm, 2)."""
    constraints = tenon.Constraints(arm.model)
    constraints.add_point("iiwa_link_7", frequency=2.0)
    held = tenon.Batch(arm.model, constraints)
    held.anchor_here(arrays_of_rollout(held, 2)[0] + 0.01)
    return held


JOINTS = ("armature", "damping", "friction")
INTEGRATORS = ("semi_implicit_euler", "runge_kutta_4")
FRICTION = 0.3  # with velocities away from zero, where dry friction has no derivative


def bodies(batch):
    """Links that move and have mass: others have no parameters that show."""
    moved = {batch.model.joint(i).child_link for i in range(len(batch.model.joints))}
    return [i for i in range(batch.model.link_count) if i in moved and batch.model.link(i).mass > 0]


def numbers(batch, *leading, seed=7):
    """Ten numbers of each body, near the model's, and of joints; then gravity and wrenches."""
    from tenon import _parameters

    random, has = np.random.default_rng(seed), _parameters.parameters_of(batch)
    links = bodies(batch)
    theta = _parameters.log_cholesky_from_inertia(batch, has.inertias[links])
    theta = theta + random.normal(0, 0.05, (*leading, len(links), 10))
    pi = _parameters.inertia_from_log_cholesky(np, theta)
    joints = [random.uniform(0.05, FRICTION, (*leading, batch.model.nv)) for _ in JOINTS]
    loads = random.normal(0, 1, (*leading, 6 * batch.model.link_count))
    return [pi, *joints, random.normal(0, 5, (*leading, 3)), loads]


def moving(array):
    """Velocities away from zero."""
    return np.sign(array) * (0.3 + np.abs(array))


def set_up(batch, pi, armature, damping, friction, gravity):
    """A clone that has these, set as users of numpy do it; pi: bodies x 10."""
    other, count = batch.clone(), batch.model.link_count
    has = batch.robots(1)
    masses, centers = has["masses"].reshape(count), has["centers_of_mass"].reshape(count, 3)
    inertias = has["inertias"].reshape(count, 6)
    for link, (m, *rest) in zip(bodies(batch), pi):
        x, y, z = centers[link] = np.array(rest[:3]) / m
        of_point = m * np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
        masses[link], inertias[link] = m, np.array(rest[3:]) - of_point
    more = {"armatures": armature, "damping": damping, "friction": friction, "gravity": gravity}
    other.set_parameters(masses=masses, centers_of_mass=centers, inertias=inertias, **more)
    return other


class Both(unittest.TestCase):
    def setUp(self):
        self.arm = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "iiwa14.urdf")))
        self.several = tenon.Batch(tenon.Model.parse(URDF))
        self.held = held_arm(self.arm)

    def normalized(self, q):
        """Of the batch `several`."""
        q = q.copy()
        q[..., 3:7] /= np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
        return q


class TorchCase(Both):
    def setUp(self):
        super().setUp()
        import torch

        import tenon.torch

        self.torch = torch
        self.library = tenon.torch

    def tensors(self, arrays, grad=True):
        return [self.torch.from_numpy(np.ascontiguousarray(a)).requires_grad_(grad) for a in arrays]

    def parameters(self, batch, pi, *joints_and_gravity):
        """With the numbers of bodies in their places."""
        torch, links = self.torch, self.torch.tensor(bodies(batch))
        base = tenon.torch.parameters_of(batch).inertias.expand(*pi.shape[:-2], -1, -1)
        scattered = torch.zeros_like(base).index_add(-2, links, pi)
        rest = torch.ones(base.shape[-2], 1, dtype=base.dtype).index_fill(0, links, 0)
        return tenon.torch.Parameters(base * rest + scattered, *joints_and_gravity)

    def call(self, batch, function, **more):
        """Of q, v, x, the parameters and wrenches; q is normalized."""

        def f(q, v, x, *numbers):
            *numbers, wrenches = numbers
            if batch is self.several:
                unit = self.torch.nn.functional.normalize(q[..., 3:7], dim=-1)
                q = self.torch.cat((q[..., :3], unit, q[..., 7:]), -1)
            parameters = self.parameters(batch, *numbers)
            return getattr(tenon.torch, function)(batch, q, v, x, wrenches=wrenches, parameters=parameters, **more)

        return f


class JaxCase(Both):
    def setUp(self):
        super().setUp()
        import jax

        import tenon.jax

        self.jax = jax

    def parameters(self, batch, pi, *joints_and_gravity):
        base = tenon.jax.parameters_of(batch).inertias
        base = self.jax.numpy.broadcast_to(base, (*pi.shape[:-2], *base.shape))
        return tenon.jax.Parameters(base.at[..., np.array(bodies(batch)), :].set(pi), *joints_and_gravity)

    def loss(self, batch, function, **more):
        def f(q, v, x, *numbers):
            *numbers, wrenches = numbers
            parameters = self.parameters(batch, *numbers)
            results = getattr(tenon.jax, function)(batch, q, v, x, wrenches=wrenches, parameters=parameters, **more)
            return sum(self.jax.numpy.sin(r * (1 + 0.1 * i)).sum() for i, r in enumerate(self.jax.tree.leaves(results)))

        return f

    def compare(self, f, inputs, text=""):
        """Gradients along random directions with differences."""
        value = self.jax.jit(f)
        found = self.jax.jit(self.jax.grad(f, argnums=tuple(range(len(inputs)))))(*inputs)
        random = np.random.default_rng(3)
        for i, x in enumerate(inputs):
            for _ in range(3):
                step = random.normal(size=x.shape) * np.where(x == 0, 0, 1)
                size = 1e-6
                moved = ([y + s * step if k == i else y for k, y in enumerate(inputs)] for s in (size, -size))
                both = [float(value(*arrays)) for arrays in moved]
                along = float((found[i] * step).sum())
                self.assertAlmostEqual(along, (both[0] - both[1]) / (2 * size), delta=2e-5 * (1 + abs(along)), msg=f"{text} {i}")


def run(names):
    """The tests of a file, of the library that is asked for."""
    chosen = names[{"torch": "Torch", "jax": "Jax"}[KIND]]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
