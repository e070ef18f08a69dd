# SPDX-License-Identifier: MIT
"""Objects whose __array_interface__ differs from a healthy one in one key. `dictionaries.py DOCUMENT` compares the findings
of `suai validate` with NumPy: what it refuses is an error, what it reads is not, unless a specification requires more."""

import ctypes
import json
import sys
import types

import numpy

_memory = (ctypes.c_double * 12)(*range(12))
_address = ctypes.addressof(_memory)

# NumPy reads these, and a document has a MUST against them, or they name memory that is not theirs.
_STRICTER = {
    "data_negative": "no address", "data_true": "no address, although a bool is an int",
    "data_bytes_short": "the last element lies behind the bytes", "offset_beyond": "outside of the bytes", "offset_negative": "outside of the bytes",
    "offset_true": "an int", "offset_and_address": "used when data is None or a memoryview object",
    "version_missing": "required", "version_text": "an integer", "version_none": "an integer",
    "descr_text": "a list of tuples", "descr_other_size": "the same number of bytes", "descr_structure_other_size": "the same number of bytes",
    "mask_number": "an object exposing the array interface", "mask_other_shape": "it fits no element",
    "typestr_structure": "the form of typestr", "typestr_subarray": "the form of typestr",
    "typestr_bytes": "a string", "typestr_sign": "the form of typestr",
}


class _Index:
    def __init__(self, integer):
        self.integer = integer

    def __index__(self):
        return self.integer


class _Truth:
    def __init__(self, truth):
        self.truth = truth

    def __bool__(self):
        return self.truth


class _NoTruth:
    def __bool__(self):
        raise RuntimeError("neither")


class _Tuple(tuple):
    pass


def _array(**changed):
    interface = {"shape": (3,), "typestr": "<f8", "data": (_address, False), "version": 3, **changed}
    return type("Array", (), {"__array_interface__": {key: value for key, value in interface.items() if value is not ...}})()


_texts = {
    "plain": "<f8", "foreign": ">f8", "native": "=f8", "none": "|f8", "bare": "f8", "name": "float64", "code": "d", "ordered_code": "<d", "padded": "<f08",
    "half": "<f2", "long": "<f16", "complex": "<c16", "complex_half": "<c4", "bool": "|b1", "ordered_bool": "<b1", "bool_code": "?", "wide_bool": "|b4",
    "byte": "|u1", "bare_byte": "i1", "odd": "<i3", "long_int": "<i16", "bits": "|t8", "text": "<U2", "bare_text": "U2", "raw": "|V8", "bare_raw": "V8",
    "string": "|S8", "date": "<M8[s]", "bare_date": "M8[s]", "counted_date": "<M8[25s]", "span": "<m8[ns]", "no_unit": "<M8", "empty_unit": "<M8[]",
    "behind_unit": "<M8[s]x", "short_date": "<M4", "empty": "", "order_only": "<", "space": " <f8", "behind": "<f8 ", "capital": "<F8", "unknown": "<q8",
    "negative": "<f-8", "sign": "<f+8", "zero": "<f8\0", "bang": "!f8", "ordered_name": "<float64", "small": "<f1", "structure": "<f8,<f8", "subarray": "(2,)f4",
    "generic": "<M8[generic]", "int_code": "q", "uint_name": "uint16", "complex_name": "complex128", "nothing": "|V0",
}
globals().update({f"typestr_{name}": _array(typestr=text) for name, text in _texts.items()})
globals().update({name: _array(**changed) for name, changed in {
    "typestr_bytes": {"typestr": b"<f8"}, "typestr_dtype": {"typestr": numpy.dtype("f8")}, "typestr_missing": {"typestr": ...}, "typestr_is_none": {"typestr": None},
    "data_numpy": {"data": (numpy.int64(_address), False)}, "data_unsigned": {"data": (numpy.uintp(_address), False)}, "data_index": {"data": (_Index(_address), False)},
    "data_subclass": {"data": (type("Address", (int,), {})(_address), False)}, "data_float": {"data": (float(_address), False)}, "data_hex": {"data": (hex(_address), False)},
    "data_nothing": {"data": (None, False)}, "data_null": {"data": (0, False)}, "data_null_empty": {"data": (0, False), "shape": (0,)}, "data_true": {"data": (True, False), "shape": (0,)},
    "data_negative": {"data": (-1, False), "shape": (0,)}, "data_wide": {"data": (2**64, False), "shape": (0,)}, "data_missing": {"data": ...}, "data_missing_scalar": {"data": ..., "shape": ()},
    "data_none": {"data": None}, "data_bytes": {"data": bytes(24)}, "data_bytearray": {"data": bytearray(24)}, "data_bytes_short": {"data": bytes(20)}, "data_list": {"data": [_address, False]},
    "data_three": {"data": (_address, False, 0)}, "data_one": {"data": (_address,)}, "data_tuple_subclass": {"data": _Tuple((_address, False))}, "data_integer": {"data": _address},
    "flag_one": {"data": (_address, 1)}, "flag_zero": {"data": (_address, 0)}, "flag_none": {"data": (_address, None)}, "flag_text": {"data": (_address, "False")},
    "flag_numpy": {"data": (_address, numpy.True_)}, "flag_truth": {"data": (_address, _Truth(True))}, "flag_raises": {"data": (_address, _NoTruth())},
    "flag_ambiguous": {"data": (_address, numpy.array([1, 0]))}, "flag_list": {"data": (_address, [])},
    "shape_list": {"shape": [3]}, "shape_number": {"shape": 3}, "shape_numpy": {"shape": (numpy.int64(3),)}, "shape_index": {"shape": (_Index(3),)}, "shape_true": {"shape": (True,)},
    "shape_float": {"shape": (3.0,)}, "shape_negative": {"shape": (-3,)}, "shape_65": {"shape": (1,) * 65}, "shape_64": {"shape": (1,) * 64}, "shape_wide": {"shape": (2**63,)},
    "shape_product": {"shape": (2**40, 2**40)}, "shape_missing": {"shape": ...}, "shape_none": {"shape": None}, "shape_subclass": {"shape": _Tuple((3,))}, "shape_scalar": {"shape": ()},
    "strides_list": {"strides": [8]}, "strides_none": {"strides": None}, "strides_numpy": {"strides": (numpy.int64(8),)}, "strides_index": {"strides": (_Index(8),)}, "strides_float": {"strides": (8.0,)},
    "strides_true": {"strides": (True,)}, "strides_short": {"strides": ()}, "strides_long": {"strides": (8, 8)}, "strides_negative": {"strides": (-8,), "data": (_address + 16, False)},
    "strides_wide": {"strides": (2**63,)}, "version_two": {"version": 2}, "version_later": {"version": 99}, "version_missing": {"version": ...}, "version_text": {"version": "3"}, "version_none": {"version": None},
    "offset_and_address": {"offset": 8}, "offset_of_bytes": {"data": bytes(32), "offset": 8}, "offset_numpy": {"data": bytes(32), "offset": numpy.int64(8)}, "offset_float": {"data": bytes(32), "offset": 8.0},
    "offset_none": {"data": bytes(32), "offset": None}, "offset_negative": {"data": bytes(32), "offset": -8}, "offset_beyond": {"data": bytes(32), "offset": 40}, "offset_true": {"data": bytes(32), "offset": True},
    "descr_none": {"descr": None}, "descr_text": {"descr": "<f8"}, "descr_fields": {"descr": [("x", "<f4"), ("y", "<f4")]}, "descr_structure": {"typestr": "|V8", "descr": [("x", "<f4"), ("y", "<f4")]},
    "descr_other_size": {"descr": [("x", "<f4")]}, "descr_structure_other_size": {"typestr": "|V8", "descr": [("x", "<f4")]}, "descr_tuple": {"typestr": "|V8", "descr": (("x", "<f4"), ("y", "<f4"))},
    "descr_numbers": {"typestr": "|V8", "descr": [1, 2]}, "descr_number": {"typestr": "|V8", "descr": 5}, "descr_twice": {"typestr": "|V8", "descr": [("x", "<f4"), ("x", "<f4")]},
    "descr_default_name": {"typestr": "|V8", "descr": [("f1", "<f4"), ("", "|V4")]}, "descr_padding": {"typestr": "|V8", "descr": [("f0", "<f4"), ("", "|V4")]},
    "descr_bare": {"typestr": "|V8", "descr": [("x", "f4"), ("y", "float32")]}, "mask_none": {"mask": None}, "mask_number": {"mask": 5}, "mask_array": {"mask": numpy.zeros(3, bool)},
    "mask_other_shape": {"mask": numpy.zeros(4, bool)}, "unknown_key": {"stride": (16,)},
}.items()})
proxy = type("Array", (), {"__array_interface__": types.MappingProxyType(typestr_plain.__array_interface__)})()


def _reads(thing):
    """Whether NumPy makes an array of it; elements are not read."""
    try:
        return numpy.asarray(thing).dtype != object
    except Exception:
        return False


def _main(document):
    targets = json.load(open(document))["targets"]
    assert len(targets) == len([name for name in globals() if hasattr(globals()[name], "__array_interface__")]) > 140, len(targets)
    wrong = []
    for target in targets:
        name = target["target"].rpartition(":")[2]
        errors = [finding["rule"] for finding in target["findings"] if finding["severity"] == "error"]
        reads = _reads(globals()[name])
        if reads != (not errors) and name not in _STRICTER:
            wrong.append(f"{name}: NumPy {'reads' if reads else 'refuses'} it, errors: {errors}")
        if name in _STRICTER and not (reads and errors):
            wrong.append(f"{name}: listed as stricter than NumPy, which {'reads' if reads else 'refuses'} it, errors: {errors}")
        array = target["interfaces"][0]["array"]
        if reads and not errors and array["typestr"] != numpy.asarray(globals()[name]).dtype.str and "V" not in array["typestr"]:
            wrong.append(f"{name}: {array['typestr']}, by NumPy {numpy.asarray(globals()[name]).dtype.str}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
