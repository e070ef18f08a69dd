# PyTorch: tensors from NumPy and back; copies that are requested.
import numpy as np
import torch

a = np.arange(100, dtype=np.float32)
for i in range(200):
    t = torch.from_dlpack(a)  # expect: dlpack numpy>torch 200 shared
for i in range(100):
    t2 = torch.from_dlpack(a, copy=True)  # expect: dlpack numpy>torch 100 copied
for i in range(150):
    n = np.from_dlpack(t)  # expect: dlpack torch>numpy 150 shared
for i in range(50):
    torch.utils.dlpack.to_dlpack(t)  # expect: dlpack torch> 0 never=50
