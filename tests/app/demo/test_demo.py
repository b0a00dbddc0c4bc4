"""The demo set: each conversation has the defect that its tag says, and all of them can be removed."""

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
    """What the reader makes of each completion of a session."""
    session = services.sessions.find_session(session_id)
    assert session
    tools = session.setup.offered_tools()
    path = services.sessions.path(session_id)
    return [read_message(one.message, tools=tools) for one in path if one.message.role is Role.ASSISTANT]


def test_each_conversation_is_kept_byte_for_byte_as_it_was_written(services):
    ids = load_demo(services)
    assert len(ids) == len(DEMO)
    for one, session_id in zip(reversed(DEMO), ids, strict=True):
        written = [
            kept.message.text
            for kept in services.sessions.path(session_id)
            if kept.message.role is Role.ASSISTANT
        ]
        if one.tag == "cut":
            assert one.completions[0].startswith(written[0]) and len(written[0]) < len(one.completions[0])
        elif one.tag != "hostile":
            assert written == list(one.completions), one.title


@pytest.mark.parametrize("one", [one for one in DEMO if one.tag == "fixed"], ids=lambda one: one.title)
def test_a_fixed_one_has_a_fix_and_a_call(services, one):
    first = readings(services, load_conversation(services, one, TAG))[0]
    assert first.fixes and first.calls and not first.dropped


@pytest.mark.parametrize(
    ("tag", "status"),
    [("clean", "ready"), ("unknown-tool", "unknown-tool"), ("bad-arguments", "invalid-arguments")],
)
def test_a_call_has_the_status_that_is_said(services, tag, status):
    one = next(one for one in DEMO if one.tag == tag)
    assert readings(services, load_conversation(services, one, TAG))[0].calls[0].status == status


def test_one_is_dropped_and_one_is_stale(services):
    by_tag = {one.tag: one for one in DEMO}
    assert readings(services, load_conversation(services, by_tag["dropped"], TAG))[0].dropped == 1
    stale = load_conversation(services, by_tag["stale"], TAG)
    assert services.labels.stale(stale)


def test_the_example_is_finished_and_has_a_small_fault(services):
    first, last = readings(services, load_conversation(services, EXAMPLE, EXAMPLE_TAG))
    assert [fix.code for fix in first.fixes] == ["trailing-comma"]
    assert "31 metric usters" in last.text


def test_the_set_is_its_visitor_s_own_and_can_be_removed_and_restored(services):
    ann, bob = (services.of(Owner(key=f"account:{name}", name=name)) for name in ("ann", "bob"))
    assert not is_demo_loaded(ann)
    load_demo(ann)
    assert is_demo_loaded(ann) and not is_demo_loaded(bob) and not is_demo_loaded(services)
    assert remove_demo(bob) == 0
    assert remove_demo(ann) == len(DEMO)
    assert not is_demo_loaded(ann)
    gone = ann.sessions.list_sessions(is_deleted=True)
    ann.sessions.restore_session(gone[0].id)
    assert [TAG in one.session.tags for one in ann.search.find("", SearchFilter(tag=TAG))] == [True]


def test_a_space_can_show_it_too(services):
    on_space = replace(services, settings=replace(services.settings, is_on_space=True))
    load_conversation(on_space.of(Owner(key="browser:x")), EXAMPLE, EXAMPLE_TAG)
