"""Read the header of a GGUF file, with a limit on every count and length that it declares.

The file is not trusted: each count is checked against the number of bytes left before memory is allocated for it.

*Source:* GGUF specification, versions 2 and 3 (ggml, `docs/gguf.md`), little endian: magic, version, counts; key and
value pairs, each value with its type; then name, shape, type and offset of each tensor, and the tensors' bytes.
"""

import math
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeVar

from workbench.errors import BadInput


class TensorType(NamedTuple):
    """How the values of a tensor are stored."""

    name: str
    block: int
    """Number of values that are stored together. The length of a row is a multiple of it."""
    block_bytes: int


TENSOR_TYPES: Final[Mapping[int, TensorType]] = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    6: TensorType("Q5_0", 32, 22),
    7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34),
    9: TensorType("Q8_1", 32, 36),
    10: TensorType("Q2_K", 256, 84),
    11: TensorType("Q3_K", 256, 110),
    12: TensorType("Q4_K", 256, 144),
    13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210),
    15: TensorType("Q8_K", 256, 292),
    16: TensorType("IQ2_XXS", 256, 66),
    17: TensorType("IQ2_XS", 256, 74),
    18: TensorType("IQ3_XXS", 256, 98),
    19: TensorType("IQ1_S", 256, 50),
    20: TensorType("IQ4_NL", 32, 18),
    21: TensorType("IQ3_S", 256, 110),
    22: TensorType("IQ2_S", 256, 82),
    23: TensorType("IQ4_XS", 256, 136),
    24: TensorType("I8", 1, 1),
    25: TensorType("I16", 1, 2),
    26: TensorType("I32", 1, 4),
    27: TensorType("I64", 1, 8),
    28: TensorType("F64", 1, 8),
    29: TensorType("IQ1_M", 256, 56),
    30: TensorType("BF16", 1, 2),
    34: TensorType("TQ1_0", 256, 54),
    35: TensorType("TQ2_0", 256, 66),
    39: TensorType("MXFP4", 32, 17),
    40: TensorType("NVFP4", 64, 36),
    41: TensorType("Q1_0", 128, 18),
    42: TensorType("Q2_0", 64, 18),
}
"""Tensor types by their number in GGUF."""


REMEDY: Final = "choose a .gguf file, or download it again"
MOST_KEYS: Final = 10_000
MOST_TENSORS: Final = 200_000
MOST_ITEMS: Final = 1 << 21
"""Limit for all arrays of texts together, and for any other array. The largest vocabularies have 300,000 tokens."""
MOST_STRING_BYTES: Final = 16_000_000
MOST_HEADER_BYTES: Final = 256 << 20
MOST_KEY_BYTES: Final = 65_535
"""*Source:* the specification."""
MOST_NAME_BYTES: Final = 63
"""*Source:* ggml, `GGML_MAX_NAME`."""
MOST_DIMENSIONS: Final = 4
KEPT_ITEMS: Final = 4096
"""Longer arrays are not kept: values by layer are needed, values by token are not."""
DEFAULT_ALIGNMENT: Final = 32
MOST_ALIGNMENT: Final = 1 << 20

UINT32: Final = 4
INT32: Final = 5
FLOAT32: Final = 6
BOOL: Final = 7
STRING: Final = 8
ARRAY: Final = 9
FLOAT64: Final = 12
_LAYOUTS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
"""Format of `struct` for each type of fixed size."""
_LEAST_KEY_BYTES: Final = 8 + 1 + 4
_LEAST_TENSOR_BYTES: Final = 8 + 1 + 4 + 8 + 4 + 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufArray:
    """An array in the header."""

    kind: int
    count: int
    numbers: tuple[int | float, ...] = ()
    """The items if they are numbers and at most `KEPT_ITEMS`. Otherwise empty."""
    has_nan: bool = False
    """True if one of the items is NaN."""


Result = TypeVar("Result")
GgufValue = int | float | bool | str | GgufArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufTensor:
    """The description of a tensor in the header."""

    name: str
    shape: tuple[int, ...]
    """Size of each dimension, the fastest varying first."""
    type: TensorType
    offset: int
    """Offset in bytes from the beginning of the tensors' data."""

    @property
    def size_bytes(self) -> int:
        """Size in the file, without the padding after it."""
        return math.prod(self.shape) // self.type.block * self.type.block_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """Everything before the tensors' data."""

    values: Mapping[str, GgufValue] = field(hash=False)
    kinds: Mapping[str, int] = field(hash=False)
    tensors: tuple[GgufTensor, ...]
    alignment: int


def read_header(path: Path) -> GgufHeader:
    """Parse the header of a file and check that all its tensors lie within the file.

    Raises:
        BadInput: There is no such file, or its header is impossible.
    """
    return _opened(path, _whole_header)


def read_values(path: Path, is_wanted: Callable[[str], bool]) -> Mapping[str, GgufValue]:
    """Parse the values of selected keys. The tensors are not checked.

    Args:
        is_wanted: Returns whether to return the value of a key.

    Raises:
        BadInput: There is no such file, or its header is impossible.
    """

    def read(source: "_Source") -> Mapping[str, GgufValue]:
        return _Values(source, _counts(source).keys, is_wanted).values

    return _opened(path, read)


def _opened(path: Path, read: "Callable[[_Source], Result]") -> Result:
    where = f"model file {path.name!r}"
    try:
        with path.open("rb") as file:
            return read(_Source(file))
    except OSError as error:
        raise BadInput(where, error.strerror or "cannot be read", "choose a .gguf file") from error
    except (EOFError, UnicodeDecodeError, ValueError) as error:
        problem = "a name in it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise BadInput(where, problem, REMEDY) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    tensors: int
    keys: int


def _counts(source: "_Source") -> _Counts:
    if source.size < 4 or source.take(4) != b"GGUF":
        raise ValueError("it is not a GGUF file")
    version = source.number("I")
    if version not in (2, 3):
        raise ValueError(f"GGUF version {version} is not supported; versions 2 and 3 are")
    return _Counts(tensors=source.number("Q"), keys=source.number("Q"))


def _whole_header(source: "_Source") -> GgufHeader:
    counts = _counts(source)
    pairs = _Values(source, counts.keys, lambda _: True)
    alignment = _alignment(pairs)
    source.check_count(counts.tensors, "tensors", most=MOST_TENSORS, least_bytes=_LEAST_TENSOR_BYTES)
    tensors = tuple(_tensor(source) for _ in range(counts.tensors))
    _check_places(tensors, alignment, room=source.size - source.place - -source.place % alignment)
    return GgufHeader(values=pairs.values, kinds=pairs.kinds, tensors=tensors, alignment=alignment)


def _alignment(pairs: "_Values") -> int:
    alignment = pairs.values.get("general.alignment", DEFAULT_ALIGNMENT)
    if (
        pairs.kinds.get("general.alignment", UINT32) == UINT32
        and isinstance(alignment, int)
        and 8 <= alignment <= MOST_ALIGNMENT
        and not alignment & (alignment - 1)
    ):
        return alignment
    raise ValueError(f"'general.alignment' is {alignment!r}; expected a power of two of at least 8")


def _tensor(source: "_Source") -> GgufTensor:
    name = source.string(most=MOST_NAME_BYTES, what="tensor name").decode("utf-8")
    dimensions = source.number("I")
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ValueError(f"tensor {name!r} has {dimensions} dimensions; expected 1 to {MOST_DIMENSIONS}")
    shape = tuple(source.number("Q") for _ in range(dimensions))
    number = source.number("I")
    kind = TENSOR_TYPES.get(number)
    if kind is None:
        raise ValueError(f"tensor {name!r} has the unknown type {number}")
    if 0 in shape or math.prod(shape) >= 1 << 62:
        raise ValueError(f"tensor {name!r} has the impossible shape {shape}")
    if shape[0] % kind.block:
        raise ValueError(
            f"tensor {name!r} has rows of {shape[0]} values; {kind.name} needs a multiple of {kind.block}"
        )
    return GgufTensor(name=name, shape=shape, type=kind, offset=source.number("Q"))


def _check_places(tensors: tuple[GgufTensor, ...], alignment: int, *, room: int) -> None:
    """Check that the tensors follow each other in the order of the header, as llama.cpp expects."""
    names: set[str] = set()
    expected = 0
    for tensor in tensors:
        if tensor.name in names:
            raise ValueError(f"tensor {tensor.name!r} occurs twice")
        names.add(tensor.name)
        if tensor.offset != expected:
            raise ValueError(f"tensor {tensor.name!r} is at offset {tensor.offset}; expected {expected}")
        if tensor.offset + tensor.size_bytes > room:
            raise ValueError(f"the file ends too early: tensor {tensor.name!r} goes past its end")
        expected = tensor.offset + tensor.size_bytes + -tensor.size_bytes % alignment


class _Values:
    """Parses the pairs of key and value."""

    def __init__(self, source: "_Source", count: int, is_wanted: Callable[[str], bool]) -> None:
        self.values: dict[str, GgufValue] = {}
        self.kinds: dict[str, int] = {}
        source.check_count(count, "keys", most=MOST_KEYS, least_bytes=_LEAST_KEY_BYTES)
        for _ in range(count):
            key = source.string(most=MOST_KEY_BYTES, what="key").decode("utf-8")
            kind = source.number("I")
            if key in self.kinds:
                raise ValueError(f"key {key!r} occurs twice")
            self.kinds[key] = kind
            if kind == STRING and not is_wanted(key):
                source.skip_string()
                continue
            value = _value(source, key, kind)
            if is_wanted(key):
                self.values[key] = value


def _value(source: "_Source", key: str, kind: int) -> GgufValue:
    if kind == STRING:
        return source.string(most=MOST_STRING_BYTES, what="text").decode("utf-8", "replace")
    if kind == ARRAY:
        return _array(source, key)
    if kind == BOOL:
        value = source.number("B")
        if value > 1:
            raise ValueError(f"{key!r} is {value}; expected true or false")
        return bool(value)
    if kind not in _LAYOUTS:
        raise ValueError(f"a value in it has the unknown type {kind}")
    number = source.float(_LAYOUTS[kind]) if kind in (FLOAT32, FLOAT64) else source.number(_LAYOUTS[kind])
    if not math.isfinite(number):
        raise ValueError(f"{key!r} is {number}")
    return number


def _array(source: "_Source", key: str) -> GgufArray:
    kind, count = source.number("I"), source.number("Q")
    if kind == ARRAY:
        raise ValueError("it contains an array of arrays")
    if kind == STRING:
        source.check_count(count, f"items in {key!r}", most=MOST_ITEMS - source.texts, least_bytes=8)
        source.texts += count
        for _ in range(count):
            source.skip_string()
        return GgufArray(kind=kind, count=count)
    if kind not in _LAYOUTS:
        raise ValueError(f"a value in it has the unknown type {kind}")
    size = struct.calcsize(_LAYOUTS[kind])
    source.check_count(count, f"items in {key!r}", most=MOST_ITEMS, least_bytes=size)
    data = source.take(size * count)
    if kind not in (FLOAT32, FLOAT64) and count > KEPT_ITEMS:
        return GgufArray(kind=kind, count=count)
    numbers = struct.unpack(f"<{count}{_LAYOUTS[kind]}", data)
    items = numbers if count <= KEPT_ITEMS else ()
    return GgufArray(kind=kind, count=count, numbers=items, has_nan=any(map(math.isnan, numbers)))


class _Source:
    """Reads a file from its beginning, within the limits for headers."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = os.fstat(file.fileno()).st_size
        self.place = 0
        self.texts = 0
        """Number of texts in arrays so far."""

    def take(self, size: int) -> bytes:
        if size > self.size - self.place:
            raise EOFError("the file ends too early")
        if self.place + size > MOST_HEADER_BYTES:
            raise ValueError(f"its header is larger than {MOST_HEADER_BYTES >> 20} MB")
        data = self._file.read(size)
        if len(data) < size:  # The file was truncated meanwhile.
            raise EOFError("the file ends too early")
        self.place += size
        return data

    def number(self, layout: str) -> int:
        value: int = struct.unpack(f"<{layout}", self.take(struct.calcsize(layout)))[0]
        return value

    def float(self, layout: str) -> float:
        value: float = struct.unpack(f"<{layout}", self.take(struct.calcsize(layout)))[0]
        return value

    def string(self, *, most: int, what: str) -> bytes:
        size = self.number("Q")
        if size > most:
            raise ValueError(f"a {what} in it is too long")
        return self.take(size)

    def skip_string(self) -> None:
        self.take(self.number("Q"))

    def check_count(self, count: int, what: str, *, most: int, least_bytes: int) -> None:
        if count * least_bytes > self.size - self.place:
            raise EOFError(f"the file ends too early for {count} {what}")
        if count > most:
            raise ValueError(f"it has {count} {what}; the limit is {most}")
