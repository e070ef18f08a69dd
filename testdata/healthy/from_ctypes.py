# SPDX-License-Identifier: MIT
"""ctypes: each simple type by itself, in arrays and in structures of each kind."""

import ctypes

SIMPLE = [
    ctypes.c_bool, ctypes.c_char, ctypes.c_wchar, ctypes.c_byte, ctypes.c_ubyte, ctypes.c_short,
    ctypes.c_ushort, ctypes.c_int, ctypes.c_uint, ctypes.c_long, ctypes.c_ulong, ctypes.c_longlong,
    ctypes.c_ulonglong, ctypes.c_size_t, ctypes.c_float, ctypes.c_double, ctypes.c_longdouble,
    ctypes.c_char_p, ctypes.c_wchar_p, ctypes.c_void_p, ctypes.py_object,
    ctypes.c_int.__ctype_be__, ctypes.c_double.__ctype_be__, ctypes.c_short.__ctype_le__,
]
FIELDS = {
    "even": [("a", ctypes.c_int), ("b", ctypes.c_float)],
    "padded": [("a", ctypes.c_char), ("b", ctypes.c_double)],
    "padded_at_end": [("a", ctypes.c_double), ("b", ctypes.c_char)],
    "arrays": [("a", ctypes.c_short * 3), ("b", ctypes.c_int * 2 * 3)],
    "pointers": [("a", ctypes.POINTER(ctypes.c_int)), ("b", ctypes.c_void_p)],
    "texts": [("a", ctypes.c_char * 5), ("b", ctypes.c_wchar * 3)],
    "bits": [("a", ctypes.c_int, 3), ("b", ctypes.c_int, 29)],
    "empty": [],
}


def structures():
    for name, fields in FIELDS.items():
        yield "structure_" + name, type("Plain", (ctypes.Structure,), {"_fields_": fields})
        yield "packed_" + name, type("Packed", (ctypes.Structure,), {"_pack_": 1, "_fields_": fields})
        yield "union_" + name, type("Union", (ctypes.Union,), {"_fields_": fields})
    inner = type("Inner", (ctypes.Structure,), {"_fields_": FIELDS["even"]})
    yield "structure_nested", type("Outer", (ctypes.Structure,), {"_fields_": [("a", inner), ("b", inner * 2)]})
    yield "structure_derived", type("Derived", (inner,), {"_fields_": [("c", ctypes.c_int)]})
    numbers = [("a", ctypes.c_int), ("b", ctypes.c_float)]
    yield "structure_big", type("Big", (ctypes.BigEndianStructure,), {"_fields_": numbers})
    yield "structure_big_padded", type("BigPadded", (ctypes.BigEndianStructure,), {
        "_fields_": [("a", ctypes.c_byte), ("b", ctypes.c_double)]})


def make():
    for kind in SIMPLE:
        name = kind.__name__
        yield name, kind()
        yield name + "_array", (kind * 3)()
        yield name + "_matrix", (kind * 4 * 3)()
        yield name + "_none", (kind * 0)()
        yield name + "_no_rows", (kind * 3 * 0)()
        yield name + "_empty_rows", (kind * 0 * 3)()
        yield name + "_one", (kind * 1 * 1)()
    for name, kind in structures():
        yield name, kind()
        yield name + "_array", (kind * 3)()
    yield "text", ctypes.create_string_buffer(b"text", 10)
    yield "wide_text", ctypes.create_unicode_buffer("text", 10)
    yield "pointer", ctypes.pointer(ctypes.c_int(7))
    yield "function", ctypes.CFUNCTYPE(ctypes.c_int)(int)
    yield "view", (ctypes.c_int * 3).from_buffer(bytearray(20), 4)
    yield "view_unaligned", (ctypes.c_int * 3).from_buffer(bytearray(20), 1)
    yield "copied", (ctypes.c_int * 3).from_buffer_copy(bytes(12))


globals().update(make())
