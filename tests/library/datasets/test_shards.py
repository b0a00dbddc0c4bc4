"""Folders of shards give the same result in this process and on Ray."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.ray import on_ray
from tests.trajectory.validate.rows import OPENAI, SHAREGPT, changed
from workbench.cli.app import run
from workbench.errors import BadInput
from workbench.library.datasets.checking import FilesCheck
from workbench.library.datasets.chunks import ChunkRunner, LocalRunner
from workbench.library.datasets.conversion import Conversion, convert_shards, settle_arguments, shard_pairs
from workbench.library.datasets.row_files import shards_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three shards with duplicates within and across them, defects, and unreadable lines."""
    made = tmp_path / "shards"
    made.mkdir()
    chance = random.Random(1)
    for shard in range(3):
        rows = [_row(chance, number) for number in range(70)]
        lines = [json.dumps(row) for row in (*rows, SHAREGPT, rows[0])]
        lines[5:5] = ["{", ""]
        (made / f"part-{shard}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (made / "notes.txt").write_text("no rows")
    return made


def _row(chance: random.Random, number: int) -> dict[str, Any]:
    words = " ".join(
        chance.choices(
            ["paris", "rome", "rain", "sun", "why", "when", "today", "tomorrow", "cold", "warm"], k=30
        )
    )
    row = changed(SHAREGPT if number % 2 else OPENAI, *_question(number), to=words)
    return {**row, "tools": "[{"} if number == 7 else row


def _question(number: int) -> tuple[str | int, ...]:
    return ("conversations", 1, "value") if number % 2 else ("messages", 1, "content")


def checked(folder: Path, runner: ChunkRunner) -> tuple[list[Any], FilesCheck]:
    check = FilesCheck(files=shards_of(str(folder)), runner=runner)
    return list(check.findings()), check


def test_a_folder_means_its_shards_in_order_of_name(folder: Path) -> None:
    assert [Path(one).name for one in shards_of(str(folder))] == [f"part-{shard}.jsonl" for shard in range(3)]
    assert shards_of("-") == ("-",)
    empty = folder / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="it has no files of rows"):
        shards_of(str(empty))


def test_a_folder_is_converted_shard_by_shard(folder: Path, tmp_path: Path) -> None:
    pairs = shard_pairs(str(folder), str(tmp_path / "out"))
    done = list(convert_shards(pairs, settle_arguments(Conversion(write_as="trl"))))
    assert len(done) == 3 * 73
    written = [json.loads(line) for _, target in pairs for line in Path(target).read_text().splitlines()]
    assert len(written) == sum(one.done.is_written for one in done) == 3 * 71
    assert all(
        isinstance(call["function"]["arguments"], str)
        for row in written
        for message in row["messages"]
        for call in message.get("tool_calls", ())
    )


def test_shards_that_would_become_one_file_are_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "part-0.json").write_text("[]")
    with pytest.raises(BadInput, match="two shards would both become"):
        shard_pairs(str(folder), str(tmp_path / "out"))
    with pytest.raises(BadInput, match="also the source"):
        shard_pairs(str(folder), str(folder))


@on_ray
def test_ray_finds_and_writes_the_same(folder: Path, tmp_path: Path, cluster: str) -> None:
    from workbench.library.datasets.chunks import RayRunner

    here, one = checked(folder, LocalRunner())
    there, other = checked(folder, RayRunner(address=cluster))
    assert there == here
    assert {"near-duplicate-row", "shared-row", "duplicate-row"} & {each.finding.code for each in here}
    assert (other.totals.rows, other.totals.facts, other.totals.formats) == (
        one.totals.rows,
        one.totals.facts,
        one.totals.formats,
    )
    wanted = settle_arguments(Conversion(write_as="openai"))
    local, remote = (shard_pairs(str(folder), str(tmp_path / name)) for name in ("local", "remote"))
    assert list(RayRunner(address=cluster).convert(remote, wanted)) == list(convert_shards(local, wanted))
    for (_, mine), (_, theirs) in zip(local, remote, strict=True):
        assert Path(mine).read_bytes() == Path(theirs).read_bytes()


@on_ray
def test_a_truncated_shard_is_reported_by_ray(tmp_path: Path, cluster: str) -> None:
    from workbench.library.datasets.chunks import RayRunner

    broken = tmp_path / "a.jsonl"
    broken.write_bytes(b"\x1f\x8b broken")
    found = list(FilesCheck(files=[str(broken)], runner=RayRunner(address=cluster)).findings())
    assert found == list(FilesCheck(files=[str(broken)]).findings())
    [damage] = [each.finding for each in found if "it is cut off or damaged" in each.finding.message]
    assert damage.code == "unreadable-row"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "x.jsonl", "--address", "ray://a"], "add --engine ray"),
        (["check", "x.jsonl", "--engine", "ray", "--jobs", "2"], "Ray chooses the number of workers"),
        (["convert", "x.jsonl", "--to", "trl", "--out", "y", "--engine", "ray"], "give a folder"),
        (["convert", ".", "--to", "trl", "--out", "y", "--split", "a=0.5,b=0.5"], "split one file"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_text(json.dumps(SHAREGPT))
    monkeypatch.setattr("sys.argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as ended:
        run()
    assert (ended.value.code, said in capsys.readouterr().err) == (2, True)
