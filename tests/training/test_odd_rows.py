"""What `check` has no errors for is loaded by `datasets` and trained on by TRL, also if the rows are odd."""

import json
from collections import deque

import pytest

from tests.training.test_trainers import datasets, one_step, pytestmark  # noqa: F401  the marks of this file
from workbench.chat.finding import Severity
from workbench.library.datasets.checking import FilesCheck
from workbench.library.datasets.conversion import Conversion, convert_file
from workbench.trajectory.writing.row_draft import RowOptions


def spec(name, **properties):
    parameters = {"type": "object", "properties": properties, "additionalProperties": True}
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}}


def row(*arguments, question="How much?", answer="So much.", tools=True, mask=None, **more):
    """A row with these calls at once, whose answer has the mask `mask`."""
    calls = [
        {"id": f"c{place}", "type": "function", "function": {"name": "f", "arguments": given}}
        for place, given in enumerate(arguments)
    ]
    asked = [{"role": "assistant", "content": None, "tool_calls": calls}] if calls else []
    results = [
        {"role": "tool", "tool_call_id": call["id"], "name": "f", "content": json.dumps({"ok": place})}
        for place, call in enumerate(calls)
    ]
    last = {"role": "assistant", "content": answer, **({} if mask is None else {"weight": mask})}
    fields = {"messages": [{"role": "user", "content": question}, *asked, *results, last], **more}
    return {**fields, "tools": [spec("f", a={}), spec("größe", 漢={"type": "string"})]} if tools else fields


PLAIN = [
    row({"a": 1, "b": None}, mask=0),
    row({"a": "x", "c": [1, "two", {"three": 3.5}]}, mask=1, source="web"),
    row({}, {"a": {"deep": [[1], []]}}, question="中文 😀\u2028\u200b Größe?", answer="Привет \U0001f1e9"),
    row({"ключ": "значение", "🔑": True}, source="file", score=0.5),
    row(tools=False, question="No tools?", answer="None.", mask=1),
    row({"a": 2**62, "b": -1e-300, "c": ""}, note={"by": ["ann", None]}),
    row({"a": False}, answer='<b>&amp;</b> {not} a `template` \\ "quoted"', score=1),
    row({"a": "</p>\n" * 3}, note={"by": "ben"}),
]
BIG = [*PLAIN, row({"a": 10**30})]


def converted(folder, rows, form, suffix):
    """Write the rows in a format, and check what was written."""
    source, target = folder / "in.jsonl", folder / f"out{suffix}"
    source.write_text("".join(json.dumps(one) + "\n" for one in rows))
    options = RowOptions(label=True) if form == "kto" else RowOptions()
    done = deque(convert_file(str(source), str(target), Conversion(write_as=form, row_options=options)))
    assert [one.problems for one in done if not one.is_written] == []
    errors = [
        item for item in FilesCheck(files=[str(target)]).findings() if item.finding.severity is Severity.ERROR
    ]
    assert errors == []
    return target


def preferred(one):
    """Return a row of two answers."""
    *prompt, answer = one["messages"]
    other = {"role": "assistant", "content": "I do not know."}
    more = {key: value for key, value in one.items() if key != "messages"}
    return {"prompt": prompt, "chosen": [answer], "rejected": [other], **more}


TRAINERS = {
    "trl": "SFT",
    "openai": "SFT",
    "hermes-messages": "SFT",
    "raw": "SFT",
    "dpo": "DPO",
    "kto": "KTO",
}
"""The trainer of TRL for each format that it takes."""


@pytest.mark.parametrize(
    ("form", "rows", "suffix"),
    [
        ("trl", PLAIN, ".parquet"),
        ("trl", BIG, ".jsonl"),
        *[(form, *file) for form in TRAINERS for file in ((PLAIN, ".jsonl"), (BIG, ".parquet"))],
    ],
)
def test_odd_rows_are_loaded_and_trained_on(tiny_base, tmp_path, form, rows, suffix):
    file = converted(tmp_path, map(preferred, rows) if form == "dpo" else rows, form, suffix)
    kind = "parquet" if suffix == ".parquet" else "json"
    loaded = datasets.load_dataset(kind, data_files=str(file), split="train", cache_dir=str(tmp_path))
    assert len(loaded) == len(rows)
    assert one_step(tiny_base, tmp_path, loaded, TRAINERS[form]) > 0
