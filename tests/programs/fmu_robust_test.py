"""Units in the hands of importers that err, or want much: what they may, and what they are told where they may not.

    python3 fmu_robust_test.py <tenon> <models>
"""

import ctypes
import os
import shutil
import stat
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import fmpy
from fmpy.fmi1 import FMICallException

from fmu_instance import Unit
from fmu_scene import CASES, Scene

INTERFACES = "CoSimulation", "ModelExchange"


class Robust(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def unit(self, name, version, *more, folder=""):
        place = os.path.join(self.folder.name, folder)
        os.makedirs(place, exist_ok=True)
        return Scene(name, place).unit(version, *more)

    def both(self, name="iiwa14", *more):
        for version in 2, 3:
            unit = self.unit(name, version, *more)
            for interface in INTERFACES:
                unit.said.clear()
                print(f"FMI {version}.0 {interface}")
                yield unit, interface

    def refused(self, unit, words, call, *arguments, status=3):
        """The call returns an error, and the importer is told why, by a category that the description has."""
        unit.said.clear()
        with self.assertRaises(FMICallException) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(words, unit.all_said())
        for said, category, _ in unit.said:
            self.assertEqual(said, status)
            self.assertIn(category, [c.name for c in unit.description.logCategories])

    def advance(self, instance, steps=10, h=1e-3):
        for _ in range(steps):
            instance.step(h) if instance.interface == "CoSimulation" else instance.runge_kutta(h)
        return instance.get(Scene.columns(instance.unit)).tolist()

    def test_another_token(self):
        for unit, interface in self.both():
            with self.assertRaises(Exception):
                unit.start(interface, token="{of another unit}")
            self.assertIn("do not belong together", unit.all_said())
            self.assertEqual({s for s, _, _ in unit.said}, {3})

    def test_missing_and_spoilt_resources(self):
        for unit, interface in self.both():
            resources = os.path.join(unit.folder, "resources")
            for name in "tenon.txt", "robot.urdf":
                path = os.path.join(resources, name)
                with open(path, "rb") as file:
                    whole = file.read()
                os.remove(path)
                unit.said.clear()
                with self.assertRaises(Exception):
                    unit.start(interface)
                self.assertIn(name, unit.all_said())
                for spoilt in whole[: len(whole) // 2], b"", whole.replace(b"tenon-unit 1", b"tenon-unit 9").replace(b"<link", b"<lonk"):
                    with open(path, "wb") as file:
                        file.write(spoilt)
                    unit.said.clear()
                    with self.assertRaises(Exception):
                        unit.start(interface)
                    self.assertNotEqual(unit.said, [])
                with open(path, "wb") as file:
                    file.write(whole)
            with unit.start(interface):
                pass

    def test_folders_of_any_name_that_nobody_may_write(self):
        place = os.path.join(self.folder.name, "ein Rüssel 100%25 & mehr, 日本")
        os.mkdir(place)
        for version in 2, 3:
            plain = self.unit("iiwa14", version)
            unit = Unit(shutil.copy(plain.path, place), place)
            for folder, _, files in os.walk(unit.folder):
                for file in files:
                    os.chmod(os.path.join(folder, file), stat.S_IRUSR)
                os.chmod(folder, stat.S_IRUSR | stat.S_IXUSR)
            try:
                with unit.start("CoSimulation") as instance, plain.start("CoSimulation") as other:
                    self.assertEqual(self.advance(instance), self.advance(other))
            finally:
                for folder, _, _ in os.walk(unit.folder):
                    os.chmod(folder, stat.S_IRWXU)

    def test_two_robots_and_two_instances_of_each(self):
        """Steps taken in turns, and by threads at the same time, give the bits of steps taken one after the other."""
        units = [(name, self.unit(name, version)) for name in ("iiwa14", "six_bar") for version in (2, 3)]
        alone, together = {}, {}
        for name, unit in units:
            values = Scene(name, self.folder.name).inputs
            for interface in INTERFACES:
                with unit.start(interface, values) as instance:
                    alone[unit.path, interface] = self.advance(instance)
                for k in 0, 1:
                    together[unit.path, interface, k] = unit.start(interface, values)
        for _ in range(10):
            ends = {key: self.advance(instance, 1) for key, instance in together.items()}
        for key, end in ends.items():
            self.assertEqual(end, alone[key[:2]])
        for instance in together.values():
            instance.fmu.reset()
            instance.time = 0.0
            instance.initialise(Scene("iiwa14" if "iiwa14" in instance.unit.path else "six_bar", self.folder.name).inputs)
        with ThreadPoolExecutor(8) as pool:
            ends = dict(zip(together, pool.map(self.advance, together.values())))
        for key, end in ends.items():
            self.assertEqual(end, alone[key[:2]])
        for instance in together.values():
            instance.__exit__()

    def test_reset(self):
        for name in "iiwa14", "go1":
            for unit, interface in self.both(name):
                values = {"gravity[1]": 3.0, **Scene(name, self.folder.name).inputs}
                with unit.start(interface) as instance:
                    first = self.advance(instance)
                    instance.fmu.reset()
                    instance.time = 0.0
                    instance.initialise(values)
                    second = self.advance(instance)
                    self.assertNotEqual(first, second)
                    instance.fmu.reset()
                    instance.time = 0.0
                    instance.initialise()
                    self.assertEqual(self.advance(instance), first)
                with unit.start(interface, values) as instance:
                    self.assertEqual(self.advance(instance), second)

    def test_states_of_another_unit(self):
        for unit, interface in self.both("go1"):
            other = self.unit("go1", unit.version, "--pose", "trunk", folder=f"other {unit.version} {interface}")
            with unit.start(interface) as instance, other.start(interface) as stranger:
                time, saved, _ = instance.save()
                self.advance(instance)
                before = instance.get(Scene.columns(unit)).tolist()
                self.refused(other, "not of this unit", stranger.restore, (time, saved))
                self.refused(unit, "not of this unit", instance.restore, (time, saved[:-8]))
                self.refused(unit, "not of this unit", instance.restore, (time, b""))
                self.assertEqual(instance.get(Scene.columns(unit)).tolist(), before)
                instance.restore((time, saved))
                self.assertEqual(bytes(instance.save()[1]), bytes(saved))

    def test_a_restored_state_moves_by_the_same_bits(self):
        """Whatever was done in between: nothing that a motion depends on is outside the state."""
        for name in CASES:
            for version in 2, 3:
                unit = self.unit(name, version)
                for interface in INTERFACES:
                    print(f"{name} {version}.0 {interface}")
                    with unit.start(interface, Scene(name, self.folder.name).inputs) as instance:
                        self.advance(instance, 3)
                        saved = instance.save()
                        end = self.advance(instance, 5)
                        self.advance(instance, 7)
                        instance.get(list(unit.references))
                        instance.restore(saved)
                        self.assertEqual(self.advance(instance, 5), end)
                        instance.restore(saved)
                        instance.get(list(unit.references))
                        self.assertEqual(self.advance(instance, 5), end)

    def test_what_is_read_before_the_end_of_the_initialisation_changes_nothing(self):
        for name, starts in ("go1", ["q.root_joint[6]", "q.root_joint[7]", "v.root_joint[3]", "q.FL_calf_joint"]), \
                            ("six_bar", ["q.joint1", "v.joint1", "q.joint2"]):
            for unit, interface in self.both(name):
                values = dict(zip(starts, [0.8, 0.6, 0.3, -1.4]))
                everything = list(unit.references)
                with unit.start(interface, values) as instance:
                    expected = instance.get(everything).tolist()
                    end = self.advance(instance)
                with unit.start(interface) as instance:
                    instance.fmu.reset()
                    instance.time = 0.0
                    for entered in False, True:
                        if entered:
                            instance.enter()
                        for start, value in values.items():
                            instance.get(everything)
                            instance.set({start: value})
                            self.assertEqual(instance.get([start])[0], value)
                    outputs = [i for i, n in enumerate(everything) if n.split(".")[0] in ("pose", "a", "force", "moment")]
                    seen = instance.get(everything).tolist()
                    self.assertEqual([seen[i] for i in outputs], [expected[i] for i in outputs])
                    instance.leave()
                    self.assertEqual(instance.get(everything).tolist(), expected)
                    self.assertEqual(self.advance(instance), end)

    def do_step(self, instance, time, length, ends=False):
        """Status and last successful time, as the unit itself tells them; ends: it asks for the end of the simulation."""
        library, component = ctypes.CDLL(instance.fmu.dll._name), ctypes.c_void_p(instance.fmu.component)
        arguments = [ctypes.c_double(time), ctypes.c_double(length)]
        last = ctypes.c_double(-1)
        if instance.unit.version == 3:
            event, terminate, early = (ctypes.c_bool(True) for _ in range(3))
            status = library.fmi3DoStep(component, *arguments, ctypes.c_bool(True), *map(ctypes.byref, (event, terminate, early, last)))
            self.assertEqual((event.value, terminate.value, early.value), (False, ends, False))
            return status, last.value
        status, terminated = library.fmi2DoStep(component, *arguments, 1), ctypes.c_int(1)
        self.assertEqual(library.fmi2GetRealStatus(component, 2, ctypes.byref(last)), 0)
        self.assertEqual(library.fmi2GetBooleanStatus(component, 3, ctypes.byref(terminated)), 0)
        self.assertEqual(terminated.value, int(ends))
        return status, last.value

    def test_time_is_that_of_the_importer(self):
        for version in 2, 3:
            unit = self.unit("iiwa14", version)
            with unit.start("CoSimulation") as instance:
                for k in range(100):
                    self.assertEqual(self.do_step(instance, k * 0.1, 0.1), (0, k * 0.1 + 0.1))
                    self.assertEqual(instance.get(["time"])[0], k * 0.1 + 0.1)
                before = instance.get(list(unit.references)).tolist()
                for other in 9.9, 10.001, 0.0, float("inf"):
                    unit.said.clear()
                    self.assertEqual(self.do_step(instance, other, 0.1), (3, before[0]))
                    self.assertIn("is at 10 s" if other < 1e9 else "no sense", unit.all_said())
                self.assertEqual(instance.get(list(unit.references)).tolist(), before)

    def test_a_step_that_the_robot_refuses_is_discarded(self):
        """It may fail in the middle of a communication step: the unit is where it was, and goes on from there."""
        for version in 2, 3:
            unit = self.unit("go1", version)
            everything = list(unit.references)
            with unit.start("CoSimulation") as instance, unit.start("CoSimulation") as other:
                for one in instance, other:
                    one.step(0.01)
                before = instance.get(everything).tolist()
                instance.set({"tau.FL_calf_joint": 1e160})
                unit.said.clear()
                self.assertEqual(self.do_step(instance, 0.01, 0.01), (2, 0.01))
                self.assertEqual([(s, c) for s, c, _ in unit.said], [(2, "logStatusDiscard")])
                self.assertIn("smaller torques", unit.all_said())
                # The same step again cannot do better; a shorter one may, and so may one with another torque.
                self.assertEqual(self.do_step(instance, 0.01, 0.005), (2, 0.01))
                self.assertEqual(self.do_step(instance, 0.01, 0.005, ends=True), (2, 0.01))
                instance.set({"tau.FL_calf_joint": 2e160})
                self.assertEqual(self.do_step(instance, 0.01, 0.005), (2, 0.01))
                instance.set({"tau.FL_calf_joint": before[everything.index("tau.FL_calf_joint")]})
                self.assertEqual(instance.get(everything).tolist(), before)
                for one in instance, other:
                    one.step(0.01)
                self.assertEqual(instance.get(everything).tolist(), other.get(everything).tolist())

    def test_fmpy_does_not_repeat_a_refused_step_for_ever(self):
        unit = self.unit("iiwa14", 2)
        said = []
        result = fmpy.simulate_fmu(
            unit.path, start_values={"tau.iiwa_joint_1": 1e300}, logger=lambda *message: said.append(message[-2]), timeout=5
        )
        self.assertEqual(result["time"].tolist()[-1], 0)
        self.assertEqual(said, 2 * [b"logStatusDiscard"])

    def test_log_categories(self):
        for unit, interface in self.both():
            with unit.start(interface) as instance:
                names = [c.name for c in unit.description.logCategories]
                self.assertEqual(names, ["logStatusDiscard", "logStatusError"])
                for on in True, False:
                    instance.fmu.setDebugLogging(on, [])
                    instance.fmu.setDebugLogging(on, names)
                self.refused(unit, "no such log category", instance.fmu.setDebugLogging, True, ["logAll"])
                # Whatever was switched off, failures are told; those of states that may be left have a category of their own.
                self.refused(unit, "only torques", instance.set, {"a.iiwa_joint_1": 1})
            with unit.start("CoSimulation", {"v.iiwa_joint_2": 1e200, "v.iiwa_joint_3": 1e200}) as instance:
                self.refused(unit, "solving for the accelerations", instance.get, ["a.iiwa_joint_1"], status=2)

    def test_order_of_calls(self):
        for unit, interface in self.both():
            with unit.start(interface) as instance:
                if interface == "ModelExchange":
                    step = ctypes.CDLL(instance.fmu.dll._name)[f"fmi{unit.version}DoStep"]
                    rest = [ctypes.byref(ctypes.c_double()) for _ in range(4 if unit.version == 3 else 0)]
                    self.assertEqual(step(ctypes.c_void_p(instance.fmu.component), ctypes.c_double(0), ctypes.c_double(1e-3), 1, *rest), 3)
                    self.assertIn("for co-simulation", unit.all_said())
                    continue
                self.refused(unit, "makes no sense", instance.step, 0.0)
                self.refused(unit, "makes no sense", instance.step, -1e-3)
                self.refused(unit, "makes no sense", instance.step, float("nan"))
                instance.time = 0.0
                self.refused(unit, "before the simulation only", instance.set, {"q.iiwa_joint_1": 0.3})
                end = self.advance(instance)
                instance.fmu.terminate()
                self.refused(unit, "before the end", instance.step, 1e-3)
                self.assertEqual(instance.get(Scene.columns(unit)).tolist(), end)
                instance.fmu.reset()
                self.refused(unit, "after the initialisation", instance.step, 1e-3)

    def test_early_return_and_event_mode(self):
        unit = self.unit("iiwa14", 3)
        self.assertFalse(unit.description.coSimulation.hasEventMode)
        self.assertFalse(unit.description.coSimulation.canReturnEarlyAfterIntermediateUpdate)
        self.assertFalse(unit.description.coSimulation.providesIntermediateUpdate)
        with unit.start("CoSimulation", earlyReturnAllowed=True, loggingOn=True) as instance:
            event, terminate, early, last = instance.fmu.doStep(0, 0.01)
            self.assertEqual((event, terminate, early, last), (False, False, False, 0.01))
        with self.assertRaises(Exception):
            unit.start("CoSimulation", eventModeUsed=True)
        self.assertIn("eventModeUsed = false", unit.all_said())

    def test_no_derivatives_are_promised_or_given(self):
        for unit, interface in self.both():
            with open(os.path.join(unit.folder, "modelDescription.xml"), encoding="utf-8") as file:
                text = file.read()
            for promise in "provides", "canInterpolateInputs", "maxOutputDerivativeOrder", "hasEventMode", "canReturnEarly":
                self.assertNotIn(promise, text)
            with unit.start(interface) as instance:
                unknown, known = unit.references["a.iiwa_joint_1"], unit.references["tau.iiwa_joint_1"]
                self.refused(unit, "no directional", instance.fmu.getDirectionalDerivative, [unknown], [known], [1.0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
