"""Conversations are scored without a suite, by what is wrong whatever the model should have done."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest

from tests.exchanges import answered
from workbench.chat.finding import Severity, Span
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.facts import FactKind, MessageFact, facts_of
from workbench.records.session_score import (
    ProblemKind,
    ScoredCompletion,
    score_json,
    score_path,
    score_table,
    scores_by,
    turn_score,
)
from workbench.records.sessions import MessageOrigin, StoredMessage, StoredToolRun
from workbench.rollout.events import Generation
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

TOOLS = parse_tools(
    '[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", '
    '"properties": {"city": {"type": "string"}}, "required": ["city"]}}}]'
)
IDS = count()
DAY = datetime(2026, 11, 27, 12, tzinfo=UTC)


def stored(
    message: Message, generation: Generation | None = None, tool_run: StoredToolRun | None = None
) -> StoredMessage:
    return StoredMessage(
        id=f"m{next(IDS)}", parent_id=None, message=message, origin=MessageOrigin.GATEWAY, created_at=DAY,
        generation=generation, tool_run=tool_run,
    )  # fmt: skip


def user(text: str = "What is the weather?") -> StoredMessage:
    return stored(Message(role=Role.USER, text=text))


def result(text: str, tool_run: StoredToolRun | None = None) -> StoredMessage:
    return stored(Message(role=Role.TOOL, text=text, name="get_weather"), tool_run=tool_run)


def model(text: str, *calls: ToolCall, prompt_tokens: int = 10, engine: str = "one") -> StoredMessage:
    generation = answered(text).generation
    timing = replace(generation.timing, prompt_tokens=prompt_tokens, completion_tokens=5)
    generation = replace(generation, timing=timing, engine_name=engine, tools_fingerprint=TOOLS.fingerprint)
    return stored(Message(role=Role.ASSISTANT, text=text, calls=calls), generation)


def call(arguments: str = '{"city": "Rome"}', name: str = "get_weather") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def scored(path: Sequence[StoredMessage]) -> Iterator[ScoredCompletion]:
    return score_path(path, "s", TOOLS, {})


def problems(*path: StoredMessage) -> list[tuple[str, str]]:
    return [
        (problem.kind.value, problem.tool) for completion in scored(path) for problem in completion.problems
    ]


GOOD = (user(), model(call()), result('{"celsius": 31}'), model("It is 31 degrees in Rome."))


@pytest.mark.parametrize(
    "path",
    [
        GOOD,
        (user(), model(call()), user(), model(call())),
        (user(), model(call('{"city": "Rome"}') + call('{"city": "Oslo"}'))),
        (user(), model(call()), result('{"ok": true, "note": null}'), model("Done.")),
        (user(), model(call()), result(""), model(call('{"city": "Roma"}')), result('{"celsius": 31}'), model("31.")),
        (user(), model(call()), result('{"error": "down"}')),
        (user(), model(call()), result("page one of three"), model(call('{"city": "Oslo"}')), result("It rains."), model("It rains.")),
    ],
    ids=["answered", "another turn", "two calls", "nothing to say", "recovered", "not answered", "an intermediate result"],
)  # fmt: skip
def test_nothing_is_wrong(path: Sequence[StoredMessage]) -> None:
    assert problems(*path) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((user(), model(call(name="get_wether"))), ("unknown-tool", "get_wether")),
        ((user(), model(call('{"town": "Rome"}'))), ("invalid-arguments", "get_weather")),
        ((user(), model("", ToolCall(name="get_weather", arguments={"city": 3}))), ("invalid-arguments", "get_weather")),
        ((user(), model(call()), result("31"), model(call('{ "city":"Rome" }'))), ("repeated-call", "get_weather")),
        ((user(), model(call() + call())), ("repeated-call", "get_weather")),
        ((user(), model(call()), result('{"celsius": 31}'), model("I cannot know.")), ("ignored-result", "get_weather")),
        ((user(), model(call()), result('{"error": "down"}'), model("It is warm.")), ("not-recovered", "get_weather")),
        (
            (user(), model(call()), result("Too warm", tool_run=StoredToolRun(call_index=0, is_error=True, milliseconds=1, rule=None)), model("It is warm.")),
            ("not-recovered", "get_weather"),
        ),
    ],
    ids=["unknown tool", "missing argument", "a call that a server parsed", "repeated in a turn", "repeated at once", "ignored", "failed", "failed here"],
)  # fmt: skip
def test_what_is_wrong_is_found(path: Sequence[StoredMessage], found: tuple[str, str]) -> None:
    assert problems(*path) == [found]


def test_a_completion_is_checked_with_the_tools_of_its_own_request() -> None:
    """The last request of a session may offer other tools, or none."""
    path = (user(), model(call()), model(call(name="get_wether")), model(call('{"town": "Rome"}')))
    assert {problem.kind for one in score_path(path, "s", None, {}) for problem in one.problems} == set()
    facts = {
        path[2].id: [
            MessageFact(kind=FactKind.FINDING, code="unknown-tool", severity=Severity.ERROR, span=Span(0, 3))
        ],
        path[3].id: [
            MessageFact(kind=FactKind.FINDING, code="schema-missing-required", severity=Severity.ERROR, span=Span(4, 9))
        ],
    }  # fmt: skip
    found = [problem.kind for one in score_path(path, "s", OfferedTools(), facts) for problem in one.problems]
    assert found == [ProblemKind.UNKNOWN_TOOL, ProblemKind.INVALID_ARGUMENTS]


def test_facts_have_the_places_that_the_score_needs() -> None:
    from workbench.hermes.parse import parse

    reading = parse(call('{"town": "Rome"}') + call(name="x"), tools=TOOLS)
    spans = {fact.code: fact.span for fact in facts_of(reading)}
    assert all(spans.values()) and {"unknown-tool", "schema-missing-required"} <= spans.keys(), spans


def test_scores_are_by_model_and_a_turn_has_all_its_tokens() -> None:
    other = [replace(message, id=f"o{index}") for index, message in enumerate(GOOD)]
    other[3] = model("It is 31 degrees.", engine="two", prompt_tokens=None)
    other[1] = model(call(name="x"), engine="two", prompt_tokens=None)
    completions = [*scored(GOOD), *scored(other)]
    one, two = scores_by(lambda completion: completion.model, completions)
    assert (one.group, one.turns, one.completions, one.calls, one.tokens_per_turn) == ("one", 1, 2, 1, 30)
    assert (two.group, two.tokens_per_turn, two.problems[ProblemKind.UNKNOWN_TOOL]) == ("two", None, 1)
    assert [score.group for score in scores_by(lambda completion: completion.day, completions)] == [
        "2026-11-27"
    ]
    total = turn_score("all", completions)
    # The turns of the second model have no known tokens, so they take no part.
    assert (total.turns, total.tokens_per_turn) == (2, 30)
    assert score_json(two)["tokens_per_turn"] is None
    table = score_table("model", (one, two))
    assert [row[-1] for row in table.rows] == ["30", "–"]
    assert table.head[:4] == ("model", "turns", "calls", "unknown tool")


def test_a_copy_on_another_branch_is_its_original() -> None:
    copy = [replace(message, id=f"c{message.id}", copy_of=message.id) for message in GOOD]
    assert [one.message_id for one in scored(copy)] == [GOOD[1].id, GOOD[3].id]
