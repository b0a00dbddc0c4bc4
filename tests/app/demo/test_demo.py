"""The demo: each conversation has the defect of its tag, and all can be removed."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.demo import (
    DEMO,
    EXAMPLE,
    EXAMPLE_TAG,
    TAG,
    is_demo_loaded,
    load_conversation,
    load_demo,
    remove_demo,
)
from workbench.app.services import Services
from workbench.chat.message import Role
from workbench.hermes.reading import Reading
from workbench.hermes.written_out import read_message
from workbench.records.owner import Owner
from workbench.records.session_tree import SearchFilter


@pytest.fixture
def services(tmp_path) -> Iterator[Services]:
    with services_for(tmp_path, "Hello.") as (services, _):
        yield services


def readings(services: Services, session_id: str) -> list[Reading]:
    """Return the reading of each completion of a session."""
    session = services.sessions.find_session(session_id)
    assert session
    tools = session.setup.offered_tools()
    path = services.sessions.path(session_id)
    return [
        read_message(stored.message, tools=tools) for stored in path if stored.message.role is Role.ASSISTANT
    ]


@pytest.mark.slow
def test_each_conversation_is_stored_byte_for_byte(services):
    ids = load_demo(services)
    assert len(ids) == len(DEMO)
    for conversation, session_id in zip(reversed(DEMO), ids, strict=True):
        written = [
            stored.message.text
            for stored in services.sessions.path(session_id)
            if stored.message.role is Role.ASSISTANT
        ]
        if conversation.tag == "cut":
            assert conversation.completions[0].startswith(written[0]) and len(written[0]) < len(
                conversation.completions[0]
            )
        elif conversation.tag != "hostile":
            assert written == list(conversation.completions), conversation.title


@pytest.mark.parametrize(
    "conversation",
    [conversation for conversation in DEMO if conversation.tag == "fixed"],
    ids=lambda conversation: conversation.title,
)
def test_a_conversation_with_the_tag_fixed_has_a_fix_and_a_call(services, conversation):
    first = readings(services, load_conversation(services, conversation, TAG))[0]
    assert first.fixes and first.calls and not first.dropped


@pytest.mark.parametrize(
    ("tag", "status"),
    [("clean", "ready"), ("unknown-tool", "unknown-tool"), ("bad-arguments", "invalid-arguments")],
)
def test_a_call_has_the_status_of_its_tag(services, tag, status):
    conversation = next(conversation for conversation in DEMO if conversation.tag == tag)
    assert readings(services, load_conversation(services, conversation, TAG))[0].calls[0].status == status


def test_the_tags_dropped_and_stale_are_true(services):
    by_tag = {conversation.tag: conversation for conversation in DEMO}
    assert readings(services, load_conversation(services, by_tag["dropped"], TAG))[0].dropped == 1
    stale = load_conversation(services, by_tag["stale"], TAG)
    assert services.labels.stale(stale)


def test_the_example_has_one_fix_and_an_answer(services):
    first, last = readings(services, load_conversation(services, EXAMPLE, EXAMPLE_TAG))
    assert [fix.code for fix in first.fixes] == ["trailing-comma"]
    assert "18 °C" in last.text


@pytest.mark.slow
def test_the_demo_belongs_to_its_visitor_and_can_be_removed_and_restored(services):
    ann, bob = (services.of(Owner(key=f"account:{name}", name=name)) for name in ("ann", "bob"))
    assert not is_demo_loaded(ann)
    load_demo(ann)
    assert is_demo_loaded(ann) and not is_demo_loaded(bob) and not is_demo_loaded(services)
    assert remove_demo(bob) == 0
    assert remove_demo(ann) == len(DEMO)
    assert not is_demo_loaded(ann)
    deleted = ann.sessions.list_sessions(is_deleted=True)
    ann.sessions.restore_session(deleted[0].id)
    assert [TAG in result.session.tags for result in ann.search.find("", SearchFilter(tag=TAG))] == [True]


def test_the_demo_works_on_a_space(services):
    on_space = replace(services, settings=replace(services.settings, is_on_space=True))
    load_conversation(on_space.of(Owner(key="browser:x")), EXAMPLE, EXAMPLE_TAG)
