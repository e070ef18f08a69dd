"""`as_usm_memory` ends the process where `syclobj` is a context of the device's parts.

Library: dpctl
Rules: SUAI402 tells who exports such a dictionary
Clause: dpctl __sycl_usm_array_interface__, version 1, syclobj
Hurts: who imports from an exporter that names another context than its memory's: there is no exception to catch.
"""

import signal
import subprocess
import sys

code = """import dpctl.memory
memory = dpctl.memory.MemoryUSMShared(96)
parts = dpctl.SyclContext(memory.sycl_device.create_sub_devices(partition=1))
words = {**memory.__sycl_usm_array_interface__, "syclobj": parts}
dpctl.memory.as_usm_memory(type("Liar", (), {"__sycl_usm_array_interface__": words})())"""
done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
assert done.returncode == -signal.SIGABRT
