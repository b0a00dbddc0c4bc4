"""`python -c` with a script that only computes and prints."""

import ast
import sys
from collections.abc import Sequence
from typing import Final

_NODES: Final = (
    ast.Module,
    ast.Import,
    ast.alias,
    ast.Expr,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.List,
    ast.Tuple,
    ast.Compare,
    ast.cmpop,
    ast.Subscript,
    ast.Slice,
)
_FUNCTIONS: Final = frozenset(
    {
        "print",
        "len",
        "sum",
        "min",
        "max",
        "sorted",
        "str",
        "int",
        "float",
        "round",
        "repr",
        "abs",
        "hex",
        "bin",
        "ord",
        "chr",
        "bool",
    }
)
_SHOWN_NAMES: Final = frozenset({"__version__", "__file__", "__name__", "__doc__"})
_LARGEST: Final = 10_000
_LONGEST: Final = 500


def prints_only(arguments: Sequence[str]) -> bool:
    """Whether the arguments are `-c` and a script without calls but those of a few functions.

    >>> prints_only(["-c", "import sys; print(sys.version)"])
    True
    >>> prints_only(["-c", "import os; os.system('ls')"])
    False
    """
    if len(arguments) != 2 or arguments[0] != "-c" or len(arguments[1]) > _LONGEST:
        return False
    try:
        tree = ast.parse(arguments[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(_is_plain(node) for node in ast.walk(tree))


def _is_plain(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in _FUNCTIONS
        case ast.Call():
            return False
        case ast.Attribute(attr=name):
            return not name.startswith("_") or name in _SHOWN_NAMES
        case ast.Name(id=name):
            return not name.startswith("_")
        case ast.alias(name=name, asname=None):
            # Modules of the standard library that do nothing when they are imported.
            return name in sys.stdlib_module_names and name not in (
                "antigravity",
                "this",
                "idlelib",
                "turtledemo",
            )
        case ast.BinOp(op=ast.Pow() | ast.LShift() | ast.Mult()):
            return (
                isinstance(node.right, ast.Constant)
                and isinstance(node.right.value, int)
                and node.right.value < _LARGEST
            )
        case _:
            return isinstance(node, _NODES)
