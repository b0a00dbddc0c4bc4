"""Tools for arithmetic. Expressions are parsed into a tree and never executed as code."""

import ast
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from workbench.toolbox.registry import Registry

MAX_EXPRESSION_CHARS: Final = 500
_MOST_BITS: Final = 4_000
_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: lambda left, right: left**right,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "abs": abs, "ceil": math.ceil, "cos": math.cos, "exp": math.exp, "floor": math.floor, "log": math.log,
    "log10": math.log10, "max": max, "min": min, "round": round, "sin": math.sin, "sqrt": math.sqrt,
    "tan": math.tan,
}  # fmt: skip
_NAMES: Final[Mapping[str, float]] = {"pi": math.pi, "e": math.e, "tau": math.tau}
_METRES: Final[Mapping[str, float]] = {
    "mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "in": 0.0254, "ft": 0.3048, "mi": 1609.344,
}  # fmt: skip
_KILOGRAMS: Final[Mapping[str, float]] = {"g": 0.001, "kg": 1.0, "oz": 0.028349523125, "lb": 0.45359237}

CALCULATE: Final = {
    "description": "Work out an arithmetic expression, such as (3 + 4) * sqrt(2).",
    "parameters": {
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "description": "Numbers, + - * / // % **, brackets, pi, e, and functions such as sqrt, sin, log, round",
            }
        },
        "required": ["expression"],
        "additionalProperties": False,
    },
}
CONVERT_UNITS: Final = {
    "description": "Convert a length or a weight from one unit to another.",
    "parameters": {
        "type": "object",
        "properties": {
            "value": {"type": "number", "description": "How much"},
            "from_unit": {
                "type": "string",
                "enum": [*_METRES, *_KILOGRAMS],
                "description": "Unit of the value",
            },
            "to_unit": {
                "type": "string",
                "enum": [*_METRES, *_KILOGRAMS],
                "description": "Unit to convert to",
            },
        },
        "required": ["value", "from_unit", "to_unit"],
        "additionalProperties": False,
    },
}
DESCRIBE_NUMBERS: Final = {
    "description": "Get mean, median, smallest and largest of some numbers.",
    "parameters": {
        "type": "object",
        "properties": {
            "numbers": {
                "type": "array",
                "items": {"type": "number"},
                "minItems": 1,
                "maxItems": 1000,
                "description": "The numbers",
            }
        },
        "required": ["numbers"],
        "additionalProperties": False,
    },
}


def calculate(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Evaluate an expression: the handler of `calculate`."""
    text = str(arguments["expression"]).replace("^", "**").replace("×", "*").replace("÷", "/")
    if len(text) > MAX_EXPRESSION_CHARS:
        return {"error": f"the expression is over {MAX_EXPRESSION_CHARS} characters"}
    try:
        value = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        return {"error": "that is no arithmetic expression"}
    except ZeroDivisionError:
        return {"error": "division by zero"}
    except (ArithmeticError, TypeError, ValueError) as error:
        return {"error": str(error)}
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return {"error": "the result is no real number"}
    return {"expression": arguments["expression"], "result": value}


def convert_units(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a length or a weight to another unit: the handler of `convert_units`."""
    source, target = arguments["from_unit"], arguments["to_unit"]
    for table in (_METRES, _KILOGRAMS):
        if source in table and target in table:
            return {"value": round(arguments["value"] * table[source] / table[target], 10), "unit": target}
    return {"error": f"{source} cannot be converted to {target}"}


def describe_numbers(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return count, mean, median, minimum and maximum: the handler of `describe_numbers`."""
    numbers: Sequence[float] = arguments["numbers"]
    return {
        "count": len(numbers),
        "mean": statistics.fmean(numbers),
        "median": statistics.median(numbers),
        "smallest": min(numbers),
        "largest": max(numbers),
    }


def register_tools(registry: Registry) -> None:
    """Register the toolset `arithmetic`."""
    registry.register_toolset("arithmetic", "A calculator, unit conversion and statistics.")
    registry.register("calculate", "arithmetic", CALCULATE, calculate, emoji="🧮")
    registry.register("convert_units", "arithmetic", CONVERT_UNITS, convert_units, emoji="📏")
    registry.register("describe_numbers", "arithmetic", DESCRIBE_NUMBERS, describe_numbers, emoji="📊")


def _value(node: ast.expr) -> Any:
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return node.value
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _binary(node.op, _value(node.left), _value(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in _FUNCTIONS:
            raise ValueError(f"no function {node.func.id[:30]!r}; there are {', '.join(_FUNCTIONS)}")
        return _FUNCTIONS[node.func.id](*map(_value, node.args))
    raise ValueError("only numbers, operators and the named functions are allowed")


def _binary(kind: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(kind, ast.Pow) and _bits(left) * abs(right) > _MOST_BITS:
        raise ValueError("the power is too large")
    if isinstance(kind, ast.Mult) and _bits(left) + _bits(right) > _MOST_BITS:
        raise ValueError("the product is too large")
    return _OPERATORS[type(kind)](left, right)


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 64
