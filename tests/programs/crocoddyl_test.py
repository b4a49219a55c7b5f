"""The adapter for Crocoddyl, `tenon.crocoddyl`, against Crocoddyl's own dynamics and against differences.

    python3 crocoddyl_test.py <libtenon.so> <models>
"""

import os
import sys
import tempfile
import unittest

import numpy as np

LIBRARY, MODELS = sys.argv[1:3]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "capi/clients/python"), os.path.join(ROOT, "capi/clients/python/examples")]
os.environ["TENON_LIBRARY"], os.environ["TENON_MODELS"] = LIBRARY, MODELS

import crocoddyl  # noqa: E402
import crocoddyl_cassie  # noqa: E402
import crocoddyl_gaits  # noqa: E402
import example_robot_data  # noqa: E402
import pinocchio  # noqa: E402

import tenon  # noqa: E402
import tenon.crocoddyl  # noqa: E402

OF_ALL = ("cost", "Fx", "Fu", "Lx", "Lu", "Lxx", "Lxu", "Luu")


def tilted(model, name):
    """A new frame that moves with another one, shifted and turned."""
    other = model.frames[model.getFrameId(name)]
    place = other.placement * pinocchio.XYZQUATToSE3(np.array([0.03, -0.02, 0.05, 0.1, 0.5, -0.7, 0.5]))
    kind = pinocchio.FrameType.OP_FRAME
    return model.addFrame(pinocchio.Frame(name + " tilted", other.parentJoint, other.parentFrame, place, kind))


class Crocoddyl(unittest.TestCase):
    def assert_same(self, theirs, ours, result, seed=1, tolerance=1e-10):
        """Data of two models at a state that no contact holds still, and at its end."""
        random, state = np.random.default_rng(seed), theirs.state
        x = state.integrate(state.zero(), 0.3 * random.standard_normal(state.ndx))
        u = random.standard_normal(theirs.nu)
        datas = []
        for model in (theirs, ours):
            data = model.createData()
            model.calc(data, x, u)
            model.calcDiff(data, x, u)
            last = model.createData()
            model.calc(last, x)
            model.calcDiff(last, x)
            datas.append((data, last))
        for name in (result, *OF_ALL):
            a, b = (np.atleast_1d(getattr(data, name)) for data, _ in datas)
            np.testing.assert_allclose(b, a, rtol=0, atol=tolerance * max(np.abs(a).max(initial=0), 1), err_msg=name)
        for name in ("cost", "Lx", "Lxx"):
            a, b = (np.atleast_1d(getattr(last, name)) for _, last in datas)
            np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12 * np.abs(a).max(initial=1), err_msg=name)

    def test_every_knot_of_gaits(self):
        anymal = crocoddyl_gaits.Anymal()
        for gait in ("walk", "jump"):
            theirs = anymal.problem(gait)
            ours = tenon.crocoddyl.with_tenon(theirs, anymal.robot)
            pairs = [*zip(theirs.runningModels, ours.runningModels), (theirs.terminalModel, ours.terminalModel)]
            for k, (a, b) in enumerate(pairs[:: max(len(pairs) // 12, 1)] + pairs[-1:]):
                self.assert_same(a, b, "xnext", seed=k)

    def test_costs_of_each_iteration_of_gaits(self):
        anymal = crocoddyl_gaits.Anymal()
        for gait in ("trot", "bound"):
            theirs, ours, itself = anymal.compare(gait)
            self.assertEqual(len(theirs.costs), len(ours.costs))
            self.assertEqual(theirs.steps, ours.steps)
            np.testing.assert_allclose(ours.costs, theirs.costs, rtol=1e-9)
            self.assertEqual(len(itself.costs), len(theirs.costs))

    def talos(self, contacts, gains):
        """A model of Crocoddyl with contacts of six rows, whose wrenches have a cost."""
        talos = example_robot_data.load("talos").model
        places = [tilted(talos, frame) for frame in contacts]
        state = crocoddyl.StateMultibody(talos)
        actuation = crocoddyl.ActuationModelFloatingBase(state)
        held = crocoddyl.ContactModelMultiple(state, actuation.nu)
        costs = crocoddyl.CostModelSum(state, actuation.nu)
        for frame, place in zip(contacts, places):
            still, kind = pinocchio.SE3.Identity(), pinocchio.LOCAL
            contact = crocoddyl.ContactModel6D(state, place, still, kind, actuation.nu, gains)
            held.addContact(frame, contact)
            cone = crocoddyl.WrenchCone(np.eye(3), 0.7, np.array([0.1, 0.05]))
            residual = crocoddyl.ResidualModelContactWrenchCone(state, place, cone, actuation.nu)
            costs.addCost(frame, crocoddyl.CostModelResidual(state, residual), 1e-3)
        residual = crocoddyl.ResidualModelCentroidalMomentum(state, np.ones(6), actuation.nu)
        costs.addCost("momentum", crocoddyl.CostModelResidual(state, residual), 1.0)
        residual = crocoddyl.ResidualModelJointAcceleration(state, actuation.nu)
        costs.addCost("acceleration", crocoddyl.CostModelResidual(state, residual), 1e-3)
        return crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, held, costs, 0.0, True)

    def test_contacts_of_six_rows_and_costs_of_wrenches(self):
        robot = tenon.Model.load(crocoddyl_gaits.urdf("talos"), base="floating")
        feet = ["right_sole_link", "left_sole_link"]
        for contacts in (feet[:1], feet):
            theirs = self.talos(contacts, np.array([0.0, 40.0]))
            self.assert_same(theirs, tenon.crocoddyl.like(theirs, robot), "xout")
        with self.assertRaisesRegex(NotImplementedError, "without a gain on their position"):
            tenon.crocoddyl.like(self.talos(feet, np.array([10.0, 40.0])), robot)

    def test_contacts_of_three_rows_with_gains_and_axes(self):
        anymal = crocoddyl_gaits.Anymal()
        frames = "RH_FOOT", "LF_SHANK_TO_ADAPTER"
        places = [tilted(anymal.model, frame) for frame in frames]
        state = crocoddyl.StateMultibody(anymal.model)
        actuation = crocoddyl.ActuationModelFloatingBase(state)
        for kind in (pinocchio.LOCAL, pinocchio.LOCAL_WORLD_ALIGNED):
            held = crocoddyl.ContactModelMultiple(state, actuation.nu)
            costs = crocoddyl.CostModelSum(state, actuation.nu)
            for k, (frame, place) in enumerate(zip(frames, places)):
                gains = np.array([30.0 + k, 20.0])
                contact = crocoddyl.ContactModel3D(state, place, np.array([0.1, k, -0.5]), kind, actuation.nu, gains)
                held.addContact(frame, contact)
                force = crocoddyl.ResidualModelContactForce(state, place, pinocchio.Force.Zero(), 3, actuation.nu)
                costs.addCost(frame, crocoddyl.CostModelResidual(state, force), 1e-2)
            held.addContact("off", crocoddyl.ContactModel3D(state, place, np.zeros(3), kind, actuation.nu, gains))
            held.changeContactStatus("off", False)
            theirs = crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, held, costs, 0.0, True)
            theirs.armature = np.linspace(0.1, 0.2, state.nv)
            self.assert_same(theirs, tenon.crocoddyl.like(theirs, anymal.robot), "xout")

    def residuals(self, state, frame, place, nu):
        """One of each kind that reads little of Pinocchio's data."""
        free = pinocchio.SE3(pinocchio.exp3(np.array([0.3, 0.2, -0.4])), np.array([0.2, -0.1, 0.3]))
        cone, wrench = crocoddyl.FrictionCone(np.eye(3), 0.7), crocoddyl.WrenchCone(np.eye(3), 0.7, np.array([0.1, 0.05]))
        cop = crocoddyl.CoPSupport(np.eye(3), np.array([0.1, 0.05]))
        axes = pinocchio.LOCAL, pinocchio.WORLD, pinocchio.LOCAL_WORLD_ALIGNED
        moving = [crocoddyl.ResidualModelFrameVelocity(state, frame, pinocchio.Motion.Random(), kind, nu) for kind in axes]
        return [
            crocoddyl.ResidualModelState(state, nu),
            crocoddyl.ResidualModelControl(state, nu),
            crocoddyl.ResidualModelJointEffort(state, crocoddyl.ActuationModelFloatingBase(state), np.zeros(nu), nu, True),
            crocoddyl.ResidualModelJointAcceleration(state, nu),
            crocoddyl.ResidualModelFramePlacement(state, frame, free, nu),
            crocoddyl.ResidualModelFrameTranslation(state, frame, free.translation, nu),
            crocoddyl.ResidualModelFrameRotation(state, frame, free.rotation, nu),
            crocoddyl.ResidualModelCoMPosition(state, free.translation, nu),
            crocoddyl.ResidualModelContactForce(state, place, pinocchio.Force.Zero(), 6, nu, True),
            crocoddyl.ResidualModelContactFrictionCone(state, place, cone, nu, True),
            crocoddyl.ResidualModelContactCoPPosition(state, place, cop, nu, True),
            crocoddyl.ResidualModelContactWrenchCone(state, place, wrench, nu, True),
            *moving,
        ]

    def test_each_cost_that_reads_little(self):
        model = example_robot_data.load("talos").model
        robot = tenon.Model.load(crocoddyl_gaits.urdf("talos"), base="floating")
        place, hand = tilted(model, "left_sole_link"), tilted(model, "gripper_right_base_link")
        state = crocoddyl.StateMultibody(model)
        actuation = crocoddyl.ActuationModelFloatingBase(state)
        held = crocoddyl.ContactModelMultiple(state, actuation.nu)
        still, gains = pinocchio.SE3.Identity(), np.array([0.0, 20.0])
        foot = crocoddyl.ContactModel6D(state, place, still, pinocchio.LOCAL, actuation.nu, gains)
        held.addContact("foot", foot)
        for seed, residual in enumerate(self.residuals(state, hand, place, actuation.nu)):
            costs = crocoddyl.CostModelSum(state, actuation.nu)
            costs.addCost("one", crocoddyl.CostModelResidual(state, residual), 1.0)
            theirs = crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, held, costs, 0.0, True)
            ours = tenon.crocoddyl.like(theirs, robot)
            self.assertTrue(ours.createData().reading.little, residual)
            with self.subTest(residual=residual):
                self.assert_same(theirs, ours, "xout", seed)

    def test_costs_of_python_read_all(self):
        anymal = crocoddyl_gaits.Anymal()

        class Nothing(crocoddyl.ResidualModelAbstract):
            def calc(self, data, x, u=None):
                data.r[:] = 0

            def calcDiff(self, data, x, u=None):
                data.Rx[:] = 0

        state = crocoddyl.StateMultibody(anymal.model)
        costs = crocoddyl.CostModelSum(state)
        costs.addCost("own", crocoddyl.CostModelResidual(state, Nothing(state, 1, state.nv)), 1.0)
        actuation = crocoddyl.ActuationModelFull(state)
        theirs = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        ours = tenon.crocoddyl.like(theirs, anymal.robot)
        data = ours.createData()
        ours.calc(data, anymal.x0, np.ones(actuation.nu))
        ours.calcDiff(data, anymal.x0, np.ones(actuation.nu))
        self.assertFalse(data.reading.little)
        for name in ("M", "Ag", "nle", "dtau_dq"):  # which costs that read little leave as they are
            self.assertGreater(np.abs(getattr(data.pinocchio, name)).max(), 0, name)

    def test_models_with_the_same_contacts_share_a_workspace(self):
        anymal = crocoddyl_gaits.Anymal()
        problem = tenon.crocoddyl.with_tenon(anymal.problem("trot"), anymal.robot)
        used = {getattr(model, "differential", model).workspace for model in problem.runningModels}
        self.assertLess(len(used), 6)
        state = crocoddyl.StateMultibody(anymal.model)
        actuation, shared = crocoddyl.ActuationModelFloatingBase(state), {}

        def model(place, gains):
            held = crocoddyl.ContactModelMultiple(state, actuation.nu)
            foot, kind = anymal.model.getFrameId("LF_FOOT"), pinocchio.LOCAL_WORLD_ALIGNED
            held.addContact("LF", crocoddyl.ContactModel3D(state, foot, place, kind, actuation.nu, gains))
            costs = crocoddyl.CostModelSum(state, actuation.nu)
            costs.addCost("u", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, actuation.nu)), 1)
            return crocoddyl.DifferentialActionModelContactFwdDynamics(state, actuation, held, costs, 0.0, True)

        here, there, gains = np.zeros(3), np.array([0.1, 0.2, 0.0]), np.array([25.0, 10.0])
        theirs = [model(here, gains), model(here, gains), model(there, gains), model(here, 2 * gains)]
        ours = [tenon.crocoddyl.like(one, anymal.robot, shared) for one in theirs]
        self.assertEqual([ours.index(next(b for b in ours if b.workspace is a.workspace)) for a in ours], [0, 0, 2, 3])
        # Each has its own point between calc and calcDiff.
        random, points = np.random.default_rng(2), []
        for _ in ours:
            x = state.integrate(state.zero(), 0.3 * random.standard_normal(state.ndx))
            points.append((x, random.standard_normal(actuation.nu)))
        found = []
        for models in (theirs, ours):
            datas = [one.createData() for one in models]
            for step in ("calc", "calcDiff"):
                for one, data, (x, u) in zip(models, datas, points):
                    getattr(one, step)(data, x, u)
            found.append(datas)
        for a, b in zip(*found):
            np.testing.assert_allclose(b.xout, a.xout, atol=1e-10 * np.abs(a.xout).max())
            np.testing.assert_allclose(b.Fx, a.Fx, atol=1e-10 * np.abs(a.Fx).max())

    def test_an_arm_with_joints_of_other_coordinates(self):
        model = example_robot_data.load("kinova").model
        self.assertGreater(model.nq, model.nv)
        robot = tenon.Model.load(crocoddyl_gaits.urdf("kinova"))
        state = crocoddyl.StateMultibody(model)
        costs = crocoddyl.CostModelSum(state)
        place = pinocchio.SE3(np.eye(3), np.array([0.6, 0.2, 0.5]))
        hand = crocoddyl.ResidualModelFramePlacement(state, model.getFrameId("j2s6s200_end_effector"), place)
        costs.addCost("hand", crocoddyl.CostModelResidual(state, hand), 1)
        theirs = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, crocoddyl.ActuationModelFull(state), costs)
        ours = tenon.crocoddyl.like(theirs, robot)
        self.assert_same(theirs, ours, "xout")
        x = np.concatenate((model.referenceConfigurations["arm_up"], np.ones(model.nv)))
        still = [m.quasiStatic(m.createData(), x) for m in (theirs, ours)]
        np.testing.assert_allclose(still[1], still[0], atol=1e-7)
        with self.assertRaisesRegex(ValueError, "joints of Pinocchio's model"):
            tenon.crocoddyl.like(theirs, tenon.Model.load(os.path.join(MODELS, "iiwa14.urdf")))

    def test_loops_against_differences(self):
        problem, work = crocoddyl_cassie.problem(knots=6)
        model, state = problem.terminalModel.differential, problem.terminalModel.state
        random, data, h = np.random.default_rng(4), model.createData(), 1e-6
        x = np.concatenate((problem.x0[: state.nq], 0.1 * random.standard_normal(state.nv)))
        u = 10 * random.standard_normal(model.nu)
        model.calc(data, x, u)
        model.calcDiff(data, x, u)

        def qdd(x, u):
            other = model.createData()
            model.calc(other, x, u)
            return other.xout.copy()

        by_x = [qdd(state.integrate(x, e), u) - qdd(state.integrate(x, -e), u) for e in h * np.eye(state.ndx)]
        by_u = [qdd(x, u + e) - qdd(x, u - e) for e in np.eye(model.nu)]
        np.testing.assert_allclose(data.Fx, np.transpose(by_x) / (2 * h), atol=1e-6 * np.abs(data.Fx).max())
        np.testing.assert_allclose(data.Fu, np.transpose(by_u) / 2, atol=1e-9 * np.abs(data.Fu).max())

    def test_what_fails_becomes_nan_and_tells_why(self):
        anymal = crocoddyl_gaits.Anymal()
        problem = tenon.crocoddyl.with_tenon(anymal.problem("jump"), anymal.robot)
        impact = next(m for m in problem.runningModels if isinstance(m, tenon.crocoddyl.Impact))
        dynamics = problem.runningModels[0].differential
        for model, result in ((dynamics, "xout"), (impact, "xnext")):
            data, x = model.createData(), np.full(model.state.nx, np.nan)
            model.calc(data, x, np.zeros(model.nu))
            model.calcDiff(data, x, np.zeros(model.nu))
            self.assertTrue(np.isnan(getattr(data, result)).all() and np.isnan(data.Fx).all() and np.isnan(data.cost))
            self.assertRegex(str(model.error), "not_finite")
            model.calc(data, anymal.x0, np.zeros(model.nu))
            model.calcDiff(data, anymal.x0, np.zeros(model.nu))
            self.assertTrue(np.isfinite(getattr(data, result)).all() and np.isfinite(data.Fx).all())
        self.assertTrue(np.isnan(dynamics.quasiStatic(dynamics.createData(), np.full(dynamics.state.nx, np.nan))).all())
        # What overflows on the way ends no process.
        solver = crocoddyl.SolverFDDP(problem)
        still = [np.full(m.nu, 1e200) for m in problem.runningModels]
        self.assertFalse(solver.solve([anymal.x0] * (problem.T + 1), still, 2, False))

    def test_the_example_with_loops(self):
        solver, costs, _, work = crocoddyl_cassie.solve(iterations=4, knots=10)
        self.assertLess(costs[-1], costs[0])
        self.assertLess(crocoddyl_cassie.gap(solver, work), 0.01)
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "cassie.svg")
            crocoddyl_cassie.draw(solver, costs, work, crocoddyl_cassie.DT, picture)
            self.assertGreater(os.path.getsize(picture), 1000)


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Crocoddyl)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
