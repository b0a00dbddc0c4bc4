"""Members of entries and calls that the format does not know are in Parquet, too."""

from pathlib import Path
from typing import Any

from workbench.library.datasets.parquet import read_parquet, write_parquet


def written(tmp_path: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    file = tmp_path / "rows.parquet"
    write_parquet(file, lambda: rows)
    return [dict(row.fields) for row in read_parquet(str(file)) if isinstance(row.fields, dict)]


def test_values_keep_their_types_and_big_integers_are_text(tmp_path: Path) -> None:
    first = {
        "role": "user",
        "content": "Hi",
        "name": "ann",
        "rating": 5,
        "mixed": 1,
        "metadata": {"x": [1.0]},
    }
    second = {
        "role": "assistant",
        "content": "Yo",
        "mixed": "one",
        "big": 2**70,
        "is_good": True,
        "weight": 0,
    }
    (row,) = written(tmp_path, {"messages": [first, second]})
    read = [
        {key: value for key, value in message.items() if value is not None} for message in row["messages"]
    ]
    assert read[0] == first
    assert read[1] == {**second, "big": str(2**70)}


def test_members_of_calls_are_written(tmp_path: Path) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "x"}},
    }
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [call, {**call, "extra_content": None, "n": 2}],
    }
    (row,) = written(tmp_path, {"messages": [message]})
    calls = row["messages"][0]["tool_calls"]
    assert [one["extra_content"] for one in calls] == [{"google": {"thought_signature": "x"}}, None]
    assert [one["n"] for one in calls] == [None, 2]


def test_rows_without_other_members_have_the_columns_of_their_format(tmp_path: Path) -> None:
    (row,) = written(tmp_path, {"conversations": [{"from": "human", "value": "Hi"}]})
    assert row == {"conversations": [{"from": "human", "value": "Hi", "weight": None}]}
