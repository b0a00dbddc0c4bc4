"""What clients do to a conversation between two requests, and the sessions that it is recorded in."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.serving import CALL, WEATHER, ServedGateway, gateway_over, writing
from workbench.app.recording import Recorder
from workbench.app.session_scores import score_sessions
from workbench.chat.message import Role
from workbench.records.corpus.material import SessionFilter
from workbench.records.exchanges import HISTORY_COMPACTED, STAMP_IGNORED

SESSION = "x-hermes-session"
Messages = list[dict[str, Any]]


@pytest.fixture
def gateway(tmp_path: Path, recorder: Recorder) -> Iterator[ServedGateway]:
    """A gateway that records, whose model calls and answers in turn."""
    with gateway_over(tmp_path, *[CALL, "It is 31 degrees."] * 20, recorder=recorder) as served:
        yield served


@dataclass
class Agent:
    """A client that calls tools, and writes its messages in its own way."""

    gateway: ServedGateway
    system: Callable[[int], str] = lambda number: "You are an agent."
    """The system text of a request by its number."""
    rewrite: Callable[[Messages], Messages] = lambda messages: messages
    """What is sent instead of the conversation."""
    question: str = "Weather in Rome?"
    result: str = '{"celsius": 31}'
    messages: Messages = field(default_factory=list[dict[str, Any]])
    sessions: list[str] = field(default_factory=list[str])
    """The session of each request."""

    def turn(self) -> None:
        """Ask a question: a call, its result and an answer, so two requests."""
        number = len(self.sessions) // 2
        self.messages.append(
            {"role": "user", "content": self.question if not number else f"{self.question} Again {number}."}
        )
        while calls := self.request().get("tool_calls"):
            for call in calls:
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.result})

    def request(self) -> dict[str, Any]:
        """Send the conversation, and add the answer to it."""
        system = {"role": "system", "content": self.system(len(self.sessions))}
        response = self.gateway.chat([system, *self.rewrite(self.messages)], tools=[WEATHER])
        assert response.status_code == 200, response.text
        message = response.json()["choices"][0]["message"]
        self.sessions.append(response.headers[SESSION])
        self.messages.append({name: value for name, value in message.items() if name != "reasoning_content"})
        return message

    def turns(self, count: int) -> Sequence[str]:
        """Ask questions, and return the different sessions of the requests."""
        for _ in range(count):
            self.turn()
        return [*dict.fromkeys(self.sessions)]


def shape(gateway: ServedGateway, recorder: Recorder, session_id: str) -> tuple[int, int]:
    """Return the number of messages and of roots of a session."""
    recorder.flush()
    tree = gateway.services.sessions.tree(session_id)
    return len(tree), sum(node.parent_id is None for node in tree)


def notes(gateway: ServedGateway, session_id: str) -> list[str]:
    """Return the messages of the findings about how the session was recognized, along the open path."""
    return [
        finding.message
        for stored in gateway.services.sessions.path(session_id)
        for finding in (stored.generation.findings if stored.generation else ())
        if finding.code in (STAMP_IGNORED, HISTORY_COMPACTED)
    ]


def clock(number: int) -> str:
    return f"You are an agent. Now: 12:00:0{number}"


def date(number: int) -> str:
    return f"It is Friday, November {20 + number}, 2026."


def counter(number: int) -> str:
    return f"Turn {number} of 20. Tokens left: {9000 - 812 * number}."


def nanoseconds(number: int) -> str:
    return f"<now>{1764259200123456789 + number}</now>"


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        (clock, "'12:00:05' instead of '12:00:00'"),
        (date, "'November 25, 2026' instead of 'November 20, 2026'"),
        (counter, "'5' instead of '0'"),
        (nanoseconds, "'1764259200123456794' instead of '1764259200123456789'"),
    ],
    ids=["clock", "date", "counter", "nanoseconds"],
)
def test_a_system_text_that_differs_in_a_stamp_is_one_conversation(
    gateway: ServedGateway, recorder: Recorder, system: Callable[[int], str], reason: str
) -> None:
    agent = Agent(gateway, system)
    (session_id,) = agent.turns(3)
    messages, roots = shape(gateway, recorder, session_id)
    assert roots == 1 and messages <= 15
    found = notes(gateway, session_id)
    assert len(found) == 5
    assert found[-1].startswith(f"the system text has {reason}"[:90])


def test_without_a_stamp_nothing_is_noted(gateway: ServedGateway, recorder: Recorder) -> None:
    (session_id,) = Agent(gateway).turns(3)
    assert shape(gateway, recorder, session_id) == (13, 1)
    assert notes(gateway, session_id) == []


def test_another_conversation_at_another_time_stays_whole(gateway: ServedGateway, recorder: Recorder) -> None:
    first = Agent(gateway, clock).turns(3)
    second = Agent(gateway, lambda number: clock(number).replace("12:00", "12:01")).turns(3)
    for session_id in {*first, *second}:
        messages, roots = shape(gateway, recorder, session_id)
        assert (roots, messages) == (1, 13)
    assert len(second) == 1


def stamped(messages: Messages) -> Messages:
    """Put a stamp below the last message if the user wrote it."""
    *before, last = messages
    stamp = f"\n<now>{1764259200123456789 + len(messages)}</now>"
    return [*before, {**last, "content": last["content"] + stamp}] if last["role"] == "user" else messages


def test_a_stamp_of_the_last_user_message_does_not_count(gateway: ServedGateway, recorder: Recorder) -> None:
    (session_id,) = Agent(gateway, rewrite=stamped).turns(3)
    assert shape(gateway, recorder, session_id) == (13, 1)
    assert len(notes(gateway, session_id)) == 3
    assert notes(gateway, session_id)[0].startswith(
        "the user message is compared without its stamp '<now>1764259200123456790"
    )


def test_other_numbers_of_a_user_are_another_conversation(gateway: ServedGateway) -> None:
    sessions = [Agent(gateway, question=f"Weather in {days} days, at 12:00?").turns(1) for days in (2, 3)]
    assert sessions[0] != sessions[1]


def test_parallel_subagents_stay_apart(gateway: ServedGateway, recorder: Recorder) -> None:
    """Their system texts differ in a number. Everything else is the same for the first two turns."""
    agents = [
        Agent(gateway, lambda _, number=number: f"You are worker {number}.", result="31") for number in (1, 2)
    ]
    for _ in range(2):
        for agent in agents:
            agent.turn()
    one, two = (agent.turns(1) for agent in agents)
    assert len(one) == len(two) == 1 and one != two
    for session_id in (*one, *two):
        assert shape(gateway, recorder, session_id) == (13, 1)


def test_two_models_do_not_share_a_session(gateway: ServedGateway, recorder: Recorder) -> None:
    first = Agent(gateway).turns(2)
    with writing(gateway, CALL, "It is 31 degrees.", CALL, "It is 31 degrees.") as other:
        second = Agent(other).turns(2)
        named = [
            served.chat(metadata={"session": "ticket 17"}, model=model).headers[SESSION]
            for served, model in ((gateway, gateway.model), (gateway, f"minimal/{gateway.model}"))
        ]
    assert len(first) == len(second) == 1 and first != second
    assert len({*named, *first, *second}) == 4
    recorder.flush()
    for session_id in (*first, *second, *named):
        path = gateway.services.sessions.path(session_id)
        models = {stored.generation.engine_name for stored in path if stored.generation}
        assert len(models) == 1


def summarized(messages: Messages) -> Messages:
    """Replace all before the last question with a summary, as the compaction of a client does."""
    if len(messages) <= 5:
        return messages
    last = max(index for index, message in enumerate(messages) if message["role"] == "user")
    summary = {"role": "user", "content": f"[CONTEXT SUMMARY] {len(messages)} messages before: weather asked"}
    return [summary, *messages[last:]]


def test_a_compacted_conversation_is_recognized_by_what_was_kept(
    gateway: ServedGateway, recorder: Recorder
) -> None:
    agent = Agent(gateway, rewrite=summarized)
    (session_id,) = agent.turns(5)
    recorder.flush()
    _, roots = shape(gateway, recorder, session_id)
    assert roots == 1
    found = notes(gateway, session_id)
    replaced = "the client replaced the beginning of the conversation and kept"
    assert found == [f"{replaced} a summary like the one before", f"{replaced} 1 recorded answer"]
    path = gateway.services.sessions.path(session_id)
    assert [stored.message.role for stored in path] == [
        Role.SYSTEM, Role.USER, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT,
    ]  # fmt: skip
    # What the client kept is a copy, so that each completion is counted once.
    assert path[3].copy_of is not None and path[3].message.text == CALL
    # So is the question, so that its turn is one turn.
    assert path[2].copy_of is not None
    scores = score_sessions(gateway.services.owned, SessionFilter(session_ids=(session_id,)))
    assert (scores.total.turns, scores.total.completions, scores.total.calls) == (5, 10, 5)


def test_a_window_of_the_last_messages_is_recognized_after_a_restart(
    gateway: ServedGateway, recorder: Recorder
) -> None:
    agent = Agent(gateway)
    (first,) = agent.turns(3)
    recorder.close()
    agent.rewrite = lambda messages: messages[8:]
    agent.turn()
    assert {*agent.sessions} == {first}


def test_a_summary_alone_does_not_join_conversations(gateway: ServedGateway) -> None:
    """The first message of a conversation is a summary only where the conversation was recognized by an answer."""
    sessions = {
        gateway.chat(
            [{"role": "user", "content": f"Week {week}"}, {"role": "user", "content": f"Question {week}"}]
        ).headers[SESSION]
        for week in (1, 2)
    }
    assert len(sessions) == 2


def test_counts_of_answers_are_not_changed_by_joining(gateway: ServedGateway, recorder: Recorder) -> None:
    agent = Agent(gateway, clock, rewrite=summarized)
    for session_id in agent.turns(4):
        recorder.flush()
        tree = gateway.services.sessions.tree(session_id)
        assert Counter(node.role for node in tree)[Role.SYSTEM] == 1
    assert json.loads(gateway.client.get("/health").text)["recorded"]["failures"] == 0
