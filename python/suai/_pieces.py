# SPDX-License-Identifier: MIT
"""Where the pieces of distributed arrays are."""

import itertools
import operator
import sys
from typing import Any, Dict, List, Optional, Tuple


def _integers(name: str, numbers: Any) -> List[int]:
    try:
        if isinstance(numbers, (str, bytes)):
            raise TypeError
        return [operator.index(number) for number in numbers]
    except TypeError:
        raise TypeError(f"{name}: expected integers, one per axis, got {numbers!r}") from None


def _numpy_type(dtype: Any) -> Any:
    """The NumPy dtype of an element type; None: NumPy does not know it, or is not loaded."""
    numpy = sys.modules.get("numpy")
    is_type = isinstance(dtype, type) and dtype.__module__ != "builtins"
    if numpy is None or (is_type and not issubclass(dtype, numpy.generic)):
        return None  # NumPy maps any other class to object
    try:
        return numpy.dtype(dtype)
    except Exception:
        return None


def _type_name(dtype: Any) -> str:
    parsed = _numpy_type(dtype)
    if parsed is None:
        name = dtype.__name__ if isinstance(dtype, type) else getattr(dtype, "name", dtype)
        if isinstance(name, (int, float)):
            raise TypeError(f"dtype: expected an element type, got {dtype!r}")
        return str(name).removeprefix("torch.")
    if parsed.kind in "SUV" and not parsed.itemsize:
        raise ValueError(f"dtype: {dtype!r} has no size; expected a type such as {parsed.str[:-1]}8")
    is_extension = parsed.kind == "V" and parsed.type.__module__ != "numpy"  # such as bfloat16
    is_scalar = parsed.kind in "biufcmM" and parsed.isnative
    return str(parsed.name if is_extension or is_scalar else parsed.str)


def _chunks_on(extents: Any, length: int) -> List[Tuple[int, int]]:
    """The offset and the extent of each chunk on an axis of that length."""
    if hasattr(extents, "__index__"):  # of every chunk but the last one, as in Zarr
        step = operator.index(extents)
        if step < 1 <= length:
            raise ValueError(f"chunks: expected extents of 1 or more, got {step}")
        extents = [min(step, length - start) for start in range(0, length, step or 1)] or [0]
    extents = _integers("chunks", extents)
    return list(zip(itertools.accumulate(extents, initial=0), extents))


def pieces(
    array: Any,
    *,
    name: Optional[str] = None,
    order: Optional[str] = None,
    device: Optional[str] = None,
    readonly: Optional[bool] = None,
) -> Dict[Tuple[int, ...], Dict[str, Any]]:
    """Describe every chunk of a distributed array, for ``suai.capture(chunk, piece=...)``.

    The keys of the result are the indices of the chunks in their grid, one number per axis.

    array: an array of Dask, Zarr or a similar library: its ``shape``, ``chunks`` and ``dtype`` are
    read. Chunks are a tuple of extents per axis, or one extent per axis; shape and extents are in
    elements.
    name: of the array in reports; by default its attribute ``name``.
    order: ``"C"`` or ``"F"`` if the elements of each chunk have to be contiguous in that order.
    device: ``"cpu"``, ``"cuda"`` or ``"cuda:0"``, as DLPack names devices.
    readonly: True if the chunks have to be read-only, False if they have to be writable; None: either.

    Raises TypeError if the array lacks one of these attributes, and ValueError if the chunks do not
    have one item per axis, or if their extents are unknown.
    """
    missing = [name for name in ("shape", "chunks", "dtype") if not hasattr(array, name)]
    if missing:
        raise TypeError(
            "array: expected a distributed array, which has shape, chunks and dtype; "
            f"{type(array).__name__} has no {' and no '.join(missing)}"
        )
    for extents in array.chunks:
        if isinstance(extents, (tuple, list)) and any(extent != extent for extent in extents):
            raise ValueError(f"the extents of chunks are unknown: {extents!r}")
    shape = _integers("shape", array.shape)
    if len(array.chunks) != len(shape):
        raise ValueError(f"chunks: expected one item per axis ({len(shape)}), got {len(array.chunks)}")
    axes = [_chunks_on(extents, length) for extents, length in zip(array.chunks, shape)]
    common = {
        "of": name or str(getattr(array, "name", None) or "array"),
        "shape": shape,
        "dtype": _type_name(array.dtype),
        "order": order,
        "device": device,
        "readonly": readonly,
    }
    return {
        index: {
            **common,
            "index": list(index),
            "offset": [axis[i][0] for axis, i in zip(axes, index)],
            "chunk": [axis[i][1] for axis, i in zip(axes, index)],
        }
        for index in itertools.product(*(range(len(axis)) for axis in axes))
    }


def plain_piece(piece: Any) -> Dict[str, Any]:
    """A piece with plain lists and texts instead of numpy.int64 and numpy.dtype."""
    if not isinstance(piece, dict):
        raise TypeError(f"piece: expected a dictionary, got {type(piece).__name__}")
    result = dict(piece)
    for key, value in result.items():
        if isinstance(value, str) and "\0" in value:
            raise ValueError(f"piece: {key} contains a NUL character")
    for key in ("index", "offset", "chunk", "shape"):
        if result.get(key) is not None:
            result[key] = _integers(f"piece: {key}", result[key])
    if result.get("dtype") is not None:
        try:
            result["dtype"] = _type_name(result["dtype"])
        except (TypeError, ValueError) as error:
            raise type(error)(f"piece: {error}") from None
    if result.get("readonly") is not None:
        result["readonly"] = bool(result["readonly"])
    return result


def piece_name(piece: Dict[str, Any]) -> str:
    """``x[0, 1]``: the name of a piece in reports."""
    numbers = piece.get("index") or piece.get("offset") or []
    return f"{piece.get('of')}[{', '.join(map(str, numbers))}]"
