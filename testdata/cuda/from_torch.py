# SPDX-License-Identifier: MIT
"""PyTorch: each element type, the common ones in each view that it supports, pinned memory, streams."""

import os
import sys
import zlib

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(_here, "..", name) for name in ("healthy", "inspect")]
import torch  # noqa: E402
import truth  # noqa: E402
import views  # noqa: E402

DTYPES = """bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128
    float8_e4m3fn float8_e5m2""".split()
RARE = sorted({str(d).split(".")[1] for d in vars(torch).values() if isinstance(d, torch.dtype)} - set(DTYPES))


class Forwards:
    """Views without negative steps, which PyTorch does not support."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __getitem__(self, index):
        try:
            return self.tensor[index]
        except ValueError:
            return None

    @property
    def T(self):
        return self.tensor.T


def make():
    for name in DTYPES:
        base = (torch.arange(12, device="cuda").reshape(3, 4) % 7).to(getattr(torch, name))
        for each, view in views.views(name, Forwards(base)):
            view = base if isinstance(view, Forwards) else view
            if view is not None:
                yield each, view
    for name in RARE:  # quantized, bits, smaller than a byte: few functions support them
        yield "rare_" + name, torch.empty((3, 4), dtype=getattr(torch, name), device="cuda")
    yield "expanded", torch.arange(4.0, device="cuda").expand(3, 4)
    yield "conjugate", torch.ones(3, dtype=torch.complex64, device="cuda").conj()
    yield "negative", torch.tensor([1 + 2j, 3 - 4j], device="cuda").conj().imag
    yield "needs_gradient", torch.ones(3, device="cuda", requires_grad=True)
    yield "pinned", torch.arange(12.0).pin_memory()
    for priority in (0, -1):
        with torch.cuda.stream(torch.cuda.Stream(priority=priority)):
            yield f"on_stream_{-priority}", torch.arange(1 << 20, device="cuda", dtype=torch.float32) * 2
    torch.cuda.synchronize()


def bytes_of(tensor):
    tensor = tensor.detach().cpu().clone(memory_format=torch.contiguous_format).flatten()
    tensor = torch.as_strided(tensor, (tensor.numel(),), (1,))  # the stride of a single element is kept
    return tensor.view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def truth_of(tensor):
    if str(tensor.dtype).split(".")[1] in RARE:
        return {"shape": list(tensor.shape), "pointer": tensor.data_ptr(), "memory.kind": "device"}
    item = tensor.element_size()
    name = str(tensor.dtype).split(".")[-1]
    found = {"shape": list(tensor.shape), "strides_bytes": [s * item for s in tensor.stride()], "itemsize": item,
             "dtype": name, "but": {"cuda": {}}}
    if name == "bfloat16":
        found["but"]["cuda"]["dtype"] = None
    if tensor.is_contiguous():  # its dictionary then has no strides, and a dimension of one may have had any
        found["but"]["cuda"]["strides_bytes"] = None
    found["checksum"] = f"{zlib.crc32(bytes_of(tensor.resolve_conj().resolve_neg())):08x}"
    if tensor.numel():
        found |= {"pointer": tensor.data_ptr(), "memory.kind": "device" if tensor.is_cuda else "pinned"}
    return found


globals().update(make())
truth.write({k: truth_of(v) for k, v in list(globals().items()) if isinstance(v, torch.Tensor)})
