"""Two tabs label the same rows at random, as fast as keys can be pressed, on a slow line: no key is lost."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS, TOUR_ENDED
from tests.e2e.test_label import Desk, called, opened
from tests.served import Server
from workbench.chat.message import Message, Role
from workbench.label.records.project import Project, Question, QueueFilter
from workbench.records.label import Label, Verdict
from workbench.records.label_words import QueueState
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.store.store import OwnedStore

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROBOT = Path(__file__).with_name("label_robot.js").read_text(encoding="utf-8")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Name of the city."},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
            },
        },
    }
]
SETUP = RunConfig(
    contract_name="minimal", contract_text="Call tools.\n{{ tools }}", tools_text=json.dumps(TOOLS)
)
CALL = called("get_weather", city="Cairo", unit="celsius")


def add_row(store: OwnedStore, *texts: str) -> tuple[str, list[str]]:
    """Store an imported conversation: a user's message, then messages of the model, each call with a result.

    Returns:
        The session's id, and the ids of its messages.
    """
    messages = [Message(role=Role.USER, text="How warm is it in Cairo?")]
    for text in texts:
        messages.append(Message(role=Role.ASSISTANT, text=text))
        if "<tool_call>" in text:
            messages.append(Message(role=Role.TOOL, text='{"degrees": 31}', name="get_weather"))
    session = store.sessions.create_session(SETUP)
    new = [NewMessage(message=message, origin=MessageOrigin.IMPORT) for message in messages]
    stored = store.sessions.append_all(session.id, new, parent_id=None)
    return session.id, [message.id for message in stored]


# The model


@dataclass
class Model:
    """What the labels are after the actions, in the order in which the server applied them."""

    stops: Mapping[str, Sequence[str]]
    """By session, the targets that need a verdict."""
    applied: list[tuple[str, list[tuple[str, str, object]]]] = field(default_factory=list)
    """Each action with the fields that it changed: the target, or the session, the name and the value."""
    undone: set[str] = field(default_factory=set)

    def values(self) -> dict[tuple[str, str], object]:
        found: dict[tuple[str, str], object] = {}
        for action, changes in self.applied:
            if action not in self.undone:
                found |= {(target, name): value for target, name, value in changes}
        return {key: value for key, value in found.items() if value is not None}

    def is_complete(self, session: str) -> bool:
        values, stops = self.values(), self.stops[session]
        messages = {stop.split("#")[0] for stop in stops}
        has_answer = any(
            name == "answer:polite" and target.split("#")[0] in messages for target, name in values
        )
        return has_answer and all((stop, "verdict") in values for stop in stops)

    def apply(self, action: str, meant: Mapping[str, Any]) -> None:
        session, changes = meant["session"], []
        match meant["kind"]:
            case "label":
                changes = [(meant["target"], meant["field"], meant["value"])]
            case "accept" | "accept-rest" as kind:
                targets = [meant["target"]] if kind == "accept" else self.stops[session]
                given = self.values()
                changes = [
                    (target, "verdict", "right" if "#" in target else "good")
                    for target in targets
                    if (target, "verdict") not in given
                ]
            case "submit" | "reject" as kind:
                assert kind == "reject" or self.is_complete(session), "an incomplete row was submitted"
                changes = [(session, "state", "done" if kind == "submit" else "discarded")]
            case "undo":
                self.undone.add(f"{meant['of']['client']}:{meant['of']['number']}")
        self.applied.append((action, changes))
        if self.values().get((session, "state")) == "done" and not self.is_complete(session):
            changes.append((session, "state", None))


def values_of(labels: Sequence[Label]) -> dict[tuple[str, str], object]:
    found: dict[tuple[str, str], object] = {}
    for label in labels:
        content, target = label.content, str(label.target)
        fields = {
            "verdict": content.verdict and content.verdict.value,
            "rating": content.rating,
            "comment": content.comment or None,
            **{f"tag:{tag}": True for tag in content.tags},
            **{f"answer:{name}": answer for name, answer in content.answers.items()},
        }
        found |= {(target, name): value for name, value in fields.items() if value is not None}
    return found


def applied_actions(server: Server, project: str) -> list[tuple[str, str]]:
    """Return client and number of each action and its session, in the order in which they were applied."""
    file = server.folder / "data" / "workbench.sqlite3"
    with closing(sqlite3.connect(file)) as db:
        query = """SELECT client || ':' || client_number, label_action.session_id FROM label_action
            JOIN label_project ON label_project.id = project_id WHERE label_project.name = ? ORDER BY number"""
        return list(db.execute(query, (project,)))


@pytest.fixture
def tabs(page: Page) -> Iterator[list[Page]]:
    """Two tabs of one browser."""
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    other = page.context.new_page()
    other.add_init_script(TOUR_ENDED)
    yield [page, other]
    other.close()


@pytest.mark.parametrize(
    ("rows", "actions", "keys_ms", "latency_ms"),
    [
        pytest.param(6, 60, (2, 15), (0, 60), id="quick"),
        pytest.param(
            100, 2000, (60, 400), (0, 400), id="full", marks=[pytest.mark.soak, pytest.mark.timeout(900)]
        ),
    ],
)
def test_no_key_is_lost_in_two_fast_tabs_on_a_slow_line(
    tabs: list[Page],
    server: Server,
    rows: int,
    actions: int,
    keys_ms: tuple[int, int],
    latency_ms: tuple[int, int],
) -> None:
    seed = int(os.environ.get("LABEL_SEED", "22"))
    print(f"LABEL_SEED={seed}")
    project = f"robot {rows}"
    question = Question(name="polite", text="Is it polite?", choices=("yes", "no"), is_required=True)
    stops: dict[str, list[str]] = {}
    with opened(server) as store:
        store.label_projects.save_project(
            Project(name=project, questions=(question,), requires_verdicts=True)
        )
        for _ in range(rows):
            session, (_, call, _, answer) = add_row(store, CALL, "It is 31 degrees.")
            stops[session] = [f"{call}#0", answer]
        store.label_assignments.assign(list(stops), ["ann"], project=project)
    seat = {"seat": {"labeller": "ann", "project": project, "is_deciding": False}, "filter": {}}
    meant: dict[str, list[dict[str, Any]]] = {}
    stacks: list[list[object]] = [[], []]
    for tab in tabs:
        tab.add_init_script(ROBOT)
    tabs[0].goto(server.url)
    tabs[0].evaluate("seat => localStorage.setItem('hermes-workbench:label', JSON.stringify(seat))", seat)
    began = time.monotonic()
    half = actions // 4
    for part in range(2):
        # The second half begins with a reload in the middle of the work.
        for tab in tabs:
            tab.goto(f"{server.url}/?label={next(iter(stops))}")
        for place, tab in enumerate(tabs):
            expect(tab.locator("#label-desk ol[data-session]")).to_have_attribute("aria-busy", "false")
            tab.evaluate(
                "(options) => { window.robotRun = window.labelRobot(options); }",
                {
                    "seed": seed + 10 * part + place,
                    "count": half,
                    "keys": keys_ms,
                    "latency": latency_ms,
                    "stack": stacks[place],
                },
            )
        for place, tab in enumerate(tabs):
            tab.set_default_timeout(half * 1000)
            found = tab.evaluate("window.robotRun")
            stacks[place] = found["stack"]
            if found["meant"]:
                meant[found["client"]] = found["meant"]
    for tab in tabs:
        tab.evaluate("window.labelStored()")
    model = Model(stops)
    applied = applied_actions(server, project)
    for action, session in applied:
        client, _, number = action.partition(":")
        intent = meant[client][int(number) - 1]
        assert intent["session"] == session
        model.apply(action, intent)
    count = sum(map(len, meant.values()))
    refused = {
        f"{client}:{place + 1}": intent for client, own in meant.items() for place, intent in enumerate(own)
    }
    for action, _ in applied:
        del refused[action]
    # Only a submit may be refused, if the other tab removed a verdict meanwhile.
    assert {intent["kind"] for intent in refused.values()} <= {"submit"}
    print(f"{count} actions, {len(applied)} applied, {len(refused)} submits refused")
    with opened(server) as store:
        values = model.values()
        stored = values_of(store.labels.list_labels(project=project, limit=10_000))
        assert stored == {key: value for key, value in values.items() if key[1] != "state"}
        states = {
            item.session_id: item.state
            for item in store.label_queues.queue(QueueFilter(), project=project, limit=1000).items
        }
    for session in stops:
        is_done = states[session] is QueueState.DONE
        assert is_done == (values.get((session, "state")) == "done")
        assert model.is_complete(session) or not is_done
    worked_s = time.monotonic() - began
    # Undo back to the beginning leaves nothing.
    for tab in tabs:
        tab.evaluate("range => { window.robotUndo = window.labelUndoAll(range); }", (0, 20))
    for tab in tabs:
        tab.evaluate("window.robotUndo")
    with opened(server) as store:
        assert store.labels.list_labels(project=project, limit=10_000) == ()
        items = store.label_queues.queue(QueueFilter(), project=project, limit=1000).items
    assert {item.state for item in items} == {QueueState.PENDING}
    print(f"{worked_s:.0f} s of labelling, {time.monotonic() - began - worked_s:.0f} s of undoing")


# How many keys a row takes


class CountingDesk(Desk):
    """Counts the keys."""

    keys = 0

    def press(self, *keys: str) -> "CountingDesk":
        self.keys += len(keys)
        super().press(*keys)
        return self

    def submit(self, session: str) -> int:
        """Submit the row, and return the number of keys that it took."""
        self.press("Enter").wait_until_stored()
        expect(self.page.locator(f'#label-desk [data-id="{session}"] [aria-label=done]')).to_be_visible()
        assert self.state(session) is QueueState.DONE
        return self.keys


@pytest.fixture
def counting(page: Page, server: Server) -> CountingDesk:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    return CountingDesk(page, server)


def test_a_row_takes_few_keys(counting: CountingDesk, server: Server) -> None:
    with opened(server) as store:
        clean, _ = add_row(store, CALL, "It is 31 degrees.")
        long, _ = add_row(store, *[CALL] * 30, "It is 31 degrees.")
        wrong = called("get_weather", city="Cairo", unit="kelvin")
        corrected, _ = add_row(store, wrong, "It is 31 degrees.")
    counting.open(clean)
    clean_keys = counting.press("A").submit(clean)
    counting.keys = 0
    counting.open(long)
    long_keys = counting.press("A").submit(long)
    counting.keys = 0
    counting.open(corrected)
    counting.press("e")
    # The form opens at the argument that does not fit the schema.
    expect(counting.panel.get_by_label("unit", exact=True)).to_be_focused()
    counting.press("c", "Control+Enter", "A")
    corrected_keys = counting.submit(corrected)
    labels = {label.target.call_index: label.content for label in counting.labels(corrected)}
    assert dict(labels[0].correction.arguments) == {"city": "Cairo", "unit": "celsius"}
    assert (labels[0].verdict, labels[None].verdict) == (Verdict.BAD_ARGUMENTS, Verdict.GOOD)
    print(
        f"keys: clean row {clean_keys}, 30 right calls {long_keys}, one corrected argument {corrected_keys}"
    )
    assert clean_keys <= 2
    assert long_keys <= 3
    assert corrected_keys <= 8
