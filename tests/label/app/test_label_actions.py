"""What the application checks before an action of an annotator is stored, and the verdict on a preference pair."""

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from tests.records.corpus.sessions import CALL, rows_of, talk
from tests.services import services_for
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.label.app.actions import SAME_AS_ORIGINAL, accept_changes, apply_action
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.label.page.present.conversation import show_conversation
from workbench.label.records.action import ActionId, ActionRefused, FieldChange, LabelAction
from workbench.label.records.project import Project
from workbench.records.corpus.material import NewImport
from workbench.records.label import LabelTarget, Verdict
from workbench.records.label_words import ActionKind, QueueState

NUMBERS = count(1)
ME = LabellingRole()


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path, "Hi.") as (services, _):
        yield services


def act(services: Services, session: str, kind: ActionKind, *changes: FieldChange, **more) -> str:
    """Apply an action; return the note for the annotator."""
    is_confirmed = more.pop("is_confirmed", False)
    action = LabelAction(
        id=ActionId("page", next(NUMBERS)), session_id=session, kind=kind, changes=changes, **more
    )
    return apply_action(services, action, is_confirmed=is_confirmed).note


def correct(services: Services, session: str, message: str, value: object, call: int | None = None, **more):
    change = FieldChange(message_id=message, call_index=call, field="correction", value=value)
    return act(services, session, ActionKind.LABEL, change, **more)


def call_to(city: object) -> Mapping[str, object]:
    return {"name": "weather", "arguments": {"city": city}}


def corrections(services: Services, session: str) -> list[object]:
    return [label.content.correction for label in services.labels.list_labels(session_id=session)]


def test_a_correction_that_equals_the_original_is_none(services: Services) -> None:
    session, path = talk(services)
    assert correct(services, session, path[2].id, call_to("Rome"), 0) == SAME_AS_ORIGINAL
    assert correct(services, session, path[1].id, {"text": "Weather in Rome?"}) == SAME_AS_ORIGINAL
    assert correct(services, session, path[2].id, {"text": CALL}) == SAME_AS_ORIGINAL
    assert corrections(services, session) == []


def test_a_correction_that_breaks_the_schema_is_only_saved_if_it_is_confirmed(services: Services) -> None:
    session, path = talk(services)
    for value, problem in (
        (call_to(5), "does not fit the schema: /city"),
        ({"name": "x", "arguments": {}}, "'x'"),
    ):
        with pytest.raises(ActionRefused, match=problem) as refused:
            correct(services, session, path[2].id, value, 0)
        assert (refused.value.code, refused.value.can_confirm) == ("schema", True)
    assert corrections(services, session) == []
    correct(services, session, path[2].id, call_to(5), 0, is_confirmed=True)
    assert len(corrections(services, session)) == 1


def test_a_call_cannot_correct_a_message(services: Services) -> None:
    session, path = talk(services)
    for message in path[1:]:
        with pytest.raises(BadInput, match="correct a call with a call and a message with a text"):
            correct(services, session, message.id, call_to("Oslo"))
    assert corrections(services, session) == []


def test_user_text_and_results_are_corrected_and_exported(services: Services) -> None:
    session, path = talk(services, question="My password is 1234. Weather in Rome?")
    correct(services, session, path[1].id, {"text": "Weather in Rome?"})
    correct(services, session, path[3].id, {"text": '{"sky": "grey"}'})
    act(services, session, ActionKind.LABEL, *accept_changes(services, session, ME, None))
    ((row,), obstacles) = rows_of(services, "openai")
    texts = [message["content"] for message in row["messages"] if message["role"] in ("user", "tool")]
    assert (texts, obstacles) == (["Weather in Rome?", '{"sky": "grey"}'], [])
    assert services.sessions.path(session)[1].message.text.startswith("My password")


def test_accepting_never_changes_a_verdict_and_accepts_the_results_too(services: Services) -> None:
    session, path = talk(services)
    bad = FieldChange(message_id=path[2].id, call_index=0, field="verdict", value="bad-arguments")
    act(services, session, ActionKind.LABEL, bad)
    correct(services, session, path[1].id, {"text": "Weather in Oslo?"})
    assert len(services.labels.stale(session)) == 3
    target = LabelTarget(session_id=session, message_id=path[2].id, call_index=0)
    act(services, session, ActionKind.LABEL, *accept_changes(services, session, ME, target))
    assert services.labels.stale(session) == (path[4].id,)
    label = services.labels.find(target)
    assert label is not None
    assert label.content.verdict is Verdict.BAD_ARGUMENTS
    act(services, session, ActionKind.LABEL, *accept_changes(services, session, ME, None))
    assert services.labels.stale(session) == ()
    answer = services.labels.find(LabelTarget(session_id=session, message_id=path[4].id))
    assert answer is not None
    assert answer.content.verdict is Verdict.GOOD


def test_submitting_stale_messages_or_no_row_needs_a_confirmation(services: Services) -> None:
    session, path = talk(services)
    correct(services, session, path[1].id, {"text": "Weather in Oslo?"})
    with pytest.raises(ActionRefused, match="3 messages follow a correction") as stale:
        act(services, session, ActionKind.SUBMIT)
    assert (stale.value.code, stale.value.message_id, stale.value.can_confirm) == ("stale", path[2].id, True)
    broken, _ = talk(
        services, call='<tool_call>\n{"name": "weather", "arguments": {"city": 1}}\n</tool_call>'
    )
    with pytest.raises(ActionRefused, match="no training row") as no_row:
        act(services, broken, ActionKind.SUBMIT)
    assert no_row.value.code == "no-row"
    act(services, broken, ActionKind.SUBMIT, is_confirmed=True)
    view = open_for_labelling(services, broken, ME)
    assert view is not None
    assert view.state is QueueState.DONE


def test_a_project_can_require_a_verdict_on_everything(services: Services) -> None:
    session, _ = talk(services)
    services.label_projects.save_project(Project(name="", requires_verdicts=True))
    with pytest.raises(ActionRefused, match="has no verdict") as unjudged:
        act(services, session, ActionKind.SUBMIT, is_confirmed=True)
    assert not unjudged.value.can_confirm
    act(services, session, ActionKind.LABEL, *accept_changes(services, session, ME, None))
    act(services, session, ActionKind.SUBMIT)


# Preference pairs


@pytest.fixture
def pair(services: Services) -> tuple[str, str]:
    """An imported preference row: its session, and the first message of the better answer."""
    other, _ = talk(services)
    found = services.sessions.find_session(other)
    assert found is not None
    setup = found.setup
    question = Message(role=Role.USER, text="Hi?")
    new = NewImport(
        setup=setup,
        messages=(question, Message(role=Role.ASSISTANT, text="Hello.")),
        rejected=(Message(role=Role.ASSISTANT, text="What?"),),
        answer_start=1,
        format="dpo",
        fields={
            "prompt": [{"role": "user", "content": "Hi?"}],
            "chosen": [{"role": "assistant", "content": "Hello."}],
            "rejected": [{"role": "assistant", "content": "What?"}],
        },
        file="pairs.jsonl",
        number=1,
    )
    session = services.corpus.add_import(new, digest="d" * 64)
    services.sessions.delete_session(other)
    return session, services.sessions.path(session)[-1].id


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (None, ("Hello.", "What?")),
        ("first-better", ("Hello.", "What?")),
        ("second-better", ("What?", "Hello.")),
        ("tie", None),
        ("both-bad", None),
    ],
)
def test_the_verdict_on_a_pair_decides_what_is_exported(
    services: Services, pair: tuple[str, str], verdict: str | None, expected: tuple[str, str] | None
) -> None:
    session, message = pair
    if verdict:
        change = FieldChange(message_id=message, field="verdict", value=verdict)
        act(services, session, ActionKind.LABEL, change)
    rows, obstacles = rows_of(services, "dpo", choice={"session_ids": (session,)})
    found = [(row["chosen"][-1]["content"], row["rejected"][-1]["content"]) for row in rows]
    assert found == ([expected] if expected else [])
    assert [obstacle.code for obstacle in obstacles] == ([] if expected else ["no-preference"])


def test_both_answers_of_a_pair_are_shown_and_judged_together(
    services: Services, pair: tuple[str, str]
) -> None:
    session, message = pair
    view = open_for_labelling(services, session, ME)
    assert view is not None
    shown = show_conversation(view, ME)
    assert (shown.pair, [entry.blocks[0].text for entry in shown.other]) == (message, ["What?"])
    [target] = [target for entry in shown.entries for target in entry.targets if target.is_stop]
    assert (target.message, target.verdicts[0]) == (message, "first-better")
    act(services, session, ActionKind.LABEL, *accept_changes(services, session, ME, None))
    label = services.labels.find(LabelTarget(session_id=session, message_id=message))
    assert label is not None
    assert label.content.verdict is Verdict.FIRST_BETTER
