# SPDX-License-Identifier: MIT
"""Arrays whose elements in memory are not their values, like those of PyTorch, astropy, netCDF and ONNX."""
import numpy as np


class Array:
    def __init__(self, data, **attributes):
        self.data = np.asarray(data)
        self.shape = self.data.shape
        vars(self).update(attributes)

    @property
    def __array_interface__(self):
        return self.data.__array_interface__

    def __dlpack__(self, **keywords):
        return self.data.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


class Lazy(Array):
    """PyTorch's lazy views."""

    def __init__(self, data, neg=False, conj=False):
        super().__init__(data)
        self.neg, self.conj = neg, conj

    def is_neg(self):
        return self.neg

    def is_conj(self):
        return self.conj

    def resolve_neg(self):
        return Lazy(-self.data if self.neg else self.data, False, self.conj)

    def resolve_conj(self):
        return Lazy(self.data.conj() if self.conj else self.data, self.neg, False)


class Stuck(Lazy):
    def resolve_neg(self):
        return self


class Raises(Lazy):
    def resolve_neg(self):
        raise RuntimeError("not today")


class Other(Lazy):
    def __init__(self, answer):
        super().__init__(np.zeros((2, 3)), neg=True)
        self.answer = answer

    def resolve_neg(self):
        return self.answer


class NoResolver(Array):
    def is_neg(self):
        return True


class AnswersAll(Array):
    """Like a Mock: every attribute exists, and a method returns something other than a bool."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_: 1


class Buffer:
    """Without its own shape."""

    def __init__(self, mask):
        self.data = np.arange(3.0)
        self.__array_interface__ = self.data.__array_interface__
        self.mask = mask


class BoolInterface:
    def __init__(self, mask):
        self.kept = mask
        self.__array_interface__ = mask.__array_interface__


numbers = [1.0, -2.0, 3.0]
bits = np.array([False, True, False])
neg = Lazy(numbers, neg=True)
conj = Lazy(np.array([1 + 2j, 3 - 4j]), conj=True)
both = Lazy(np.array([1 + 2j, 3 - 4j]), neg=True, conj=True)
plain = Lazy(numbers)
stuck, raises, no_resolver = Stuck(numbers, neg=True), Raises(numbers, neg=True), NoResolver(numbers)
other_shape, other_type = Other(np.zeros((3, 5))), Other(np.zeros((2, 3), "f4"))
other_order = Other(np.zeros((2, 3), ">f8"))
mock = AnswersAll(numbers)

mask_array, mask_list = Array(numbers, mask=bits), Array(numbers, mask=[True, False, True])
mask_interface, mask_view = Array(numbers, mask=BoolInterface(bits)), Array(numbers, mask=memoryview(bits))
mask_all_false, mask_no_shape = Array(numbers, mask=np.zeros(3, bool)), Buffer(bits)
mask_no_shape_other = Buffer(bits[:2])
mask_other_shape, mask_numbers = Array(numbers, mask=bits[:2]), Array(numbers, mask=np.zeros(3))
mask_method, mask_flag = Array(numbers, mask=lambda: bits), Array(numbers, mask=True)

quantized = Array(np.uint8([1, 2]), is_quantized=True, dequantize=lambda: None)
quint8, qint8 = Array(np.uint8([1, 2]), dtype="torch.quint8"), Array(np.int8([1, 2]), dtype="<dtype: 'qint8'>")
zero_point = Array(np.uint8([1, 2]), scale=0.5, zero_point=3)
scaled = Array(np.int16([1, 2]), scale_factor=0.1, add_offset=0.0)
neutral, half = Array(np.int16([1, 2]), scale_factor=1.0, add_offset=0), Array(np.int16([1, 2]), scale=2.0)
fields = np.rec.array([(1.0, True, 2.0, 3)], names="x,mask,scale,zero_point")
