"""A functional mock-up unit in FMPy's classes, the same for both versions of the standard and both interfaces."""

import ctypes
import os

import fmpy
import fmpy.fmi2
import fmpy.fmi3
import numpy as np

CLASSES = {
    (2, "CoSimulation"): fmpy.fmi2.FMU2Slave,
    (2, "ModelExchange"): fmpy.fmi2.FMU2Model,
    (3, "CoSimulation"): fmpy.fmi3.FMU3Slave,
    (3, "ModelExchange"): fmpy.fmi3.FMU3Model,
}


class Unit:
    """An extracted unit; `start` makes instances of it. `said`: status, category and text of all messages."""

    def __init__(self, path, folder):
        self.path, self.said = path, []
        self.folder = fmpy.extract(path, unzipdir=os.path.join(folder, os.path.basename(path) + ".d"))
        self.description = fmpy.read_model_description(self.folder)
        self.version = int(self.description.fmiVersion[0])
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.starts = {v.name: v.start for v in self.description.modelVariables}
        self.rates = [u.variable for u in self.description.derivatives]
        self.states = [v.derivative.name for v in self.rates]

    def start(self, interface, values=(), tolerance=None, token=None, **how):
        """how: more arguments of FMPy's instantiate."""
        return Instance(self, interface, dict(values), tolerance, token, how)

    def all_said(self):
        return "\n".join(text for _, _, text in self.said)

    def logger(self):
        """For the argument of FMPy's instantiate: keeps what is said."""

        def keep(*message):
            status, category, text = message[-3:]
            self.said.append((status, category.decode(), text.decode()))

        if self.version == 3:
            return {"logMessage": keep}
        callbacks = fmpy.fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmpy.fmi2.fmi2CallbackLoggerTYPE(keep)
        return {"callbacks": callbacks}


class Instance:
    """Of one interface, initialised with start values."""

    def __init__(self, unit, interface, values, tolerance, token, how):
        self.unit, self.interface, self.time = unit, interface, 0.0
        self.fmu = CLASSES[unit.version, interface](
            guid=token or unit.description.guid,
            instanceName=interface,
            modelIdentifier=unit.description.modelExchange.modelIdentifier,
            unzipDirectory=unit.folder,
        )
        self.fmu.instantiate(**unit.logger(), **how)
        self.initialise(values, tolerance)

    def initialise(self, values=(), tolerance=None):
        self.set(dict(values))
        self.enter(tolerance)
        self.leave()

    def enter(self, tolerance=None):
        if self.unit.version == 2:
            self.fmu.setupExperiment(startTime=0.0, tolerance=tolerance)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=0.0, tolerance=tolerance)

    def leave(self):
        self.fmu.exitInitializationMode()
        if self.interface == "ModelExchange":
            self.update()
            self.fmu.enterContinuousTimeMode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.fmu.terminate()
        self.fmu.freeInstance()

    def set(self, values):
        references = [self.unit.references[name] for name in values]
        setter = self.fmu.setReal if self.unit.version == 2 else self.fmu.setFloat64
        if values:
            setter(references, [float(v) for v in values.values()])

    def get(self, names):
        references = [self.unit.references[name] for name in names]
        getter = self.fmu.getReal if self.unit.version == 2 else self.fmu.getFloat64
        return np.array(getter(references)) if names else np.zeros(0)

    def step(self, length):
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=length)
        self.time += length

    def update(self):
        """Whether an event changed the states."""
        if self.unit.version == 2:
            return bool(self.fmu.newDiscreteStates()[3])
        return bool(self.fmu.updateDiscreteStates()[3])

    def events(self):
        """Ends a step of the solver; whether the unit changed its states."""
        event, terminate = self.fmu.completedIntegratorStep()
        changed = False
        if event:
            self.fmu.enterEventMode()
            changed = self.update()
            self.fmu.enterContinuousTimeMode()
        return changed

    def _pointer(self, array):
        return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    @property
    def x(self):
        x = np.empty(len(self.unit.states))
        self.fmu.getContinuousStates(self._pointer(x), x.size)
        return x

    def derivative(self, time, x):
        x, dx = np.ascontiguousarray(x), np.empty(len(x))
        self.fmu.setTime(time)
        self.fmu.setContinuousStates(self._pointer(x), x.size)
        getter = self.fmu.getDerivatives if self.unit.version == 2 else self.fmu.getContinuousStateDerivatives
        getter(self._pointer(dx), dx.size)
        return dx

    def runge_kutta(self, h):
        """One step of the classical fourth order with the states as plain numbers."""
        t, x = self.time, self.x
        k1 = self.derivative(t, x)
        k2 = self.derivative(t + h / 2, x + h / 2 * k1)
        k3 = self.derivative(t + h / 2, x + h / 2 * k2)
        k4 = self.derivative(t + h, x + h * k3)
        self.derivative(t + h, x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
        self.time += h
        return self.events()

    def save(self):
        if self.unit.version == 2:
            state = self.fmu.getFMUstate()
            return self.time, self.fmu.serializeFMUstate(state), self.fmu.freeFMUstate(state)
        state = self.fmu.getFMUState()
        return self.time, self.fmu.serializeFMUState(state), self.fmu.freeFMUState(state)

    def restore(self, saved):
        self.time = saved[0]
        if self.unit.version == 2:
            self.fmu.setFMUstate(self.fmu.deSerializeFMUstate(saved[1]))
        else:
            self.fmu.setFMUState(self.fmu.deserializeFMUState(saved[1]))
