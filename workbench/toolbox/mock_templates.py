"""Templates of mock rules: a small subset of Jinja that cannot take long or read anything but its variables.

Jinja's sandbox protects the interpreter, but it does not limit time or memory: `{% for a in range(10**9) %}` runs for
hours. Therefore only the kinds of syntax in `_ALLOWED` are accepted, everything else is refused before it runs, and
each operation is charged to the budget of the request by the size of its values.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, wraps
from random import Random
from typing import Any, Final, NamedTuple, cast

from jinja2 import StrictUndefined, Template, TemplateError, Undefined, nodes
from jinja2.environment import TemplateExpression
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.templates.amounts import MAX_DECIMALS, weight_of
from workbench.toolbox.answers import result_text
from workbench.toolspec.budget import BudgetExceeded, budget, spend

MAX_VALUE_CHARS: Final = 200_000
"""Largest input or output of an operation, in characters including all nested values."""
MAX_NUMBER_BITS: Final = 16_000
"""Largest number in arithmetic; about 4,800 digits."""
_OPERATION_STEPS: Final = 5


def bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter or a test so that its inputs and its output are charged to the budget."""

    @wraps(function)
    def bounded(*values: Any, **named: Any) -> Any:
        inputs = [*values, *named.values()]
        _charge(inputs)
        _refuse_options(name, inputs[1:])
        output = function(*values, **named)
        _charge(output)
        return output

    return bounded


def with_bounded_concat(tree: nodes.Template) -> nodes.Template:
    """Replace each `~` in a template by a call of `BoundedEnvironment.joined`."""
    return cast(nodes.Template, _Joining().visit(tree))


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja environment without access to attributes, in which every operation is charged to the budget."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})

    def __init__(self) -> None:
        # The optimizer would compute constant expressions at compile time, outside of the budget.
        super().__init__(autoescape=False, undefined=StrictUndefined, optimized=False, finalize=_charged)
        self.globals.clear()

    def getattr(self, obj: object, attribute: str) -> Any:
        """Return `obj["attribute"]`; Python attributes are never read."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: object, argument: Any) -> Any:
        """Return an item of an object, a list or a text, or an undefined value if it does not exist."""
        if isinstance(obj, Mapping | list | tuple | str):
            try:
                return cast(Any, obj)[argument]
            except (LookupError, TypeError):
                return self.undefined(obj=obj, name=argument)
        return self.undefined(obj=obj, name=argument)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute with two numbers, or concatenate two texts or lists.

        Raises:
            SecurityError: An operand has another type, or is too large a number.
        """
        _charge([left, right])
        for value in (left, right):
            is_number = isinstance(value, int | float)
            is_joined = operator == "+" and isinstance(value, str | list | tuple)
            if not (is_number or is_joined) or (
                isinstance(value, int) and value.bit_length() > MAX_NUMBER_BITS
            ):
                raise SecurityError(f"{operator!r} is for numbers of a reasonable size")
        return super().call_binop(context, operator, left, right)

    def joined(self, *pieces: object) -> str:
        """Join the operands of `~`."""
        _charge(pieces)
        return "".join(map(str, pieces))


class _Joining(NodeTransformer):
    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        """Return a call of `joined` in its place."""
        self.generic_visit(node)
        function = nodes.EnvironmentAttribute("joined", lineno=node.lineno)
        return nodes.Call(function, node.nodes, [], None, None, lineno=node.lineno)


def _charged(value: object) -> object:
    """Charge the budget for a value that is printed, and return the value."""
    _charge(value)
    return value


def _charge(value: object) -> None:
    spend(_OPERATION_STEPS + weight_of(value, MAX_VALUE_CHARS) // _CHARS_A_STEP)


def _refuse_options(name: str, options: list[Any]) -> None:
    """Refuse options with which a filter would run for very long."""
    for value in options:
        if name == "round" and isinstance(value, int) and abs(value) > MAX_DECIMALS:
            raise SecurityError(f"round keeps {MAX_DECIMALS} digits at most")
        if name == "sum" and isinstance(value, list | tuple):
            raise SecurityError("sum is for numbers")


MAX_TEMPLATE_CHARS: Final = 20_000
"""Longest template, and longest output of one."""
MAX_TEMPLATE_PARTS: Final = 2_000
"""Most nodes of a template's syntax tree. No other thread runs while Python compiles them, which takes about 0.1 s."""
FILTERS: Final = (
    "abs", "capitalize", "count", "d", "default", "first", "float", "int", "last", "length", "lower", "max",
    "min", "round", "sort", "string", "sum", "title", "tojson", "trim", "truncate", "unique", "upper",
)  # fmt: skip
"""Filters that templates can use."""
FUNCTIONS: Final = frozenset({"random", "randint", "choice"})
"""Functions that templates can call: a number from 0 to 1, a whole number in a range, an item of a list."""

_COMPILE_STEPS_A_CHAR: Final = 10
_CHARS_A_STEP: Final = 100
"""Characters of a value that one step of the budget pays for, about a microsecond of work."""
_ALLOWED: Final = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.CondExpr, nodes.Name, nodes.Const,
    nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.Keyword, nodes.Filter, nodes.Test, nodes.Call,
    nodes.Getitem, nodes.Getattr, nodes.Slice, nodes.Compare, nodes.Operand, nodes.Concat, nodes.UnaryExpr,
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.And, nodes.Or,
)  # fmt: skip
"""Kinds of syntax that a template can use. Loops, assignments, macros, imports and powers are missing on purpose."""


def template_problem(text: str) -> str:
    """Return why a template is invalid, or an empty text if it is valid."""
    try:
        with budget():
            _compiled(text)
    except BudgetExceeded as error:
        return f"{error.problem}; make the template simpler"
    except _FAULTS as error:
        return _words(error)
    return ""


NO_VALUES: Final[Mapping[str, JsonValue]] = {}
"""A template reads only the arguments."""


def render_template(
    text: str,
    arguments: JsonObject,
    *,
    call_number: int = 1,
    random: Random,
    values: Mapping[str, JsonValue] = NO_VALUES,
) -> str:
    """Render a template.

    Args:
        arguments: Variables of the template, by name and all together as `arguments`.
        call_number: Variable `call_number`.
        random: Generator for `random()`, `randint(a, b)` and `choice(list)`.
        values: More variables, such as `world`.

    Raises:
        ValueError: The template is invalid, fails, or produces too much text. The message says which.
    """
    with _bounded():
        compiled, variables = _prepared(text, arguments, call_number, random, values)
        return _written(compiled.template, variables)


def evaluate_template(
    text: str,
    arguments: JsonObject,
    *,
    call_number: int = 1,
    random: Random,
    values: Mapping[str, JsonValue] = NO_VALUES,
) -> JsonValue:
    """Return the value of a template that is one expression, such as `{{ price * 2 }}`, or else its text.

    See `render_template` for the arguments and errors.
    """
    with _bounded():
        compiled, variables = _prepared(text, arguments, call_number, random, values)
        if compiled.expression is None:
            return _written(compiled.template, variables)
        value = compiled.expression(variables)
        if isinstance(value, Undefined):
            # Its text is the error.
            str(value)
        _charge(value)
        return cast(JsonValue, json.loads(result_text(cast(JsonValue, value))))


@contextmanager
def _bounded() -> Generator[None]:
    """Limit the work of a template, and turn its errors into one line."""
    try:
        with budget():
            yield
    except BudgetExceeded as error:
        raise ValueError(f"{error.problem}; make the template simpler") from error
    except _FAULTS as error:
        raise ValueError(_words(error)) from error


def _prepared(
    text: str, arguments: JsonObject, call_number: int, random: Random, values: Mapping[str, JsonValue]
) -> "tuple[_Compiled, Mapping[str, Any]]":
    """Return a compiled template with its variables, and charge the budget for its operations."""
    compiled = _compiled(text)
    used = [arguments, *(value for name, value in values.items() if name in compiled.names)]
    # Without loops, each operation runs at most once, on values that are at most as large as the variables.
    spend(compiled.operations * _weight_at_most(used) // _CHARS_A_STEP)
    return compiled, {
        **arguments,
        "arguments": arguments,
        "call_number": call_number,
        "random": random.random,
        "randint": random.randint,
        "choice": random.choice,
        **values,
    }


def _weight_at_most(values: Sequence[JsonValue]) -> int:
    """Return the size of values, or the limit of an operation if they are larger.

    Larger values are refused by the operation itself.
    """
    try:
        return weight_of(values, MAX_VALUE_CHARS)
    except TemplateError:
        return MAX_VALUE_CHARS


def _written(template: Template, variables: Mapping[str, Any]) -> str:
    """Render a template piece by piece, so that an output that is too long is never complete in memory."""
    pieces: list[str] = []
    room = MAX_TEMPLATE_CHARS
    for piece in template.generate(variables):
        room -= len(piece)
        if room < 0:
            raise SecurityError(f"it gives over {MAX_TEMPLATE_CHARS} characters")
        pieces.append(piece)
    return "".join(pieces)


# Python's compiler raises SyntaxError for expressions that are nested too deeply.
_TOO_DEEP: Final = (RecursionError, MemoryError, SyntaxError)
_FAULTS: Final = (
    TemplateError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    # Raised by filters for invalid options.
    AssertionError,
    AttributeError,
    *_TOO_DEEP,
)


class _Compiled(NamedTuple):
    template: Template
    expression: Callable[..., Any] | None
    """Computes the value, if the template is one expression and nothing else."""
    operations: int
    """Number of its syntax nodes, an upper bound of its operations."""
    names: frozenset[str]
    """The variables that it may read."""


@lru_cache(maxsize=64)
def _compiled(text: str) -> _Compiled:
    if len(text) > MAX_TEMPLATE_CHARS:
        raise SecurityError(f"over {MAX_TEMPLATE_CHARS} characters")
    spend(len(text) * _COMPILE_STEPS_A_CHAR)
    environment = BoundedEnvironment()
    environment.filters = {name: bounded_filter(name, environment.filters[name]) for name in FILTERS}
    environment.filters["tojson"] = bounded_filter("tojson", result_text)
    environment.tests = {name: bounded_filter(name, test) for name, test in environment.tests.items()}
    tree = environment.parse(text)
    syntax_nodes = list(tree.find_all(nodes.Node))
    if len(syntax_nodes) > MAX_TEMPLATE_PARTS:
        raise SecurityError(f"over {MAX_TEMPLATE_PARTS} texts, names and operations")
    for node in syntax_nodes:
        _refuse_unlisted(node)
    tree = with_bounded_concat(tree)
    return _Compiled(
        environment.from_string(tree),
        _expression(environment, tree),
        len(syntax_nodes),
        frozenset(node.name for node in syntax_nodes if isinstance(node, nodes.Name)),
    )


def _expression(environment: BoundedEnvironment, tree: nodes.Template) -> Callable[..., Any] | None:
    """Return a function that computes the value of a template with one expression, as Jinja's own would."""
    parts = tree.body[0].nodes if len(tree.body) == 1 and isinstance(tree.body[0], nodes.Output) else []
    if len(parts) != 1 or isinstance(parts[0], nodes.TemplateData):
        return None
    result = nodes.Assign(nodes.Name("result", "store"), parts[0], lineno=1)
    template = environment.from_string(nodes.Template([result], lineno=1))
    return TemplateExpression(template, False)


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
