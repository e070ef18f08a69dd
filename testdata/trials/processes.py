# SPDX-License-Identifier: MIT
"""Objects whose behaviour depends on the process that they are in, and on what was done in it before: what a trial reports
about each must not depend on how many share an import."""
import array
import ctypes
import os
import time

PROCESS = os.getpid()
uses = {}


class Healthy:
    def __init__(self):
        self.data = array.array("d", [1.0] * 6)
        self.make()

    def make(self):
        pass

    def use(self):
        pass

    def lose(self):
        """A reference to itself."""
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(self))

    def times_used(self):
        """Of all objects of the class, in this process."""
        uses[type(self)] = uses.get(type(self), 0) + 1
        return uses[type(self)]

    @property
    def __array_interface__(self):
        self.use()
        return {"version": 3, "shape": (6,), "typestr": "<f8", "data": (self.data.buffer_info()[0], False)}


class RaisesInAFork(Healthy):
    def use(self):
        if os.getpid() != PROCESS:
            raise RuntimeError("another process")


class LeavesInAFork(Healthy):
    def use(self):
        if os.getpid() != PROCESS:
            os._exit(0)


class HangsInAFork(Healthy):
    def use(self):
        while os.getpid() != PROCESS:
            time.sleep(1)


class LosesInAFork(Healthy):
    def use(self):
        if os.getpid() != PROCESS:
            self.lose()


class CannotBeMadeInAFork(Healthy):
    def make(self):
        if os.getpid() != PROCESS:
            raise RuntimeError("another process")


class DiesOfManyUses(Healthy):
    """More than one trial makes."""

    def use(self):
        if self.times_used() == 700:
            os.abort()


class LosesAfterManyUses(Healthy):
    def use(self):
        if self.times_used() > 700:
            self.lose()


class Changes(Healthy):
    """The process, for Changed."""

    def use(self):
        os.environ["SUAI_CHANGED"] = "1"


class Changed(Healthy):
    def use(self):
        if "SUAI_CHANGED" in os.environ:
            raise RuntimeError("another object changed the process")


class Loses(Healthy):
    def use(self):
        if self.times_used() > 50:
            self.lose()


class Crashes(Healthy):
    def use(self):
        if self.times_used() > 50:
            os.abort()


class Leaves(Healthy):
    def use(self):
        if self.times_used() > 50:
            os._exit(0)


class KillsItsGroup(Healthy):
    def use(self):
        if self.times_used() > 50:
            os.kill(0, 9)


class Hangs(Healthy):
    def use(self):
        while self.times_used() > 50:
            time.sleep(1)


healthy = Healthy()
