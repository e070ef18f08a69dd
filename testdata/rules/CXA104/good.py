import ctypes


class Header(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("prev_api", ctypes.c_void_p)]


class Api(ctypes.Structure):
    _fields_ = [("header", Header), ("allocator", ctypes.c_void_p), ("from_py_object", ctypes.c_void_p),
                ("to_py_object", ctypes.c_void_p), ("view", ctypes.c_void_p), ("current_work_stream", ctypes.c_void_p)]


def capsule(api, name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(api), name, None)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def fail(*arguments):
    return -1


name = b"dlpack_exchange_api"
function = ctypes.cast(fail, ctypes.c_void_p).value
api = Api(Header(1, 3, None), function, function, function, function, function)
older = Api(Header(0, 9, None))
api.header.prev_api = ctypes.addressof(older)


class Array:
    """Has the C exchange API with placeholder functions, and refuses DLPack exports."""

    __dlpack_c_exchange_api__ = capsule(api, name)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        raise BufferError("nothing to export")


array = Array()
