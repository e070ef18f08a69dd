"""Arrays that are computed when they are read: MLX on the CPU. The expectations were written before the program was traced for the first time, from the
sources of MLX and nanobind: mlx.core.array() consumes a capsule of what has __dlpack__, and requests a buffer of other objects; an array of MLX exports
its memory by the buffer protocol and by __dlpack__. The name of the library was wrong: mlx is a namespace package, but core is a module in it, no package."""
import array

import mlx.core as mx  # expect: any
import numpy as np

N = 36
sources = [np.arange(64, dtype="f4") + n for n in range(N)]
raw = [array.array("f", source.tolist()) for source in sources]
total = 0.0
for source, buffer in zip(sources, raw):
    a = mx.array(source)  # expect: dlpack numpy>mlx 36
    b = mx.array(buffer)  # expect: buffer python>mlx 36
    c = a * 2 + b
    mx.eval(c)
    total += float(np.asarray(c)[1])  # expect: buffer mlx>numpy 36 shared
    total += float(np.array(c)[2])  # expect: buffer mlx>numpy 36 copied
    total += float(np.from_dlpack(c)[3])  # expect: dlpack mlx>numpy 36 shared
    total += memoryview(c)[4]
    total += float(np.asarray(c, dtype="f8")[5])  # expect: buffer mlx>numpy 36 copied
    total += float(mx.array(source.astype("i2")).sum().item())  # expect: dlpack numpy>mlx 36
    total += float(mx.array(source.tolist())[6].item())
print(total)
