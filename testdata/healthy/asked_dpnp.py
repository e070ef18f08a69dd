# SPDX-License-Identifier: MIT
"""dpnp: arrays for --calls and --lifetime."""

import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor


def plain():
    return dpnp.arange(12.0).reshape(3, 4)


def view():
    return plain()[1:, ::2]


def zero_d():
    return dpnp.asarray(1.5)


def empty():
    return dpnp.zeros((0, 3))


def broadcast():
    return dpnp.broadcast_to(dpnp.arange(4.0), (3, 4))


def readonly():
    tensor = dpnp.tensor.arange(6)
    tensor.flags.writable = False
    return tensor


def shared():
    return dpnp.ones(3, usm_type="shared")


def of_odd_memory():
    return dpnp.tensor.usm_ndarray(3, "f4", buffer=dpctl.memory.MemoryUSMDevice(17))


def on_part():
    part = dpctl.SyclDevice().create_sub_devices(partition=1)[0]
    return dpnp.ones((2, 3), sycl_queue=dpctl.SyclQueue(part))
