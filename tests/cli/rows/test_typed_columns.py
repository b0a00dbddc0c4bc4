"""Parquet keeps the types of arguments and every member of an entry, for this product and for `datasets`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest

from workbench.library.datasets.row_files import read_rows

ARGUMENTS = [{"a": 1, "b": [1.0, None]}, {"a": "x"}, {}, {"a": {"c": True}, "é": "漢"}]


def row(arguments: object, **more: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    return {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": None, "tool_calls": [call], **more},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
    }


ROWS = [row(arguments) for arguments in ARGUMENTS]


def converted(run_cli: Callable[..., Any], folder: Path, rows: list[dict[str, Any]], *options: str) -> Any:
    (folder / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    done = run_cli("convert", folder / "in.jsonl", "--out", folder / "out.parquet", *options)
    assert done.code == 0, done.err
    return done


def loaded(folder: Path) -> list[dict[str, Any]]:
    return list(
        datasets.load_dataset(
            "parquet", data_files=str(folder / "out.parquet"), split="train", cache_dir=str(folder)
        )
    )


@pytest.mark.parametrize("options", [(), ("--arguments", "object")])
def test_arguments_keep_their_types(
    options: tuple[str, ...], run_cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = converted(run_cli, tmp_path, ROWS, "--to", "trl", *options)
    assert "arguments-as-text" not in done.err
    calls = [one["messages"][1]["tool_calls"][0] for one in loaded(tmp_path)]
    assert [call["function"]["arguments"] for call in calls] == ARGUMENTS
    again = [one.fields["messages"][1]["tool_calls"][0] for one in read_rows(str(tmp_path / "out.parquet"))]
    assert [call["function"]["arguments"] for call in again] == ARGUMENTS


def test_text_is_named_with_the_templates_that_it_breaks(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    big = [*ROWS, row({"a": 10**30})]
    done = converted(run_cli, tmp_path, big, "--to", "trl")
    assert "added: arguments-as-text 5" in done.err and "Qwen2.5's template encodes text" in done.err
    calls = [one["messages"][1]["tool_calls"][0] for one in loaded(tmp_path)]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == [*ARGUMENTS, {"a": 10**30}]


def test_openai_s_format_has_text_without_a_word(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    done = converted(run_cli, tmp_path, ROWS, "--to", "openai")
    assert "arguments-as-text" not in done.err
    calls = [one["messages"][1]["tool_calls"][0] for one in loaded(tmp_path)]
    assert [json.loads(call["function"]["arguments"]) for call in calls] == ARGUMENTS


def test_members_that_no_format_knows_keep_their_types(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    rows = [row({}, rating=5), row({}, rating="good", metadata={"x": [1]}), row({})]
    converted(run_cli, tmp_path, rows, "--to", "trl")
    given = [
        {key: value for key, value in one["messages"][1].items() if key in ("rating", "metadata")}
        for one in loaded(tmp_path)
    ]
    assert given == [
        {"rating": 5, "metadata": None},
        {"rating": "good", "metadata": {"x": [1]}},
        {"rating": None, "metadata": None},
    ]


def test_standard_input_is_written_as_text_and_says_so(run_cli: Callable[..., Any], tmp_path: Path) -> None:
    done = run_cli("convert", "-", "--to", "trl", "--out", tmp_path / "out.jsonl", stdin=json.dumps(ROWS[0]))
    assert "added: arguments-as-text 1" in done.err
