"""`workbench mix` writes rows of several files into one, with a receipt that names its parents."""

import gzip
import json
from collections import Counter
from hashlib import sha256

import pytest

from tests.cli.rows.test_convert import fields, openai


@pytest.fixture
def sets(tmp_path):
    """Two files of OpenAI's format, with 20 and 6 rows."""
    return [
        write(tmp_path / "first.jsonl", [openai(n, a=n) for n in range(20)]),
        write(tmp_path / "second.jsonl", [openai(n, a=n) for n in range(100, 106)]),
    ]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def numbers(path):
    return [row["number"] for row in fields(path)]


def receipt_of(path):
    return json.loads(path.read_text())


def test_rows_are_taken_by_weight_and_the_receipt_names_the_parents(run_cli, sets, tmp_path):
    out = tmp_path / "mix.jsonl"
    done = run_cli("mix", *sets, "--weights", "0.5,2", "--seed", 3, "--out", out)
    assert (done.code, done.out) == (0, "")
    assert f"{sets[0]}: 10 taken of 20\n{sets[1]}: 12 taken of 6\n22 rows written" in done.err
    times = Counter(numbers(out))
    assert {times[number] for number in range(100, 106)} == {2}
    assert sum(times[number] for number in range(20)) == 10
    assert max(times[number] for number in range(20)) == 1
    receipt = receipt_of(tmp_path / "mix.receipt.json")
    assert receipt["mix"] == {
        "parents": [
            {
                "path": str(path),
                "sha256": sha256(path.read_bytes()).hexdigest(),
                "format": "openai",
                "rows": rows,
                "weight": weight,
                "taken": taken,
            }
            for path, rows, weight, taken in zip(sets, (20, 6), (0.5, 2.0), (10, 12), strict=True)
        ],
        "seed": 3,
    }
    assert receipt["files"] == [
        {
            "name": "mix.jsonl",
            "sha256": sha256(out.read_bytes()).hexdigest(),
            "size_bytes": out.stat().st_size,
            "rows": 22,
        }
    ]
    assert receipt["rows"] == 22
    assert receipt["issues"] == {"duplicate-row": 6}


def test_a_seed_decides_the_mix(run_cli, sets, tmp_path):
    outs = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        outs.append(tmp_path / f"{name}.jsonl")
        assert run_cli("mix", *sets, "--weights", "0.5,1", "--seed", seed, "--out", outs[-1]).code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()
    assert numbers(outs[0]) != sorted(numbers(outs[0]))


def test_without_weights_every_row_is_taken_once_byte_for_byte(run_cli, sets, tmp_path):
    lines = [line for path in sets for line in path.read_bytes().splitlines()]
    sets[1].write_bytes(sets[1].read_bytes().replace(b'": ', b'" :  '))
    lines[20:] = sets[1].read_bytes().splitlines()
    assert run_cli("mix", *sets, "--out", tmp_path / "mix.jsonl").code == 0
    mixed = (tmp_path / "mix.jsonl").read_bytes().splitlines()
    assert sorted(mixed) == sorted(lines)
    assert mixed != lines
    assert [line for line in mixed if line in lines[:20]] == lines[:20]


def test_shares_take_as_many_rows_as_they_can_without_a_row_twice(run_cli, sets, tmp_path):
    done = run_cli("mix", *sets, "--shares", "60,40", "--out", tmp_path / "mix.jsonl", "--json")
    assert done.code == 0
    [receipt] = map(json.loads, done.out.splitlines())
    assert [parent["taken"] for parent in receipt["mix"]["parents"]] == [9, 6]
    assert receipt["mix"]["shares"] == [60.0, 40.0]
    assert set(Counter(numbers(tmp_path / "mix.jsonl")).values()) == {1}


def test_gzip_and_parquet_are_mixed_too(run_cli, sets, tmp_path):
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(sets[1].read_bytes()))
    assert run_cli("mix", sets[0], packed, "--out", tmp_path / "mix.parquet").code == 0
    assert sorted(numbers(tmp_path / "mix.parquet")) == [*range(20), *range(100, 106)]
    receipt = receipt_of(tmp_path / "mix.receipt.json")
    assert receipt["files"][0]["sha256"] == sha256((tmp_path / "mix.parquet").read_bytes()).hexdigest()
    assert receipt["rows"] == 26
    done = run_cli("mix", tmp_path / "mix.parquet", "--weights", "0.5", "--out", tmp_path / "half.jsonl.gz")
    assert done.code == 0
    assert len(numbers(tmp_path / "half.jsonl.gz")) == 13


def test_files_of_different_formats_are_refused_unless_they_are_converted(run_cli, sets, tmp_path):
    other = tmp_path / "s.jsonl"
    assert run_cli("convert", sets[1], "--to", "sharegpt", "--out", other).code == 0
    done = run_cli("mix", sets[0], other, "--out", tmp_path / "mix.jsonl")
    assert done.code == 2
    assert (
        f"the formats differ: {sets[0]} is openai, {other} is sharegpt (convert all rows with --to"
        in done.err
    )
    assert not (tmp_path / "mix.jsonl").exists()
    done = run_cli("mix", sets[0], other, "--to", "sharegpt", "--out", tmp_path / "mix.jsonl")
    assert done.code == 0
    assert "lost: ids 20\n" in done.err
    receipt = receipt_of(tmp_path / "mix.receipt.json")
    assert receipt["formats"] == {"sharegpt": 26}
    assert receipt["mix"]["converted_to"] == "sharegpt"
    assert receipt["mix"]["losses"] == {"ids": 20}
    strict = run_cli(
        "mix", sets[0], other, "--to", "sharegpt", "--strict", "--out", tmp_path / "strict.jsonl"
    )
    assert strict.code == 2
    assert "the format would lose: ids" in strict.err
    assert not (tmp_path / "strict.jsonl").exists()


def test_rows_with_errors_are_not_mixed(run_cli, sets, tmp_path):
    bad = openai(200, a=1)
    del bad["messages"][2]
    write(sets[1], [bad])
    done = run_cli("mix", *sets, "--out", tmp_path / "mix.jsonl")
    assert done.code == 2
    assert "the rows have errors, so nothing was written" in done.err
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["first.jsonl", "second.jsonl"]
    sets[1].write_text("{}\n")
    done = run_cli("mix", *sets, "--out", tmp_path / "mix.jsonl")
    assert (done.code, f"{sets[1]}:1: " in done.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["{0}", "{0}", "--out", "{out}"], "the file is given twice"),
        (["{0}", "-", "--out", "{out}"], "name files instead of -"),
        (["{0}", "--out", "-"], "name files instead of -"),
        (["{0}", "{1}", "--out", "{0}"], "this is one of the files to mix"),
        (["{0}", "{1}", "--out", "{out}", "--weights", "1"], "1 for 2 files"),
        (["{0}", "--out", "{out}", "--weights", "1", "--shares", "1"], "cannot be used with --weights"),
        (["{0}", "--out", "{out}", "--to", "glaive"], "no format with this name can be written"),
        (["{0}", "{empty}", "--out", "{out}"], "it has no rows"),
        (["{0}", "{missing}", "--out", "{out}"], "No such file"),
    ],
)
def test_bad_input_is_refused(run_cli, sets, tmp_path, arguments, problem):
    (tmp_path / "empty.jsonl").touch()
    names = {
        "out": tmp_path / "out.jsonl",
        "empty": tmp_path / "empty.jsonl",
        "missing": tmp_path / "no.jsonl",
    }
    done = run_cli("mix", *(argument.format(*sets, **names) for argument in arguments))
    assert done.code == 2
    assert problem in done.err
    assert not (tmp_path / "out.jsonl").exists()
