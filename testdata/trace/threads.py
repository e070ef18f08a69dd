"""Eight threads exchange the same memory by DLPack and as buffers, let a package convert arrays, and create and drop modules and types with an interface.
Usage: threads.py ROUNDS, of 50 exchanges of each kind in each thread"""

import array
import gc
import sys
import threading
import types

import numpy as np

ROUNDS = int(sys.argv[1])
shared, values, kept = np.arange(64.0), array.array("d", [1.0, 2.0, 3.0]), [None] * 32
package = {"np": np}
exec(compile("def convert(a): return np.array(a)", "/x/site-packages/package/__init__.py", "exec"), package)
barrier = threading.Barrier(8)


class Exporter:
    def __init__(self, of):
        self.of = of


def work(k):
    name = "part%d" % k
    barrier.wait()
    for n in range(ROUNDS):
        for i in range(50):
            kept[(7 * k + i) % 32] = np.from_dlpack(shared)
            np.from_dlpack(np.arange(8.0), copy=True)
            kept[(5 * k + i) % 32] = np.frombuffer(values)
            package["convert"](shared)
            np.array(shared), np.asarray(shared), np.array([1.0, 2.0]), np.array(shared, dtype="f4")
        sys.modules[name] = module = types.ModuleType(name)
        vars(module).update(np=np, a=shared, __file__="part.py")
        for i in range(3):
            exec(compile("np.array(a)", "part.py", "exec"), vars(module))
        del sys.modules[name], module
        kind = type("Kind", (Exporter,), {"__array_interface__": property(lambda self: self.of.__array_interface__)})
        np.asarray(kind(shared))
        if n % 20 == 0:
            gc.collect()


threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
kept.clear()
