"""Recording the requests of clients: what a client waits for, and what is written behind it."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.exchanges import RAW_CALL, Agent, answered, said
from tests.services import services_for
from workbench.app.recording import Recorder
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.records.exchanges import ClientAnswer, ClientRequest

MESSAGE_AIM_MS = 1.0
"""The longest that a client waits for each message that its request adds."""
TURNS = 25
"""Turns of a conversation: a question, a call, its result and an answer, so 100 messages."""
RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")


def measure() -> Iterator[str]:
    """Lines: a request at the end of a conversation of 100 messages, with and without anything in memory."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder,
        services_for(Path(folder), "unused") as (services, _),
    ):
        recorder = Recorder("bench")
        agent = Agent()
        _play(recorder, services, agent, TURNS)
        recorder.flush()
        waited_s, written_s, messages = _play(recorder, services, agent, 10)
        recorder.close()
        yield _line("a request in a session of 100 messages", waited_s, messages)
        yield f"written in its own thread: {written_s / messages * 1000:.2f} ms a message"
        # Every request is looked up in the database, as after a restart.
        waited_s, _, messages = _play(None, services, agent, 10)
        yield f"the first request of a session after a restart: {waited_s / messages * 2000:.2f} ms"


def _line(name: str, waited_s: float, messages: int) -> str:
    return f"{name}: {waited_s / messages * 1000:.2f} ms a message (aim: under {MESSAGE_AIM_MS:g})"


def _play(
    recorder: Recorder | None, services: Services, agent: Agent, turns: int
) -> tuple[float, float, int]:
    """Continue a conversation. Return the seconds that the client waited, those of writing, and the messages."""
    waited_s, written_s, messages = 0.0, 0.0, 0
    for number in range(turns):
        for new, answer in (
            (said(f"How is the weather in city {len(agent.messages)}?"), answered(RAW_CALL)),
            (RESULT, answered(f"It is {number} degrees.")),
        ):
            request, own = agent.request(new), recorder or Recorder("bench")
            waited, written = _record(own, services, request, answer)
            waited_s, written_s, messages = waited_s + waited, written_s + written, messages + 2
            agent.got(answer)
            if recorder is None:
                own.close()
    return waited_s, written_s, messages


def _record(
    recorder: Recorder, services: Services, request: ClientRequest, answer: ClientAnswer
) -> tuple[float, float]:
    """Record an exchange. Return the seconds that the client waits, and those until it is written."""
    start = time.perf_counter()
    recorder.begin(services, request).end(answer)
    waited = time.perf_counter()
    recorder.flush()
    return waited - start, time.perf_counter() - waited
