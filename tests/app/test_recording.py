"""A recorder finds the session of a request before it is answered, and never disturbs a client."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from tests.exchanges import RAW_CALL, Agent, answered, said
from tests.services import services_for
from workbench.app.recording import Recorder
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.records.exchanges import ClientAnswer, ClientRequest
from workbench.records.owner import Owner
from workbench.settings import Settings

RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services over an empty database."""
    with services_for(tmp_path, "unused") as (opened, _):
        yield opened


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """A recorder with a tag."""
    opened = Recorder("agent")
    yield opened
    opened.close()


def play(recorder: Recorder, services: Services, request: ClientRequest, answer: ClientAnswer) -> str:
    """Record an exchange and return the id of its session."""
    recording = recorder.begin(services, request)
    recording.end(answer)
    return recording.session_id


def test_a_conversation_is_one_session_although_nothing_waits_for_the_disk(
    services: Services, recorder: Recorder
) -> None:
    agent, ids = Agent(), set[str]()
    for number in range(20):
        call, answer = answered(RAW_CALL), answered(f"It is {number} degrees.")
        ids.add(play(recorder, services, agent.request(said(f"How is the weather in city {number}?")), call))
        agent.got(call)
        ids.add(play(recorder, services, agent.request(RESULT), answer))
        agent.got(answer)
    recorder.flush()
    (session,) = services.sessions.list_sessions()
    assert ids == {session.id}
    assert session.message_count == 1 + 20 * 4
    assert session.tags == ("agent",)
    assert (recorder.counts.answers, recorder.counts.messages, recorder.counts.failures) == (40, 81, 0)


def test_another_recorder_continues_the_session(services: Services, recorder: Recorder) -> None:
    agent = Agent()
    first = play(recorder, services, agent.request(said("Hi")), answered("Hello!"))
    agent.got(answered("Hello!"))
    recorder.close()
    after_restart = Recorder("agent")
    # A conversation that begins alike is known first, but the longer one is stored.
    assert play(after_restart, services, Agent().request(said("Hi")), answered("Hey!")) == first
    assert play(after_restart, services, agent.request(said("Bye")), answered("Bye.")) == first
    after_restart.close()
    assert [session.message_count for session in services.sessions.list_sessions()] == [6]


def test_equal_requests_at_the_same_time_become_branches_of_one_session(
    services: Services, recorder: Recorder
) -> None:
    request, started = Agent().request(said("Hi")), Barrier(8)

    def ask(number: int) -> str:
        started.wait()
        recording = recorder.begin(services, request)
        started.wait()
        recording.end(answered(f"Hello {number}!"))
        return recording.session_id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(ask, range(8)))
    recorder.flush()
    (session,) = services.sessions.list_sessions()
    assert ids == {session.id}
    assert session.message_count == 2 + 8


def test_many_conversations_at_the_same_time_are_not_mixed(services: Services, recorder: Recorder) -> None:
    def play_all(number: int) -> str:
        agent, ids = Agent(), set[str]()
        for turn in range(3):
            answer = answered(f"Answer {turn} to {number}.")
            ids.add(play(recorder, services, agent.request(said(f"Question {turn} of {number}")), answer))
            agent.got(answer)
        (session_id,) = ids
        return session_id

    with ThreadPoolExecutor(16) as pool:
        ids = list(pool.map(play_all, range(16)))
    recorder.flush()
    for number, session_id in enumerate(ids):
        assert [stored.message.text for stored in services.sessions.path(session_id)][1:] == [
            text
            for turn in range(3)
            for text in (f"Question {turn} of {number}", f"Answer {turn} to {number}.")
        ]


def test_a_name_joins_requests_that_run_at_the_same_time(services: Services, recorder: Recorder) -> None:
    first = recorder.begin(services, Agent(name="ticket 17").request(said("Hi")))
    second = recorder.begin(services, Agent(name="ticket 17").request(said("Hello")))
    assert first.session_id == second.session_id
    first.end(answered("Hello!"))
    second.end(answered("Hi!"))
    recorder.flush()
    assert [session.message_count for session in services.sessions.list_sessions()] == [5]


def test_the_id_of_a_session_is_a_name_before_the_session_is_written(
    services: Services, recorder: Recorder
) -> None:
    first = recorder.begin(services, Agent().request(said("Hi")))
    second = recorder.begin(services, Agent(name=first.session_id).request(said("Hello")))
    assert second.session_id == first.session_id
    ann = services.of(Owner(key="ann", name="ann"))
    assert (
        recorder.begin(ann, Agent(name=first.session_id).request(said("Hi"))).session_id != first.session_id
    )


def test_a_request_without_an_answer_stores_nothing(services: Services, recorder: Recorder) -> None:
    recorder.begin(services, Agent().request(said("Hi")))
    recorder.flush()
    assert services.sessions.list_sessions() == ()


def test_a_session_that_is_deleted_meanwhile_starts_again(services: Services, recorder: Recorder) -> None:
    agent = Agent()
    first = play(recorder, services, agent.request(said("Hi")), answered("Hello!"))
    recorder.flush()
    services.sessions.delete_session(first)
    agent.got(answered("Hello!"))
    play(recorder, services, agent.request(said("Bye")), answered("Bye."))
    recorder.flush()
    agent.got(answered("Bye."))
    last = play(recorder, services, agent.request(said("Are you there?")), answered("Yes."))
    recorder.flush()
    (session,) = services.sessions.list_sessions()
    assert (session.id, session.message_count) == (last, 7)


def test_a_named_session_that_is_deleted_starts_again_once(services: Services, recorder: Recorder) -> None:
    agent = Agent(name="ticket 17")
    first = play(recorder, services, agent.request(said("Hi")), answered("Hello!"))
    recorder.flush()
    services.sessions.delete_session(first)
    for text in ("Bye", "Are you there?", "Hello?"):
        play(recorder, services, Agent(name="ticket 17").request(said(text)), answered("Yes."))
        recorder.flush()
    assert len(services.sessions.list_sessions()) == 1


def test_a_failure_is_logged_and_counted(
    services: Services, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        play(recorder, services, Agent().request(said("a\0b")), answered("Hello!"))
        recorder.flush()
    assert "NUL" in caplog.text
    assert (recorder.counts.answers, recorder.counts.failures) == (0, 1)
    assert "NUL" in recorder.counts.last_failure
    assert play(recorder, services, Agent().request(said("Hi")), answered("Hello!"))
    recorder.flush()
    assert recorder.counts.answers == 1


def test_a_closed_database_does_not_disturb_the_client(
    services: Services, recorder: Recorder, tmp_path: Path
) -> None:
    services.store.close()
    (tmp_path / "data" / "workbench.sqlite3").unlink()
    recording = recorder.begin(services, Agent().request(said("Hi")))
    recording.end(answered("Hello!"))
    recorder.flush()
    assert recorder.counts.failures >= 1
    assert recorder.counts.answers == 0


def test_owners_do_not_share_sessions(services: Services, recorder: Recorder) -> None:
    request = Agent().request(said("Hi"))
    ann, ben = (services.of(Owner(key=name, name=name)) for name in ("ann", "ben"))
    first, second = (play(recorder, own, request, answered("Hello!")) for own in (ann, ben))
    named = replace(request, session_name=first)
    third = play(recorder, ben, named, answered("Hello!"))
    recorder.flush()
    assert len({first, second, third}) == 3
    assert [session.id for session in ann.sessions.list_sessions()] == [first]
    assert len(ben.sessions.list_sessions()) == 2


def test_limits_apply_to_recorded_sessions(services: Services, recorder: Recorder, tmp_path: Path) -> None:
    on_space: Settings = replace(services.settings, is_on_space=True)
    limited = replace(services, settings=on_space)
    with pytest.raises(BadInput, match="characters"):
        limited.recordings.record("s" * 32, Agent().request(said("x" * 200_001)), answered("Hello!"))
    play(recorder, limited, Agent().request(said("x" * 200_001)), answered("Hello!"))
    recorder.flush()
    assert recorder.counts.failures == 1
    assert services.sessions.list_sessions() == ()
