"""Completions of the reader's corpus, and their answers."""

import json
from collections.abc import Iterable, Sequence

from tests.hermes.readings import TOOLS, Row, rows
from workbench.chat.message import Message
from workbench.gateway.answer import AnswerPiece, AnswerWriter, CallRules, SentAnswer
from workbench.rollout.ports import Delta


def answered(
    pieces: Iterable[str],
    *,
    finish_reason: str = "stop",
    starts_in_thought: bool = False,
    rules: CallRules | None = None,
) -> tuple[AnswerWriter, list[AnswerPiece]]:
    """Write an answer from pieces of text."""
    writer = AnswerWriter(
        tools=TOOLS,
        call_id=lambda number: f"call_{number}",
        starts_in_thought=starts_in_thought,
        rules=rules or CallRules(),
    )
    sent = [piece for text in pieces for piece in writer.feed(Delta(text=text))]
    return writer, [*sent, *writer.finish(finish_reason)]


def complete(pieces: Iterable[AnswerPiece]) -> Message:
    """Return the message of a client that joins the pieces. Calls whose arguments are not JSON cannot be run."""
    answer = SentAnswer()
    for piece in pieces:
        answer.add(piece)
    for call in answer.calls:
        call.is_complete = is_json("".join(call.arguments))
    return answer.message


def completions(count: int) -> list[Row]:
    """Return this many completions: those of the corpus, then pairs of them, joined."""
    found = [
        {**row, "text": row["text"].replace("\0", "\N{REPLACEMENT CHARACTER}")}
        for row in rows()
        if row.get("level", "tolerant") == "tolerant"
    ]
    whole = [row for row in found if row.get("finish_reason", "stop") == "stop" and len(row["text"]) < 600]
    for first in whole:
        for second in whole:
            if len(found) >= count:
                return found[:count]
            if hash_of(first["id"], second["id"]) % 7 == 0:
                found.append({"id": f"{first['id']}+{second['id']}", "text": f"{first['text']}\n{second['text']}",
                              "starts_in_thought": first.get("starts_in_thought", False)})  # fmt: skip
    return found[:count]


def hash_of(*texts: str) -> int:
    """A number that is the same in every process."""
    return sum(ord(char) * place for place, char in enumerate("".join(texts), start=1))


def options_of(row: Row) -> dict[str, object]:
    return {
        "finish_reason": row.get("finish_reason", "stop"),
        "starts_in_thought": row.get("starts_in_thought", False),
    }


def pieces_of(text: str, size: int) -> Sequence[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
