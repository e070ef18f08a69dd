class Every:
    def __getattr__(self, name):
        raise ValueError(f"no key {name}")

class Export:
    def __dlpack_device__(self):
        return (1, 0)

    @property
    def __dlpack__(self):
        raise KeyError("export")

class Device:
    @property
    def __dlpack_device__(self):
        raise ValueError("no device")

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        raise RuntimeError("no export")

class Refuses(Export):
    @property
    def __dlpack__(self):
        raise BufferError("refused")
