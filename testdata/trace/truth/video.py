"""Frames of a film, and packets of bytes: PyAV. The expectations were written before the program was traced for the first time, from the sources of the
library: from_ndarray makes bytes of each plane and requests a typed memoryview of them; to_ndarray creates an array on the buffer of each plane; update()
and Packet request the buffer of what is not bytes; __dlpack__ of a plane takes no version."""
import av  # expect: any
import numpy as np

N_FRAMES, WIDTH, HEIGHT = 40, 64, 48

rng = np.random.default_rng(11)
total = 0
kept = []
for i in range(N_FRAMES):
    pixels = rng.integers(0, 255, (HEIGHT, WIDTH), dtype=np.uint8)
    colours = np.stack([pixels, pixels.T.reshape(HEIGHT, WIDTH), pixels[::-1]])
    grey = av.VideoFrame.from_ndarray(pixels, format="gray")  # expect: buffer python>av 40
    planar = av.VideoFrame.from_ndarray(colours, format="yuv444p")  # expect: buffer python>av 120
    total += int(grey.to_ndarray().sum())  # expect: buffer av>numpy 40
    total += int(planar.to_ndarray().sum())  # expect: buffer av>numpy 120
    luma = np.from_dlpack(planar.planes[0])  # expect: dlpack av>numpy 40 shared held=3
    total += int(luma[0, 0])
    if i >= N_FRAMES - 3:
        kept.append(luma)
    del luma
    raw = np.asarray(grey.planes[0])  # expect: buffer av>numpy 40 shared
    own = np.array(grey.planes[0])  # expect: buffer av>numpy 40 copied
    total += int(raw[0]) + int(own[-1])
    grey.planes[0].update(np.zeros_like(raw))  # expect: buffer numpy>av 40
    grey.planes[0].update(bytes(len(raw)))
    total += int(raw.sum())
    packet = av.Packet(pixels.ravel())  # expect: buffer numpy>av 40
    text = av.Packet(pixels.tobytes())
    total += int(np.frombuffer(packet, dtype="u2").sum())  # expect: buffer av>numpy 40 shared
    total += int(np.frombuffer(text, dtype="u1").sum())  # expect: buffer av>numpy 40 shared

for i in range(N_FRAMES):
    samples = rng.integers(-99, 99, (2, 256)).astype("i2")
    sound = av.AudioFrame.from_ndarray(samples, format="s16p")  # expect: buffer numpy>av 80
    total += int(sound.to_ndarray().sum())  # expect: buffer av>numpy 80 shared
print(total)
