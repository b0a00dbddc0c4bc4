"""The queue of labelling and its projects."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from tests.label.store.labelling import CALL, Clock, new, start_talk
from tests.store.examples import SETUP, user
from workbench.errors import BadInput, StoreError, WriteConflict
from workbench.label.records.project import Project, Question, QueueFilter
from workbench.records.corpus.material import NewImport
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import OwnedStore, Store


@pytest.fixture
def mine(migrated_url: str) -> Iterator[OwnedStore]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield store.of(LOCAL_OWNER)


class TestQueue:
    def ids(self, store: OwnedStore, *, project: str = "", **filters: Any) -> list[str]:
        return [
            item.session_id
            for item in store.label_queues.queue(QueueFilter(**filters), project=project).items
        ]

    def test_every_session_is_pending_until_somebody_labels_it(self, mine: OwnedStore) -> None:
        first, second = start_talk(mine), start_talk(mine)
        page = mine.label_queues.queue(QueueFilter())
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

    def test_a_concurrent_change_of_the_state_is_detected(self, mine: OwnedStore) -> None:
        talk = start_talk(mine)
        item = mine.labels.move(talk.id, QueueState.DONE, base_revision=0)
        assert (item.state, item.revision) == (QueueState.DONE, 1)
        with pytest.raises(WriteConflict, match=r"Theirs \(revision 1\): done. Yours: discarded"):
            mine.labels.move(talk.id, QueueState.DISCARDED, base_revision=0)
        assert mine.labels.move(talk.id, QueueState.DONE, base_revision=1).revision == 1

    def test_each_filter_of_the_queue(self, mine: OwnedStore) -> None:
        fixed = start_talk(mine, call=CALL.replace("}}", "},}"), contract_text="one")
        plain = start_talk(mine, contract_text="two")
        mine.labels.save(new(fixed.target(1, 0), Verdict.RIGHT, tags=("odd",)))
        mine.labels.move(plain.id, QueueState.DONE, assignee="anna")
        hash_of_one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        found_session = mine.sessions.find_session(plain.id)
        assert found_session
        edge = found_session.updated_at
        cases: list[tuple[dict[str, Any], list[str]]] = [
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
        ]
        for filters, found in cases:
            assert self.ids(mine, **filters) == found, filters

    def test_the_queue_is_paged_and_counted(self, mine: OwnedStore) -> None:
        talk = [start_talk(mine).id for _ in range(3)]
        page = mine.label_queues.queue(QueueFilter(), limit=1, offset=1)
        assert ([item.session_id for item in page.items], page.total) == ([talk[1]], 3)

    def test_by_default_new_sessions_and_imports_come_first_and_the_rows_of_a_file_in_order(
        self, mine: OwnedStore
    ) -> None:
        def rows(file: str, started_at: datetime, *numbers: int) -> list[str]:
            """Store rows of an import, which takes several transactions."""
            new = NewImport(
                setup=SETUP, messages=(user("hi").message,), format="raw", fields={}, file=file, number=0,
                started_at=started_at,
            )  # fmt: skip
            return [
                mine.corpus.add_import(replace(new, number=number), digest=f"{file}{number}")
                for number in numbers
            ]

        old = start_talk(mine).id
        started = mine.corpus.now()
        first = rows("a.jsonl", started, 1, 2)
        between = start_talk(mine).id
        first += rows("a.jsonl", started, 3)
        second = rows("a.jsonl", mine.corpus.now(), 1, 2)
        latest = start_talk(mine).id
        assert self.ids(mine) == [latest, *second, between, *first, old]
        page = mine.label_queues.queue(QueueFilter(), limit=2, around=first[2])
        assert (page.first, [item.session_id for item in page.items]) == (6, [first[2], old])
        assert mine.label_queues.neighbour(QueueFilter(), first[0], is_before=False) == first[1]


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

    def test_a_project_is_stored_and_can_be_changed(self, mine: OwnedStore) -> None:
        assert mine.label_projects.save_project(self.PROJECT) == self.PROJECT
        assert mine.label_projects.find_project("weather") == self.PROJECT
        changed = replace(self.PROJECT, guidelines="Be brief.", overlap=1)
        mine.label_projects.save_project(changed)
        assert mine.label_projects.list_projects() == (Project(name=""), changed)
        assert mine.label_projects.find_project("other") is None
        assert mine.label_projects.find_project("") == Project(name="")

    @pytest.mark.parametrize(
        "bad",
        [
            {"overlap": 0},
            {"questions": (Question(name="a", text=""), Question(name="a", text=""))},
            {"questions": (Question(name="", text=""),)},
            {"guidelines": "\0"},
        ],
    )
    def test_an_invalid_project_is_rejected(self, mine: OwnedStore, bad: dict[str, object]) -> None:
        with pytest.raises(BadInput):
            mine.label_projects.save_project(replace(self.PROJECT, **bad))

    def test_each_session_is_assigned_to_as_many_annotators_as_the_overlap(self, mine: OwnedStore) -> None:
        mine.label_projects.save_project(self.PROJECT)
        talk = [start_talk(mine).id for _ in range(3)]
        assignments = mine.label_assignments.assign(talk, ["anna", "ben", "cleo"], project="weather")
        assert sorted(assignment.session_id for assignment in assignments) == sorted(talk * 2)
        assert mine.label_assignments.assign(talk, ["anna", "ben", "cleo"], project="weather") == []
        for annotator in ("anna", "ben", "cleo"):
            page = mine.label_queues.queue(QueueFilter(assignee=annotator), project="weather")
            assert {item.state for item in page.items} == {QueueState.PENDING}
            assert page.total == 2
        with pytest.raises(StoreError, match="no labelling project 'other'"):
            mine.label_queues.queue(QueueFilter(), project="other")

    def test_a_label_moves_only_its_annotator_s_item_to_draft(self, mine: OwnedStore) -> None:
        mine.label_projects.save_project(self.PROJECT)
        talk = start_talk(mine)
        mine.label_assignments.assign([talk.id], ["anna", "ben"], project="weather")
        mine.labels.save(new(talk.target(3), Verdict.GOOD, project="weather", annotator="anna"))
        page = mine.label_queues.queue(QueueFilter(), project="weather")
        assert [(item.assignee, item.state, item.label_count) for item in page.items] == [
            ("anna", QueueState.DRAFT, 1), ("ben", QueueState.PENDING, 1),
        ]  # fmt: skip
        assert mine.label_queues.queue(QueueFilter()).items[0].label_count == 0

    def test_answers_fit_the_project_s_questions(self, mine: OwnedStore) -> None:
        mine.label_projects.save_project(self.PROJECT)
        target = start_talk(mine).target(3)
        label = mine.labels.save(new(target, answers={"polite": "yes", "why": "so"}, project="weather"))
        assert label.content.answers == {"polite": "yes", "why": "so"}
        with pytest.raises(BadInput, match="'maybe' is not an allowed answer to 'polite'"):
            mine.labels.save(new(target, answers={"polite": "maybe"}, project="weather", base_revision=1))

    def test_deciding_labels_are_not_part_of_the_judgements(self, mine: OwnedStore) -> None:
        target = start_talk(mine).target(3)
        mine.labels.save(new(target, Verdict.GOOD, annotator="anna"))
        mine.labels.save(new(target, Verdict.BAD_ANSWER, annotator="ben"))
        decided = mine.labels.save(new(target, Verdict.GOOD, annotator="cleo", is_deciding=True))
        change = new(target, Verdict.BAD_ANSWER, annotator="dora", is_deciding=True, base_revision=1)
        assert mine.labels.save(change).id == decided.id
        assert [(judgement.annotator, judgement.verdict) for judgement in mine.label_queues.judgements()] == [
            ("anna", "good"), ("ben", "bad-answer"),
        ]  # fmt: skip
        found = mine.labels.find(target, is_deciding=True)
        assert found and (found.annotator, found.content.verdict) == ("dora", Verdict.BAD_ANSWER)
