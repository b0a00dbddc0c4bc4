"""Conversations with gold calls, made of the Berkeley function-calling sets.

The sets come with the package `bfcl-eval` (Apache-2.0). Its dependencies clash with ours, so that it is put
into a folder of its own, from where its data is read and nothing imported.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory

CHECKOUT = Path(__file__).parents[1]
FOLDER = Path(sys.prefix) / "bfcl"
SETS = ("simple_python", "parallel", "irrelevance")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "hashmap": "object", "any": None}
"""What the sets write for a `type`, and what JSON Schema calls it; None for no type at all."""


@cache
def data_folder():
    """The folder of the sets; the package is installed into its own folder if it is not there."""
    folder = FOLDER / "bfcl_eval" / "data"
    if not folder.is_dir():
        constraints = str(CHECKOUT / "constraints.txt")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(FOLDER)]
        subprocess.run([*command, "--constraint", constraints, "bfcl-eval"], check=True)
    return folder


def bfcl_rows(name):
    """Each question of a set with its gold calls, `[(name, arguments), …]`; no calls if no call is right."""
    folder = data_folder()
    answers = folder / "possible_answer" / f"BFCL_v4_{name}.json"
    gold = {row["id"]: row["ground_truth"] for row in _lines(answers)} if answers.exists() else {}
    for row in _lines(folder / f"BFCL_v4_{name}.json"):
        yield row, [_call(answer) for answer in gold.get(row["id"], ())]


def bfcl_trajectories(name, *, is_sound=False):
    """Each question of a set as a conversation: the calls, a result for each, an answer.

    Args:
        name: One of `SETS`.
        is_sound: Whether the tools' schemas are made JSON Schema; else they are as the set has them.
    """
    for row, calls in bfcl_rows(name):
        messages = [
            RowMessage(role=Role(one["role"]), parts=(Prose(text=one["content"]),))
            for one in row["question"][0]
        ]
        if calls:
            messages.append(RowMessage(role=Role.ASSISTANT, parts=tuple(calls)))
            messages.extend(
                RowMessage(role=Role.TOOL, parts=(Result(text='{"ok": true}', id=call.id, name=call.name),))
                for call in calls
            )
        answer = "Done." if calls else "None of the tools can do this."
        messages.append(RowMessage(role=Role.ASSISTANT, parts=(Prose(text=answer),)))
        functions = [sound(one) if is_sound else one for one in row["function"]]
        yield Trajectory(
            messages=tuple(messages),
            tools=OfferedTools(specs=tuple(map(ToolSpec.of_function, functions))),
            columns={"id": row["id"], "source": "bfcl"},
        )


def sound(value):
    """`value` with JSON Schema's words for types."""
    if isinstance(value, list):
        return [sound(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {key: sound(inner) for key, inner in value.items()}
    kind = changed.get("type")
    if isinstance(kind, str) and kind in TYPES:
        if TYPES[kind] is None:
            del changed["type"]
        else:
            changed["type"] = TYPES[kind]
    return changed


def _call(answer):
    ((name, choices),) = answer.items()
    # Each argument lists what is right; an empty text among them means that it may be left out.
    arguments = {key: _first(values) for key, values in choices.items() if values and values[0] != ""}
    return Call(name=name, arguments=arguments)


def _first(values):
    """The first right value; objects list the right values of each of their keys."""
    value = values[0]
    if isinstance(value, dict):
        return {
            key: _first(inner) if isinstance(inner, list) and inner else inner for key, inner in value.items()
        }
    return value


def _lines(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


_MODEL = "stand-in"


def ast_checker(folder: Path) -> Callable[[Any, Sequence[Any]], bool]:
    """Return BFCL's checker, without the dependencies of its package."""
    stand_in = ModuleType("bfcl_eval.constants.model_config")
    stand_in.MODEL_CONFIG_MAPPING = {_MODEL: SimpleNamespace(underscore_to_dot=False)}
    sys.modules[stand_in.__name__] = stand_in
    sys.path.insert(0, str(folder))
    try:
        from bfcl_eval.constants.enums import Language
        from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker as check
    finally:
        sys.path.remove(str(folder))
    return lambda answer, calls: check(
        answer.function,
        [{one.name: deepcopy(one.arguments)} for one in calls],  # It compares types, so they must be plain.
        answer.ground_truth,
        Language.PYTHON,
        answer.category,
        _MODEL,
    )["valid"]
