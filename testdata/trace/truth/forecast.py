"""A forecast: pandas reads, NumPy makes windows, PyTorch trains, results go back. Written without knowledge of the tracer; nothing was corrected but the lines
of pandas, whose own buffers depend on its version."""
import numpy as np
import pandas as pd  # expect: any
import torch  # expect: any


def windows(series, n):
    return np.lib.stride_tricks.sliding_window_view(series, n)


def main():
    rng = np.random.default_rng(3)
    table = rng.random((960, 6), dtype=np.float32)
    frame = pd.DataFrame(table, columns=list("abcdef"))  # expect: any
    history = frame["a"].to_numpy()  # expect: any
    batches = windows(history, 24)  # read-only view
    model = torch.nn.Linear(24, 1)
    kept = []
    for i in range(40):
        rows = batches[i * 16 : i * 16 + 16]
        x = torch.tensor(rows)  # expect: numpy-api numpy>torch 40 copied
        y = torch.from_numpy(table[i * 16 : i * 16 + 16, 0])  # expect: numpy-api numpy>torch 40 shared
        loss = ((model(x).squeeze() - y) ** 2).mean()
        loss.backward()
        kept.append(loss.item())
    out = []
    for i in range(30):
        p = model(torch.as_tensor(table[i : i + 24, 1]))  # expect: numpy-api numpy>torch 30 shared
        out.append(np.from_dlpack(p.detach()))  # expect: dlpack torch>numpy 30 shared
    for i in range(20):
        w = torch.as_tensor(table[:, 2], dtype=torch.float64)  # expect: numpy-api numpy>torch 20 copied
    for i in range(10):
        t = torch.from_dlpack(table)  # expect: dlpack numpy>torch 10 shared
    for i in range(11):
        t = torch.from_dlpack(table.T)  # expect: dlpack numpy>torch 11 shared
    for i in range(12):
        t = torch.from_dlpack(table, copy=True)  # expect: dlpack numpy>torch 12 copied
    for i in range(13):
        n = np.asarray(t)
    for i in range(14):
        n = np.from_dlpack(t[::2, 1:3])  # expect: dlpack torch>numpy 14 shared
    for i in range(15):
        n = np.from_dlpack(t, copy=True)  # expect: dlpack torch>numpy 15 copied
    for i in range(16):
        t = torch.frombuffer(memoryview(table.reshape(-1)), dtype=torch.float32, offset=64)  # expect: buffer python>torch 16 shared
    for i in range(17):
        t = torch.asarray(table, copy=True)  # expect: numpy-api numpy>torch 17 copied
    for i in range(18):
        t = torch.asarray(bytearray(b"12345678"), dtype=torch.uint8)  # expect: buffer python>torch 18 shared
    print(round(sum(kept), 1) > 0, len(out))


main()
