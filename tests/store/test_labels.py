"""Labels: given, corrected, queued, agreed on; nothing overwritten, nobody sees another's."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.chat.message import ToolCall
from workbench.errors import BadInput, StoreError, WriteConflict
from workbench.records.labels.label import Label, LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.labels.project import Project, Question, QueueFilter, QueueState
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.records.sessions import NewMessage
from workbench.store.store import OwnedStore, Store

CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
ANNA = Owner(key="anna", name="Anna")
BEN = Owner(key="ben", name="Ben")


class Clock:
    """Goes on by a second at each look."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@dataclass
class Played:
    """A session: a question, a call, its result, an answer."""

    id: str
    messages: list[str]

    def target(self, place: int, call_index: int | None = None) -> LabelTarget:
        return LabelTarget(session_id=self.id, message_id=self.messages[place], call_index=call_index)


@pytest.fixture
def opened(made_url: str) -> Iterator[Store]:
    with closing(Store(made_url, now=Clock())) as store:
        yield store


@pytest.fixture
def mine(opened: Store) -> OwnedStore:
    return opened.of(LOCAL_OWNER)


def play(store: OwnedStore, *, question: str = "hi", call: str = CALL, **setup: object) -> Played:
    session = store.sessions.create_session(replace(SETUP, **setup))
    new = (user(question), completion(call), tool_result("12:00"), completion("It is noon."))
    return Played(
        session.id, [kept.id for kept in store.sessions.append_all(session.id, new, parent_id=None)]
    )


def new(target: LabelTarget, verdict: Verdict | None = None, **changes: object) -> NewLabel:
    """A label; changes of its content are told from its own by their names."""
    own = {name: changes.pop(name) for name in list(changes) if name in NewLabel.__dataclass_fields__}
    return NewLabel(target=target, content=LabelContent(verdict=verdict, **changes), **own)


FULL = {
    "rating": 4,
    "tags": ("a", "b ü"),
    "comment": " it\r\nis 🦉",
    "correction": ToolCall(name="then", arguments={"z": 1, "a": [None, 1.5]}),
}


class TestLabels:
    def test_all_that_is_said_comes_back(self, mine: OwnedStore) -> None:
        played = play(mine)
        label = mine.labels.save(new(played.target(1, 0), Verdict.WRONG_TOOL, **FULL, labeller="anna"))
        assert label.content == LabelContent(verdict=Verdict.WRONG_TOOL, **FULL)
        assert (label.revision, label.labeller, label.is_deciding, label.project) == (1, "anna", False, "")
        assert mine.labels.find(played.target(1, 0), labeller="anna") == label
        assert mine.labels.find(played.target(1, 0)) is None
        assert mine.labels.find(played.target(1), labeller="anna") is None
        assert list(label.content.correction.arguments) == ["z", "a"]

    def test_the_original_stays_beside_a_correction(self, mine: OwnedStore) -> None:
        played = play(mine)
        before = mine.sessions.path(played.id)
        mine.labels.save(new(played.target(3), correction=" as it\nshould be ", verdict=Verdict.BAD_ANSWER))
        assert mine.sessions.path(played.id) == before

    def test_a_later_revision_takes_the_place_of_the_one_that_was_seen(self, mine: OwnedStore) -> None:
        target = play(mine).target(3)
        first = mine.labels.save(new(target, Verdict.GOOD, tags=("a",)))
        second = mine.labels.save(new(target, Verdict.BAD_ANSWER, base_revision=1))
        assert (second.id, second.revision, second.created_at) == (first.id, 2, first.created_at)
        assert mine.labels.find(target) == second
        log = mine.audit.entries(action="label.save")
        assert [entry.detail["before"] and entry.detail["before"]["verdict"] for entry in log] == [
            "good",
            None,
        ]

    def test_two_tabs_never_overwrite_each_other(self, mine: OwnedStore) -> None:
        target = play(mine).target(3)
        mine.labels.save(new(target, Verdict.GOOD, comment="theirs"))
        with pytest.raises(WriteConflict) as caught:
            mine.labels.save(new(target, Verdict.BAD_ANSWER, comment="yours"))
        assert (caught.value.theirs, caught.value.yours, caught.value.revision) == (
            '{"comment":"theirs","verdict":"good"}', '{"comment":"yours","verdict":"bad-answer"}', 1,
        )  # fmt: skip
        assert "theirs" in str(caught.value) and "yours" in str(caught.value)
        kept = mine.labels.find(target)
        assert kept and kept.content.comment == "theirs"

    def test_to_save_the_same_again_is_no_change(self, mine: OwnedStore) -> None:
        target = play(mine).target(3)
        label = mine.labels.save(new(target, Verdict.GOOD))
        assert mine.labels.save(new(target, Verdict.GOOD)) == label
        assert len(mine.audit.entries(action="label.save")) == 1

    def test_of_many_who_save_at_once_one_is_first(self, mine: OwnedStore) -> None:
        target = play(mine).target(3)

        def save(number: int) -> bool:
            try:
                mine.labels.save(new(target, comment=str(number)))
            except WriteConflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(save, range(8))) == [False] * 7 + [True]

    @pytest.mark.parametrize(
        ("place", "call", "content", "said"),
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
    def test_what_makes_no_sense_is_refused(
        self, mine: OwnedStore, place: int, call: int | None, content: dict[str, object], said: str
    ) -> None:
        with pytest.raises(BadInput, match=said):
            mine.labels.save(new(play(mine).target(place, call), **content))
        assert mine.labels.list_labels() == ()

    def test_labels_are_listed_in_the_order_of_their_making(self, mine: OwnedStore) -> None:
        first, second = play(mine), play(mine)
        made = [mine.labels.save(new(one)) for one in (second.target(3), first.target(3), first.target(1, 0))]
        assert mine.labels.list_labels() == tuple(made)
        assert mine.labels.list_labels(session_id=first.id) == tuple(made[1:])
        assert mine.labels.list_labels(limit=1, offset=1) == (made[1],)
        assert mine.labels.list_labels(project="other") == ()
        assert mine.labels.list_labels(session_id="\0") == ()

    def test_copies_on_other_branches_share_their_original_s_labels(self, mine: OwnedStore) -> None:
        played = play(mine)
        label = mine.labels.save(new(played.target(3), Verdict.GOOD))
        kept = mine.sessions.path(played.id)
        copies = [
            NewMessage(message=one.message, origin=one.origin, generation=one.generation, tool_run=one.tool_run, copy_of=one.id)
            for one in kept
        ]  # fmt: skip
        branch = mine.sessions.append_all(played.id, copies, parent_id=None)
        copy = LabelTarget(session_id=played.id, message_id=branch[3].id)
        assert mine.labels.find(copy) == label
        mine.labels.save(new(replace(copy, message_id=branch[0].id), correction="Hello"))
        assert mine.labels.stale(played.id) == tuple(one.id for one in branch[1:])

    def test_they_outlive_deleting_and_go_with_the_purge(self, made_url: str) -> None:
        now = [datetime(2026, 1, 1, tzinfo=UTC)]
        with closing(Store(made_url, now=lambda: now[0])) as store:
            mine = store.of(LOCAL_OWNER)
            played = play(mine)
            label = mine.labels.save(new(played.target(3), Verdict.GOOD, tags=("a",)))
            mine.labels.accept(played.id, played.messages[3])
            mine.sessions.delete_session(played.id)
            assert mine.labels.list_labels() == ()
            assert mine.labels.queue(QueueFilter()).total == 0
            mine.sessions.restore_session(played.id)
            assert mine.labels.list_labels() == (label,)
            mine.sessions.delete_session(played.id)
            now[0] += timedelta(days=31)
            assert store.purge() == 1
            assert mine.labels.list_labels() == ()


class TestStaleness:
    def test_what_comes_after_a_correction_is_stale_until_it_is_accepted(self, mine: OwnedStore) -> None:
        played = play(mine)
        assert mine.labels.stale(played.id) == ()
        call = ToolCall(name="then", arguments={})
        mine.labels.save(new(played.target(1, 0), Verdict.WRONG_TOOL, correction=call))
        assert mine.labels.stale(played.id) == tuple(played.messages[2:])
        mine.labels.accept(played.id, played.messages[2])
        assert mine.labels.stale(played.id) == (played.messages[3],)
        other = ToolCall(name="other", arguments={})
        mine.labels.save(new(played.target(1, 0), Verdict.WRONG_TOOL, correction=other, base_revision=1))
        assert mine.labels.stale(played.id) == tuple(played.messages[2:])

    def test_a_changed_verdict_alone_makes_nothing_stale_again(self, mine: OwnedStore) -> None:
        played = play(mine)
        mine.labels.save(new(played.target(0), correction="Hello"))
        for message_id in played.messages[1:]:
            mine.labels.accept(played.id, message_id)
        mine.labels.save(new(played.target(0), correction="Hello", comment="why", base_revision=1))
        assert mine.labels.stale(played.id) == ()

    def test_a_correction_that_is_taken_back_makes_nothing_stale(self, mine: OwnedStore) -> None:
        played = play(mine)
        mine.labels.save(new(played.target(0), correction="Hello"))
        mine.labels.save(new(played.target(0), comment="fine after all", base_revision=1))
        assert mine.labels.stale(played.id) == ()

    def test_what_is_made_anew_is_fresh_and_the_old_branch_is_not(self, mine: OwnedStore) -> None:
        played = play(mine)
        mine.labels.save(new(played.target(1), Verdict.BAD_ANSWER, correction="Which city?"))
        kept = mine.sessions.append(played.id, user("Rome"), parent_id=played.messages[1])
        assert mine.labels.stale(played.id) == ()
        assert mine.labels.stale(played.id, leaf_id=played.messages[3]) == tuple(played.messages[2:])
        assert kept.id not in mine.labels.stale(played.id, leaf_id=kept.id)

    def test_where_a_label_decides_only_its_correction_counts(self, mine: OwnedStore) -> None:
        played = play(mine)
        mine.labels.save(new(played.target(0), correction="Hello", labeller="anna"))
        mine.labels.save(new(played.target(0), comment="no need", labeller="cleo", is_deciding=True))
        assert mine.labels.stale(played.id) == ()

    def test_an_unknown_message_or_leaf_is_told(self, mine: OwnedStore) -> None:
        played = play(mine)
        for attempt in (
            lambda: mine.labels.accept(played.id, "nowhere"),
            lambda: mine.labels.stale(played.id, leaf_id="nowhere"),
            lambda: mine.labels.stale("nowhere"),
            lambda: mine.labels.save(new(replace(played.target(3), message_id="nowhere"))),
        ):
            with pytest.raises(StoreError, match="nowhere"):
                attempt()


class TestQueue:
    def ids(self, store: OwnedStore, *, project: str = "", **wanted: object) -> list[str]:
        return [item.session_id for item in store.labels.queue(QueueFilter(**wanted), project=project).items]

    def test_every_session_is_pending_until_somebody_begins(self, mine: OwnedStore) -> None:
        first, second = play(mine), play(mine)
        page = mine.labels.queue(QueueFilter())
        assert [(item.session_id, item.state, item.revision) for item in page.items] == [
            (second.id, QueueState.PENDING, 0), (first.id, QueueState.PENDING, 0),
        ]  # fmt: skip
        mine.labels.save(new(first.target(3), Verdict.GOOD))
        assert self.ids(mine, state=QueueState.DRAFT) == [first.id]
        mine.labels.move(first.id, QueueState.DONE)
        mine.labels.move(second.id, QueueState.DISCARDED)
        assert self.ids(mine, state=QueueState.DONE) == [first.id]
        assert self.ids(mine, state=QueueState.DISCARDED) == [second.id]
        mine.labels.save(new(first.target(1, 0), Verdict.RIGHT))
        assert self.ids(mine, state=QueueState.DONE) == [first.id]

    def test_a_state_that_was_moved_meanwhile_is_not_moved_over(self, mine: OwnedStore) -> None:
        played = play(mine)
        item = mine.labels.move(played.id, QueueState.DONE, base_revision=0)
        assert (item.state, item.revision) == (QueueState.DONE, 1)
        with pytest.raises(WriteConflict, match=r"Theirs \(revision 1\): done. Yours: discarded"):
            mine.labels.move(played.id, QueueState.DISCARDED, base_revision=0)
        assert mine.labels.move(played.id, QueueState.DONE, base_revision=1).revision == 1

    def test_the_filters(self, mine: OwnedStore) -> None:
        fixed = play(mine, call=CALL.replace("}}", "},}"), contract_text="one")
        plain = play(mine, contract_text="two")
        mine.labels.save(new(fixed.target(1, 0), Verdict.RIGHT, tags=("odd",)))
        mine.labels.move(plain.id, QueueState.DONE, assignee="anna")
        hash_of_one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        edge = mine.sessions.find_session(plain.id).updated_at
        for wanted, found in (
            ({"tag": "odd"}, [fixed.id]),
            ({"tag": "even"}, []),
            ({"tag": "\0"}, []),
            ({"verdict": "right"}, [fixed.id]),
            ({"verdict": "needless"}, []),
            ({"assignee": "anna"}, [plain.id]),
            ({"contract_version": hash_of_one}, [fixed.id]),
            ({"contract_version": hash_of_one[:8].upper()}, [fixed.id]),
            ({"contract_version": "%"}, []),
            ({"model": "embedded"}, [plain.id, fixed.id]),
            ({"model": "other"}, []),
            ({"has_fix": True}, [fixed.id]),
            ({"has_fix": False}, [plain.id]),
            ({"since": edge}, [plain.id]),
            ({"until": edge}, [fixed.id]),
            ({"tag": "odd", "has_fix": False}, []),
        ):
            assert self.ids(mine, **wanted) == found, wanted

    def test_it_is_paged_and_says_how_many_there_are(self, mine: OwnedStore) -> None:
        played = [play(mine).id for _ in range(3)]
        page = mine.labels.queue(QueueFilter(), limit=1, offset=1)
        assert ([item.session_id for item in page.items], page.total) == ([played[1]], 3)


class TestProjects:
    PROJECT = Project(
        name="weather",
        guidelines="Be kind.\r\n",
        questions=(
            Question(name="polite", text="Is it polite?", choices=("yes", "no")),
            Question(name="why", text="?"),
        ),
        overlap=2,
    )

    def test_a_project_comes_back_and_can_be_changed(self, mine: OwnedStore) -> None:
        assert mine.labels.save_project(self.PROJECT) == self.PROJECT
        assert mine.labels.find_project("weather") == self.PROJECT
        changed = replace(self.PROJECT, guidelines="Be brief.", overlap=1)
        mine.labels.save_project(changed)
        assert mine.labels.list_projects() == (Project(name=""), changed)
        assert mine.labels.find_project("other") is None
        assert mine.labels.find_project("") == Project(name="")

    @pytest.mark.parametrize(
        "bad",
        [
            {"overlap": 0},
            {"questions": (Question(name="a", text=""), Question(name="a", text=""))},
            {"questions": (Question(name="", text=""),)},
            {"guidelines": "\0"},
        ],
    )
    def test_one_that_cannot_be_worked_with_is_refused(
        self, mine: OwnedStore, bad: dict[str, object]
    ) -> None:
        with pytest.raises(BadInput):
            mine.labels.save_project(replace(self.PROJECT, **bad))

    def test_each_session_is_given_to_as_many_as_the_project_wants(self, mine: OwnedStore) -> None:
        mine.labels.save_project(self.PROJECT)
        played = [play(mine).id for _ in range(3)]
        given = mine.labels.assign(played, ["anna", "ben", "cleo"], project="weather")
        assert sorted(one.session_id for one in given) == sorted(played * 2)
        assert mine.labels.assign(played, ["anna", "ben", "cleo"], project="weather") == []
        for labeller in ("anna", "ben", "cleo"):
            page = mine.labels.queue(QueueFilter(assignee=labeller), project="weather")
            assert {item.state for item in page.items} == {QueueState.PENDING}
            assert page.total == 2
        with pytest.raises(StoreError, match="no labelling project 'other'"):
            mine.labels.queue(QueueFilter(), project="other")

    def test_a_label_makes_a_draft_of_its_labeller_s_item_alone(self, mine: OwnedStore) -> None:
        mine.labels.save_project(self.PROJECT)
        played = play(mine)
        mine.labels.assign([played.id], ["anna", "ben"], project="weather")
        mine.labels.save(new(played.target(3), Verdict.GOOD, project="weather", labeller="anna"))
        page = mine.labels.queue(QueueFilter(), project="weather")
        assert [(item.assignee, item.state, item.label_count) for item in page.items] == [
            ("anna", QueueState.DRAFT, 1), ("ben", QueueState.PENDING, 1),
        ]  # fmt: skip
        assert mine.labels.queue(QueueFilter()).items[0].label_count == 0

    def test_its_own_questions_are_answered(self, mine: OwnedStore) -> None:
        mine.labels.save_project(self.PROJECT)
        target = play(mine).target(3)
        label = mine.labels.save(new(target, answers={"polite": "yes", "why": "so"}, project="weather"))
        assert label.content.answers == {"polite": "yes", "why": "so"}
        with pytest.raises(BadInput, match="'maybe' is not an allowed answer to 'polite'"):
            mine.labels.save(new(target, answers={"polite": "maybe"}, project="weather", base_revision=1))

    def test_what_labellers_say_is_judged_and_what_decides_is_not(self, mine: OwnedStore) -> None:
        target = play(mine).target(3)
        mine.labels.save(new(target, Verdict.GOOD, labeller="anna"))
        mine.labels.save(new(target, Verdict.BAD_ANSWER, labeller="ben"))
        decided = mine.labels.save(new(target, Verdict.GOOD, labeller="cleo", is_deciding=True))
        again = new(target, Verdict.BAD_ANSWER, labeller="dora", is_deciding=True, base_revision=1)
        assert mine.labels.save(again).id == decided.id
        assert [(one.labeller, one.verdict) for one in mine.labels.judgements()] == [
            ("anna", "good"), ("ben", "bad-answer"),
        ]  # fmt: skip
        found = mine.labels.find(target, is_deciding=True)
        assert found and (found.labeller, found.content.verdict) == ("dora", Verdict.BAD_ANSWER)


def test_nothing_of_another_s_is_seen_or_changed(opened: Store) -> None:
    anna, ben = opened.of(ANNA), opened.of(BEN)
    played = play(anna)
    anna.labels.save_project(Project(name="weather"))
    label: Label = anna.labels.save(new(played.target(3), Verdict.GOOD, project="weather"))
    anna.labels.save(new(played.target(3), Verdict.GOOD))
    assert ben.labels.find(played.target(3)) is None
    assert ben.labels.list_labels() == ben.labels.list_labels(session_id=played.id) == ()
    assert ben.labels.queue(QueueFilter()).total == 0
    assert ben.labels.find_project("weather") is None
    assert ben.labels.judgements() == ()
    attempts: list[Callable[[], object]] = [
        lambda: ben.labels.save(new(played.target(3), Verdict.BAD_ANSWER, base_revision=1)),
        lambda: ben.labels.accept(played.id, played.messages[3]),
        lambda: ben.labels.stale(played.id),
        lambda: ben.labels.move(played.id, QueueState.DONE),
        lambda: ben.labels.assign([played.id], ["ben"], project=""),
        lambda: ben.labels.judgements(project="weather"),
    ]
    for attempt in attempts:
        with pytest.raises(StoreError, match="there is no"):
            attempt()
    assert anna.labels.find(played.target(3), project="weather") == label
    admin = opened.of(Owner(key="root", role=UserRole.ADMIN))
    assert admin.labels.stale(played.id) == ()
    with pytest.raises(StoreError, match="belongs to somebody else"):
        admin.labels.accept(played.id, played.messages[3])
