"""Recording the requests of clients: what a client waits for, and what is written behind it."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
        cost = _play(recorder, services, agent, 10)
        recorder.close()
        yield (
            f"a request in a session of 100 messages: {cost.waited_s * 1000:.2f} ms a message (aim: under "
            f"{MESSAGE_AIM_MS:g}), {cost.processor_s * 1000:.2f} ms of processor time"
        )
        yield f"written in its own thread: {cost.written_s * 1000:.2f} ms a message"
        # Every request is looked up in the database, as after a restart.
        cost = _play(None, services, agent, 10)
        yield f"the first request of a session after a restart: {cost.waited_s * 2000:.2f} ms"


class _Cost(NamedTuple):
    """Seconds for each message."""

    waited_s: float
    """Until the client goes on."""
    processor_s: float
    """Processor time of the client's thread meanwhile."""
    written_s: float
    """From then on until the message is written."""


def _play(recorder: Recorder | None, services: Services, agent: Agent, turns: int) -> _Cost:
    """Continue a conversation."""
    costs = []
    for number in range(turns):
        for new, answer in (
            (said(f"How is the weather in city {len(agent.messages)}?"), answered(RAW_CALL)),
            (RESULT, answered(f"It is {number} degrees.")),
        ):
            request, own = agent.request(new), recorder or Recorder("bench")
            costs.append(_record(own, services, request, answer))
            agent.got(answer)
            if recorder is None:
                own.close()
    # Each request adds two messages: a new one and its answer.
    return _Cost(*(sum(seconds) / (2 * len(costs)) for seconds in zip(*costs, strict=True)))


def _record(recorder: Recorder, services: Services, request: ClientRequest, answer: ClientAnswer) -> _Cost:
    """Record an exchange, and return its seconds."""
    start_s, before_s = time.perf_counter(), time.thread_time()
    recorder.begin(services, request).end(answer)
    waited_s, processor_s = time.perf_counter() - start_s, time.thread_time() - before_s
    recorder.flush()
    return _Cost(waited_s, processor_s, time.perf_counter() - start_s - waited_s)
