# asyncio: exchanges in coroutines and in an executor.
import array
import asyncio

import numpy as np


def convert(a):
    return np.from_dlpack(a, copy=True)  # expect: dlpack numpy>numpy 40 copied


async def work(n):
    a = np.arange(32.0)
    for i in range(n):
        await asyncio.sleep(0)
        a = np.from_dlpack(a)  # expect: dlpack numpy>numpy 400 shared
        b = np.asarray(array.array("d", range(8)), dtype=np.float32)  # expect: buffer python>numpy 400 copied
    return await asyncio.to_thread(convert, a)


async def main():
    return await asyncio.gather(*[work(10) for i in range(40)])


print(len(asyncio.run(main())))
