"""The world of a session over its turns: branches, regenerated messages, edits and copies go on from their own state."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.services import services_for
from workbench.app.editing import edit_text
from workbench.app.services import Services
from workbench.app.turn_request import ResumePoint, TurnRequest
from workbench.app.turns import run_turn
from workbench.chat.message import Role
from workbench.records.session_world import world_at
from workbench.toolspec.tools_text import render_tools

COUNTER = """
toolset: counter
world: {n: 0, log: []}
tools:
  - function: {name: add, parameters: {type: object, properties: {by: {type: integer}}, required: [by]}}
    mocks:
      - effects: [{increment: /n, by: "{{ by }}"}, {append: /log, value: "{{ by }}"}]
        result: {n: "{{ world.n }}"}
"""


def calls(*numbers: int) -> str:
    return "\n".join(
        f'<tool_call>\n{{"name": "add", "arguments": {{"by": {number}}}}}\n</tool_call>' for number in numbers
    )


@pytest.fixture
def answers() -> list[str]:
    return [calls(1, 2), "3", calls(10), "13", calls(100), "103", calls(5), "8"]


@pytest.fixture
def services(tmp_path: Path, answers: list[str]) -> Iterator[Services]:
    with services_for(tmp_path, *answers) as (services, _):
        yield replace(services, catalog=services.catalog.with_toolsets({"counter": COUNTER}))


def turn(services: Services, session_id: str | None, text: str, **more: object) -> TurnRequest:
    tools = render_tools(services.tools.select(["counter"]))
    request = TurnRequest(
        setup=replace(services.setup_for(), tools_text=tools), session_id=session_id, text=text, **more
    )
    assert list(run_turn(services, request))
    return request


def numbers(services: Services, session_id: str, leaf_id: str | None = None) -> list[int]:
    world = world_at(services.sessions.path(session_id, leaf_id=leaf_id))
    assert world["counter"]["n"] == sum(world["counter"]["log"])
    return world["counter"]["log"]


def test_branches_edits_and_copies_go_on_from_the_world_of_their_path(services: Services) -> None:
    session_id = turn(services, None, "first").subject
    path = services.sessions.path(session_id)
    assert [json.loads(m.message.text) for m in path if m.message.role is Role.TOOL] == [{"n": 1}, {"n": 3}]
    first_leaf = path[-1].id
    assert numbers(services, session_id) == [1, 2]

    turn(services, session_id, "one branch")
    one = services.sessions.path(session_id)[-1].id
    assert numbers(services, session_id) == [1, 2, 10]

    turn(services, session_id, "another branch", leaf_id=first_leaf)
    assert numbers(services, session_id) == [1, 2, 100]
    assert numbers(services, session_id, one) == [1, 2, 10]

    # An edited result keeps what its call changed, and the answer after it goes on from there.
    result = next(stored for stored in path if stored.message.role is Role.TOOL)
    edited = edit_text(services, session_id, path, result.id, '{"n": 1000}')
    assert numbers(services, session_id, edited.id) == [1, 2]
    turn(services, session_id, "", resume=ResumePoint(message_id=edited.id))
    assert numbers(services, session_id) == [1, 2, 5]

    copy = services.sessions.copy_session(session_id)
    assert numbers(services, copy.id) == [1, 2, 5]
    assert [numbers(services, session_id, leaf) for leaf in (first_leaf, one)] == [[1, 2], [1, 2, 10]]


def test_another_session_starts_with_the_world_of_the_toolset(services: Services) -> None:
    first = turn(services, None, "first").subject
    second = turn(services, None, "second").subject
    assert (numbers(services, first), numbers(services, second)) == ([1, 2], [10])
