# PyTorch: arrays that it takes without a protocol, and buffers.
import numpy as np
import torch

a, numbers = np.arange(100, dtype=np.float32), bytearray(400)
for i in range(100):
    t = torch.from_numpy(a)  # expect: numpy-api numpy>torch 100 shared
for i in range(90):
    t = torch.as_tensor(a)  # expect: numpy-api numpy>torch 90 shared
for i in range(80):
    t = torch.as_tensor(a, dtype=torch.float64)  # expect: numpy-api numpy>torch 80 copied
for i in range(70):
    t = torch.tensor(a)  # expect: numpy-api numpy>torch 70 copied
for i in range(60):
    t = torch.asarray(a)  # expect: numpy-api numpy>torch 60 shared
for i in range(50):
    t = torch.frombuffer(numbers, dtype=torch.float32)  # expect: buffer python>torch 50 shared
