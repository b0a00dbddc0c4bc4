"""`workbench check` and `workbench convert` take a file with rows of many shapes."""

import json

import pytest

from tests.trajectory.formats.shapes import SHAPES


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for _format, row in SHAPES.values()), encoding="utf-8")
    return path


def test_all_shapes_of_a_conversation_are_the_same_conversation(run_cli, rows):
    done = run_cli("check", rows, "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert {finding["code"] for finding in found["findings"]} == {"duplicate-row"}
    assert len(found["findings"]) == len(SHAPES) - 1


def test_all_shapes_are_converted_to_the_same_texts(run_cli, rows, tmp_path):
    written = tmp_path / "written.jsonl"
    done = run_cli("convert", rows, "--to", "sharegpt", "--out", written)
    assert done.code == 0
    texts = {
        tuple(entry["value"] for entry in json.loads(line)["conversations"][1:])
        for line in written.read_text("utf-8").splitlines()
    }
    assert len(texts) == 1


@pytest.mark.parametrize("name", ["anthropic", "responses", "langchain-lc", "log", "swift"])
def test_a_shape_can_be_chosen_by_name(run_cli, tmp_path, name):
    row_format, row = SHAPES[name]
    path = tmp_path / "row.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert run_cli("check", path, "--format", row_format).code == 0
    wrong = run_cli("check", path, "--format", "xlam")
    assert wrong.code == 1
