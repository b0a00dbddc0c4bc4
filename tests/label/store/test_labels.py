"""Labels and corrections, and the messages that a correction makes stale."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.label.store.labelling import Clock, new, start_talk
from tests.store.examples import user
from workbench.chat.message import ToolCall
from workbench.errors import BadInput, StoreError, WriteConflict
from workbench.label.records.project import Project, QueueFilter
from workbench.records.label import Label, LabelContent, LabelTarget, Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.records.sessions import NewMessage
from workbench.store.store import OwnedStore, Store

ANNA = Owner(key="anna", name="Anna")
BEN = Owner(key="ben", name="Ben")


@pytest.fixture
def opened(migrated_url: str) -> Iterator[Store]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield store


@pytest.fixture
def mine(opened: Store) -> OwnedStore:
    return opened.of(LOCAL_OWNER)


FULL: dict[str, Any] = {
    "rating": 4,
    "tags": ("a", "b ü"),
    "comment": " it\r\nis 🦉",
    "correction": ToolCall(name="then", arguments={"z": 1, "a": [None, 1.5]}),
}


class TestLabels:
    def test_a_label_is_stored_unchanged(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        label = mine.labels.save(new(talk.target(1, 0), Verdict.WRONG_TOOL, **FULL, annotator="anna"))
        assert label.content == LabelContent(verdict=Verdict.WRONG_TOOL, **FULL)
        assert (label.revision, label.annotator, label.is_deciding, label.project) == (1, "anna", False, "")
        assert mine.labels.find(talk.target(1, 0), annotator="anna") == label
        assert mine.labels.find(talk.target(1, 0)) is None
        assert mine.labels.find(talk.target(1), annotator="anna") is None
        assert isinstance(label.content.correction, ToolCall)
        assert list(label.content.correction.arguments) == ["z", "a"]

    def test_a_correction_does_not_change_the_message(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        before = mine.sessions.path(talk.id)
        mine.labels.save(new(talk.target(3), correction=" as it\nshould be ", verdict=Verdict.BAD_ANSWER))
        assert mine.sessions.path(talk.id) == before

    def test_a_new_revision_replaces_the_previous_one(self, mine: OwnedStore) -> None:
        target = start_talk(mine).target(3)
        first = mine.labels.save(new(target, Verdict.GOOD, tags=("a",)))
        second = mine.labels.save(new(target, Verdict.BAD_ANSWER, base_revision=1))
        assert (second.id, second.revision, second.created_at) == (first.id, 2, first.created_at)
        assert mine.labels.find(target) == second
        log = mine.audit.entries(action="label.save")
        before: list[Any] = [entry.detail["before"] for entry in log]
        assert [content and content["verdict"] for content in before] == ["good", None]

    def test_two_tabs_never_overwrite_each_other(self, mine: OwnedStore) -> None:
        target = start_talk(mine).target(3)
        mine.labels.save(new(target, Verdict.GOOD, comment="theirs"))
        with pytest.raises(WriteConflict) as caught:
            mine.labels.save(new(target, Verdict.BAD_ANSWER, comment="yours"))
        assert (caught.value.theirs, caught.value.yours, caught.value.revision) == (
            '{"comment":"theirs","verdict":"good"}', '{"comment":"yours","verdict":"bad-answer"}', 1,
        )  # fmt: skip
        assert "theirs" in str(caught.value) and "yours" in str(caught.value)
        stored = mine.labels.find(target)
        assert stored and stored.content.comment == "theirs"

    def test_saving_the_same_content_again_changes_nothing(self, mine: OwnedStore) -> None:
        target = start_talk(mine).target(3)
        label = mine.labels.save(new(target, Verdict.GOOD))
        assert mine.labels.save(new(target, Verdict.GOOD)) == label
        assert len(mine.audit.entries(action="label.save")) == 1

    def test_only_one_of_several_concurrent_saves_succeeds(self, mine: OwnedStore) -> None:
        target = start_talk(mine).target(3)

        def save(number: int) -> bool:
            try:
                mine.labels.save(new(target, comment=str(number)))
            except WriteConflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(save, range(8))) == [False] * 7 + [True]

    @pytest.mark.parametrize(
        ("place", "call", "content", "problem"),
        [
            (1, 0, {"verdict": Verdict.GOOD}, "not a verdict for a call"),
            (3, None, {"verdict": Verdict.RIGHT}, "not a verdict for a message"),
            (0, None, {"verdict": Verdict.GOOD}, "cannot have a verdict"),
            (2, 0, {}, "has no call 0"),
            (1, -1, {}, "has no call -1"),
            (3, None, {"rating": 0}, "rating 0"),
            (3, None, {"rating": 6}, "rating 6"),
            (3, None, {"tags": (" a",)}, "a tag is empty or has spaces"),
            (3, None, {"correction": ToolCall(name="f", arguments={})}, "has the wrong kind"),
            (1, 0, {"correction": "text"}, "has the wrong kind"),
            (3, None, {"answers": {"mood": "fine"}}, "the project has no question 'mood'"),
            (3, None, {"comment": "\0"}, "cannot be stored"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_an_invalid_label_is_rejected(
        self, mine: OwnedStore, place: int, call: int | None, content: dict[str, Any], problem: str
    ) -> None:
        with pytest.raises(BadInput, match=problem):
            mine.labels.save(new(start_talk(mine).target(place, call), **content))
        assert mine.labels.list_labels() == ()

    def test_labels_are_listed_in_the_order_of_their_creation(self, mine: OwnedStore) -> None:
        first, second = start_talk(mine), start_talk(mine)
        created = [
            mine.labels.save(new(target))
            for target in (second.target(3), first.target(3), first.target(1, 0))
        ]
        assert mine.labels.list_labels() == tuple(created)
        assert mine.labels.list_labels(session_id=first.id) == tuple(created[1:])
        assert mine.labels.list_labels(limit=1, offset=1) == (created[1],)
        assert mine.labels.list_labels(project="other") == ()
        assert mine.labels.list_labels(session_id="\0") == ()

    def test_copies_share_the_labels_of_the_original(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        label = mine.labels.save(new(talk.target(3), Verdict.GOOD))
        stored = mine.sessions.path(talk.id)
        copies = [
            NewMessage(message=item.message, origin=item.origin, generation=item.generation, tool_run=item.tool_run, copy_of=item.id)
            for item in stored
        ]  # fmt: skip
        branch = mine.sessions.append_all(talk.id, copies, parent_id=None)
        copy = LabelTarget(session_id=talk.id, message_id=branch[3].id)
        assert mine.labels.find(copy) == label
        mine.labels.save(new(replace(copy, message_id=branch[0].id), correction="Hello"))
        assert mine.labels.stale(talk.id) == tuple(stored.id for stored in branch[1:])

    def test_labels_survive_deletion_but_not_the_purge(self, migrated_url: str) -> None:
        now = [datetime(2026, 1, 1, tzinfo=UTC)]
        with closing(Store(migrated_url, now=lambda: now[0])) as store:
            mine = store.of(LOCAL_OWNER)
            talk = start_talk(mine)
            label = mine.labels.save(new(talk.target(3), Verdict.GOOD, tags=("a",)))
            mine.labels.accept(talk.id, talk.messages[3])
            mine.sessions.delete_session(talk.id)
            assert mine.labels.list_labels() == ()
            assert mine.label_queues.queue(QueueFilter()).total == 0
            mine.sessions.restore_session(talk.id)
            assert mine.labels.list_labels() == (label,)
            mine.sessions.delete_session(talk.id)
            now[0] += timedelta(days=31)
            assert store.purge() == 1
            assert mine.labels.list_labels() == ()


class TestStaleness:
    def test_messages_after_a_correction_are_stale_until_accepted(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        assert mine.labels.stale(talk.id) == ()
        call = ToolCall(name="then", arguments={})
        mine.labels.save(new(talk.target(1, 0), Verdict.WRONG_TOOL, correction=call))
        assert mine.labels.stale(talk.id) == tuple(talk.messages[2:])
        mine.labels.accept(talk.id, talk.messages[2])
        assert mine.labels.stale(talk.id) == (talk.messages[3],)
        other = ToolCall(name="other", arguments={})
        mine.labels.save(new(talk.target(1, 0), Verdict.WRONG_TOOL, correction=other, base_revision=1))
        assert mine.labels.stale(talk.id) == tuple(talk.messages[2:])

    def test_a_changed_verdict_alone_makes_nothing_stale_again(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        mine.labels.save(new(talk.target(0), correction="Hello"))
        for message_id in talk.messages[1:]:
            mine.labels.accept(talk.id, message_id)
        mine.labels.save(new(talk.target(0), correction="Hello", comment="why", base_revision=1))
        assert mine.labels.stale(talk.id) == ()

    def test_a_removed_correction_makes_nothing_stale(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        mine.labels.save(new(talk.target(0), correction="Hello"))
        mine.labels.save(new(talk.target(0), comment="fine after all", base_revision=1))
        assert mine.labels.stale(talk.id) == ()

    def test_a_regenerated_branch_is_not_stale(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        mine.labels.save(new(talk.target(1), Verdict.BAD_ANSWER, correction="Which city?"))
        stored = mine.sessions.append(talk.id, user("Rome"), parent_id=talk.messages[1])
        assert mine.labels.stale(talk.id) == ()
        assert mine.labels.stale(talk.id, leaf_id=talk.messages[3]) == tuple(talk.messages[2:])
        assert stored.id not in mine.labels.stale(talk.id, leaf_id=stored.id)

    def test_only_a_deciding_label_s_correction_makes_messages_stale(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        mine.labels.save(new(talk.target(0), correction="Hello", annotator="anna"))
        mine.labels.save(new(talk.target(0), comment="no need", annotator="cleo", is_deciding=True))
        assert mine.labels.stale(talk.id) == ()

    def test_an_unknown_message_or_leaf_is_reported(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        for attempt in (
            lambda: mine.labels.accept(talk.id, "nowhere"),
            lambda: mine.labels.stale(talk.id, leaf_id="nowhere"),
            lambda: mine.labels.stale("nowhere"),
            lambda: mine.labels.save(new(replace(talk.target(3), message_id="nowhere"))),
        ):
            with pytest.raises(StoreError, match="nowhere"):
                attempt()


def test_another_owner_s_data_is_neither_read_nor_changed(opened: Store) -> None:
    anna, ben = opened.of(ANNA), opened.of(BEN)
    talk = start_talk(anna)
    anna.label_projects.save_project(Project(name="weather"))
    label: Label = anna.labels.save(new(talk.target(3), Verdict.GOOD, project="weather"))
    anna.labels.save(new(talk.target(3), Verdict.GOOD))
    assert ben.labels.find(talk.target(3)) is None
    assert ben.labels.list_labels() == ben.labels.list_labels(session_id=talk.id) == ()
    assert ben.label_queues.queue(QueueFilter()).total == 0
    assert ben.label_projects.find_project("weather") is None
    assert ben.label_queues.judgements() == ()
    attempts: list[Callable[[], object]] = [
        lambda: ben.labels.save(new(talk.target(3), Verdict.BAD_ANSWER, base_revision=1)),
        lambda: ben.labels.accept(talk.id, talk.messages[3]),
        lambda: ben.labels.stale(talk.id),
        lambda: ben.labels.move(talk.id, QueueState.DONE),
        lambda: ben.label_assignments.assign([talk.id], ["ben"], project=""),
        lambda: ben.label_queues.judgements(project="weather"),
    ]
    for attempt in attempts:
        with pytest.raises(StoreError, match="there is no"):
            attempt()
    assert anna.labels.find(talk.target(3), project="weather") == label
    admin = opened.of(Owner(key="root", role=UserRole.ADMIN))
    assert admin.labels.stale(talk.id) == ()
    with pytest.raises(StoreError, match="belongs to somebody else"):
        admin.labels.accept(talk.id, talk.messages[3])
