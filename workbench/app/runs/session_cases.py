"""Make cases from the turns of a stored conversation, which expect the turns' calls again.

A turn is a user message and everything up to the next one. Its case has the conversation so far, the offered tools, and
the recorded results as mock rules, so that the tools need not exist here.

The expectation is what the labels say, or else what was recorded:

- A corrected call is expected instead of the recorded one, an added call too, and a needless call is not expected.
- If the model should have asked, a question is expected.
- Without labels, a turn is left out if a call of it could not be read or is not valid, because the case would require
  the mistake. So is a turn with a call that is labelled as wrong without a correction.
- What follows a correction belongs to the mistake. Other calls are then allowed after the expected ones.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from workbench.app.runs.casting import call_pattern, message_document
from workbench.chat.json_value import JsonObject, JsonValue, load_json
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.reading import CallStatus, ReadCall, Reading
from workbench.hermes.spelling.tools import closed_signature_lines, signature_lines
from workbench.hermes.written_out import read_message
from workbench.records.corpus.added_calls import with_added
from workbench.records.corpus.label_summary import NO_LABELS, LabelSummary, summarize_labels
from workbench.records.corpus.material import ExportMessage, SessionMaterial
from workbench.records.label import Label, Verdict
from workbench.toolspec.conditions import ALL_ARGUMENTS, exactly
from workbench.toolspec.spec import canonical_json

NO_CONTRACT: Final = "none"
"""Name of the contract in the setup of a recorded session whose client uses none."""
_ID_CHARS: Final = 12
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutTurn:
    """A turn that cannot become a case."""

    session_id: str
    message_id: str
    """The message that is the reason. Empty if it is the session."""
    reason: str


class _Round(NamedTuple):
    """A completion of a turn, its reading, and the results of its calls."""

    original: ExportMessage
    reading: Reading
    summary: LabelSummary
    results: tuple[Message, ...]


class _Step(NamedTuple):
    message: Message
    summary: LabelSummary


class SessionCases:
    """Makes the cases of one session.

    Raises:
        BadInput: The tools of the session cannot be read.
    """

    def __init__(self, material: SessionMaterial, tag: str, *, today: str) -> None:
        self._material = material
        self._tag = tag
        self._today = today
        self._tools = material.setup.offered_tools()
        self._summaries = summarize_labels(material.labels)
        self._verdicts = _verdicts(material.labels)
        self.left_out: list[LeftOutTurn] = []

    def cases(self) -> Iterator[tuple[JsonObject, bool]]:
        """Yield the case of each turn, and whether its expectation comes from labels.

        If a user message has several answers, a labelled one counts, or else the one on the open path, or else the
        newest.

        Raises:
            BadInput: The contract of the session cannot be read.
        """
        chosen: dict[str, tuple[Sequence[ExportMessage], int, bool]] = {}
        for leaf_id in self._leaves():
            path = self._material.path(leaf_id)
            for start in _user_places(path):
                key = path[start].original_id
                is_labelled = any(self._is_labelled(message) for message in _turn(path, start))
                if key not in chosen or (is_labelled and not chosen[key][2]):
                    chosen[key] = (path, start, is_labelled)
        order = {message.original_id: place for place, message in enumerate(self._material.messages)}
        for key in sorted(chosen, key=lambda key: order.get(key, 0)):
            path, start, is_labelled = chosen[key]
            case = self._case(path, start)
            if case is not None:
                yield case, is_labelled

    def _leaves(self) -> Sequence[str]:
        parents = {message.parent_id for message in self._material.messages}
        leaves = [message.id for message in reversed(self._material.messages) if message.id not in parents]
        open_leaf = self._material.leaf_id
        return leaves if open_leaf is None else [open_leaf, *(leaf for leaf in leaves if leaf != open_leaf)]

    def _is_labelled(self, message: ExportMessage) -> bool:
        summary = self._summaries.get(message.original_id, NO_LABELS)
        return summary.is_good is not None or summary.is_changed

    def _case(self, path: Sequence[ExportMessage], start: int) -> JsonObject | None:
        rounds = self._rounds(_turn(path, start))
        if not rounds:
            return None
        try:
            expected, count = self._expected(rounds)
        except _NoExpectation as reason:
            self.left_out.append(
                LeftOutTurn(
                    session_id=self._material.session_id, message_id=reason.message_id, reason=str(reason)
                )
            )
            return None
        messages = [
            self._message(*step)
            for step in self._with_added(path[: start + 1])
            if step.message.role is not Role.SYSTEM
        ]
        document: dict[str, Any] = {"id": path[start].original_id[:_ID_CHARS]}
        if len(messages) == 1:
            document["prompt"] = messages[0]["content"]
        else:
            document["messages"] = messages
        system = self._own_system(path[0].message)
        if system:
            document["system"] = system
        if self._material.setup.variables:
            document["variables"] = dict(self._material.setup.variables)
        document["tool_specs"] = [spec.document for spec in self._tools.specs]
        mocks = _mocks(rounds)
        if mocks:
            document["mocks"] = mocks
        document["tags"] = [self._tag]
        if count:
            document["max_rounds"] = count
        document["expect"] = [expected]
        # Only plain JSON values, as they are read from a suite's file.
        return cast(JsonObject, json.loads(json.dumps(document)))

    def _rounds(self, turn: Sequence[ExportMessage]) -> list[_Round]:
        rounds: list[_Round] = []
        for message in turn:
            if message.message.role is Role.ASSISTANT:
                summary = self._summaries.get(message.original_id, NO_LABELS)
                shown = message.message if summary.text is None else _with_text(message.message, summary.text)
                rounds.append(_Round(message, read_message(shown, tools=self._tools), summary, ()))
            elif rounds and message.message.role is Role.TOOL:
                rounds[-1] = rounds[-1]._replace(results=(*rounds[-1].results, message.message))
        return rounds

    def _expected(self, rounds: Sequence[_Round]) -> tuple[dict[str, Any], int]:
        """Return the expectation, and the most completions; 0 leaves that to the run."""
        patterns: list[dict[str, Any]] = []
        is_complete = not rounds[-1].reading.calls
        count = 0
        for made in rounds:
            count += 1
            calls = self._expected_calls(made)
            if calls is None:
                return ({"asks": True}, 1) if not patterns else (_calls(patterns, is_open=True), count)
            patterns += calls
            if made.summary.is_changed or len(calls) < len(made.reading.calls):
                # What follows answers to the mistake.
                is_complete = False
                break
        if not patterns:
            return {"no_call": True}, 1
        if is_complete:
            return _calls(patterns), 0
        return ({"calls": patterns}, 1) if count == 1 else (_calls(patterns, is_open=True), count)

    def _expected_calls(self, made: _Round) -> list[dict[str, Any]] | None:
        """Return the expected calls of a completion. None if a question is expected.

        Raises:
            _NoExpectation: It is not known what is right.
        """
        original, summary, message_id = made.original, made.summary, made.original.id
        if summary.problem:
            raise _NoExpectation(message_id, summary.problem)
        verdicts = {
            index: self._verdicts.get((original.original_id, index))
            for index in (None, *range(len(made.reading.calls)))
        }
        if Verdict.SHOULD_ASK in verdicts.values():
            return None
        if verdicts[None] is Verdict.MISSING_CALL and summary.text is None and not summary.added:
            raise _NoExpectation(message_id, "a call is missing, and the label does not say which")
        if made.reading.dropped:
            raise _NoExpectation(message_id, "a call could not be read; correct the message")
        patterns: list[dict[str, Any]] = []
        for index, call in enumerate(made.reading.calls):
            pattern = _pattern(call, summary, index, verdicts[index], message_id)
            patterns += [pattern] if pattern else []
        return patterns + [call_pattern(added.call.name, added.call.arguments) for added in summary.added]

    def _with_added(self, path: Sequence[ExportMessage]) -> Iterator["_Step"]:
        """Yield the messages of a path with their labels, and the calls that annotators added with their results."""
        steps = (
            _Step(message.message, self._summaries.get(message.original_id, NO_LABELS)) for message in path
        )
        return with_added(
            steps,
            lambda step: step.summary.added,
            lambda step: step.message.role is Role.TOOL,
            lambda _, message: _Step(message, NO_LABELS),
        )

    def _message(self, message: Message, summary: LabelSummary) -> dict[str, Any]:
        """Return a message of the conversation so far, corrected by its labels."""
        message = message if summary.text is None else _with_text(message, summary.text)
        beside = [added.call for added in summary.added if not added.is_before]
        if not (summary.calls or beside):
            return message_document(message, self._tools)
        reading = read_message(message, tools=self._tools)
        calls = [*(summary.calls.get(index, call) for index, call in enumerate(reading.calls)), *beside]
        return {
            "role": message.role.value,
            "content": "".join(reading.prose).strip(),
            "calls": [{"name": call.name, "arguments": dict(call.arguments)} for call in calls],
        }

    def _own_system(self, first: Message) -> str:
        """Return the client's own part of a system text: what follows the text of the contract."""
        setup = self._material.setup
        if first.role is not Role.SYSTEM:
            return ""
        if setup.contract_name == NO_CONTRACT:
            return first.text
        tools = setup.offered_tools()
        # The contract may have had the date of another day.
        for day in dict.fromkeys((self._today, *_DAY.findall(first.text))):
            for are_tools_apart in (False, True):
                composed = setup.parsed().system_text(date=day, are_tools_apart=are_tools_apart)
                # Sessions that an earlier version recorded have one more brace per tool.
                earlier = composed.replace(signature_lines(tools), closed_signature_lines(tools))
                for text in filter(None, (composed, earlier)):
                    if first.text.startswith(f"{text}\n\n"):
                        return first.text.removeprefix(f"{text}\n\n")
        return ""


class _NoExpectation(Exception):
    """It is not known what is right in a turn."""

    def __init__(self, message_id: str, reason: str) -> None:
        super().__init__(reason)
        self.message_id = message_id


def _user_places(path: Sequence[ExportMessage]) -> Iterator[int]:
    """Yield the places of the messages that begin a turn: the last of consecutive user messages."""
    for place, message in enumerate(path):
        following = path[place + 1].message.role if place + 1 < len(path) else None
        if message.message.role is Role.USER and following is Role.ASSISTANT:
            yield place


def _turn(path: Sequence[ExportMessage], start: int) -> Sequence[ExportMessage]:
    """Return the messages after a user message, up to the next one."""
    end = next(
        (place for place in range(start + 1, len(path)) if path[place].message.role is Role.USER), len(path)
    )
    return path[start + 1 : end]


def _calls(patterns: list[dict[str, Any]], *, is_open: bool = False) -> dict[str, Any]:
    expected: dict[str, Any] = {"calls": patterns, "within": "turn"}
    return {**expected, "allow_extra": True} if is_open else expected


def _pattern(
    call: ReadCall, summary: LabelSummary, index: int, verdict: Verdict | None, message_id: str
) -> dict[str, Any] | None:
    """Return the expectation of a call, or None if it is not expected."""
    corrected = summary.calls.get(index)
    if corrected is not None:
        return call_pattern(corrected.name, corrected.arguments)
    if verdict is Verdict.NEEDLESS:
        return None
    if verdict is Verdict.WRONG_TOOL or verdict is Verdict.BAD_ARGUMENTS:
        raise _NoExpectation(
            message_id, f"call {index + 1} is labelled {verdict.value!r} without a correction"
        )
    if verdict is None and call.status is not CallStatus.READY:
        word = call.status.value.replace("-", " ")
        raise _NoExpectation(message_id, f"call {index + 1} is not valid ({word}); label or correct it")
    return call_pattern(call.name, call.arguments)


def _verdicts(labels: Sequence[Label]) -> Mapping[tuple[str, int | None], Verdict]:
    """Return the verdict on each message and call on which annotators agree. A deciding label counts alone."""
    found: dict[tuple[str, int | None], list[Label]] = defaultdict(list)
    for label in labels:
        if label.content.verdict is not None and not label.is_model:
            found[label.target.message_id, label.target.call_index].append(label)
    verdicts: dict[tuple[str, int | None], Verdict] = {}
    for target, own in found.items():
        counting = [label for label in own if label.is_deciding] or own
        agreed = {label.content.verdict for label in counting if label.content.verdict}
        if len(agreed) == 1:
            verdicts[target] = agreed.pop()
    return verdicts


def _with_text(message: Message, text: str) -> Message:
    return Message(role=message.role, text=text, name=message.name)


def _mocks(rounds: Sequence[_Round]) -> dict[str, list[dict[str, Any]]]:
    """Return a mock rule for each recorded result: the tool answers equal arguments with it."""
    rules: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for made in rounds:
        answered: list[tuple[ReadCall | ToolCall, str]] = [
            (call, result.text) for call, result in _paired(made.reading.calls, made.results)
        ]
        answered += [(added.call, added.result) for added in made.summary.added]
        for call, result in answered:
            rule = {
                "when": {ALL_ARGUMENTS: exactly(dict(call.arguments))},
                "result": _result_value(result),
            }
            rules[call.name].setdefault(canonical_json(call.arguments), rule)
    return {name: list(by_arguments.values()) for name, by_arguments in rules.items()}


def _paired(calls: Sequence[ReadCall], results: Sequence[Message]) -> Iterator[tuple[ReadCall, Message]]:
    """Pair each result with its call: with the first call of its name that has none yet."""
    waiting = list(calls)
    for result in results:
        call = next((call for call in waiting if result.name in (None, call.name)), None)
        if call is not None:
            waiting.remove(call)
            yield call, result


def _result_value(text: str) -> JsonValue:
    """Return a result as the value of a mock rule. A text that is not JSON is given back as a JSON string."""
    try:
        return load_json(text)
    except ValueError:
        return text
