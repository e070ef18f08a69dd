# What a launch costs that is traced: microseconds of a small kernel of PyTorch, on the default stream and on a non-blocking one.
import time

import torch

a = torch.zeros(1, device="cuda")
for stream in torch.cuda.default_stream(), torch.cuda.Stream():
    with torch.cuda.stream(stream):
        best = 1e9
        for _ in range(30):
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(500):
                a.add_(1)
            best = min(best, (time.perf_counter() - began) / 500)
        print("%.3f" % (1e6 * best), end=" ")
print()
