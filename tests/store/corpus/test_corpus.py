"""Choosing sessions for an export, and importing rows as sessions."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from tests.records.corpus.sessions import label, talk
from tests.services import services_for
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.label.records.project import Project
from workbench.library.datasets.session_export import chosen_ids
from workbench.records.corpus.material import NewImport, SessionFilter
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.sessions import MessageOrigin
from workbench.store.corpus.import_writer import DigestedImport
from workbench.store.store import Store


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path) as (services, _):
        yield services


def chosen(services, **filters):
    found = list(chosen_ids(services.corpus, SessionFilter(**filters)))
    assert services.corpus.count(SessionFilter(**filters)) == len(found)
    return found


def new_import(*texts, **more):
    roles = (Role.USER, Role.ASSISTANT)
    messages = tuple(Message(role=roles[place % 2], text=text) for place, text in enumerate(texts))
    fields = {"file": "rows.jsonl", "number": 1, "format": "openai", "fields": {"a": "\0"}, **more}
    return NewImport(setup=_setup(), messages=messages, **fields)


def _setup():
    from workbench.records.run_config import RunConfig

    return RunConfig(contract_name="imported", contract_text="", tools_text="[]")


def test_sessions_are_paged_in_the_order_of_their_creation(services):
    created = [talk(services)[0] for _ in range(5)]
    assert services.corpus.choose(SessionFilter(), limit=2) == created[:2]
    assert services.corpus.choose(SessionFilter(), after=created[1], limit=2) == created[2:4]
    assert chosen(services) == created


def test_another_owner_s_sessions_are_never_chosen(services):
    session_id, _ = talk(services, tag="blue")
    other = services.of(Owner(key="someone"))
    assert chosen(other) == []
    assert chosen(other, session_ids=(session_id,), tag="blue") == []
    assert other.corpus.material(session_id) is None
    digest = "d"
    services.corpus.add_import(new_import("Hi?", "Hello."), digest=digest)
    assert other.corpus.find_imports([digest]) == {}


def test_deleted_and_empty_sessions_are_not_chosen(services):
    session_id, _ = talk(services)
    services.sessions.create_session(services.setup_for())
    services.sessions.delete_session(session_id)
    assert chosen(services) == []
    assert services.corpus.material(session_id) is None


def test_each_filter_selects_the_right_sessions(services):
    first, path = talk(services, tag="blue")
    second, other = talk(services)
    label(services, first, path[4].id, verdict=Verdict.GOOD, rating=4, tags=("odd",))
    label(services, second, other[4].id, verdict=Verdict.BAD_ANSWER, rating=2)
    services.labels.move(second, QueueState.DONE)
    now = datetime.now(UTC)
    for filters, found in (
        ({"tag": "blue"}, [first]),
        ({"tag": "odd"}, [first]),
        ({"verdict": "good"}, [first]),
        ({"min_rating": 3}, [first]),
        ({"max_rating": 3}, [second]),
        ({"min_rating": 2, "max_rating": 4}, [first, second]),
        ({"state": QueueState.DONE}, [second]),
        ({"state": QueueState.DRAFT}, [first]),
        ({"contract": "minimal"}, [first, second]),
        ({"contract": "full"}, []),
        ({"model": "nobody"}, []),
        ({"since": now - timedelta(hours=1)}, [first, second]),
        ({"until": now - timedelta(hours=1)}, []),
        ({"session_ids": (second, "nowhere", "a\0")}, [second]),
        ({"tag": "a\0"}, []),
    ):
        assert chosen(services, **filters) == found, filters


def test_a_deciding_label_hides_the_others(services):
    session_id, path = talk(services)
    label(services, session_id, path[4].id, annotator="ann", verdict=Verdict.BAD_ANSWER, rating=1)
    assert chosen(services, verdict="bad-answer", max_rating=2) == [session_id]
    label(services, session_id, path[4].id, annotator="eve", is_deciding=True, verdict=Verdict.GOOD, rating=5)
    assert chosen(services, verdict="bad-answer") == []
    assert chosen(services, verdict="good", min_rating=4) == [session_id]


def test_a_project_uses_only_its_own_labels(services):
    session_id, path = talk(services)
    services.label_projects.save_project(Project(name="p"))
    label(services, session_id, path[4].id, verdict=Verdict.GOOD)
    assert chosen(services, verdict="good") == [session_id]
    assert chosen(services, verdict="good", project="p") == []
    label(services, session_id, path[4].id, verdict=Verdict.GOOD, project="p")
    assert chosen(services, verdict="good", project="p") == [session_id]


def test_an_imported_row_becomes_a_session(services):
    rejected = (Message(role=Role.ASSISTANT, text="Bad."),)
    new = new_import("Hi?", "Good.", rejected=rejected, answer_start=1, tags=("blue", "blue"), is_queued=True)
    session_id = services.corpus.add_import(new, digest="d")
    path = services.sessions.path(session_id)
    assert [stored.message.text for stored in path] == ["Hi?", "Good."]
    assert {stored.origin for stored in path} == {MessageOrigin.IMPORT}
    found = services.sessions.find_session(session_id)
    assert (found.title, found.tags, found.message_count) == ("Hi?", ("blue",), 3)
    assert chosen(services, state=QueueState.PENDING, project="") == [session_id]
    imported = services.corpus.material(session_id).imported
    assert imported.message_ids == tuple(stored.id for stored in path)
    assert imported.row_text == '{"a": "\\u0000"}'
    assert services.corpus.find_imports(["d"]) == {"d": session_id}
    services.sessions.delete_session(session_id)
    assert services.corpus.find_imports(["d"]) == {}


def test_a_row_that_cannot_be_stored_creates_no_session(services):
    with pytest.raises(BadInput, match="NUL"):
        services.corpus.add_import(new_import("Hi\0?", "Hello."), digest="d")
    assert chosen(services) == []
    assert services.corpus.find_imports(["d"]) == {}


def test_a_batch_of_rows_is_stored_in_order_with_its_bytes_facts_and_words(migrated_url):
    with closing(Store(migrated_url)) as store:
        own = store.of(LOCAL_OWNER)
        lines = [b'{"a": %d}\r' % number for number in range(5)]
        new = [
            DigestedImport(
                new_import(
                    f"Question {number}?", "<tool_call>\nbad\n</tool_call>", original=line, tags=("t", "t")
                ),
                f"d{number}",
            )
            for number, line in enumerate(lines)
        ]
        new.insert(2, DigestedImport(new_import("NUL \0", "no"), "nul"))
        results = own.corpus.add_imports(new)
        assert isinstance(results[2], BadInput)
        ids = [result for result in results if isinstance(result, str)]
        assert own.corpus.choose(SessionFilter()) == ids
        assert own.corpus.find_imports(["d0", "nul", "d9"]) == {"d0": ids[0]}
        materials = [material for _, material in own.corpus.materials(ids)]
        assert [material.imported.original for material in materials] == lines
        assert [len(material.messages) for material in materials] == [2] * 5
        assert {fact.code for _, fact in own.facts.of_session(ids[0])} >= {"invalid-json"}
        assert own.sessions.find_session(ids[4]).tags == ("t",)
        found = own.search.find("question 3")
        assert [hit.session.id for hit in found] == [ids[3]]
