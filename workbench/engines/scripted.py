"""An engine that returns scripted completions, for demos, labelling without a model, and tests."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.errors import BadInput, EngineError, ModelMissing, PromptTooLong
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, Usage
from workbench.toolspec.form_faults import first_fault

CHARS_PER_TOKEN: Final = 4
"""Length of the pieces that count as tokens."""


class ScriptedCompletion(BaseModel):
    """One completion of a script."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    """The completion. If it begins with the prefill of the prompt, only the rest is written."""
    seconds_per_token: float = Field(default=0.0, ge=0, le=60)
    """Time that each token takes."""
    error: str = ""
    """If not empty, the engine fails with this message after the text."""


class CompletionScript(BaseModel):
    """A file of completions, which are returned in turn, then from the first again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    completions: list[ScriptedCompletion | str] = Field(min_length=1)
    """The completions in order. A plain text is a completion that takes no time."""
    context_tokens: int = Field(default=32_768, ge=1)
    """Size of the context, which prompt and completion share."""


class ScriptedEngine:
    """Returns the completions of a script. Safe for several threads, which share the sequence."""

    def __init__(self, script: CompletionScript, *, name: str, wait: Callable[[float], None]) -> None:
        self._completions = [
            ScriptedCompletion(text=entry) if isinstance(entry, str) else entry
            for entry in script.completions
        ]
        self._next = 0
        self._lock = Lock()
        self._wait = wait
        self.name = name
        self.device = "script"
        self.context_tokens = script.context_tokens
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=False)
        self.fingerprint = sha256(script.model_dump_json().encode()).hexdigest()

    def count_tokens(self, text: str) -> int:
        """Return the number of pieces of four characters."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def close(self) -> None:
        """Do nothing: there is nothing to free."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the next completion of the script; see `workbench.rollout.ports.Engine`."""
        prompt_tokens = self.count_tokens(request.prompt)
        if prompt_tokens >= self.context_tokens:
            raise PromptTooLong(
                prompt_tokens=prompt_tokens, context_tokens=self.context_tokens, reserved_tokens=1
            )
        with self._lock:
            completion = self._completions[self._next % len(self._completions)]
            self._next += 1
        text = _after_prefill(completion.text, request.prompt)
        finish, written = FinishReason.STOP, 0
        for start in range(0, len(text), CHARS_PER_TOKEN):
            if is_cancelled() or written >= request.sampling.max_tokens:
                finish = FinishReason.CANCELLED if is_cancelled() else FinishReason.LENGTH
                break
            self._wait(completion.seconds_per_token)
            written += 1
            yield Delta(text=text[start : start + CHARS_PER_TOKEN])
        if completion.error:
            raise EngineError(completion.error)
        usage = Usage(prompt_tokens=prompt_tokens, cached_tokens=0, completion_tokens=written)
        yield Delta(finish_reason=finish, usage=usage)


def load_scripted(path: Path, *, name: str, wait: Callable[[float], None]) -> ScriptedEngine:
    """Load a script as an engine.

    Raises:
        ModelMissing: The file does not exist.
        BadInput: The file is not a valid script.
    """
    if not path.is_file():
        raise ModelMissing(name, "check the path of the script", path=path)
    try:
        script = CompletionScript.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"script {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        place, problem = first_fault(error, CompletionScript)
        raise BadInput(f"script {path}, {place or 'the file'}", problem) from error
    return ScriptedEngine(script, name=name, wait=wait)


def _after_prefill(text: str, prompt: str) -> str:
    """Return `text` without a beginning that the prompt already ends with."""
    for size in range(min(len(text), 64), 0, -1):
        if prompt.endswith("\n" + text[:size]):
            return text[size:]
    return text
