"""Templates of mock results: Jinja without loops, attributes or anything else that could run away.

Jinja's sandbox keeps a template from the interpreter, and not from taking hours: what a template may be made
of is therefore a short list, and what is not on it is refused before anything runs.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any, Final, cast

from jinja2 import StrictUndefined, Template, TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from workbench.chat.json_value import JsonObject
from workbench.toolbox.answers.envelope import result_text

MAX_TEMPLATE_CHARS: Final = 20_000
"""A template, or what it gives, that is longer is an error: it is a mock, not a generator."""
FILTERS: Final = (
    "abs", "capitalize", "count", "d", "default", "first", "float", "int", "last", "length", "lower", "max",
    "min", "round", "sort", "string", "sum", "title", "tojson", "trim", "truncate", "unique", "upper",
)  # fmt: skip
"""What a value may be piped through."""
FUNCTIONS: Final = frozenset({"random", "randint", "choice"})
"""What may be called: a number from 0 to 1, a whole number between two, one of a list."""

_MOST_DIGITS_BITS: Final = 16_000
_ALLOWED: Final = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.CondExpr, nodes.Name, nodes.Const,
    nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.Keyword, nodes.Filter, nodes.Test, nodes.Call,
    nodes.Getitem, nodes.Getattr, nodes.Slice, nodes.Compare, nodes.Operand, nodes.Concat, nodes.UnaryExpr,
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.And, nodes.Or,
)  # fmt: skip
"""Kinds of syntax; the loop, the assignment, the macro, the import and the power are not among them."""


def template_problem(text: str) -> str:
    """Why `text` is refused as a template; empty where it is not."""
    try:
        _compiled(text)
    except _FAULTS as error:
        return _words(error)
    return ""


def render_template(text: str, arguments: JsonObject, *, call_number: int = 1, chance: Random) -> str:
    """The text that a template gives.

    Args:
        text: The template.
        arguments: By name, and all together as `arguments`.
        call_number: As `call_number`.
        chance: Behind `random()`, `randint(a, b)` and `choice(list)`.

    Raises:
        ValueError: It is refused, or fails, or gives too much; the message says which.
    """
    variables = {
        **arguments,
        "arguments": arguments,
        "call_number": call_number,
        "random": chance.random,
        "randint": chance.randint,
        "choice": chance.choice,
    }
    try:
        made = _compiled(text).render(variables)
    except _FAULTS as error:
        raise ValueError(_words(error)) from error
    if len(made) > MAX_TEMPLATE_CHARS:
        raise ValueError(f"it gives over {MAX_TEMPLATE_CHARS} characters")
    return made


_FAULTS: Final = (
    TemplateError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    MemoryError,
)


class _Bounded(ImmutableSandboxedEnvironment):
    """Looks into objects and lists, never at attributes; multiplies nothing into gigabytes."""

    intercepted_binops = frozenset({"*", "%"})

    def getattr(self, obj: object, attribute: str) -> Any:
        """`a.b` is `a["b"]`."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: object, argument: Any) -> Any:
        """An item of an object, a list or a text; undefined where there is none."""
        if isinstance(obj, Mapping | list | tuple | str):
            try:
                return cast(Any, obj)[argument]
            except (LookupError, TypeError):
                return self.undefined(obj=obj, name=argument)
        return self.undefined(obj=obj, name=argument)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """The product or rest of two numbers; of anything else it is refused."""
        for value in (left, right):
            is_number = isinstance(value, int | float)
            if not is_number or (isinstance(value, int) and value.bit_length() > _MOST_DIGITS_BITS):
                raise SecurityError(f"{operator!r} is for numbers of a reasonable size")
        return super().call_binop(context, operator, left, right)


@lru_cache(maxsize=512)
def _compiled(text: str) -> Template:
    if len(text) > MAX_TEMPLATE_CHARS:
        raise SecurityError(f"over {MAX_TEMPLATE_CHARS} characters")
    environment = _Bounded(autoescape=False, undefined=StrictUndefined)
    environment.globals.clear()
    environment.filters = {name: environment.filters[name] for name in FILTERS}
    environment.filters["tojson"] = cast(Callable[..., str], result_text)
    tree = environment.parse(text)
    for node in tree.find_all(nodes.Node):
        _refuse_unlisted(node)
    return environment.from_string(tree)


def _refuse_unlisted(node: nodes.Node) -> None:
    if not isinstance(node, _ALLOWED):
        raise SecurityError(f"a template may not use {type(node).__name__!r} (no loops, no assignments)")
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        raise SecurityError(f"a template may not reach for the attribute {node.attr!r}")
    if isinstance(node, nodes.Call) and not (
        isinstance(node.node, nodes.Name) and node.node.name in FUNCTIONS
    ):
        raise SecurityError(f"a template may call {', '.join(sorted(FUNCTIONS))} and nothing else")


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
