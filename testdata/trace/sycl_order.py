# Reads of the interface of SYCL memory while work is pending on its queue, and while none is; prints whether it was
# still pending after the read, which the machine may prevent. Usage: sycl_order.py [in_order]
import sys

import dpctl
import dpctl.memory as memory
import dpnp
import solver

N_BYTES = 1 << 28
properties = {"property": sys.argv[1]} if len(sys.argv) > 1 else {}
queue = dpctl.SyclQueue("cpu", **properties)
other = dpctl.SyclQueue(queue.sycl_context, queue.sycl_device, **properties)
source, target = (memory.MemoryUSMShared(N_BYTES, queue=queue) for _ in range(2))
elsewhere = memory.MemoryUSMShared(1000, queue=other)
array = dpnp.zeros(1000, dtype="u1", sycl_queue=queue)
queue.wait()


def idle():
    return solver.read(target)


def pending():
    return solver.read(target)


def pending_on_another_queue():
    return solver.read(elsewhere)


def producer_waits():
    return solver.read(array)


def waited():
    return solver.read(target)


def consumer_of_the_same_family():
    return dpnp.asarray(target)


idle()
event = queue.memcpy_async(target, source, N_BYTES)
pending()
pending_on_another_queue()
print(event.execution_status != dpctl.event_status_type.complete)
producer_waits()
queue.wait()
waited()
event = queue.memcpy_async(target, source, N_BYTES)
consumer_of_the_same_family()
queue.wait()
