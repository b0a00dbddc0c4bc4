"""Templates of mock results: Jinja without loops, attributes or anything else that could run away.

Jinja's sandbox keeps a template from the interpreter, and not from taking hours: what a template may be made
of is therefore a short list, and what is not on it is refused before anything runs.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from random import Random
from typing import Any, Final, cast

from jinja2 import StrictUndefined, Template, TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from workbench.chat.json_value import JsonObject
from workbench.toolbox.answers import result_text
from workbench.toolspec.budget import BudgetExceeded, budget, spend

MAX_VALUE_CHARS: Final = 200_000
"""Characters of a value, with all that is in it, that an operation may take or make."""
MAX_NUMBER_BITS: Final = 16_000
"""A number that is reckoned with may not be larger: some 4,800 digits."""
MAX_DECIMALS: Final = 20
"""Digits behind the point that `round` may keep; Python would build 10 to the power of any number."""
_OPERATION_STEPS: Final = 5


def weight_of(value: object) -> int:
    """Characters of a value, with all that is in it, as often as it is in it; counted no further than is allowed.

    Raises:
        SecurityError: There are more than an operation may take.
    """
    weight, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            weight += len(one)
        elif isinstance(one, Mapping):
            fields = cast("Mapping[Any, Any]", one)
            waiting += [*fields, *fields.values()]
        elif isinstance(one, list | tuple):
            waiting += cast("list[Any]", one)
        elif isinstance(one, int):
            weight += one.bit_length() // 3
        weight += 2
        if weight > MAX_VALUE_CHARS or len(waiting) > MAX_VALUE_CHARS:
            raise SecurityError(f"a value of over {MAX_VALUE_CHARS:,} characters")
    return weight


def bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or a test that pays for what it is given and what it makes."""

    @wraps(function)
    def bounded(*values: Any, **named: Any) -> Any:
        given = [*values, *named.values()]
        _pay(given)
        _refuse_numbers(name, given[1:])
        made = function(*values, **named)
        _pay(made)
        return made

    return bounded


def with_bounded_concat(tree: nodes.Template) -> nodes.Template:
    """The same template, with each `~` made by `BoundedEnvironment.joined`."""
    return cast(nodes.Template, _Joining().visit(tree))


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Looks into objects and lists, never at attributes; makes nothing that is too large."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})

    def __init__(self) -> None:
        # Not optimized: what is constant would be worked out when it is compiled.
        super().__init__(autoescape=False, undefined=StrictUndefined, optimized=False, finalize=_shown)
        self.globals.clear()

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
        """What two numbers give; texts and lists can be added, and nothing else."""
        _pay([left, right])
        for value in (left, right):
            is_number = isinstance(value, int | float)
            is_joined = operator == "+" and isinstance(value, str | list | tuple)
            if not (is_number or is_joined) or (
                isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS
            ):
                raise SecurityError(f"{operator!r} is for numbers of a reasonable size")
        return super().call_binop(context, operator, left, right)

    def joined(self, *pieces: object) -> str:
        """What `~` gives."""
        _pay(pieces)
        return "".join(map(str, pieces))


class _Joining(NodeTransformer):
    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        """A call of `joined` in its place."""
        self.generic_visit(node)
        function = nodes.EnvironmentAttribute("joined", lineno=node.lineno)
        return nodes.Call(function, node.nodes, [], None, None, lineno=node.lineno)


def _shown(value: object) -> object:
    """Pays for what is about to be written out."""
    _pay(value)
    return value


def _pay(value: object) -> None:
    spend(_OPERATION_STEPS + weight_of(value) // _CHARS_A_STEP)


def _refuse_numbers(name: str, options: list[Any]) -> None:
    """Refuses a filter's option that would make it work without end."""
    for value in options:
        if name == "round" and isinstance(value, int) and abs(value) > MAX_DECIMALS:
            raise SecurityError(f"round keeps {MAX_DECIMALS} digits at most")
        if name == "sum" and isinstance(value, list | tuple):
            raise SecurityError("sum is for numbers")


MAX_TEMPLATE_CHARS: Final = 20_000
"""A template, or what it gives, that is longer is an error: it is a mock, not a generator."""
FILTERS: Final = (
    "abs", "capitalize", "count", "d", "default", "first", "float", "int", "last", "length", "lower", "max",
    "min", "round", "sort", "string", "sum", "title", "tojson", "trim", "truncate", "unique", "upper",
)  # fmt: skip
"""What a value may be piped through."""
FUNCTIONS: Final = frozenset({"random", "randint", "choice"})
"""What may be called: a number from 0 to 1, a whole number between two, one of a list."""

_COMPILE_STEPS_A_CHAR: Final = 10
_CHARS_A_STEP: Final = 100
"""Characters of a value that an operation goes through in a microsecond."""
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
        with budget():
            _compiled(text)
    except BudgetExceeded as error:
        return f"{error.problem}; make the template simpler"
    except _FAULTS as error:
        return _words(error)
    return ""


def render_template(text: str, arguments: JsonObject, *, call_number: int = 1, random: Random) -> str:
    """The text that a template gives.

    Args:
        arguments: By name, and all together as `arguments`.
        call_number: As `call_number`.
        random: Behind `random()`, `randint(a, b)` and `choice(list)`.

    Raises:
        ValueError: It is refused, or fails, or gives too much; the message says which.
    """
    variables = {
        **arguments,
        "arguments": arguments,
        "call_number": call_number,
        "random": random.random,
        "randint": random.randint,
        "choice": random.choice,
    }
    try:
        with budget():
            template, operations = _compiled(text)
            # There are no loops, so each operation is done once at most, on as much as the arguments hold.
            spend(operations * _weight_at_most(arguments) // _CHARS_A_STEP)
            return _written(template, variables)
    except BudgetExceeded as error:
        raise ValueError(f"{error.problem}; make the template simpler") from error
    except _FAULTS as error:
        raise ValueError(_words(error)) from error


def _weight_at_most(arguments: JsonObject) -> int:
    """The weight of the arguments, or what an operation may take of them: one that takes more is refused then."""
    try:
        return weight_of(arguments)
    except SecurityError:
        return MAX_VALUE_CHARS


def _written(template: Template, variables: Mapping[str, Any]) -> str:
    """What the template gives, piece by piece, so that what is too long is never whole in memory."""
    pieces: list[str] = []
    room = MAX_TEMPLATE_CHARS
    for piece in template.generate(variables):
        room -= len(piece)
        if room < 0:
            raise SecurityError(f"it gives over {MAX_TEMPLATE_CHARS} characters")
        pieces.append(piece)
    return "".join(pieces)


# The last one is of Python's compiler.
_TOO_DEEP: Final = (RecursionError, MemoryError, SyntaxError)
_FAULTS: Final = (
    TemplateError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    # Of filters, on options that they do not take.
    AssertionError,
    AttributeError,
    *_TOO_DEEP,
)


@lru_cache(maxsize=64)
def _compiled(text: str) -> tuple[Template, int]:
    """The template, and how many operations it is made of at most."""
    if len(text) > MAX_TEMPLATE_CHARS:
        raise SecurityError(f"over {MAX_TEMPLATE_CHARS} characters")
    spend(len(text) * _COMPILE_STEPS_A_CHAR)
    environment = BoundedEnvironment()
    environment.filters = {name: bounded_filter(name, environment.filters[name]) for name in FILTERS}
    environment.filters["tojson"] = bounded_filter("tojson", result_text)
    environment.tests = {name: bounded_filter(name, test) for name, test in environment.tests.items()}
    tree = environment.parse(text)
    found = list(tree.find_all(nodes.Node))
    for node in found:
        _refuse_unlisted(node)
    return environment.from_string(with_bounded_concat(tree)), len(found)


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
    if isinstance(error, _TOO_DEEP):
        return "an expression is nested too deep"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
