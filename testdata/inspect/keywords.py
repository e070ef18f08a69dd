# SPDX-License-Identifier: MIT
"""Records the keywords that reach __dlpack__: each call refuses and names them."""


class Recorder:
    def __dlpack__(self, **keywords):
        raise BufferError(", ".join(f"{key}={value!r}" for key, value in keywords.items()))

    def __dlpack_device__(self):
        return (1, 0)


class Queue:
    def __repr__(self):
        return "a queue"


recorder = Recorder()
queue = Queue()
