"""An engine that answers recorded prompts with the recorded completions, and all other prompts with an error."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from workbench.contract.compose import TOOLS_APART
from workbench.errors import BadInput, EngineError, ModelMissing
from workbench.hermes.spelling.tools import template_json
from workbench.rollout.events import fingerprint
from workbench.rollout.ports import (
    Capabilities,
    Delta,
    FinishReason,
    GenerationRequest,
    StructuredCallPiece,
    Usage,
)
from workbench.rollout.sampling import Sampling
from workbench.toolspec.form_faults import first_fault

CHARS_PER_TOKEN: Final = 4
"""Length of the pieces that count as tokens."""


class RecordedCall(BaseModel):
    """A call that a server sent as a structured field."""

    model_config = ConfigDict(frozen=True)

    name: str
    arguments: JsonValue = Field(default_factory=dict)


class Recording(BaseModel):
    """One line of a recording, as `workbench export --format generations` writes it."""

    model_config = ConfigDict(frozen=True)

    prompt: str
    sampling: Sampling
    text: str
    is_exact: bool = True
    thought: str | None = None
    calls: tuple[RecordedCall, ...] = ()
    finish_reason: FinishReason = FinishReason.STOP


class ReplayEngine:
    """Returns recorded answers. Several answers to one prompt are returned in turn, then from the first again."""

    def __init__(self, recordings: Sequence[Recording], *, name: str) -> None:
        self._by_fingerprint: dict[str, list[Recording]] = {}
        for recording in recordings:
            key = fingerprint(recording.prompt, recording.sampling)
            self._by_fingerprint.setdefault(key, []).append(recording)
        self._recordings = recordings
        self._use_counts: dict[str, int] = {}
        self._lock = Lock()
        is_exact = recordings[0].is_exact
        self.name = name
        self.device = f"recording of {_count(recordings)}"
        self.context_tokens = 0
        self.fingerprint = sha256("".join(sorted(self._by_fingerprint)).encode()).hexdigest()
        self.capabilities = Capabilities(
            has_exact_prompt=is_exact,
            has_grammar=False,
            is_chat_only=not is_exact,
            writes_tools=not is_exact and TOOLS_APART in recordings[0].prompt,
            has_tokenizer=False,
        )

    def count_tokens(self, text: str) -> int:
        """Return the number of pieces of four characters."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def close(self) -> None:
        """Do nothing: there is nothing to free."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the recorded answer; see `workbench.rollout.ports.Engine`.

        Raises:
            EngineError: There is no recording of this request. The message says what differs.
        """
        recording = self._next(request)
        finish, written = recording.finish_reason, 0
        for delta in _deltas(recording):
            if is_cancelled():
                finish = FinishReason.CANCELLED
                break
            written += 1
            yield delta
        prompt_tokens = self.count_tokens(request.prompt)
        usage = Usage(prompt_tokens=prompt_tokens, cached_tokens=0, completion_tokens=written)
        yield Delta(finish_reason=finish, usage=usage)

    def _next(self, request: GenerationRequest) -> Recording:
        key = fingerprint(request.prompt, request.sampling)
        recorded = self._by_fingerprint.get(key)
        if recorded is None:
            raise EngineError(f"{self.name}: {self._why_not(request)}")
        with self._lock:
            count = self._use_counts.get(key, 0)
            self._use_counts[key] = count + 1
        return recorded[count % len(recorded)]

    def _why_not(self, request: GenerationRequest) -> str:
        for recording in self._recordings:
            if recording.prompt == request.prompt:
                names = _differing(recording.sampling, request.sampling)
                return f"this prompt was recorded with other values of {', '.join(names)}; use those"
        return (
            f"this prompt is not in the recording of {_count(self._recordings)}; use the contract, tools and messages "
            "that were recorded"
        )


def _count(recordings: Sequence[Recording]) -> str:
    return f"{len(recordings)} generation{'' if len(recordings) == 1 else 's'}"


def load_replay(path: Path, *, name: str) -> ReplayEngine:
    """Load a file of recordings as an engine.

    Raises:
        ModelMissing: The file does not exist.
        BadInput: A line is not a recorded generation, or the file mixes exact and predicted prompts.
    """
    if not path.is_file():
        raise ModelMissing(name, "create the file with `workbench export --format generations`", path=path)
    recordings: list[Recording] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                recordings.append(_recording(line, f"recording {path}, line {number}"))
    if not recordings:
        raise BadInput(
            f"recording {path}",
            "the file is empty",
            "create one with `workbench export --format generations`",
        )
    if len({recording.is_exact for recording in recordings}) > 1:
        remedy = "export each kind of session to its own file"
        raise BadInput(f"recording {path}", "the file mixes exact and predicted prompts", remedy)
    return ReplayEngine(recordings, name=name)


def _recording(line: str, where: str) -> Recording:
    try:
        recording = Recording.model_validate_json(line)
    except ValidationError as error:
        place, problem = first_fault(error, Recording)
        raise BadInput(f"{where}{', ' + place if place else ''}", problem) from error
    return recording


def _deltas(recording: Recording) -> Iterator[Delta]:
    for piece in _pieces(recording.thought or ""):
        yield Delta(thought=piece)
    for piece in _pieces(recording.text):
        yield Delta(text=piece)
    for index, call in enumerate(recording.calls):
        arguments = call.arguments if isinstance(call.arguments, str) else template_json(call.arguments)
        yield Delta(call_pieces=(StructuredCallPiece(index=index, name=call.name),))
        for piece in _pieces(arguments):
            yield Delta(call_pieces=(StructuredCallPiece(index=index, arguments_text=piece),))


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), CHARS_PER_TOKEN):
        yield text[start : start + CHARS_PER_TOKEN]


def _differing(recorded: Sampling, requested: Sampling) -> list[str]:
    names = [declared.name for declared in fields(Sampling)]
    return [name for name in names if getattr(recorded, name) != getattr(requested, name)]
