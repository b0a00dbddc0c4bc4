"""Run the Python classes of BFCL's multi-turn questions, and score conversations as BFCL does.

The classes and the two comparisons are those of the installed package `bfcl-eval`; nothing of it is copied. Calls are
never evaluated as code: their names are looked up among the methods of the classes, and their arguments are JSON.

*Source:* `bfcl_eval/eval_checker/multi_turn_eval/multi_turn_checker.py` of the package `bfcl-eval` 2026.3.23.
"""

import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from workbench.chat.message import ToolCall, ToolResult
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.suite.expectation import BfclConversation

_PACKAGE: Final = "bfcl_eval"
_OWN_FOLDER: Final = Path(sys.prefix) / "bfcl"
"""Its dependencies clash with others, so it may be installed into a folder of its own."""
CLASSES: Final = (
    "GorillaFileSystem",
    "MathAPI",
    "MessageAPI",
    "TicketAPI",
    "TradingBot",
    "TravelAPI",
    "TwitterAPI",
    "VehicleControlAPI",
)
"""The classes of multi-turn questions. Others open any address (`WebSearchAPI`) or write files (`MemoryAPI_kv`)."""
_COSTLY: Final = ("logarithm", "multiply", "power", "square_root")
"""Methods of `MathAPI` that a short call keeps busy for hours: `power(9, 9999999999)`."""
_MOST_DIGITS: Final = 10_000
_NEVER: Final = ("kill", "exit", "quit", "remove", "unlink", "popen", "Popen", "run")
"""Names that BFCL does not run."""


class BfclProblem(NamedTuple):
    """Why a conversation is not what BFCL expects."""

    turn: int
    """From 1."""
    reason: str


@cache
def function_docs() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return BFCL's function documents by the name of their class.

    Raises:
        BadInput: The package is not installed.
    """
    folder = Path(str(_module("").__file__)).parent / "data" / "multi_turn_func_doc"
    files = cast(
        Mapping[str, str], _module("constants.executable_backend_config").MULTI_TURN_FUNC_DOC_FILE_MAPPING
    )
    return {
        name: [json.loads(line) for line in (folder / file).read_text(encoding="utf-8").splitlines() if line]
        for name, file in files.items()
        if (folder / file).is_file()
    }


def _module(name: str) -> Any:
    """Return a module of the package."""
    full = f"{_PACKAGE}.{name}" if name else _PACKAGE
    for is_last in (False, True):
        try:
            return import_module(full)
        except ModuleNotFoundError as error:
            if is_last or not _OWN_FOLDER.is_dir() or str(_OWN_FOLDER) in sys.path:
                remedy = f"pip install --no-deps --target {_OWN_FOLDER} bfcl-eval"
                raise BadInput("BFCL's classes", f"bfcl-eval is not installed ({error})", remedy) from error
            sys.path.append(str(_OWN_FOLDER))
    raise AssertionError(full)


class BfclWorld:
    """The instances of BFCL's classes in one conversation. A toolbox; see `workbench.rollout.ports.Toolbox`.

    Raises:
        BadInput: The package is not installed, or has no such class.
    """

    def __init__(self, question: BfclConversation) -> None:
        backends = _module("constants.executable_backend_config")
        self.instances: dict[str, Any] = {}
        self._methods: dict[str, Callable[..., object]] = {}
        for name in question.classes:
            path = backends.CLASS_FILE_PATH_MAPPING.get(name) if name in CLASSES else None
            if path is None:
                problem = f"BFCL's conversations have no class {name[:40]!r}"
                raise BadInput("bfcl_conversation, classes", problem, f"use {', '.join(CLASSES)}")
            instance = getattr(import_module(path), name)()
            if name not in backends.STATELESS_CLASSES:
                instance._load_scenario(
                    deepcopy(question.config.get(name, {})), long_context=question.is_long
                )
            self.instances[name] = instance
            members = inspect.getmembers(instance, predicate=inspect.ismethod)
            self._methods |= {method: call for method, call in members if not method.startswith("_")}

    def call(self, call: ToolCall) -> str:
        """Call a method, and return its result as BFCL writes it. Never raises."""
        try:
            value = self._value(call.name, (), call.arguments)
        except Exception as error:  # noqa: BLE001 - a method may raise anything, and BFCL reports it as the result
            return f"Error during execution: {error}"
        return _result_text(value)

    def _value(self, name: str, arguments: Sequence[object], named: Mapping[str, object]) -> object:
        if name in _NEVER:
            raise ValueError(f"Function call {name} is not allowed.")
        if name not in self._methods:
            raise NameError(f"name {name!r} is not defined")
        method = self._methods[name]
        if name in _COSTLY:
            _refuse_long_numbers(name, arguments, named)
        return method(*arguments, **deepcopy(dict(named)))

    def call_text(self, text: str) -> str:
        """Run a call of a ground truth, such as `sort('report.pdf')`, and return its result."""
        try:
            return _result_text(self._parsed(ast.parse(text.strip(), mode="eval").body))
        except Exception as error:  # noqa: BLE001 - as in `call`
            return f"Error during execution: {error}"

    def _parsed(self, node: ast.AST) -> object:
        """Return the value of a literal or of a call, whose arguments may be calls, too."""
        if not isinstance(node, ast.Call):
            return ast.literal_eval(node)
        if not isinstance(node.func, ast.Name):
            raise TypeError("not a call of a function")
        arguments = [self._parsed(argument) for argument in node.args]
        named = {str(keyword.arg): self._parsed(keyword.value) for keyword in node.keywords}
        return self._value(node.func.id, arguments, named)

    def run(self, call: ToolCall) -> ToolRun:
        """Run one call."""
        return next(self.run_round([call]))

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Run the calls one after the other, because each may change what the next one sees."""
        for call in calls:
            text = self.call(call)
            result = ToolResult(text=text, is_error=text.startswith("Error during execution"))
            yield ToolRun(result=result, milliseconds=0.0)


def _refuse_long_numbers(name: str, arguments: Sequence[object], named: Mapping[str, object]) -> None:
    """Raise ValueError if a result would have over `_MOST_DIGITS` digits, or would be a long text."""
    values = [*arguments, *named.values()]
    last = named.get("exponent", named.get("precision", values[-1] if values else 0))
    base = named.get("base", values[0] if values else 0)
    bits = base.bit_length() if name == "power" and isinstance(base, int) else 4
    is_long = isinstance(last, int) and bits * last > 4 * _MOST_DIGITS and name != "multiply"
    if is_long or any(not isinstance(value, int | float) for value in values):
        raise ValueError(f"{name} has over {_MOST_DIGITS:,} digits, or an argument that is not a number.")


def _result_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        with suppress(TypeError, ValueError):
            return json.dumps(value)
    return str(cast(object, value))


def check_bfcl_conversation(
    question: BfclConversation, turns: Sequence[Sequence[Sequence[ToolCall]]]
) -> BfclProblem | None:
    """Return why a conversation is not what BFCL expects, or None if it is.

    After each turn, the public attributes of all instances must equal those after the ground truth, and the results of
    the ground truth must be among the results so far.

    Args:
        turns: The calls of each completion with calls, by turn.

    Raises:
        BadInput: The package is not installed.
    """
    if len(turns) != len(question.ground_truth):
        return BfclProblem(len(turns), f"{len(turns)} turns, expected {len(question.ground_truth)}")
    checker = _module("eval_checker.multi_turn_eval.multi_turn_checker")
    own, right = BfclWorld(question), BfclWorld(question)
    results: list[str] = []
    for number, (steps, truth) in enumerate(zip(turns, question.ground_truth, strict=True), start=1):
        results += [own.call(call) for step in steps for call in step]
        expected = [right.call_text(text) for text in truth]
        if not truth:
            continue
        if not any(steps):
            return BfclProblem(number, "no tool was called")
        state = checker.state_checker(own.instances, right.instances)
        if not state["valid"]:
            names = ", ".join(state["details"]["differences"])
            return BfclProblem(number, f"{state['error_message']} Attributes: {names}")
        answer = checker.response_checker(results, expected, number - 1)
        if not answer["valid"]:
            return BfclProblem(number, f"no call returned {str(answer['details']['missing_items'])[:200]}")
    return None
