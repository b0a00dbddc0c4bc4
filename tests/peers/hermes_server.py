"""A server that leaves Hermes calls in the content, as vLLM does without a tool parser."""

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.engines.remote.scripted_server import DONE, Answer, RecordedRequest, delta, stream, usage

ANSWER: Final = "It is sunny in Rome."
_PIECE_CHARS: Final = 5


def hermes_answer(request: RecordedRequest) -> Answer:
    """Look up the weather. Once a message has it, answer; agents that want the answer as a call get it as one."""
    body: dict[str, Any] = request.body
    text = json.dumps(body["messages"])
    names: list[str] = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if "sunny" not in text:
        name = "get_weather" if "get_weather" in names else next(iter(names), "get_weather")
        return _written(f"I look it up.\n{_call(name, city='Rome')}")
    return _written(_call("final_answer", answer=ANSWER) if "final_answer" in names else ANSWER)


def _call(name: str, **arguments: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def _written(text: str) -> Answer:
    pieces: Iterator[str] = (text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS))
    return stream(
        delta(role="assistant", content=""),
        *(delta(content=piece) for piece in pieces),
        delta("stop"),
        usage(10, 5),
        DONE,
    )
