"""What the API, the store and an import of a Space accept is limited in size and number."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.security.limited_services import LONG, StoredSession, as_space, kept_with, opened, plan_with, spent
from tests.security.limited_services import own as own  # a fixture
from workbench.app.api.functions import ApiFunctions
from workbench.app.runs.running import begin_run
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import run_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.label.records.action import ActionId, FieldChange, LabelAction
from workbench.label.records.project import Project
from workbench.library.datasets.row_import import ImportOptions, import_rows
from workbench.records.label import LabelContent, LabelTarget, NewLabel
from workbench.records.label_words import ActionKind
from workbench.records.limits import SPACE
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.records.versions import NewVersion, VersionKind
from workbench.ui.owners import caller_of
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.import_events import ImportEvents

pytestmark = pytest.mark.slow
REQUEST = cast(
    gr.Request, SimpleNamespace(headers={"x-workbench-key": "a" * 32}, session_hash="t", username=None)
)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Services]:
    """Services with an empty store."""
    with opened(tmp_path) as services:
        yield services


TEXT_CALLS: Mapping[str, Callable[[ApiFunctions], object]] = {
    "parse": lambda functions: functions.parse(LONG),
    "parse-tools": lambda functions: functions.parse("", tools=[{"name": LONG}]),
    "parse-options": lambda functions: functions.parse("", finish_reason=LONG),
    "render": lambda functions: functions.render([{"role": "user", "content": LONG}]),
    "render-tools": lambda functions: functions.render([], tools=[{"name": LONG}]),
    "check": lambda functions: functions.check(LONG),
    "chat": lambda functions: functions.chat(LONG),
    "chat-tools": lambda functions: functions.chat("Hi", tools=[{"name": "f", "description": LONG}]),
    "chat-tokens": lambda functions: functions.chat("Hi", max_tokens=32_768),
    "chat-rounds": lambda functions: functions.chat("Hi", max_rounds=100),
    "chat-seed": lambda functions: functions.chat("Hi", seed=10**40),
    "chat-contract": lambda functions: functions.chat("Hi", contract=LONG),
    "chat-session": lambda functions: functions.chat("Hi", session=LONG),
    "run": lambda functions: functions.run(["nonsense"], repeat=1000),
    "run-names": lambda functions: functions.run([LONG]),
    "run-models": lambda functions: functions.run(["nonsense"], models=[f"m{one}" for one in range(201)]),
    "export": lambda functions: functions.export(sessions=[LONG]),
    "export-format": lambda functions: functions.export(format=LONG),
}


@pytest.mark.parametrize("function", TEXT_CALLS)
def test_the_api_refuses_too_much_and_stores_nothing(own: Services, function: str) -> None:
    space = as_space(own)
    asked = len(cast(Any, own.models).one.asked)
    caller = space.of(caller_of(space.settings, REQUEST))
    with pytest.raises(BadInput) as refused:
        TEXT_CALLS[function](ApiFunctions(caller))
    assert len(str(refused.value)) < 500
    assert len(cast(Any, own.models).one.asked) == asked
    assert not caller.sessions.list_sessions() and not caller.runs.list_runs()


KEEPING: Mapping[str, Callable[[Services, StoredSession], object]] = {
    **{
        f"a {kind.value}": lambda own, kept, kind=kind: own.versions.save(
            NewVersion(kind=kind, name="mine", text=LONG)
        )
        for kind in VersionKind
    },
    "a version's message": lambda own, kept: own.versions.save(
        NewVersion(kind=VersionKind.SUITE, name="mine", text="", message=LONG)
    ),
    "a message": lambda own, kept: own.sessions.append(
        kept.session_id,
        NewMessage(message=Message(role=Role.USER, text=LONG), origin=MessageOrigin.PERSON),
        parent_id=kept.answer_id,
    ),
    "messages": lambda own, kept: own.sessions.append_all(
        kept.session_id,
        [NewMessage(message=Message(role=Role.USER, text="x"), origin=MessageOrigin.PERSON)] * 2_001,
        parent_id=kept.answer_id,
    ),
    "a title": lambda own, kept: own.sessions.rename_session(kept.session_id, LONG),
    "tags": lambda own, kept: own.sessions.tag_session(kept.session_id, [LONG]),
    "a label": lambda own, kept: own.labels.save(
        NewLabel(target=LabelTarget(session_id=kept.session_id, message_id=kept.answer_id), content=LabelContent(comment=LONG))
    ),
    "a correction": lambda own, kept: own.labels.save(
        NewLabel(
            target=LabelTarget(session_id=kept.session_id, message_id=kept.answer_id), content=LabelContent(correction=LONG)
        )
    ),
    "an annotator's action": lambda own, kept: own.labels.apply(
        LabelAction(
            id=ActionId("page", 1),
            session_id=kept.session_id,
            kind=ActionKind.LABEL,
            changes=(FieldChange(message_id=kept.answer_id, field="comment", value=LONG),),
        )
    ),
    "a label project": lambda own, kept: own.label_projects.save_project(Project(name=LONG)),
    "a preset": lambda own, kept: own.presets.save_preset("mine", replace(own.setup_for(), ephemeral=LONG)),
}  # fmt: skip


@pytest.mark.parametrize("what", KEEPING)
def test_the_size_of_stored_texts_is_limited(own: Services, what: str) -> None:
    kept = kept_with(own, own.setup_for())
    with pytest.raises(BadInput, match="are allowed here"):
        KEEPING[what](as_space(own), kept)


def test_the_number_of_stored_objects_is_limited(fresh: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    tight = replace(SPACE, sessions=2, own_names=1, versions=2, runs=1, messages=5)
    monkeypatch.setattr("workbench.records.limits.SPACE", tight)
    space = as_space(fresh)
    setup = space.setup_for()
    for _ in range(2):
        kept_with(space, setup)
    with pytest.raises(BadInput, match="sessions"):
        space.sessions.create_session(setup)
    first = space.sessions.list_sessions()[0].id
    with pytest.raises(BadInput, match="sessions"):
        space.sessions.copy_session(first)
    spent(run_turn(space, TurnRequest(setup=setup, session_id=first, text="Hi")))
    with pytest.raises(BadInput, match="messages of a session"):
        spent(run_turn(space, TurnRequest(setup=setup, session_id=first, text="Hi")))
    for number in range(2):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="mine", text=f"{number}"))
    with pytest.raises(BadInput, match="versions of 'mine'"):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="mine", text="new"))
    with pytest.raises(BadInput, match="versions of 'mine'"):
        space.versions.restore(space.versions.history(VersionKind.SUITE, "mine")[-1].id)
    with pytest.raises(BadInput, match="suites of your own"):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="other", text="new"))
    preset = space.presets.save_preset("mine", setup).preset
    space.presets.save_preset("mine", setup, replaces=True)
    with pytest.raises(BadInput, match="presets"):
        space.presets.save_preset("other", setup)
    with pytest.raises(BadInput, match="presets"):
        space.presets.restore_preset(preset.id)
    begin_run(space, plan_with(space, setup))
    with pytest.raises(BadInput, match="runs"):
        begin_run(space, plan_with(space, setup))
    rows = space.datasets.read(_rows(Path(space.settings.data)), "auto")
    [imported] = import_rows(space.corpus, rows, setup, ImportOptions(file="rows"))
    assert "sessions" in imported.problem


def _rows(folder: Path, count: int = 1) -> str:
    file = folder / "rows.jsonl"
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]
    lines = [
        json.dumps({"conversations": [*turns, {"from": "human", "value": f"{one}"}]}) for one in range(count)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def test_the_size_and_the_rows_of_an_import_are_limited(
    fresh: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.records.limits.SPACE", replace(SPACE, import_bytes=1_000_000, import_rows=3)
    )
    space, state = as_space(fresh), TabState(browser_key="browser:ann")
    events = ImportEvents(space, Jobs())

    def imported(file: str) -> str:
        screens = list(events.on_import(state, file, "", False, "auto", REQUEST))
        return str(screens[-1])

    large = tmp_path / "large.jsonl"
    large.write_bytes(b" " * 1_000_001)
    assert "at most 1 MB are allowed here" in imported(str(large))
    assert "3 sessions created" in imported(_rows(tmp_path, 9))
