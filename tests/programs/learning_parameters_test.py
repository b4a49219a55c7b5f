"""Parameters of robots in `tenon.torch` and `tenon.jax`, against differences, and against batches that have them set.

    python3 learning_parameters_test.py <torch or jax> <libtenon.so> <models>
"""

import os

import numpy as np
from learning_scenes import (
    DT,
    EVERY,
    INTEGRATORS,
    JaxCase,
    MODELS,
    STEPS,
    TorchCase,
    arrays_of_rollout,
    bodies,
    held_arm,
    moving,
    numbers,
    run,
    set_up,
    state,
    tenon,
)


class Torch(TorchCase):
    def test_gradients_by_parameters_are_those_of_differences(self):
        check = self.torch.autograd.gradcheck
        for batch in (self.arm, self.several, self.held):
            q, v, x, _ = state(batch, 2)
            functions = ("constrained_dynamics",) if batch is self.held else ("inverse_dynamics", "forward_dynamics")
            for leading in ((), (2,)):  # one robot for both states, and one for each
                inputs = self.tensors([q, moving(v), x, *numbers(batch, *leading)])
                for function in functions:
                    f = self.call(batch, function)
                    self.assertTrue(check(f, inputs, atol=2e-5, rtol=1e-4, nondet_tol=0), f"{function} {batch}")

    def test_gradients_through_rollouts_are_those_of_differences(self):
        check = self.torch.autograd.gradcheck
        for batch in (self.several, self.held):
            q, v, tau, *_ = arrays_of_rollout(batch, 2)
            for integrator in INTEGRATORS:
                inputs = self.tensors([q, 3 * moving(v), tau, *numbers(batch)])
                f = self.call(batch, "rollout", dt=DT, every=EVERY, integrator=integrator)
                self.assertTrue(check(f, inputs, atol=2e-5, rtol=1e-4), integrator)
                f = self.call(batch, "step", dt=DT, integrator=integrator)
                self.assertTrue(check(f, [*inputs[:2], inputs[2][:, 0].detach(), *inputs[3:]], atol=2e-5, rtol=1e-4))

    def test_values_are_those_of_a_batch_that_has_them(self):
        for batch in (self.arm, self.several):
            q, v, x, _ = state(batch, 9)
            q = self.normalized(q) if batch is self.several else q
            *has, _ = numbers(batch)
            parameters = self.parameters(batch, *self.tensors(has, grad=False))
            other = set_up(batch, *has)
            for function in ("inverse_dynamics", "forward_dynamics"):
                found = getattr(tenon.torch, function)(batch, *self.tensors([q, v, x]), parameters=parameters)
                wanted = getattr(other, function)(q, v, x)
                np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())

    def test_numbers_of_whole_robots(self):
        torch, check = self.torch, self.torch.autograd.gradcheck
        for batch in (self.arm, self.several):
            q, v, *_ = state(batch, 2)
            for leading in ((), (2,)):

                def f(q, v, *numbers, batch=batch):
                    if batch is self.several:
                        q = torch.cat((q[..., :3], torch.nn.functional.normalize(q[..., 3:7], dim=-1), q[..., 7:]), -1)
                    found = tenon.torch.centroidal(batch, q, v, self.parameters(batch, *numbers))
                    return tuple(x for x in found if x is not None)

                *has, _ = numbers(batch, *leading)
                inputs = self.tensors([q, v, *has])
                self.assertTrue(check(f, inputs, atol=2e-5, rtol=1e-4), f"{batch} {leading}")
                rest = lambda q, *numbers: f(q, None, *numbers)  # noqa: B023, E731
                self.assertTrue(check(rest, [inputs[0], *inputs[2:]], atol=2e-5, rtol=1e-4))
        *has, _ = numbers(self.arm)
        q, v, *_ = state(self.arm, 9)
        found = tenon.torch.centroidal(
            self.arm, *self.tensors([q, v], grad=False), self.parameters(self.arm, *self.tensors(has, grad=False))
        )
        for one, other in zip(found, set_up(self.arm, *has).centroidal(q, v)):
            np.testing.assert_allclose(one.numpy(), other, rtol=1e-11, atol=1e-11)

    def test_a_call_leaves_the_batch_as_it_was(self):
        torch, batch = self.torch, self.arm
        q, v, x, _ = state(batch, 6)
        *has, _ = self.tensors(numbers(batch, 6))
        has[0] = self.parameters(batch, has[0]).inertias.detach().requires_grad_()
        batch.set_parameters(masses=1.1 * batch.robots(1)["masses"])
        batch.set_parameters(damping=np.random.default_rng(1).uniform(0, 1, (6, 7)))
        before, value = batch.robots(6), batch.forward_dynamics(q, v, x)
        for at in range(5):  # each alone, then all
            one = [y if k == at else None for k, y in enumerate(has)]
            f = tenon.torch.forward_dynamics(batch, *self.tensors([q, v, x]), parameters=tenon.torch.Parameters(*one))
            f.sum().backward()
        wrong = tenon.torch.Parameters(damping=torch.full((7,), -1.0, dtype=torch.float64))
        with self.assertRaisesRegex(tenon.Error, "state 0: the damping of joint .* is -1; give"):
            tenon.torch.forward_dynamics(batch, *self.tensors([q, v, x]), parameters=wrong)
        for name, wanted in before.items():
            np.testing.assert_array_equal(batch.robots(6)[name], wanted)
        np.testing.assert_array_equal(batch.forward_dynamics(q, v, x), value)

        # What is not given is as the batch has it, also where that changed since.
        armature = torch.full((7,), 0.3, dtype=torch.float64)
        for gravity in ((0, 0, -9.81), (1, 2, 3), None):
            if gravity:
                batch.set_gravity(gravity)
            armature += 0.1  # in the same memory
            found = tenon.torch.forward_dynamics(
                batch, *self.tensors([q, v, x]), parameters=tenon.torch.Parameters(armature=armature)
            )
            other = batch.clone()
            other.set_parameters(armatures=armature.numpy())
            np.testing.assert_array_equal(found.detach().numpy(), other.forward_dynamics(q, v, x))
        held, (q, v, tau, *_) = held_arm(self.arm), arrays_of_rollout(self.held, 2)
        for off in (0.01, 0.02):
            held.anchor_here(q + off)
            found = tenon.torch.constrained_dynamics(
                held, *self.tensors([q, v, tau[:, 0]]), parameters=tenon.torch.Parameters(armature=armature)
            )
            other = held.clone()
            other.set_parameters(armatures=armature.numpy())
            np.testing.assert_array_equal(found[0].detach().numpy(), other.constrained_dynamics(q, v, tau[:, 0])[0])

    def test_what_states_share_gets_the_sum(self):
        torch, batch = self.torch, self.arm
        q, v, x, weight = (a.reshape(2, 3, -1) for a in state(batch, 6))
        q, v, x = self.tensors([q, moving(v), x], grad=False)
        one = self.tensors(numbers(batch))
        each = [y.detach().expand(2, 3, *y.shape).clone().requires_grad_() for y in one]
        some = [y.detach().expand(3, *y.shape).clone().requires_grad_() for y in one]
        for function in ("inverse_dynamics", "forward_dynamics"):
            f = self.call(batch, function)
            by = [torch.autograd.grad((f(q, v, x, *p) * torch.from_numpy(weight)).sum(), p) for p in (one, each, some)]
            for of_one, of_each, of_some in zip(*by):
                scale = 1e-11 * float(of_one.abs().max())
                np.testing.assert_allclose(of_one.numpy(), of_each.sum((0, 1)).numpy(), rtol=1e-9, atol=scale)
                np.testing.assert_allclose(of_some.numpy(), of_each.sum(0).numpy(), rtol=1e-9, atol=scale)

    def test_functions_of_torch_func(self):
        torch, batch = self.torch, self.several
        q, v, tau, *_ = arrays_of_rollout(batch, 3)
        state_, p = self.tensors([q, v, tau], grad=False), self.tensors(numbers(batch), grad=False)
        f = self.call(batch, "rollout", dt=DT, integrator="runge_kutta_4")
        wanted = f(*state_, *p)
        mapped = torch.func.vmap(f, in_dims=(0, 0, 0, *[None] * 6))(*state_, *p)
        for one, other in zip(mapped, wanted):
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12, atol=1e-12)
        # A gradient for each state, and their sum.
        g = torch.func.grad(lambda pi, q, v, tau: f(q, v, tau, pi, *p[1:])[1].sum())
        each = torch.func.vmap(g, in_dims=(None, 0, 0, 0))(p[0], *state_)
        np.testing.assert_allclose(each.sum(0).numpy(), g(p[0], *state_).numpy(), rtol=1e-8, atol=1e-8)

    def test_what_is_refused(self):
        torch, arm = self.torch, self.arm
        q, v, x, _ = self.tensors(state(arm, 4), grad=False)
        links = arm.model.link_count

        def refused(kind, text, function="forward_dynamics", **parameters):
            more = {"dt": DT} if function == "rollout" else {}
            with self.assertRaisesRegex(kind, text):
                getattr(tenon.torch, function)(arm, q, v, x, parameters=tenon.torch.Parameters(**parameters), **more)

        zeros = lambda *shape: torch.zeros(*shape, dtype=torch.float64)  # noqa: E731
        refused(ValueError, rf"parameters.inertias is \({links}, 9\); {links} x 10 numbers", inertias=zeros(links, 9))
        refused(ValueError, r"parameters.damping is \(6,\); 7 numbers are needed in its last dimension$", damping=zeros(6))
        refused(ValueError, r"do not fit each other: q \(4,\).*parameters.friction \(3,\)", friction=zeros(3, 7))
        refused(TypeError, "parameters.gravity has numbers of float32, and the batch of float64", gravity=torch.zeros(3))
        wrong = tenon.torch.parameters_of(arm).inertias
        wrong[3, 0] = 0
        refused(ValueError, "the mass of link 3 'iiwa_link_2' is 0, and its mass times centre of mass is", inertias=wrong)
        wrong[3, 0] = -1
        refused(tenon.Error, "invalid_inertia: .*state 0: link 3 'iiwa_link_2': the mass is -1 kg", inertias=wrong)
        with self.assertRaisesRegex(TypeError, r"parameters is a dict; give Parameters\(inertias=...\)"):
            tenon.torch.forward_dynamics(arm, q, v, x, parameters={})
        with self.assertRaisesRegex(ValueError, "no integrator 'euler'; there are: 'semi_implicit_euler', 'runge_kutta_4'"):
            tenon.torch.step(arm, q, v, x, DT, integrator="euler")
        with self.assertRaisesRegex(ValueError, rf"wrenches is \(4, 5\); {6 * links} numbers are needed"):
            tenon.torch.forward_dynamics(arm, q, v, x, zeros(4, 5))

    def test_wrenches_of_rollouts(self):
        """Of all states, of each, and of each step: gradients are sums over what shares one."""
        torch, batch = self.torch, self.arm
        q, v, tau, *_ = self.tensors(arrays_of_rollout(batch, 3), grad=False)
        links = 6 * batch.model.link_count
        one = torch.from_numpy(np.random.default_rng(2).normal(size=links))
        by = []
        for wrenches in (one, one.expand(3, links), one.expand(3, STEPS, links), one.expand(STEPS, links)[None]):
            wrenches = wrenches.clone().requires_grad_()
            end, _ = tenon.torch.rollout(batch, q, v, tau, DT, STEPS, wrenches)
            (g,) = torch.autograd.grad(end.square().sum(), wrenches)
            self.assertEqual(g.shape, wrenches.shape)
            by.append(g.numpy())
        scale = {"rtol": 1e-9, "atol": 1e-9 * np.abs(by[0]).max()}
        np.testing.assert_allclose(by[0], by[1].sum(0), **scale)
        np.testing.assert_allclose(by[1], by[2].sum(1), **scale)
        np.testing.assert_allclose(by[2].sum(0), by[3][0], **scale)

    def test_the_chart(self):
        torch, batch = self.torch, self.arm
        pi = tenon.torch.parameters_of(batch).inertias[bodies(batch)]
        theta = tenon.torch.log_cholesky_from_inertia(batch, pi)
        np.testing.assert_allclose(tenon.torch.inertia_from_log_cholesky(theta).numpy(), pi.numpy(), rtol=1e-9, atol=1e-12)
        work = tenon.Workspace(batch.model)
        for one in torch.from_numpy(np.random.default_rng(3).normal(0, 0.5, (20, 10))):
            wanted, derivatives = work.inertia_from_log_cholesky(one.numpy())
            found = torch.autograd.functional.jacobian(tenon.torch.inertia_from_log_cholesky, one)
            np.testing.assert_allclose(tenon.torch.inertia_from_log_cholesky(one).numpy(), wanted, rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose(found.numpy(), derivatives, rtol=1e-12, atol=1e-12)
        with self.assertRaises(tenon.Error):
            tenon.torch.log_cholesky_from_inertia(batch, torch.zeros(10, dtype=torch.float64))

    def test_parameters_of_models(self):
        """Those of the model, given, change nothing but rounding."""
        for precision, digits in (("double", 1e-9), ("float", 2e-3)):
            for name in ("iiwa14", "double_pendulum", "atlas"):
                model = tenon.Model.load(os.path.join(MODELS, f"{name}.urdf"))
                batch = tenon.Batch(model, precision=precision)
                random = np.random.default_rng(1)
                q, v, a = (random.uniform(-1, 1, (5, n)).astype(batch.dtype) for n in (batch.nq, batch.nv, batch.nv))
                tensors = self.tensors([q, v, a], grad=False)
                found = tenon.torch.inverse_dynamics(batch, *tensors, parameters=tenon.torch.parameters_of(batch))
                wanted = batch.inverse_dynamics(q, v, a)
                np.testing.assert_allclose(found.numpy(), wanted, rtol=digits, atol=digits * np.abs(wanted).max())
        self.arm.set_parameters(damping=np.arange(14.0).reshape(2, 7))
        self.assertEqual(tenon.torch.parameters_of(self.arm, 2).damping[1, 0], 7)
        self.assertEqual(tenon.torch.parameters_of(self.arm, 2).inertias.shape, (2, self.arm.model.link_count, 10))

    def test_loops_in_independent_coordinates(self):
        batch = tenon.Batch(tenon.Model.load(os.path.join(MODELS, "four_bar.urdf")))
        batch.set_coordinates("independent", "independent")
        start = tenon.Workspace(batch.model)
        start.set_coordinates("independent", "independent")
        q = np.tile(start.neutral(), (2, 1)) + [[0.1], [0.2]]
        v, tau = np.array([[0.5], [-0.4]]), np.array([[0.3], [0.2]])
        inputs = self.tensors([q, v, tau, *numbers(batch)])
        for function in ("inverse_dynamics", "forward_dynamics"):
            f = self.call(batch, function)
            self.assertTrue(self.torch.autograd.gradcheck(f, inputs, atol=2e-5, rtol=1e-4))

    def test_the_example_identifies(self):
        import learn_inertias

        found = learn_inertias.identify(iterations=80)
        self.assertLess(found["losses"][-1], 1e-2 * found["losses"][0])
        self.assertLess(found["unseen"][1], 0.2 * found["unseen"][0])
        tenon.torch.log_cholesky_from_inertia(self.arm, found["inertias"])  # bodies that can exist


class Jax(JaxCase):
    def test_gradients_by_parameters_are_those_of_differences(self):
        for batch in (self.arm, self.several, self.held):
            q, v, x, _ = state(batch, 2)
            q = self.normalized(q) if batch is self.several else q
            functions = ("constrained_dynamics",) if batch is self.held else ("inverse_dynamics", "forward_dynamics")
            for leading in ((), (2,)):
                rest = [moving(v), x, *numbers(batch, *leading)]
                for function in functions:
                    f = self.loss(batch, function)
                    if batch is self.several:
                        self.compare(lambda *a, f=f, q=q: f(q, *a), rest, function)
                    else:
                        self.compare(f, [q, *rest], function)

    def test_numbers_of_whole_robots(self):
        for batch in (self.arm, self.several):
            q, v, *_ = state(batch, 2)
            q = self.normalized(q) if batch is self.several else q
            for leading in ((), (2,)):
                *has, _ = numbers(batch, *leading)

                def f(v, *own, batch=batch, q=q):
                    found = tenon.jax.centroidal(batch, q, v, self.parameters(batch, *own))
                    return sum(self.jax.numpy.sin(x).sum() for x in found)

                self.compare(f, [v, *has])

    def test_gradients_through_rollouts_are_those_of_differences(self):
        q, v, tau, *_ = arrays_of_rollout(self.held, 2)
        for integrator in INTEGRATORS:
            inputs = [q, 3 * moving(v), tau, *numbers(self.held)]
            self.compare(self.loss(self.held, "rollout", dt=DT, every=EVERY, integrator=integrator), inputs, integrator)
            inputs[2] = tau[:, 0]
            self.compare(self.loss(self.held, "step", dt=DT, integrator=integrator), inputs, integrator)

    def test_gradients_of_jax(self):
        """By the library's own check, of a tree of parameters."""
        from jax.test_util import check_grads

        q, v, x, _ = state(self.arm, 3)
        pi, armature, damping, *_ = numbers(self.arm)
        f = lambda p, v: tenon.jax.forward_dynamics(self.arm, q, v, x, parameters=p)  # noqa: E731
        p = tenon.jax.Parameters(armature=self.jax.numpy.asarray(armature), damping=self.jax.numpy.asarray(damping))
        check_grads(f, (p, self.jax.numpy.asarray(v)), order=1, modes=["rev"], eps=1e-6)
        with self.assertRaisesRegex(NotImplementedError, "forward mode by parameters.armature is not there; use reverse"):
            self.jax.jvp(lambda p: f(p, v), (p,), (p,))

    def test_vmap(self):
        q, v, x, _ = state(self.arm, 6)
        has = numbers(self.arm)
        f = self.loss(self.arm, "forward_dynamics")
        g = self.jax.grad(f, argnums=3)
        each = self.jax.jit(self.jax.vmap(g, in_axes=(0, 0, 0, *[None] * 6)))(q, v, x, *has)
        whole = g(q, v, x, *has)
        np.testing.assert_allclose(each.sum(0), whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())
        own = numbers(self.arm, 6)
        mapped = self.jax.vmap(g)(q, v, x, *own)
        np.testing.assert_allclose(mapped, g(q, v, x, *own), rtol=1e-9, atol=1e-9 * np.abs(mapped).max())
        # States within what is mapped: one robot for the states of each.
        some = [a.reshape(2, 3, *a.shape[1:]) for a in (q, v, x)]
        two = [a[:2] for a in own]
        mapped = self.jax.vmap(g)(*some, *two)
        for at in range(2):
            alone = g(*(a[at] for a in some), *(a[at] for a in two))
            np.testing.assert_allclose(mapped[at], alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max())

    def test_the_chart(self):
        pi = tenon.jax.parameters_of(self.arm).inertias[np.array(bodies(self.arm))]
        theta = tenon.jax.log_cholesky_from_inertia(self.arm, pi)
        found = self.jax.jit(tenon.jax.inertia_from_log_cholesky)(theta)
        np.testing.assert_allclose(found, pi, rtol=1e-9, atol=1e-12)
        work = tenon.Workspace(self.arm.model)
        derivatives = self.jax.jacrev(tenon.jax.inertia_from_log_cholesky)(theta[0])
        np.testing.assert_allclose(derivatives, work.inertia_from_log_cholesky(np.asarray(theta[0]))[1], rtol=1e-11, atol=1e-12)


if __name__ == "__main__":
    run(globals())
