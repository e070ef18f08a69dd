# SPDX-License-Identifier: MIT
"""An array whose queue is busy with a host task that needs the interpreter to finish."""

import dpctl
import dpctl.memory

_N_BYTES = 64 << 20
_queue = dpctl.SyclQueue("cpu")
_source = dpctl.memory.MemoryUSMDevice(_N_BYTES, queue=_queue)
_target = dpctl.memory.MemoryUSMDevice(_N_BYTES, queue=_queue)
_source.memset(7)


class Busy:
    @property
    def __sycl_usm_array_interface__(self):
        event = _queue.memcpy_async(_target, _source, _N_BYTES)
        _queue._submit_keep_args_alive((_source, _target), [event])
        return {
            "version": 1,
            "shape": (_N_BYTES,),
            "typestr": "|u1",
            "data": (_target._pointer, False),
            "strides": None,
            "syclobj": _queue,
        }


busy = Busy()
