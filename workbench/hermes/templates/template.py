"""A model's own chat template, from GGUF's `tokenizer.chat_template` or pasted, rendered in a sandbox."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial, wraps
from typing import Any, Final, NoReturn, cast

from jinja2 import Template, TemplateError, TemplateSyntaxError, nodes, pass_context
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.hermes.templates.amounts import charge, charge_comparison, charge_operation, length_of
from workbench.toolspec.budget import BudgetExceeded, budget

MAX_STEPS: Final = 200_000
"""Limit on loop iterations and macro calls of one rendering."""
RENDER_STEPS: Final = 2_000_000
"""Budget of one rendering, in microseconds. Each pays for a hundred characters, so it also limits the memory."""
MAX_NUMBER_BITS: Final = 4_096
"""Limit on the size of numbers that are multiplied or raised to a power."""
STEPS_KEY: Final = "steps taken"
"""Key of the step count in the template's context. Templates cannot use it because it contains a space."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Compile and render templates from untrusted sources. Each operation is charged to the budget of the rendering."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        # The optimizer would compute constant expressions at compile time, outside of the budget.
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            finalize=_charged,
            extensions=[loopcontrols, _GenerationTag],
        )
        self.filters["tojson"] = _tojson
        self.filters = {name: _bounded(name, function) for name, function in self.filters.items()}
        self.tests |= {name: _compared(self.tests[name]) for name in _COMPARING_TESTS}
        del self.globals["lipsum"]

    def compiled(self, source: str) -> Template:
        """Compile a template and add a step count to its loops and macros.

        Raises:
            TemplateSyntaxError: The source is not Jinja.
        """
        tree = cast(nodes.Template, _Bounding().visit(self.parse(source)))
        return Template.from_code(self, self.compile(tree), self.make_globals(None))

    @pass_context
    def step(self, context: Context) -> None:
        """Count one iteration of a loop, or one call of a macro."""
        taken = cast(list[None], context.parent[STEPS_KEY])
        taken.append(None)
        if len(taken) > MAX_STEPS:
            raise TemplateError(f"stopped after {MAX_STEPS:,} steps")
        charge(0)

    def joined(self, *pieces: object) -> str:
        """Join texts, as Jinja's `~` does, up to the limit."""
        charge_operation("~", pieces, ())
        return "".join(map(str, pieces))

    def weighed(self, value: object) -> object:
        """Charge for comparing a value, and return it."""
        charge_comparison([value])
        return value

    def searched(self, value: object) -> object:
        """Charge for searching in a value, and return it."""
        if not isinstance(value, Mapping):
            charge_comparison([value])
        return cast(object, value)

    def call(self, context: Context, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call a method, a macro or a function, if the result is not too large."""
        # The sandbox replaces `format` by a function that wraps it.
        method = getattr(function, "__wrapped__", function)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, str | bytes | int | float | list | tuple | dict):
            options = (*arguments, *named.values())
            charge_operation(method.__name__, cast(Any, owner), options)
            if method.__name__ in ("count", "index"):
                charge_comparison([owner, *options])
        return super().call(context, function, *arguments, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute `+`, `*`, `**` or `%` if the result is not too large."""
        if operator == "+":
            charge(length_of(left) + length_of(right))
        elif operator == "%" and isinstance(left, str | bytes):
            charge_operation("%", left, (right,))
        elif isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > MAX_NUMBER_BITS:
                raise TemplateError(f"a number of more than {MAX_NUMBER_BITS:,} bits")
        elif operator == "*":
            charge(length_of(left) * right if isinstance(right, int) else 0)
            charge(length_of(right) * left if isinstance(left, int) else 0)
        return super().call_binop(context, operator, left, right)


class _Bounding(NodeTransformer):
    """Add a step count to each loop and macro, and a limit to each `~` and each comparison."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        return self._counted(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        return self._counted(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("joined", node.nodes, node.lineno)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        self.generic_visit(node)
        node.expr = _call("weighed", [node.expr], node.lineno)
        for operand in node.ops:
            # In an object, a key is found without a comparison of all values.
            method = "searched" if operand.op in ("in", "notin") else "weighed"
            operand.expr = _call(method, [operand.expr], node.lineno)
        return node

    def _counted(self, node: nodes.For | nodes.Macro) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_call("step", [], node.lineno), lineno=node.lineno))
        return node


class _GenerationTag(Extension):
    """Render `{% generation %}…{% endgeneration %}`, which marks text to train on, as its content."""

    tags = {"generation"}  # noqa: RUF012 - Jinja declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the nodes of the content."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _call(method: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    function = nodes.EnvironmentAttribute(method, lineno=line)
    return nodes.Call(function, arguments, [], None, None, lineno=line)


def _charged(value: object) -> object:
    """Charge the budget for a value that is printed, and return the value."""
    charge_operation("string", value, ())
    return value


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter so that what it writes is charged to the budget."""
    # Some filters get Jinja's environment or context first.
    place = int(hasattr(function, "jinja_pass_arg"))

    @wraps(function)
    def bounded(*values: Any, **named: Any) -> Any:
        operands = values[place:]
        charge_operation(name, operands[0] if operands else "", (*operands[1:], *named.values()))
        return function(*values, **named)

    return bounded


_COMPARING_TESTS: Final = (
    "==", "eq", "equalto", "!=", "ne", ">", "gt", "greaterthan", ">=", "ge", "<", "lt", "lessthan", "<=", "le", "in",
)  # fmt: skip


def _compared(test: Callable[..., bool]) -> Callable[..., bool]:
    """Wrap a test that compares values so that it is charged to the budget."""

    @wraps(test)
    def compared(*values: Any) -> bool:
        charge_comparison(values)
        return test(*values)

    return compared


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
"""Longer templates are rejected. The longest published ones have about 40,000 characters."""
MAX_PROBLEM_CHARS: Final = 200
"""Error messages of a template are cut to this length."""

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
    """A compiled template, created by `parse_template`, or by `workbench.engines.gguf_files.template_process`."""

    source: str
    """The Jinja text."""
    render: "Callable[[TemplateInput], str]" = field(compare=False, repr=False)
    """Renders a prompt; see `render_template`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInput:
    """The variables for rendering a template."""

    messages: Sequence[JsonObject] = field(hash=False)
    """Messages as chat APIs write them, see `workbench.hermes.openai_messages`."""
    tools: Sequence[JsonObject] | None = field(default=None, hash=False)
    """Complete specs, or None, which Hugging Face passes if no tools are offered."""
    generation_prompt: bool = False
    """Whether to open the assistant's turn."""
    now: datetime
    """The time for `strftime_now`."""
    variables: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """More variables, such as `enable_thinking`. By default, `bos_token` and `eos_token` are empty."""


def parse_template(source: str) -> ChatTemplate:
    """Compile a chat template.

    Raises:
        BadInput: The source is not Jinja, or too long. The error names the line.
    """
    if len(source) > MAX_SOURCE_CHARS:
        problem = f"it has over {MAX_SOURCE_CHARS:,} characters"
        raise BadInput("template", problem, "pass only the template")
    try:
        compiled = Sandbox().compiled(source)
    except TemplateSyntaxError as error:
        raise BadInput(f"template, line {error.lineno}", error.message or "not Jinja") from error
    except (TemplateError, RecursionError, MemoryError, SyntaxError, ValueError) as error:
        raise BadInput("template", f"it cannot be compiled: {error}"[:MAX_PROBLEM_CHARS]) from error
    return ChatTemplate(source=source, render=partial(_render, compiled))


def render_template(template: ChatTemplate, template_input: TemplateInput) -> str:
    """Render a prompt as Hugging Face's `apply_chat_template` does.

    Raises:
        BadInput: The template fails on this input, rejects it, or takes too much work or memory.
    """
    return template.render(template_input)


def _render(template: Template, template_input: TemplateInput) -> str:
    context: dict[str, Any] = {
        "bos_token": "",
        "eos_token": "",
        **template_input.variables,
        "messages": template_input.messages,
        "tools": template_input.tools,
        "documents": None,
        "add_generation_prompt": template_input.generation_prompt,
        "strftime_now": template_input.now.strftime,
        "raise_exception": _refuse,
        STEPS_KEY: [],
    }
    try:
        with budget(RENDER_STEPS):
            return template.render(context)
    except BudgetExceeded as error:
        raise BadInput("template", "it takes too much work") from error
    except MemoryError as error:
        raise BadInput("template", "it needs too much memory") from error
    except RecursionError as error:
        raise BadInput("template", "RecursionError: it calls itself endlessly") from error
    # A template can call methods of texts and lists, which raise many kinds of errors.
    except _FAILURES as error:
        raise BadInput("template", f"{type(error).__name__}: {error}"[:MAX_PROBLEM_CHARS]) from error


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
