"""Real small classes that stand in for the world."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from workbench.chat.message import ToolCall, ToolResult
from workbench.engines.scripted import CompletionScript, ScriptedEngine
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, ToolRun, Usage


class SteppedCalendar:
    """A clock that goes on by one second at each look."""

    def __init__(self) -> None:
        self.looks = 0

    def seconds(self) -> float:
        self.looks += 1
        return float(self.looks)

    def now(self) -> datetime:
        return datetime(2026, 11, 21, tzinfo=UTC) + timedelta(seconds=self.looks)


class DictToolbox:
    """Answers each tool's calls with one text, and remembers the calls."""

    def __init__(self, results: Mapping[str, str]) -> None:
        self.results = results
        self.calls: list[ToolCall] = []

    def run(self, call: ToolCall) -> ToolRun:
        self.calls.append(call)
        return ToolRun(result=ToolResult(text=self.results[call.name]), milliseconds=1.0, rule="dict")

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        return map(self.run, calls)


class RecordingEngine:
    """Gives written completions, piece by piece, and remembers what it was asked."""

    name = "recording"
    fingerprint = "0" * 64
    context_tokens = 1000
    capabilities = Capabilities(has_exact_prompt=True, has_grammar=True)

    def __init__(self, completions: Sequence[str], finish: FinishReason = FinishReason.STOP) -> None:
        self.completions = list(completions)
        self.finish = finish
        self.requests: list[GenerationRequest] = []

    def count_tokens(self, text: str) -> int:
        return len(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        self.requests.append(request)
        text = self.completions[len(self.requests) - 1]
        written = 0
        for character in text:
            if is_cancelled():
                yield Delta(finish_reason=FinishReason.CANCELLED, usage=_usage(request, written))
                return
            written += 1
            yield Delta(text=character)
        yield Delta(finish_reason=self.finish, usage=_usage(request, written))


class ChatEngine:
    """A server with a chat API: gives written deltas, and remembers what it was asked."""

    name = "chat"
    fingerprint = "1" * 64
    context_tokens = 0

    def __init__(self, *answers: Sequence[Delta], writes_tools: bool = True) -> None:
        self.answers = answers
        self.requests: list[GenerationRequest] = []
        self.capabilities = Capabilities(
            has_exact_prompt=False,
            has_grammar=False,
            is_chat_only=True,
            writes_tools=writes_tools,
            has_tokenizer=False,
        )

    def count_tokens(self, text: str) -> int:
        return len(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        self.requests.append(request)
        yield from self.answers[len(self.requests) - 1]


def _usage(request: GenerationRequest, written: int) -> Usage:
    return Usage(prompt_tokens=len(request.prompt), cached_tokens=0, completion_tokens=written)


def scripted(*completions: str) -> ScriptedEngine:
    """An engine that writes these texts at once."""
    return ScriptedEngine(
        CompletionScript(completions=list(completions)), name="scripted:test", wait=lambda seconds: None
    )
