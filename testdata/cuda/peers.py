# SPDX-License-Identifier: MIT
"""Memory of the second GPU while the first is current: `memory`, of the kind $PEERS_KIND, with peer access where
$PEERS_ENABLED is set. As a program: whether a kernel on the first reads it, "fine" or the driver's error."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from arrays import Cai  # noqa: E402

KERNEL = b"""
.version 6.0
.target sm_52
.address_size 64
.visible .entry peek(.param .u64 from, .param .u64 to)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.global.u32 %r1, [%rd1];
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


def read_by_kernel(pointer):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), KERNEL)
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"peek")
    words = driver.u64(pointer), driver.u64(driver.allocate_device(4))
    parameters = (ctypes.c_void_p * 2)(*map(ctypes.addressof, words))
    one = [ctypes.c_uint(1)] * 6
    result = driver.cuda.cuLaunchKernel(function, *one, ctypes.c_uint(0), None, parameters, None)
    result = result or driver.cuda.cuCtxSynchronize()
    return driver.name_of(result) if result else "fine"


first, second = driver.primary(0), driver.primary(1)
driver.make_current(second)
_kind = os.environ["PEERS_KIND"]
_pointer = driver.allocate_mapped(1000, device=1) if _kind == "mapped" else driver.ALLOCATORS[_kind](1000)
driver.make_current(first)
if "PEERS_ENABLED" in os.environ:
    driver.call("cuCtxEnablePeerAccess", second, 0)
memory = Cai(_pointer)

if __name__ == "__main__":
    print(read_by_kernel(_pointer))
