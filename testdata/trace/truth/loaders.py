"""PyTorch's DataLoader with and without workers, JAX's callbacks, joblib's threads. Written before it was traced, without knowledge of the tracer."""
import numpy as np
import joblib  # expect: any
import jax  # expect: any
import jax.numpy as jnp  # expect: any
import torch  # expect: any
from torch.utils.data import DataLoader, Dataset, TensorDataset  # expect: any

values = np.arange(640.0, dtype=np.float32).reshape(64, 10)


class Rows(Dataset):
    def __len__(self):
        return len(values)

    def __getitem__(self, i):
        return torch.from_numpy(values[i])  # expect: numpy-api numpy>torch 192 shared


class Plain(Dataset):
    def __len__(self):
        return len(values)

    def __getitem__(self, i):
        return values[i]


def load():
    for batch in DataLoader(Rows(), batch_size=8):
        batch.sum()
    for batch in DataLoader(Rows(), batch_size=8, num_workers=2):
        batch.sum()
    for batch in DataLoader(Rows(), batch_size=8, num_workers=1, multiprocessing_context="fork", persistent_workers=True):
        batch.sum()
    for batch in DataLoader(Plain(), batch_size=8):  # expect: numpy-api numpy>torch 64 shared
        batch.sum()
    for batch in DataLoader(TensorDataset(torch.from_numpy(values)), batch_size=8):  # expect: numpy-api numpy>torch 1 shared
        batch[0].sum()


def on_host(x):
    return np.from_dlpack(x)  # expect: dlpack jaxlib>numpy 20 shared


def call_back():
    @jax.jit
    def square(x):
        return jax.pure_callback(on_host, jax.ShapeDtypeStruct((16,), jnp.float32), x)

    x = jnp.ones(16, jnp.float32)  # expect: any
    for i in range(20):
        square(x).block_until_ready()  # expect: any


def in_thread(i):
    return float(torch.from_dlpack(values[i]).sum())  # expect: dlpack numpy>torch 30 shared


def main():
    load()
    call_back()
    joblib.Parallel(n_jobs=3, prefer="threads")(joblib.delayed(in_thread)(i) for i in range(30))
    grown = torch.zeros(100)
    for i in range(40):
        grown.numpy()
        np.asarray(grown)
    for i in range(41):
        torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(grown))  # expect: dlpack torch>torch 41 shared
    for i in range(42):
        np.from_dlpack(grown.view(10, 10).T)  # expect: dlpack torch>numpy 42 shared
    for i in range(43):
        torch.tensor(values)  # expect: numpy-api numpy>torch 43 copied
    for i in range(44):
        torch.as_tensor(values.astype(np.float64), dtype=torch.float32)  # expect: numpy-api numpy>torch 44 copied
    print(len(values))


if __name__ == "__main__":
    main()
