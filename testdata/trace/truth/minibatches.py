"""Minibatches: DataLoader of PyTorch in the main process and with two forked workers, of samples in arrays.

The expectations were written from the documentation of the libraries, before this program was traced.
"""
import numpy as np
import torch  # expect: any
from torch.utils.data import DataLoader, Dataset, TensorDataset

data = np.arange(24 * 8, dtype="f4").reshape(24, 8)
wide = data.astype("f8")


class Samples(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        x = torch.from_numpy(data[i])  # expect: numpy-api numpy>torch 48 shared
        y = torch.as_tensor(wide[i], dtype=torch.float32)  # expect: numpy-api numpy>torch 48 copied
        return x, y


total = 0.0
for workers in 0, 2:
    for x, y in DataLoader(Samples(), batch_size=6, num_workers=workers, multiprocessing_context="fork" if workers else None):  # expect: any
        total += float(x.sum() + y.sum())
pair = TensorDataset(torch.from_numpy(data), torch.tensor(wide))  # expect: numpy-api numpy>torch 2 shared=1 copied=1
for x, y in DataLoader(pair, batch_size=8):
    total += float(x.sum()) + float(np.asarray(y.numpy()).sum())
# default_collate converts each array of a batch by as_tensor: 24 in the main process.
for (x,) in DataLoader([(row,) for row in data], batch_size=6):  # expect: numpy-api numpy>torch 24 shared
    total += float(x.sum())
print(total)
