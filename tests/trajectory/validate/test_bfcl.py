"""Rows made from the Berkeley Function Calling Leaderboard: valid rows have no findings, and one defect gives one."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.bfcl import SETS, bfcl_trajectories
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

pytestmark = [pytest.mark.slow, pytest.mark.long]
STEP = 9
"""Every ninth row of each set: about ninety rows of all kinds."""
Row = dict[str, Any]


def findings_of(row: Row, name: str) -> list[RowFinding]:
    return list(check_completely(FORMATS[name].read(row)).findings)


def valid_rows(name: str, *, with_call: bool = False) -> list[Row]:
    trajectories = (
        trajectory for kind in SETS for trajectory in list(bfcl_trajectories(kind, is_sound=True))[::STEP]
    )
    written = (write_row(trajectory, FORMATS[name], RowOptions()).row for trajectory in trajectories)
    rows = [dict(row) for row in written if row is not None and not findings_of(dict(row), name)]
    return [row for row in rows if "tool_call" in json.dumps(row[LIST[name]][1:])] if with_call else rows


LIST = {"sharegpt": "conversations", "openai": "messages"}


@pytest.mark.parametrize("name", ["sharegpt", "hermes-agent", "openai", "trl", "llamafactory", "raw"])
def test_gold_rows_have_only_the_known_findings(name: str) -> None:
    trajectories = [
        trajectory for kind in SETS for trajectory in list(bfcl_trajectories(kind, is_sound=True))[::STEP]
    ]
    found = [
        finding
        for trajectory in trajectories
        if (row := write_row(trajectory, FORMATS[name], RowOptions()).row) is not None
        for finding in findings_of(dict(row), name)
    ]
    assert {finding.code.partition("-")[0] for finding in found} <= {"schema"}
    assert len(found) < len(trajectories) / 20


def speaker(row: Row, who: str) -> int:
    """Return the index of the first entry of a speaker."""
    return next(place for place, trajectory in enumerate(row["conversations"]) if trajectory["from"] == who)


def edited(who: str, change: Callable[[str], str]) -> Callable[[Row], int]:
    def mutate(row: Row) -> int:
        place = speaker(row, who)
        row["conversations"][place]["value"] = change(row["conversations"][place]["value"])
        return place

    return mutate


def renamed(row: Row) -> int:
    place = speaker(row, "gpt")
    entry = row["conversations"][place]
    entry["value"] = entry["value"].replace('{"name": "', '{"name": "un', 1)
    return place


def removed(who: str) -> Callable[[Row], int]:
    def mutate(row: Row) -> int:
        place = speaker(row, who)
        del row["conversations"][place]
        return place

    return mutate


def without_result(row: Row) -> int:
    del row["conversations"][speaker(row, "tool")]
    return speaker(row, "gpt")


def without_answer(row: Row) -> int:
    row["conversations"].pop()
    return len(row["conversations"]) - 1


def doubled(who: str) -> Callable[[Row], int]:
    def mutate(row: Row) -> int:
        place = speaker(row, who)
        row["conversations"].insert(place + 1, copy.deepcopy(row["conversations"][place]))
        return place + 1

    return mutate


def misspoken(row: Row) -> int:
    place = speaker(row, "human")
    row["conversations"][place]["from"] = "person"
    return place


CUT = "</tool_call>"
MUTATIONS: list[tuple[str, Callable[[Row], int]]] = [
    ("undeclared-tool", renamed),
    ("call-not-strict", edited("gpt", lambda text: text.replace("}}", "},}", 1))),
    ("call-not-strict", edited("gpt", lambda text: text.replace('"name"', "'name'", 1))),
    ("call-not-strict", edited("gpt", lambda text: text.replace('"arguments"', '"parameters"', 1))),
    ("call-unreadable", edited("gpt", lambda text: text.replace('"arguments": {', '"arguments": {]', 1))),
    ("call-unreadable", edited("gpt", lambda text: text.replace('"name": ', '"nom": ', 1))),
    ("call-truncated", edited("gpt", lambda text: text[: text.rindex("}}")])),
    ("call-without-result", without_result),
    ("result-without-call", removed("gpt")),
    ("last-not-assistant", without_answer),
    ("role-order", doubled("human")),
    ("role-order", removed("human")),
    ("unknown-role", misspoken),
    ("empty-entry", edited("human", lambda _: "  ")),
    ("empty-entry", edited("gpt", lambda _: "")),
    ("control-mark", edited("human", lambda text: text + "<|im_end|>")),
    ("control-mark", edited("tool", lambda text: text.replace("true", '"</tool_response>"', 1))),
    (
        "call-in-user",
        edited("human", lambda text: f'{text}\n<tool_call>\n{{"name": "f", "arguments": {{}}}}\n{CUT}'),
    ),
    ("placeholder", edited("human", lambda text: text + " {{ name }}")),
    ("secret", edited("human", lambda text: text + " sk-" + "a1B2c3D4e5" * 3)),
    ("personal-data", edited("human", lambda text: text + " ask jane.roe@acme-corp.com")),
    ("tools-mismatch", edited("system", lambda text: text.replace('"name": "', '"name": "other_', 1))),
]


@pytest.fixture(scope="module")
def calling() -> list[Row]:
    rows = valid_rows("sharegpt", with_call=True)
    assert len(rows) > 40
    return rows


@pytest.mark.parametrize(
    ("code", "mutate"), MUTATIONS, ids=[f"{place}-{finding[0]}" for place, finding in enumerate(MUTATIONS)]
)
def test_one_defect_gives_one_finding_in_its_entry(
    calling: list[Row], code: str, mutate: Callable[[Row], int]
) -> None:
    for row in calling:
        broken = copy.deepcopy(row)
        place = mutate(broken)
        assert [(finding.code, finding.entry) for finding in findings_of(broken, "sharegpt")] == [
            (code, place)
        ], broken
