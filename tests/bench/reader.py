"""The reader against what it replaces (`json.loads`, Hermes-FC's expression, json_repair), and against itself."""

import json
import re
from collections.abc import Iterator, Sequence

from tests.bench.reader_texts import (
    ADVERSARIAL,
    DENSEST,
    SHAPES,
    completion,
    long_string,
    with_trailing_comma,
)
from tests.bench.timing import once, seconds
from workbench.hermes.parse import parse
from workbench.hermes.stream import Stream
from workbench.toolspec.spec import OfferedTools, ToolSpec

HERMES_FC = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
SIZES = (200, 2_000, 20_000, 200_000)
REPAIRED_CHARS = 1_000_000
ADVERSARIAL_CHARS = 250_000
PIECE_CHARS = 4
STREAMED_CHARS = (100_000, 200_000)
REPAIR_AIMS = {"long string": 10, "string with escapes": 500, "many values": 10}
ANYTHING = OfferedTools(specs=(ToolSpec.of_function({"name": "f", "parameters": {"type": "object"}}),))


def measure() -> Sequence[str]:
    """All four parts; about two minutes, most of them json_repair's."""
    return [*_clean(), *_repaired(), *_adversarial(), *_streamed()]


def _clean() -> Iterator[str]:
    """(a) Clean completions, without schema checks."""
    for shape in ("long string", "many values"):
        for size in SIZES:
            yield _clean_line(shape, size)
    text = completion(SHAPES["many values"](2_000))
    bare, checked = seconds(lambda: parse(text), lambda: parse(text, tools=ANYTHING))
    yield f"schema check of 2 KB of values: {(checked - bare) * 1e6:.0f} µs on top of {bare * 1e6:.0f} µs"


def _clean_line(shape: str, size: int) -> str:
    payload = SHAPES[shape](size)
    text = completion(payload)
    assert parse(text).calls, "a clean completion is a call"
    ours, loads, seed = seconds(lambda: parse(text), lambda: json.loads(payload), lambda: _by_hermes_fc(text))
    if size < 2_000:
        aims = f"{(ours - loads) * 1e6:.0f} µs over json.loads (aim 30)"
    else:
        aim = 1 if shape == "long string" else 2
        aims = f"{ours / loads:.1f} × json.loads (aim 4), {ours / seed:.2f} × Hermes-FC (aim {aim})"
    return f"clean, {shape}, {size / 1000:g} KB: {aims}"


def _by_hermes_fc(text: str) -> list[object]:
    return [json.loads(match[1]) for match in HERMES_FC.finditer(text)]


def _repaired() -> Iterator[str]:
    """(b) A payload with one trailing comma, against json_repair."""
    try:
        import json_repair
    except ImportError:
        yield "repair: skipped, json_repair is not installed (make bench installs it)"
        return
    for shape, aim in REPAIR_AIMS.items():
        payload = with_trailing_comma(SHAPES[shape](REPAIRED_CHARS))
        text = completion(payload)
        assert [fix.code for fix in parse(text).fixes] == ["trailing-comma"]
        (ours,) = seconds(lambda text=text: parse(text), samples=3)
        theirs = once(lambda payload=payload: json_repair.loads(payload))
        yield (
            f"repair of one comma in 1 MB, {shape}: json_repair takes {theirs / ours:.1f} × as long (aim {aim})"
        )


def _adversarial() -> Iterator[str]:
    """(c) Every adversarial class, at n and 2n."""
    for name, made in ADVERSARIAL.items():
        small, large = made(ADVERSARIAL_CHARS), made(2 * ADVERSARIAL_CHARS)
        first, second = seconds(lambda text=small: parse(text), lambda text=large: parse(text), samples=2)
        aim = 2 if name in DENSEST else 1
        per_mb = second / len(large) * 1e6
        yield f"hard, {name}: t(2n)/t(n) {second / first:.2f} (aim 2.5), {per_mb:.2f} s a MB (aim {aim})"


def _streamed() -> Iterator[str]:
    """(d) Pieces of four characters, on top of one shot."""
    texts = [completion(long_string(size)) for size in STREAMED_CHARS]
    taken: list[float] = []
    for text in texts:
        shot, streamed = seconds(lambda text=text: parse(text), lambda text=text: _in_pieces(text), samples=3)
        taken.append(streamed)
        pieces = len(text) / PIECE_CHARS
        over = (streamed - shot) / pieces * 1e6
        yield f"stream of {len(text) / 1000:.0f} KB: {over:.2f} µs a piece on top of one shot (aim 5)"
    yield f"stream: t(2n)/t(n) {taken[1] / taken[0]:.2f} (aim 2.5)"


def _in_pieces(text: str) -> None:
    stream = Stream()
    for start in range(0, len(text), PIECE_CHARS):
        stream.feed(text[start : start + PIECE_CHARS])
    stream.finish()
