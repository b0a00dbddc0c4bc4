"""Actions of annotators: applied once, in any interleaving, and undone in any order."""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.label.store.labelling import CALL, Clock, Talk, start_talk
from workbench.chat.message import ToolCall
from workbench.errors import BadInput, StoreError
from workbench.label.records.action import ActionId, ActionRefused, FieldChange, LabelAction
from workbench.label.records.project import Project, Question, QueueFilter
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.label_words import ActionKind, QueueState
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import OwnedStore, Store


@pytest.fixture
def mine(migrated_url: str) -> Iterator[OwnedStore]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield store.of(LOCAL_OWNER)


@dataclass
class Hand:
    """A page of an annotator, which numbers its actions."""

    store: OwnedStore
    client: str = "tab"
    shared: dict[str, Any] = field(default_factory=dict[str, Any])
    count: int = 0

    def act(
        self, talk: Talk, kind: ActionKind = ActionKind.LABEL, *changes: FieldChange, **more: Any
    ) -> ActionId:
        self.count += 1
        action = LabelAction(
            id=ActionId(self.client, self.count),
            session_id=talk.id,
            kind=kind,
            changes=changes,
            **(self.shared | more),
        )
        self.store.labels.apply(action)
        return action.id

    def set(self, target: LabelTarget, name: str, value: Any, **more: Any) -> ActionId:
        change = FieldChange(
            message_id=target.message_id, call_index=target.call_index, field=name, value=value, **more
        )
        return self.act(Talk(target.session_id, []), ActionKind.LABEL, change)

    def undo(self, talk: Talk, action: ActionId) -> None:
        self.act(talk, ActionKind.UNDO, undoes=action)


def state_of(store: OwnedStore, talk: Talk, project: str = "") -> QueueState:
    items = store.label_queues.queue(QueueFilter(), project=project, limit=1000).items
    return next(item.state for item in items if item.session_id == talk.id)


def test_an_action_is_applied_once(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    change = FieldChange(message_id=talk.messages[1], call_index=0, field="tag:odd", value=True)
    action = LabelAction(
        id=ActionId("tab", 1), session_id=talk.id, kind=ActionKind.LABEL, changes=(change,), annotator="ann"
    )
    assert mine.labels.apply(action).is_new
    assert not mine.labels.apply(action).is_new
    label = mine.labels.find(talk.target(1, 0), annotator="ann")
    assert label is not None
    assert (label.content, label.revision) == (LabelContent(tags=("odd",)), 1)
    assert mine.labels.apply(replace(action, id=ActionId("other", 1))).is_new
    # The same id of another annotator is another action.
    assert mine.labels.apply(replace(action, annotator="ben")).is_new


def test_every_kind_of_change_is_undone_and_nothing_is_left(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    hand = Hand(mine)
    call = {"name": "now", "arguments": {"zone": "UTC"}}
    done = [
        hand.set(talk.target(1, 0), "verdict", "bad-arguments"),
        hand.set(talk.target(1, 0), "correction", call),
        hand.set(talk.target(2), "accepted", True),
        hand.set(talk.target(3), "correction", {"text": "Noon, UTC."}),
        hand.set(talk.target(3), "rating", 4),
        hand.set(talk.target(3), "comment", " so\r\nso "),
        hand.set(talk.target(3), "tag:a b", True),
        hand.act(talk, ActionKind.SUBMIT),
    ]
    assert state_of(mine, talk) is QueueState.DONE
    correct = mine.labels.find(talk.target(1, 0))
    assert correct is not None
    assert correct.content.correction == ToolCall(name="now", arguments={"zone": "UTC"})
    assert mine.labels.stale(talk.id) == (talk.messages[3],)
    hand.undo(talk, done.pop())
    assert state_of(mine, talk) is QueueState.DRAFT
    for action in reversed(done):
        hand.undo(talk, action)
    assert mine.labels.list_labels() == ()
    assert mine.labels.stale(talk.id) == ()
    assert state_of(mine, talk) is QueueState.PENDING
    assert [item.assignee for item in mine.label_queues.queue(QueueFilter()).items] == [""]


def test_undoing_a_second_correction_restores_what_was_accepted_after_the_first(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    hand = Hand(mine)
    hand.set(talk.target(0), "correction", {"text": "Hello"})
    hand.set(talk.target(1), "accepted", True)
    before = mine.labels.stale(talk.id)
    again = hand.set(talk.target(0), "correction", {"text": "Good day"})
    assert mine.labels.stale(talk.id) == tuple(talk.messages[1:])
    hand.undo(talk, again)
    assert mine.labels.stale(talk.id) == before == tuple(talk.messages[2:])


def test_an_undone_state_returns_to_the_state_before(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    hand = Hand(mine)
    submitted, rejected = hand.act(talk, ActionKind.SUBMIT), hand.act(talk, ActionKind.REJECT)
    assert state_of(mine, talk) is QueueState.DISCARDED
    hand.undo(talk, submitted)
    assert state_of(mine, talk) is QueueState.DISCARDED
    hand.undo(talk, rejected)
    assert state_of(mine, talk) is QueueState.PENDING
    hand.undo(talk, rejected)
    assert state_of(mine, talk) is QueueState.PENDING


def test_a_change_from_elsewhere_is_not_undone(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    hand = Hand(mine)
    action = hand.set(talk.target(3), "verdict", "good")
    content = LabelContent(verdict=Verdict.BAD_ANSWER)
    mine.labels.save(NewLabel(target=talk.target(3), content=content, base_revision=1))
    hand.undo(talk, action)
    label = mine.labels.find(talk.target(3))
    assert label is not None
    assert label.content.verdict is Verdict.BAD_ANSWER


def test_a_verdict_can_be_set_only_if_there_is_none(mine: OwnedStore) -> None:
    talk = start_talk(mine)
    hand = Hand(mine)
    wrong = hand.set(talk.target(1, 0), "verdict", "wrong-tool")
    accepted = hand.set(talk.target(1, 0), "verdict", "right", is_only_if_empty=True)
    found = mine.labels.find(talk.target(1, 0))
    assert found is not None
    assert found.content.verdict is Verdict.WRONG_TOOL
    hand.undo(talk, wrong)
    hand.undo(talk, accepted)
    assert mine.labels.list_labels() == ()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("verdict", "x", "verdict"),
        ("verdict", "good", "not a verdict for a call"),
        ("rating", 9, "rating 9"),
        ("rating", "x", "rating"),
        ("answer:none", "x", "no question"),
        ("correction", {"text": "x"}, "wrong kind"),
        ("correction", {"name": 1}, "neither"),
        ("colour", "x", "no field"),
        ("comment", "\0", "NUL"),
        ("tag: ", True, "tag"),
    ],
)
def test_an_invalid_change_is_refused(mine: OwnedStore, name: str, value: object, problem: str) -> None:
    talk = start_talk(mine)
    with pytest.raises(BadInput, match=problem):
        Hand(mine).set(talk.target(1, 0), name, value)
    assert mine.labels.list_labels() == ()


def test_an_action_in_a_session_that_does_not_exist_is_refused(mine: OwnedStore) -> None:
    with pytest.raises(StoreError, match="no session"):
        Hand(mine).act(Talk("none", []))
    talk = start_talk(mine)
    with pytest.raises(StoreError, match="no message"):
        Hand(mine).set(LabelTarget(session_id=talk.id, message_id="none"), "comment", "x")
    with pytest.raises(BadInput, match="no valid id"):
        Hand(mine, client="x" * 65).act(talk)


def test_a_session_is_done_only_with_the_verdicts_and_answers_that_the_project_requires(
    mine: OwnedStore,
) -> None:
    talk = start_talk(mine)
    question = Question(name="polite", text="Polite?", choices=("yes", "no"), is_required=True)
    mine.label_projects.save_project(Project(name="strict", questions=(question,), requires_verdicts=True))
    mine.label_assignments.assign([talk.id], ["ann"], project="strict")
    hand = Hand(
        mine,
        shared={
            "project": "strict",
            "annotator": "ann",
            "must_judge": (talk.target(1, 0), talk.target(3)),
        },
    )
    hand.set(talk.target(1, 0), "verdict", "right")
    with pytest.raises(ActionRefused) as unjudged:
        hand.act(talk, ActionKind.SUBMIT)
    assert (unjudged.value.code, unjudged.value.message_id) == ("unjudged", talk.messages[3])
    answer = hand.set(talk.target(3), "verdict", "good")
    with pytest.raises(ActionRefused, match="Polite") as unanswered:
        hand.act(talk, ActionKind.SUBMIT)
    assert unanswered.value.code == "unanswered"
    hand.set(talk.target(3), "answer:polite", "yes")
    hand.act(talk, ActionKind.SUBMIT)
    assert state_of(mine, talk, "strict") is QueueState.DONE
    # A session that loses a required verdict is no longer done.
    hand.undo(talk, answer)
    assert state_of(mine, talk, "strict") is QueueState.DRAFT


# Any interleaving

FIELDS = ("verdict", "rating", "comment", "tag:a", "tag:b")
VALUES = {
    "verdict": (None, "good", "bad-answer"),
    "rating": (None, 1, 5),
    "comment": (None, "a", "b"),
    "tag:a": (None, True),
    "tag:b": (None, True),
}


def replayed(done: Sequence[tuple[ActionId, ActionKind, Any]]) -> tuple[dict[Any, Any], ActionKind | None]:
    """Return the fields and the state after all actions that are not undone. A simple model of the log."""
    undone = {detail for _, kind, detail in done if kind is ActionKind.UNDO}
    values: dict[Any, Any] = {}
    state: ActionKind | None = None
    for action, kind, detail in done:
        if action in undone or kind is ActionKind.UNDO:
            continue
        if kind is ActionKind.LABEL:
            place, name, value = detail
            values[place, name] = value
        else:
            state = kind
    return {key: value for key, value in values.items() if value is not None}, state


def stored(store: OwnedStore, talk: Talk) -> dict[object, object]:
    found: dict[object, object] = {}
    for label in store.labels.list_labels(session_id=talk.id):
        place = talk.messages.index(label.target.message_id)
        content = label.content
        own = {
            "verdict": content.verdict.value if content.verdict else None,
            "rating": content.rating,
            "comment": content.comment or None,
            **{f"tag:{tag}": True for tag in content.tags},
        }
        found |= {(place, name): value for name, value in own.items() if value is not None}
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_the_labels_are_what_the_actions_that_are_not_undone_make_them(mine: OwnedStore, seed: int) -> None:
    chance = random.Random(seed)
    talk = start_talk(mine, call=CALL)
    hands = [Hand(mine, client="first"), Hand(mine, client="second")]
    own: dict[str, list[ActionId]] = {hand.client: [] for hand in hands}
    done: list[tuple[ActionId, ActionKind, object]] = []
    sent: list[LabelAction] = []
    for _ in range(120):
        hand = chance.choice(hands)
        if own[hand.client] and chance.random() < 0.3:
            action = own[hand.client].pop()
            hand.undo(talk, action)
            done.append((ActionId(hand.client, hand.count), ActionKind.UNDO, action))
        elif chance.random() < 0.15:
            kind = chance.choice([ActionKind.SUBMIT, ActionKind.REJECT])
            own[hand.client].append(hand.act(talk, kind))
            done.append((own[hand.client][-1], kind, None))
        else:
            place, name = chance.choice([1, 3]), chance.choice(FIELDS)
            value = chance.choice(VALUES[name])
            change = FieldChange(message_id=talk.messages[place], field=name, value=value)
            own[hand.client].append(hand.act(talk, ActionKind.LABEL, change))
            done.append((own[hand.client][-1], ActionKind.LABEL, (place, name, value)))
            sent.append(
                LabelAction(
                    id=own[hand.client][-1], session_id=talk.id, kind=ActionKind.LABEL, changes=(change,)
                )
            )
        # The answer to some earlier action was lost, so it is sent again.
        if sent and chance.random() < 0.2:
            assert not mine.labels.apply(chance.choice(sent)).is_new
        values, state = replayed(done)
        assert stored(mine, talk) == values
        expected = {
            ActionKind.SUBMIT: QueueState.DONE,
            ActionKind.REJECT: QueueState.DISCARDED,
            None: QueueState.DRAFT if values else QueueState.PENDING,
        }
        assert state_of(mine, talk) is expected[state]
    while any(own.values()):
        hand = chance.choice(hands)
        if own[hand.client]:
            hand.undo(talk, own[hand.client].pop())
    assert mine.labels.list_labels() == ()
    assert state_of(mine, talk) is QueueState.PENDING
