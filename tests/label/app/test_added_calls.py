"""A call that a row lacks is added by an annotator, and exported with its result."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.records.corpus.sessions import TOOL, rows_of
from tests.services import services_for
from workbench.app.editing import corrections_of
from workbench.app.regenerate import regenerate_message
from workbench.app.runs.session_cases import SessionCases
from workbench.app.services import Services
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message, written_out
from workbench.label.app.actions import accept_changes, apply_action
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.label.page.present.conversation import show_conversation
from workbench.label.records.action import ActionId, ActionRefused, FieldChange, LabelAction
from workbench.label.records.project import Project
from workbench.library.datasets.row_import import ImportOptions, import_rows
from workbench.records.corpus.material import SessionMaterial
from workbench.records.label import AddedCall
from workbench.records.label_words import ActionKind
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory

NUMBERS = count(1)
ME = LabellingRole()
RESULT = '{"sky": "grey"}'
CONVERSATIONS = ("sharegpt", "hermes-agent", "raw", "trl", "openai", "llamafactory")


def called(call_id: str, city: str) -> dict[str, Any]:
    function = {"name": "weather", "arguments": json.dumps({"city": city})}
    return {"id": call_id, "type": "function", "function": function}


ANSWERED = (
    {"role": "user", "content": "Weather in Rome?"},
    {"role": "assistant", "content": "It is sunny in Rome."},
    {"role": "user", "content": "Thanks."},
    {"role": "assistant", "content": "You are welcome."},
)
"""An answer without the call that it needs."""
ONE_OF_TWO = (
    {"role": "user", "content": "Weather in Rome and Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [called("call_rome", "Rome")]},
    {"role": "tool", "tool_call_id": "call_rome", "content": '{"sky": "clear"}'},
    {"role": "assistant", "content": "Clear in Rome, grey in Oslo."},
)
"""One of two calls."""


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path, "Grey, says the tool.") as (services, _):
        yield services


def imported(services: Services, folder: Path, messages: object, **fields: object) -> str:
    """Import a row of OpenAI's format; return its session."""
    file = folder / "rows.jsonl"
    file.write_text(json.dumps({"messages": messages, "tools": [TOOL], **fields}) + "\n")
    [row] = import_rows(
        services.corpus,
        services.datasets.read(str(file), "auto"),
        services.setup_for(),
        ImportOptions(file="rows.jsonl"),
    )
    assert row.session_id is not None, row.problem
    return row.session_id


def act(services: Services, session: str, *changes: FieldChange, **more: Any) -> ActionId:
    is_confirmed = more.pop("is_confirmed", False)
    action = LabelAction(
        id=ActionId("page", next(NUMBERS)),
        session_id=session,
        kind=more.pop("kind", ActionKind.LABEL),
        changes=changes,
        **more,
    )
    apply_action(services, action, is_confirmed=is_confirmed)
    return action.id


def add(
    services: Services,
    session: str,
    place: int,
    call: int,
    city: object = "Oslo",
    result: str = RESULT,
    **more,
) -> ActionId:
    """Add a call to the message at a place of the path."""
    message = services.sessions.path(session)[place]
    value = {"name": "weather", "arguments": {"city": city}, "result": result}
    change = FieldChange(message_id=message.id, call_index=call, field="correction", value=value)
    return act(services, session, change, **more)


def accept(services: Services, session: str) -> None:
    act(services, session, *accept_changes(services, session, ME, None))


def spelled(row: dict[str, Any], form: str) -> list[str]:
    """Return a row's conversation without its system text: roles, with calls and texts of results."""
    trajectory = read_trajectory(format_named(form).read(row)).trajectory
    lines: list[str] = []
    for message in trajectory.messages:
        if message.role is Role.SYSTEM:
            continue
        calls = [str(call.arguments["city"]) for call in message.calls]
        result = json.loads(message.result.text)["sky"] if message.result else ""
        prose = "".join(prose.text for prose in message.prose).strip()
        lines.append(" ".join(filter(None, (message.role.value, *calls, result, prose))))
    return lines


@pytest.mark.parametrize("form", CONVERSATIONS)
def test_a_call_is_added_before_an_answer_in_every_format(
    services: Services, tmp_path: Path, form: str
) -> None:
    session = imported(services, tmp_path, ANSWERED)
    add(services, session, 1, 0, "Rome")
    assert rows_of(services, form)[1][0].code == "stale-message"
    accept(services, session)
    ((row,), obstacles) = rows_of(services, form)
    assert obstacles == []
    assert spelled(row, form) == [
        "user Weather in Rome?",
        "assistant Rome",
        "tool grey",
        "assistant It is sunny in Rome.",
        "user Thanks.",
        "assistant You are welcome.",
    ]


@pytest.mark.parametrize("form", CONVERSATIONS)
def test_a_call_is_added_to_other_calls_in_every_format(
    services: Services, tmp_path: Path, form: str
) -> None:
    session = imported(services, tmp_path, ONE_OF_TWO)
    add(services, session, 1, 1)
    accept(services, session)
    ((row,), obstacles) = rows_of(services, form)
    assert obstacles == []
    assert spelled(row, form) == [
        "user Weather in Rome and Oslo?",
        "assistant Rome Oslo",
        "tool clear",
        "tool grey",
        "assistant Clear in Rome, grey in Oslo.",
    ]


def test_ids_of_the_row_stay_and_those_of_the_added_call_are_its_own(
    services: Services, tmp_path: Path
) -> None:
    session = imported(services, tmp_path, ONE_OF_TWO, source="me")
    add(services, session, 1, 1)
    accept(services, session)
    ((row,), _) = rows_of(services, "openai")
    calls = [call["id"] for call in row["messages"][1]["tool_calls"]]
    results = [message["tool_call_id"] for message in row["messages"] if message["role"] == "tool"]
    assert calls == results
    assert calls[0] == "call_rome"
    assert len(set(calls)) == 2
    assert row["source"] == "me"


def test_the_answer_after_an_added_call_is_corrected_as_text(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ANSWERED)
    add(services, session, 1, 0, "Rome")
    answer = services.sessions.path(session)[1].id
    act(services, session, FieldChange(message_id=answer, field="correction", value={"text": "It is grey."}))
    accept(services, session)
    ((row,), _) = rows_of(services, "openai")
    assert spelled(row, "openai")[1:4] == ["assistant Rome", "tool grey", "assistant It is grey."]


def test_an_answer_without_its_call_is_a_bad_one_and_with_it_a_good_one(
    services: Services, tmp_path: Path
) -> None:
    session = imported(services, tmp_path, ANSWERED[:2])
    add(services, session, 1, 0, "Rome")
    accept(services, session)
    (rows, obstacles) = rows_of(services, "kto")
    assert obstacles == []
    read = [read_trajectory(format_named("kto").read(row)).trajectory for row in rows]
    assert [trajectory.label for trajectory in read] == [False, True]
    bad, good = (
        [message.role for message in trajectory.messages[trajectory.answer_index :]] for trajectory in read
    )
    assert (bad, good) == ([Role.ASSISTANT], [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT])


def test_the_answer_with_its_call_is_preferred(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ANSWERED[:2])
    add(services, session, 1, 0, "Rome")
    accept(services, session)
    ((row,), _) = rows_of(services, "dpo")
    assert format_named("dpo").content is RowContent.PAIR
    assert [message["role"] for message in row["chosen"]] == ["assistant", "tool", "assistant"]
    assert [message["role"] for message in row["rejected"]] == ["assistant"]


def test_a_call_without_a_result_is_kept_but_makes_no_row(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ANSWERED)
    add(services, session, 1, 0, "Rome", result="")
    accept(services, session)
    view = open_for_labelling(services, session, ME)
    assert view is not None
    assert [obstacle.code for obstacle in view.outcome.obstacles] == ["added-call-without-result"]
    [label] = [label for label in view.labels if label.content.correction is not None]
    assert isinstance(label.content.correction, AddedCall)


def test_undo_and_removal_leave_the_row_as_it_was(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ANSWERED)
    before = rows_of(services, "openai")
    added = add(services, session, 1, 0, "Rome")
    act(services, session, kind=ActionKind.UNDO, undoes=added)
    assert services.labels.list_labels(session_id=session) == ()
    assert services.labels.stale(session) == ()
    assert rows_of(services, "openai") == before
    add(services, session, 1, 0, "Rome")
    answer = services.sessions.path(session)[1].id
    act(services, session, FieldChange(message_id=answer, call_index=0, field="correction", value=None))
    assert services.labels.list_labels(session_id=session) == ()
    assert rows_of(services, "openai") == before


def test_an_added_call_is_checked_like_a_corrected_one(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ONE_OF_TWO)
    with pytest.raises(ActionRefused, match="does not fit the schema") as refused:
        add(services, session, 1, 1, 5)
    assert refused.value.can_confirm
    add(services, session, 1, 1, 5, is_confirmed=True)
    for place, call in ((1, 0), (1, 99), (0, 0), (2, 0)):
        with pytest.raises(BadInput):
            add(services, session, place, call)
    verdict = FieldChange(
        message_id=services.sessions.path(session)[1].id, call_index=1, field="verdict", value="right"
    )
    with pytest.raises(BadInput, match="the message has 1 call"):
        act(services, session, verdict)


@pytest.mark.parametrize(
    ("messages", "place", "call", "roles"),
    [
        (ANSWERED[:2], 1, 0, ["user", "assistant", "tool", "assistant"]),
        (ONE_OF_TWO, 1, 1, ["user", "assistant", "tool", "tool", "assistant"]),
    ],
    ids=["before", "beside"],
)
def test_the_answer_is_regenerated_from_the_added_call(
    services: Services, tmp_path: Path, messages: object, place: int, call: int, roles: list[str]
) -> None:
    session = imported(services, tmp_path, messages)
    add(services, session, place, call)
    view = open_for_labelling(services, session, ME)
    assert view is not None
    assert [*view.stale] == [view.path[-1].id]
    corrections = corrections_of(view.labels, "")
    for _ in regenerate_message(services, view, view.path[-1].id, corrections, is_cancelled=lambda: False):
        pass
    path = services.sessions.path(session)
    assert [stored.message.role.value for stored in path] == roles
    calls = read_message(path[1].message, tools=view.tools).calls
    assert [read.arguments["city"] for read in calls][-1] == "Oslo"
    assert path[-2].message.text == RESULT
    assert written_out(path[-1].message) == "Grey, says the tool."
    assert services.labels.stale(session) == ()
    ((row,), obstacles) = rows_of(services, "openai")
    assert obstacles == []
    assert [message["role"] for message in row["messages"]] == roles


def test_a_suite_expects_the_added_call_and_answers_it(services: Services, tmp_path: Path) -> None:
    session = imported(services, tmp_path, ANSWERED)
    add(services, session, 1, 0, "Rome")
    material = services.corpus.material(session)
    assert isinstance(material, SessionMaterial)
    cases = SessionCases(material, "t", today="2026-01-01")
    (first, _), (second, _) = cases.cases()
    assert cases.left_out == []
    assert [call["name"] for call in first["expect"][0]["calls"]] == ["weather"]
    assert first["mocks"]["weather"][0]["result"] == {"sky": "grey"}
    assert [message["role"] for message in second["messages"]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


def test_a_reviewer_sees_the_call_that_one_annotator_added_and_takes_it_over(
    services: Services, tmp_path: Path
) -> None:
    session = imported(services, tmp_path, ANSWERED[:2])
    services.label_projects.save_project(Project(name="p", overlap=2))
    services.label_assignments.assign([session], ["ben", "cleo"], project="p")
    add(services, session, 1, 0, "Rome", annotator="ben", project="p")
    for name in ("ben", "cleo"):
        submit = {"annotator": name, "project": "p", "is_confirmed": True}
        act(services, session, kind=ActionKind.SUBMIT, **submit)
    role = LabellingRole(annotator="dora", project="p", is_deciding=True)
    view = open_for_labelling(services, session, role)
    assert view is not None
    targets = [target for entry in show_conversation(view, role).entries for target in entry.targets]
    [target] = [target for target in targets if target.is_stop]
    assert (target.is_added, target.title, target.call) == (True, "Added call · weather", 0)
    [other] = target.others
    assert (other.name, other.summary, other.label.result) == ("ben", "added", RESULT)
    assert target.verdicts == ("needless",)
    seat = {"annotator": "dora", "project": "p", "is_deciding": True}
    needless = FieldChange(message_id=target.message, call_index=0, field="verdict", value="needless")

    def decided() -> tuple[bool, list[str]]:
        """Return whether everything is decided, and the roles of the exported row."""
        view = open_for_labelling(services, session, role)
        assert view is not None
        act(services, session, *accept_changes(services, session, role, None), **seat)
        choice = {"session_ids": (session,), "project": "p"}
        ((row,), _) = rows_of(services, "openai", choice=choice, includes_stale=True)
        is_decided = all(dispute.decision for dispute in view.disputes)
        return is_decided, [message["role"] for message in row["messages"]]

    undone = act(services, session, needless, **seat)
    assert decided() == (True, ["user", "assistant"])
    act(services, session, kind=ActionKind.UNDO, undoes=undone, **seat)
    add(services, session, 1, 0, "Rome", **seat)
    assert decided() == (True, ["user", "assistant", "tool", "assistant"])


def test_an_annotator_does_not_see_the_call_that_another_one_added(
    services: Services, tmp_path: Path
) -> None:
    session = imported(services, tmp_path, ANSWERED[:2])
    services.label_projects.save_project(Project(name="p", overlap=2))
    services.label_assignments.assign([session], ["ben", "cleo"], project="p")
    add(services, session, 1, 0, "Rome", annotator="ben", project="p")
    role = LabellingRole(annotator="cleo", project="p")
    view = open_for_labelling(services, session, role)
    assert view is not None
    assert not any(
        target.is_added for entry in show_conversation(view, role).entries for target in entry.targets
    )
    assert "Rome" not in str(view.labels)
