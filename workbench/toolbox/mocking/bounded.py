"""A Jinja environment in which every operation pays for itself, and makes no value that is too large."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, cast

from jinja2 import StrictUndefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from workbench.toolspec.budget import spend

MAX_VALUE_CHARS: Final = 200_000
"""Characters of a value, with all that is in it, that an operation may take or make."""
MAX_NUMBER_BITS: Final = 16_000
"""A number that is reckoned with may not be larger: some 4,800 digits."""
MAX_DECIMALS: Final = 20
"""Digits behind the point that `round` may keep; Python would build 10 to the power of any number."""
_CHARS_A_STEP: Final = 100
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
