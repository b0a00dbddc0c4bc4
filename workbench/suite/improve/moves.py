"""Changes of a candidate that need no model: shorten, reorder, swap examples, cut or complete descriptions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.suite.improve.candidate import Candidate
from workbench.suite.variants import PARAGRAPH_BREAK, ablate, parts_of
from workbench.toolspec.spec import OfferedTools

CALL: Final = "<tool_call>"
_SPEAKER: Final = re.compile(r"^(?=(?:User|Assistant|Human|AI|Tool|Q|A): )", re.MULTILINE)
"""The start of what one side says in an example."""
_SENTENCE: Final = re.compile(r"(?<=[.!?:])(?<!User:)(?<!Assistant:)\s+(?=[A-Z\"'`<{])")
_ASKING: Final = re.compile(r"\b(ask|asks|asking|missing|unclear|clarif\w+)\b", re.IGNORECASE)
_CALLING: Final = re.compile(r"\bcall\b|<tool_call>", re.IGNORECASE)


class Move(NamedTuple):
    """One change of a candidate."""

    change: str
    """What was changed, for a person."""
    candidate: Candidate


def text_moves(candidate: Candidate, pool: Sequence[str]) -> Iterator[Move]:
    """Yield every change of the contract's text by one step. A change can make the candidate unusable.

    Args:
        pool: Examples from sessions, each one paragraph.
    """
    yield from paragraph_removals(candidate)
    yield from sentence_removals(candidate)
    yield from _asking_first(candidate)
    yield from _swaps(candidate, pool)


def paragraph_removals(candidate: Candidate) -> Iterator[Move]:
    """Yield the candidate without each paragraph."""
    for ablated in ablate(candidate.contract):
        words = ablated.left_out.partition(" ")[2]
        yield Move(f"leave out the paragraph {words}", replace(candidate, contract=ablated.contract))


def sentence_removals(candidate: Candidate) -> Iterator[Move]:
    """Yield the candidate without each sentence of a paragraph that has several, and with each example shortened."""
    for index, part in enumerate(parts_of(candidate.contract)):
        if part.label and CALL in part.text:
            yield from _shorter_example(candidate, index, part.text)
        elif part.label:
            yield from _fewer_sentences(candidate, index, part.text)


def _fewer_sentences(candidate: Candidate, index: int, text: str) -> Iterator[Move]:
    sentences = [
        match.span() for match in re.finditer(r"\S.*?(?=\Z|" + _SENTENCE.pattern + ")", text, re.DOTALL)
    ]
    if len(sentences) < 2:
        return
    for number, (start, _) in enumerate(sentences):
        end = sentences[number + 1][0] if number + 1 < len(sentences) else len(text)
        rest = (text[:start] + text[end:]).rstrip()
        yield Move(f"leave out “{_short(text[start:end])}”", _with_part(candidate, index, rest))


def _shorter_example(candidate: Candidate, index: int, text: str) -> Iterator[Move]:
    """Remove what is said after an example's last call, from the end, and the words before its first speaker."""
    pieces = _SPEAKER.split(text)
    if len(pieces) > 2 and CALL not in pieces[-1]:
        yield Move(
            f"shorten the example “{_short(text)}”",
            _with_part(candidate, index, "".join(pieces[:-1]).rstrip()),
        )
    if len(pieces) > 1 and pieces[0].strip():
        yield Move(
            f"leave out “{_short(pieces[0])}” before an example",
            _with_part(candidate, index, "".join(pieces[1:])),
        )


def _asking_first(candidate: Candidate) -> Iterator[Move]:
    """Move the first paragraph about asking in front of the first paragraph about calling."""
    parts = parts_of(candidate.contract)
    asking = next(
        (index for index, part in enumerate(parts) if part.label and _ASKING.search(part.text)), None
    )
    calling = next(
        (
            index
            for index, part in enumerate(parts)
            if part.label and index != asking and _CALLING.search(part.text)
        ),
        None,
    )
    if asking is None or calling is None or asking < calling:
        return
    texts = [part.text for part in parts]
    texts.insert(calling, texts.pop(asking))
    yield Move("say when to ask before when to call", candidate.with_text(PARAGRAPH_BREAK.join(texts)))


def _swaps(candidate: Candidate, pool: Sequence[str]) -> Iterator[Move]:
    """Yield the candidate with each example of the pool in place of each of its own."""
    present = [part.text for part in parts_of(candidate.contract)]
    for number, example in enumerate(pool, start=1):
        for index in _example_places(candidate) if example not in present else ():
            change = f"session example {number} in place of “{_short(present[index])}”"
            yield Move(change, _with_part(candidate, index, example))


def propose_additions(candidate: Candidate, pool: Sequence[str], *, limit: int) -> Iterator[Move]:
    """Yield the candidate with each example of the pool added at the end, as long as it has fewer than `limit`."""
    present = [part.text for part in parts_of(candidate.contract)]
    if len(_example_places(candidate)) >= limit:
        return
    for number, example in enumerate(pool, start=1):
        if example not in present:
            text = PARAGRAPH_BREAK.join((*present, example))
            yield Move(f"add session example {number}", candidate.with_text(text))


def _example_places(candidate: Candidate) -> list[int]:
    parts = parts_of(candidate.contract)
    return [index for index, part in enumerate(parts) if part.label and CALL in part.text]


def description_moves(candidate: Candidate, tools: OfferedTools) -> Iterator[Move]:
    """Yield the candidate with each description of a tool or a parameter cut, or with an enum's values listed in it.

    Args:
        tools: The tools as they were before the search.
    """
    for spec in tools.specs:
        described: list[tuple[str, JsonObject]] = [(spec.name, spec.function)]
        described += [(f"{spec.name}.{name}", schema) for name, schema in spec.properties.items()]
        for key, schema in described:
            text = str(schema.get("description") or "")
            if text and candidate.descriptions.get(key) != "":
                yield Move(f"cut the description of {key}", _with_description(candidate, key, ""))
            values = schema.get("enum")
            codes = ", ".join(map(str, values)) if isinstance(values, list | tuple) else ""
            if codes and codes not in candidate.descriptions.get(key, text):
                listed = f"{text.rstrip('.')} (one of: {codes})".strip()
                yield Move(f"list the codes of {key}", _with_description(candidate, key, listed))


def _with_description(candidate: Candidate, key: str, text: str) -> Candidate:
    return replace(candidate, descriptions={**candidate.descriptions, key: text})


def _with_part(candidate: Candidate, index: int, text: str) -> Candidate:
    texts = [part.text for part in parts_of(candidate.contract)]
    texts[index] = text
    return candidate.with_text(PARAGRAPH_BREAK.join(texts))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 40 else words[:39].rstrip() + "…"
