# SPDX-License-Identifier: MIT
"""The six forms of syclobj over real USM memory of each kind, and dpnp's views if dpnp is installed.

Prints the expected results to standard error, one JSON map per line, from nbytes and _pointer of
dpctl's memory objects instead of the interface.
"""

import json
import sys

import dpctl
import dpctl.memory

KINDS = {
    "device": dpctl.memory.MemoryUSMDevice,
    "shared": dpctl.memory.MemoryUSMShared,
    "host": dpctl.memory.MemoryUSMHost,
}


class Giver:
    """An object of no dpctl class with _get_capsule()."""

    def __init__(self, inner):
        self._get_capsule = inner._get_capsule


class Exporter:
    def __init__(self, memory, make_syclobj):
        self.memory = memory
        self.make_syclobj = make_syclobj

    @property
    def __sycl_usm_array_interface__(self):
        return {
            "version": 1,
            "shape": (self.memory.nbytes // 4,),
            "typestr": "|f4",
            "data": (self.memory._pointer, False),
            "strides": None,
            "syclobj": self.make_syclobj(),
        }


def expect(name, base, size, pointer, kind, form=None, capsule=None):
    fact = {"name": name, "base": base, "size": size, "pointer": pointer}
    fact.update(kind="usm-" + kind, form=form, capsule=capsule)
    print(json.dumps(fact), file=sys.stderr)


def forms(queue):
    context = queue.sycl_context
    return {
        "filter": (None, lambda: queue.sycl_device.filter_string),
        "context": ("SyclContextRef", lambda: context),
        "context_capsule": ("SyclContextRef", context._get_capsule),
        "queue": ("SyclQueueRef", lambda: queue),
        "queue_capsule": ("SyclQueueRef", queue._get_capsule),
        "get_capsule": ("SyclQueueRef", lambda: Giver(queue)),
    }


def make_all(queue):
    for kind, memory_class in KINDS.items():
        for form, (capsule, make_syclobj) in forms(queue).items():
            memory = memory_class(96, queue=queue)
            name = form + "_" + kind
            expect(
                name,
                memory._pointer,
                memory.nbytes,
                memory._pointer,
                kind,
                form.replace("_", "-"),
                capsule,
            )
            yield name, Exporter(memory, make_syclobj)


def make_views(dpnp):
    line = dpnp.arange(12, dtype="f4")
    grid = dpnp.arange(24, dtype="f4", usm_type="shared").reshape(4, 6)
    views = {
        "dpnp_whole": (line, 0),
        "dpnp_reversed": (line[::-1], 11),
        "dpnp_sliced": (grid[1:3, ::2], 6),
        "dpnp_transposed": (grid.T, 0),
        "dpnp_empty": (line[:0], 0),
        "dpnp_scalar": (grid[2, 3], 15),
    }
    for name, (view, first) in views.items():
        memory = view.get_array().usm_data
        pointer = memory._pointer + 4 * first
        kind = memory.get_usm_type()
        expect(name, memory._pointer, memory.nbytes, pointer, kind, "queue", "SyclQueueRef")
        yield name, view


globals().update(make_all(dpctl.SyclQueue("cpu")))
try:
    import dpnp as _dpnp
except ImportError:
    pass
else:
    globals().update(make_views(_dpnp))
