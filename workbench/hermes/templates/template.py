"""A model's own chat template, from GGUF's `tokenizer.chat_template` or pasted, rendered in a sandbox."""

import json
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NoReturn, cast

from jinja2 import Template, TemplateError, TemplateSyntaxError, nodes, pass_context
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput

MAX_STEPS: Final = 200_000
"""Rounds of loops and calls of macros that one rendering may take."""
MAX_TEXT_CHARS: Final = 4_000_000
"""A text that is multiplied or joined may not grow beyond this."""
MAX_NUMBER_BITS: Final = 4_096
"""A number that is multiplied or raised may not grow beyond this."""
STEPS_KEY: Final = "steps taken"
"""Where the count of a rendering stands in its context; no template can spell a name with a blank."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Compiles and renders a template of unknown origin."""

    intercepted_binops = frozenset({"+", "*", "**"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _GenerationTag])
        self.filters["tojson"] = _tojson

    def compiled(self, source: str) -> Template:
        """`source` as a template whose loops are counted.

        Raises:
            TemplateSyntaxError: It is no Jinja.
        """
        tree = cast(nodes.Template, _Bounding().visit(self.parse(source)))
        return Template.from_code(self, self.compile(tree), self.make_globals(None))

    @pass_context
    def step(self, context: Context) -> None:
        """Count one round of a loop, or one call of a macro."""
        taken = cast(list[None], context.parent[STEPS_KEY])
        taken.append(None)
        if len(taken) > MAX_STEPS:
            raise TemplateError(f"stopped after {MAX_STEPS:,} steps")

    def joined(self, *pieces: object) -> str:
        """What `~` gives."""
        texts = [str(piece) for piece in pieces]
        _check_length(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """What `+`, `*` and `**` give, where that is not too big."""
        if operator == "+":
            _check_length(_length(left) + _length(right))
        elif isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > MAX_NUMBER_BITS:
                raise TemplateError(f"a number of more than {MAX_NUMBER_BITS:,} bits")
        elif operator == "*":
            _check_length(_length(left) * right if isinstance(right, int) else 0)
            _check_length(_length(right) * left if isinstance(left, int) else 0)
        return super().call_binop(context, operator, left, right)


class _Bounding(NodeTransformer):
    """Puts a count into each loop and macro, and a limit on each `~`."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        return self._counted(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        return self._counted(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("joined", node.nodes, node.lineno)

    def _counted(self, node: nodes.For | nodes.Macro) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_call("step", [], node.lineno), lineno=node.lineno))
        return node


class _GenerationTag(Extension):
    """`{% generation %}…{% endgeneration %}` marks what a trainer learns from; rendered, it is its body."""

    tags = {"generation"}  # noqa: RUF012 - Jinja declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The body's own nodes."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _call(method: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    function = nodes.EnvironmentAttribute(method, lineno=line)
    return nodes.Call(function, arguments, [], None, None, lineno=line)


def _length(value: object) -> int:
    return len(cast(Sized, value)) if isinstance(value, str | list | tuple) else 0


def _check_length(length: int) -> None:
    if length > MAX_TEXT_CHARS:
        raise TemplateError(f"a text of more than {MAX_TEXT_CHARS:,} characters")


def _tojson(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - templates call it so
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


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
