"""`as_usm_memory` aborts the process if `syclobj` is a context of the device's sub-devices.

Library: dpctl
Rules: SUAI402 reports exporters of such a dictionary
Clause: dpctl __sycl_usm_array_interface__, version 1, syclobj
Impact: consumers of an exporter that passes a context other than that of its memory: there is no exception to catch.
"""

import signal
import subprocess
import sys

code = """import dpctl.memory
memory = dpctl.memory.MemoryUSMShared(96)
parts = dpctl.SyclContext(memory.sycl_device.create_sub_devices(partition=1))
interface = {**memory.__sycl_usm_array_interface__, "syclobj": parts}
dpctl.memory.as_usm_memory(type("Exporter", (), {"__sycl_usm_array_interface__": interface})())"""
done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
assert done.returncode == -signal.SIGABRT
