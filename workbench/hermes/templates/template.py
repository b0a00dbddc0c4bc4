"""A model's own chat template: GGUF's `tokenizer.chat_template`, or one that a person pasted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NoReturn

from jinja2 import Template, TemplateError, TemplateSyntaxError

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.templates.sandbox import STEPS_KEY, Sandbox

MAX_SOURCE_CHARS: Final = 200_000
"""A longer template is refused; the longest published ones have some 40,000."""
MAX_PROBLEM_CHARS: Final = 200
"""A template's own complaint is cut to this length."""

_FAILURES: Final = (
    TemplateError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTemplate:
    """A template that can be rendered; made by `parse_template`."""

    source: str
    """The Jinja text."""
    compiled: Template = field(compare=False, repr=False)
    """The same, ready to be rendered in the sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInput:
    """What a template is given."""

    messages: Sequence[JsonObject] = field(hash=False)
    """As chat APIs shape them; see `workbench.hermes.openai_messages`."""
    tools: Sequence[JsonObject] | None = field(default=None, hash=False)
    """Whole specs; None is what Hugging Face gives where no tools are offered."""
    generation_prompt: bool = False
    """Whether the assistant's turn is to be opened."""
    now: datetime
    """What `strftime_now` tells."""
    variables: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """More names, such as `enable_thinking`; `bos_token` and `eos_token` are empty where not given."""


def parse_template(source: str) -> ChatTemplate:
    """The template of a Jinja text.

    Raises:
        BadInput: It is no Jinja, or too long; it names the line.
    """
    if len(source) > MAX_SOURCE_CHARS:
        raise BadInput("template", f"over {MAX_SOURCE_CHARS:,} characters", "give the template alone")
    try:
        return ChatTemplate(source=source, compiled=Sandbox().compiled(source))
    except TemplateSyntaxError as error:
        raise BadInput(f"template, line {error.lineno}", error.message or "not Jinja") from error
    except (TemplateError, RecursionError, MemoryError, SyntaxError, ValueError) as error:
        raise BadInput("template", f"it cannot be compiled: {error}"[:MAX_PROBLEM_CHARS]) from error


def render_template(template: ChatTemplate, given: TemplateInput) -> str:
    """The prompt that the template makes, as Hugging Face's `apply_chat_template` gives it.

    Raises:
        BadInput: The template fails on this input, refuses it, or takes more steps than it may.
    """
    context: dict[str, Any] = {
        "bos_token": "",
        "eos_token": "",
        **given.variables,
        "messages": given.messages,
        "tools": given.tools,
        "documents": None,
        "add_generation_prompt": given.generation_prompt,
        "strftime_now": given.now.strftime,
        "raise_exception": _refuse,
        STEPS_KEY: [],
    }
    try:
        return template.compiled.render(context)
    except RecursionError as error:
        raise BadInput("template", "RecursionError: it calls itself without end") from error
    # A template calls methods of texts and lists: any of Python's own errors can come out of one.
    except _FAILURES as error:
        raise BadInput("template", f"{type(error).__name__}: {error}"[:MAX_PROBLEM_CHARS]) from error


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
