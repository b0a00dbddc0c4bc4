"""Scenarios about everything else in an answer that is read: text, reasoning, endings and framing."""

import gzip
from dataclasses import replace
from typing import Final

from tests.engines.remote.scripted_server import DONE, Answer, event, piece, stream
from tests.peers.scenario import row
from tests.peers.wire import Wire
from workbench.engines.remote.server import Mode

NOON: Final = 'prose "Noon."; end answered'
NO_HALF: Final = 'prose "No"; end '
CLOSED: Final = "peer closed connection without sending complete message body (incomplete chunked read)"


def noon(w: Wire) -> Answer:
    return w.stream(w.text("Noon."))


def pieces_of(w: Wire) -> bytes:
    return b"".join(part for part in noon(w).pieces if isinstance(part, bytes))


TEXTS: Final = (
    row("text", noon, NOON, requests=1),
    row("content is null before the text", lambda w: w.stream(w.chunk(content=None), w.text("Noon.")), NOON),
    row("content is a list of parts",
        lambda w: w.stream(w.chunk(content=[{"type": "text", "text": "No"}, {"type": "text", "text": "on."}])), NOON),
    row("reasoning apart", lambda w: w.stream(w.thought("Hm."), w.text("Noon.")),
        r'thought "<think>\nHm.\n</think>"; prose "Noon."; end answered'),
    row("reasoning in both of its fields",
        lambda w: w.stream(w.chunk(reasoning="Hm.", reasoning_content="Hm."), w.text("Noon.")),
        r'thought "<think>\nHm.\n</think>"; prose "Noon."; end answered'),
    row("reasoning within the content", lambda w: w.stream(w.text("<think>Hm.</think>Noon.")),
        'thought "<think>Hm.</think>"; prose "Noon."; end answered'),
    row("reasoning as a part of the content",
        lambda w: w.stream(
            w.chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]), w.text("Noon.")
        ), r'thought "<think>\nHm.\n</think>"; prose "Noon."; end answered'),
    row("a refusal of the model", lambda w: w.stream(w.chunk(refusal="I will "), w.chunk(refusal="not.")),
        'prose "I will not."; end answered'),
    row("structured output", lambda w: w.stream(*map(w.text, '{"hour": 12}')), r'prose "{\"hour\": 12}"; end answered'),
    row("a raw completion", lambda w: stream(piece("No"), piece("on."), piece("", "stop"), w.usage(), DONE), NOON,
        mode=Mode.RAW),
    row("a raw completion that leaves the call in the text",
        lambda w: stream(piece('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', "stop"), DONE),
        "ran now {}; end answered", mode=Mode.RAW),
)  # fmt: skip

ENDINGS: Final = (
    row("cut off by max tokens", lambda w: w.stream(w.text("No"), end="length"), NO_HALF + "length"),
    row("aborted", lambda w: w.stream(w.text("No"), end="abort"),
        NO_HALF + "interrupted: the server ended it with finish reason 'abort'"),
    row("ended by a content filter", lambda w: w.stream(w.text("No"), end="content_filter"),
        NO_HALF + "interrupted: the server ended it with finish reason 'content_filter'"),
    row("the finish reason comes twice",
        lambda w: stream(w.text("Noon."), w.chunk("stop"), w.chunk("stop"), w.usage(), DONE), NOON),
    row("the finish reason comes with the last text", lambda w: stream(w.chunk("stop", content="Noon."), DONE), NOON),
    row("no finish reason", lambda w: stream(w.text("No"), DONE),
        NO_HALF + "interrupted: the server ended the stream without a reason"),
    row("no [DONE]", lambda w: stream(w.text("Noon."), w.chunk("stop")), NOON),
    row("no usage", lambda w: stream(w.text("Noon."), w.chunk("stop"), DONE), NOON),
    row("chunks without choices", lambda w: w.stream(
        event({"choices": [], "prompt_filter_results": []}), w.text("Noon."), event({"choices": []})), NOON),
    row("usage in every chunk", lambda w: w.stream(w.usage(), w.text("No"), w.usage(), w.text("on."), w.usage()), NOON),
    row("an error after some text", lambda w: stream(w.text("No"), w.failed_chunk("out of memory"), DONE),
        NO_HALF + "interrupted: out of memory"),
    row("the connection is cut after some text", lambda w: w.stream(w.text("No"), None, end=None),
        NO_HALF + f"interrupted: {CLOSED}"),
    row("the server stops sending after some text", lambda w: w.stream(w.text("No"), 60.0),
        NO_HALF + "interrupted: no data for 0.5 s (see WORKBENCH_REMOTE_TIMEOUT)", timeout_s=0.5),
)  # fmt: skip

FRAMING: Final = (
    row("comments keep the connection alive",
        lambda w: w.stream(b": ping\n\n", w.text("Noon."), b": ping\n\n"), NOON),
    row("lines end with CR and LF", lambda w: stream(pieces_of(w).replace(b"\n", b"\r\n")), NOON),
    row("the stream begins with a byte order mark",
        lambda w: stream(b"\xef\xbb\xbf" + w.text("No"), w.text("on."), w.chunk("stop"), DONE), NOON),
    row("an event arrives in single bytes", lambda w: stream(*(bytes([byte]) for byte in pieces_of(w))), NOON),
    row("the stream is compressed, though that was not asked for",
        lambda w: Answer(headers={"Content-Type": "text/event-stream", "Content-Encoding": "gzip"},
                         pieces=(gzip.compress(pieces_of(w)),)), NOON),
    row("the stream has the type text/plain", lambda w: replace(noon(w), headers={"Content-Type": "text/plain"}), NOON),
    row("the stream has the type application/json",
        lambda w: replace(noon(w), headers={"Content-Type": "application/json"}), NOON),
    row("an answer that is not streamed", lambda w: w.whole({"content": "Noon."}), NOON),
    row("the first token is slow", lambda w: w.stream(0.6, w.text("Noon.")), NOON, requests=1),
)  # fmt: skip

ANSWERS: Final = (*TEXTS, *ENDINGS, *FRAMING)
