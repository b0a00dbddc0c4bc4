"""Bombs against a real server on a Space: each is answered soon, little memory is taken, others are served."""

import json
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest

from tests.security.bombs import IMPORTS, ROWS, SCHEMAS, TEXTS, archives
from tests.security.pattern_bombs import COSTLY_PATTERNS, EVIL_TEXT, PATTERNS
from tests.security.template_bombs import TEMPLATE_ARGUMENTS, TEMPLATES
from tests.security.visitor import Answered, Visitor
from tests.security.watched import PAUSE_S, PAUSES
from tests.served import Server, served, write_script

MOST_S = 6.0
"""Only its sender waits. The slowest takes 1.6 to 3.1 s on cores of changing speed."""
OTHERS_S = 1.0
MOST_BYTES = 300_000_000

pytestmark = [pytest.mark.timeout(280), pytest.mark.slow]


class Bystander:
    """Another visitor, who goes on asking for little, and somebody who watches the server's memory."""

    def __init__(self, server: Server) -> None:
        url = server.url
        self._pauses = (server.folder / "pauses").open()
        self._visitor = Visitor(url)
        self._process = next(
            psutil.Process(one.pid)
            for one in psutil.net_connections("tcp")
            if one.status == psutil.CONN_LISTEN and one.laddr.port == int(url.rpartition(":")[2]) and one.pid
        )
        self._ended = Event()
        self._threads = [Thread(target=self._ask), Thread(target=self._watch)]
        self.slowest = 0.0
        self.asked = 0
        self.most_bytes = 0
        self._ask_once()
        self.idle_bytes = self._process.memory_info().rss

    def __enter__(self) -> "Bystander":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._visitor.close()
        self._pauses.close()

    def end(self) -> None:
        """Stop asking, after at least one answer."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def at_hand_s(self) -> float:
        """Processor time that the server used or could have used: its own, and what the machine had left."""
        used, machine = self._process.cpu_times(), psutil.cpu_times()
        return used.user + used.system + machine.idle

    def fair(self, seconds: float, *, since_s: float) -> float:
        """How long it took the server; where other processes keep the machine busy, no more than it could work."""
        return min(seconds, self.at_hand_s() - since_s)

    def new_pause(self) -> float:
        """The longest pause since the last call, in seconds."""
        return max(map(float, self._pauses.read().split()), default=0.0)

    def _ask(self) -> None:
        while not (self._ended.wait(0.05) and self.asked):
            for ask in (self._ask_once, self._visitor.open_page):
                before_s = self.at_hand_s()
                self.slowest = max(self.slowest, self.fair(ask(), since_s=before_s))
            self.asked += 1

    def _ask_once(self) -> float:
        answered = self._visitor.call("parse", *read("<tool_call>\n{}\n</tool_call>"))
        assert answered.is_success
        return answered.seconds

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self.most_bytes = max(self.most_bytes, self._process.memory_info().rss)


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("bombs")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(
        folder,
        f"scripted:{script}",
        module="tests.security.watched",
        SPACE_ID="someone/workbench",
        WORKBENCH_HOST="127.0.0.1",
        **{PAUSES: str(folder / "pauses")},
    )


@pytest.fixture
def stranger(space: Server) -> Iterator[Visitor]:
    visitor = Visitor(space.url)
    yield visitor
    visitor.close()


def hold(
    server: Server,
    stranger: Visitor,
    attacks: dict[str, Callable[[], Answered]],
    *,
    times: int = 1,
) -> None:
    """Send all bombs one after the other, and check what came against the bounds.

    A bomb whose pause is too long is sent up to `times` times: a long step is long each time, a stall of a busy machine
    is not. This is for bombs of which the server remembers nothing.
    """
    slow: list[str] = []
    pauses: dict[str, float] = {}
    with Bystander(server) as others:
        for name, attack in attacks.items():
            others.new_pause()
            before_s = others.at_hand_s()
            stranger.move()
            answered = attack()
            # Anything else that is not an answer of the event means that the bomb did not arrive.
            assert not isinstance(answered.output, str) or "Invalid request" in answered.output, answered
            seconds = others.fair(answered.seconds, since_s=before_s)
            pauses[name] = others.new_pause()
            for _ in range(times - 1):
                if pauses[name] > PAUSE_S:
                    stranger.move()
                    attack()
                    pauses[name] = min(pauses[name], others.new_pause())
            if seconds > MOST_S:
                slow.append(f"{name}: {seconds:.1f} s")
        others.end()
    print(
        f"{len(attacks)} bombs; others: {others.slowest:.2f} s at most, longest pause {max(pauses.values()):.2f} s, "
        f"memory +{(others.most_bytes - others.idle_bytes) / 1e6:.0f} MB"
    )
    print(*(f"{pause:.2f} {name}" for name, pause in pauses.items() if pause > 0.1), sep="\n")
    assert slow == []
    assert {name: pause for name, pause in pauses.items() if pause > PAUSE_S} == {}
    assert others.slowest <= OTHERS_S
    assert others.most_bytes - others.idle_bytes <= MOST_BYTES


def tool(schema: object, name: str = "f") -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": schema}}


def call_of(arguments: object) -> str:
    return "<tool_call>\n" + json.dumps({"name": "f", "arguments": arguments}) + "\n</tool_call>"


def play_call(visitor: Visitor, schema: object, rules: object, arguments: object) -> Answered:
    return visitor.fire(
        "tools-call",
        "click",
        tools_spec=json.dumps(tool(schema)),
        tools_rules=json.dumps(rules),
        tools_arguments=json.dumps(arguments),
        tools_seed=0,
        tools_call_number=1,
    )


def draft(visitor: Visitor, schema: object, rules: object) -> Answered:
    return visitor.fire(
        "tools-spec",
        "change",
        tools_spec=json.dumps(tool(schema)),
        tools_rules=json.dumps(rules),
        tools_toolset="x",
    )


def read(text: str, *tools: object) -> tuple[object, ...]:
    """The arguments of the API's `parse`."""
    return text, list(tools) or None, "auto", "tolerant", "stop", False


def suite_of(pattern: str) -> str:
    case = {"id": "a", "prompt": "x", "expect": [{"text_matches": pattern}, {"asks": pattern}]}
    return json.dumps({"suite": "s", "cases": [case]})


def test_patterns_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    ways: list[Callable[[str], Answered]] = [
        lambda pattern: stranger.call(
            "parse",
            *read(
                call_of({"a": EVIL_TEXT}),
                tool({"properties": {"a": {"pattern": pattern}}, "patternProperties": {pattern: {}}}),
            ),
        ),
        lambda pattern: play_call(
            stranger, {"properties": {"a": {"type": "string"}}}, [{"when": {"a": {"regex": pattern}}, "result": 1}],
            {"a": EVIL_TEXT},
        ),
        lambda pattern: draft(
            stranger, {"properties": {"a": {"pattern": pattern}}}, [{"when": {"a": {"regex": pattern}}, "result": 1}]
        ),
        lambda pattern: stranger.fire("suites-text", "change", suites_name="s", suites_text=suite_of(pattern)),
    ]  # fmt: skip
    assert len(PATTERNS) >= 50
    hold(
        space,
        stranger,
        {
            f"{way} {pattern[:30]!r}": (lambda run=ways[way], pattern=pattern: run(pattern))
            for place, pattern in enumerate(PATTERNS)
            for way in (0, 1 + place % 3)
        },
    )


def test_patterns_that_take_long_to_compile_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    def parse(*patterns: str) -> Answered:
        properties = {f"p{place}": {"pattern": pattern} for place, pattern in enumerate(patterns)}
        return stranger.call(
            "parse", *read(call_of(dict.fromkeys(properties, "ab" * 99)), tool({"properties": properties}))
        )

    attacks: dict[str, Callable[[], Answered]] = {
        pattern[:30]: lambda pattern=pattern: parse(pattern) for pattern in COSTLY_PATTERNS
    }
    for place in range(0, len(COSTLY_PATTERNS), 5):
        # With other letters, they are not in the cache.
        some = [f"z?{pattern}" for pattern in COSTLY_PATTERNS[place : place + 5] if len(pattern) < 9990]
        attacks[f"five {place}"] = lambda some=some: parse(*some)
    hold(space, stranger, attacks)


def test_texts_and_rows_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    attacks: dict[str, Callable[[], Answered]] = {
        f"parse {text[:20]!r}": lambda text=text: stranger.call("parse", *read(text)) for text in TEXTS
    }
    attacks |= {
        f"check {place} {text[:20]!r}": lambda text=text: stranger.call("check", text, "auto")
        for place, text in enumerate(ROWS)
    }
    hold(space, stranger, attacks, times=3)


def test_templates_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    assert len(TEMPLATES) >= 20
    # With another number, a template that is sent again is not in the cache.
    numbers = count()
    hold(
        space,
        stranger,
        {
            template[:40]: (
                lambda template=template: play_call(
                    stranger, {}, [{"template": f"{next(numbers)} {template}"}], TEMPLATE_ARGUMENTS
                )
            )
            for template in TEMPLATES
        }
        | {
            "fifty at once": lambda: draft(
                stranger,
                {},
                [{"template": "{{ a|upper|lower|title }}" * 700 + f"{next(numbers)}"} for _ in range(50)],
            )
        },
        times=3,
    )


def test_schemas_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    assert len(SCHEMAS) >= 20
    attacks: dict[str, Callable[[], Answered]] = {}
    for place, (schema, arguments) in enumerate(SCHEMAS):
        name = json.dumps(schema)[:50]
        attacks[f"parse {place} {name}"] = lambda schema=schema, arguments=arguments: stranger.call(
            "parse", *read(call_of(arguments), tool(schema))
        )
        if place % 2:
            attacks[f"call {place} {name}"] = lambda schema=schema, arguments=arguments: play_call(
                stranger, schema, {"returns": schema, "mocks": []}, arguments
            )
        else:
            attacks[f"draft {place} {name}"] = lambda schema=schema: draft(
                stranger, schema, {"returns": schema, "mocks": []}
            )
    hold(space, stranger, attacks)


def test_imported_texts_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    hold(
        space,
        stranger,
        {
            f"{place} {text[:30]!r}": lambda text=text: stranger.fire(
                "tools-import", "click", tools_import_text=text, tools_import_toolset="mine"
            )
            for place, text in enumerate(IMPORTS)
        },
    )


def test_archives_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor, tmp_path: Path) -> None:
    files = {name: stranger.upload(name, content) for name, content in archives().items()}
    assert len(files) >= 10
    hold(
        space,
        stranger,
        {
            name: lambda file=file: stranger.fire(
                "import-start", "click", import_file=file, import_format="auto"
            )
            for name, file in files.items()
        },
    )


def test_versions_and_contracts_of_a_visitor_do_not_delay_others(space: Server, stranger: Visitor) -> None:
    fronts = ["[" * 50_000, "? " * 50_000, "a: &a [b]\nc: *a", "title: " + "x" * 100_000, "{" * 300]
    texts = [f"---\n{front}\n---\nbody" for front in fronts] + [
        "---\ntitle: t\nfamily: hermes-3\n---\n" + "{{ " * 60_000
    ]
    started = time.monotonic()
    hold(
        space,
        stranger,
        {
            text[:20] + str(place): lambda text=text: stranger.fire(
                "contracts-text", "change", contracts_name="c", contracts_text=text
            )
            for place, text in enumerate(texts)
        },
    )
    assert time.monotonic() > started
