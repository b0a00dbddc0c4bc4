"""Load the rows of `tests/corpus/prompts.jsonl` and render them."""

import json
from pathlib import Path
from typing import Any

from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.render import render
from workbench.toolspec.spec import OfferedTools, ToolSpec

CORPUS = Path(__file__).parent.parent / "corpus" / "prompts.jsonl"
Row = dict[str, Any]

ROWS: list[Row] = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
assert ROWS, f"{CORPUS} is empty"


def row_id(row: Row) -> str:
    return f"{row['family']}-{row['case']}"


def offered(row: Row) -> OfferedTools:
    return OfferedTools(specs=tuple(ToolSpec(document=document) for document in row["tools"] or ()))


def rendered(row: Row, **options: Any) -> Prompt:
    read = parse_messages(row["messages"])
    return render(
        read.conversation,
        family=options.pop("family", row["family"]),
        has_contract=False,
        tools=offered(row),
        generation_prompt=row["add_generation_prompt"],
        **options,
    )
