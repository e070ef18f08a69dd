"""Relay: JAX and PyTorch pass tensors to each other through DLPack in four threads, and NumPy is between them.

The expectations were written from the documentation of the libraries, before this program was traced.
"""
import threading
import jax  # expect: any
import jax.numpy as jnp
import numpy as np
import torch  # expect: any

ROUNDS = 10
sums = []
lock = threading.Lock()
warm = jnp.arange(16.0).block_until_ready()  # expect: any


def work(k):
    for i in range(ROUNDS):
        t = torch.full((32,), float(k))
        j = jax.dlpack.from_dlpack(t)  # expect: dlpack torch>jaxlib 40 shared
        u = torch.from_dlpack(j)  # expect: dlpack jaxlib>torch 40 shared
        n = np.from_dlpack(u)  # expect: dlpack torch>numpy 40 shared
        c = torch.tensor(n)  # expect: numpy-api numpy>torch 40 copied
        s = torch.from_numpy(n)  # expect: numpy-api numpy>torch 40 shared
        stack = torch.stack([c, s])
        listed = torch.tensor([n, n])  # expect: numpy-api numpy>torch 80 copied
        raw = torch.frombuffer(bytearray(64), dtype=torch.uint8)  # expect: buffer python>torch 40 shared
        with lock:
            sums.append(float(stack.sum()) + float(listed.sum()) + int(raw[0]))


threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(sums), sum(sums))
