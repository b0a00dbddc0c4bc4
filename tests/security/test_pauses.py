"""Diffs, grammars and bodies stop no other thread for long. `test_bombs_server.py` has what a Space offers.

`test_chat_templates.py` does the same for chat templates.
"""

from collections.abc import Callable
from random import Random
from threading import Thread
from typing import Final

import pytest

from tests.security.bombs import SCHEMAS
from tests.security.pattern_bombs import COSTLY_PATTERNS
from tests.security.watched import PAUSE_S, Watched
from workbench.app.version_content import diff_texts
from workbench.errors import WorkbenchError
from workbench.gateway.faults import RequestFault
from workbench.gateway.requests import ParseRequest, parse_body
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.grammar import schema_grammar

pytestmark = pytest.mark.slow


def _parsed(body: bytes) -> object:
    try:
        return parse_body(body, ParseRequest)
    except RequestFault as error:
        return error


def lines(seed: int, words: int, count: int) -> str:
    random = Random(seed)
    return "".join(f"{random.randrange(words)}\n" for _ in range(count))


DIFFS: Final = [
    ("a\n" * 99_000, "a\n" * 98_000),
    ("a\nb\n" * 40_000, "b\na\n" * 40_000),
    (lines(1, 3, 60_000), lines(2, 3, 60_000)),
    (lines(1, 1000, 40_000), lines(2, 1000, 40_000)),
    (lines(1, 10**9, 18_000), lines(2, 10**9, 18_000)),
    ("x" * 200_000, "y" * 200_000),
    ("x y " * 50_000, "y x " * 50_000),
    ("\n" * 200_000, "\n" * 199_999),
]
PATTERN_SCHEMAS: Final = [
    {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}, "required": ["a"]}
    for pattern in COSTLY_PATTERNS
]
_UNITS: Final = [b"[],", b"{},", b"1,", b"1.5,", b'"ab",', b'{"a":1},', b"[1,2],"]
BODIES: Final = [
    b'{"text":"","x":[' + unit * (size // len(unit)) + b"1]}"
    for unit in _UNITS
    for size in (900_000, 19_000_000)
]
KINDS: Final[dict[str, list[Callable[[], object]]]] = {
    "diffs": [lambda pair=pair: diff_texts(*pair, ("a", "b")) for pair in DIFFS],
    "grammars": [
        lambda schema=schema: schema_grammar(schema)
        for schema in (*PATTERN_SCHEMAS, *(one for one, _ in SCHEMAS))
    ],
    "bodies": [lambda body=body: _parsed(body) for body in BODIES],
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_step_stops_other_threads(kind: str) -> None:
    pauses: dict[int, float] = {}
    for number, bomb in enumerate(KINDS[kind]):
        with Watched() as watched, budget(REQUEST_STEPS):
            try:
                bomb()
            except WorkbenchError as error:
                assert str(error)
        pauses[number] = watched.longest_s
    assert {number: pause for number, pause in pauses.items() if pause > PAUSE_S} == {}


def test_the_watch_sees_a_step_that_stops_other_threads() -> None:
    with Watched() as watched:
        sum(range(30_000_000))
    assert watched.longest_s > PAUSE_S


def test_the_watch_sees_no_pause_where_threads_take_turns() -> None:
    with Watched() as watched:
        threads = [Thread(target=lambda: [str(number) for number in range(1_500_000)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert watched.longest_s < PAUSE_S / 2
