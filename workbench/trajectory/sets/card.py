"""The card of a data set: what stands in its README on the hub."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml

from workbench.chat.json_value import JsonObject, as_object


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTerms:
    """What a receipt cannot know."""

    title: str
    """The set's name for people."""
    licence: str
    """As the hub names licences, such as `apache-2.0`."""
    splits: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """File of each split, by the split's name."""


def render_card(receipt: JsonObject, terms: CardTerms) -> str:
    """The card as Markdown with YAML in front. The same receipt and terms give the same text.

    *Source:* `configs` and `license` of the hub's dataset cards.
    """
    front: dict[str, object] = {
        "license": terms.licence,
        "task_categories": ["text-generation"],
        "tags": ["function-calling", "tool-use", *as_object(receipt.get("formats"))],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": path} for split, path in terms.splits.items()],
            }
        ],
    }
    return (
        f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---\n\n"
        f"# {terms.title}\n\n"
        "Conversations with tool calls, written and checked by "
        f"Hermes Workbench {as_object(receipt.get('versions')).get('workbench', '')}.\n\n"
        f"{_counts(receipt)}\n{_contracts(receipt)}"
        "Every row was read back before it was written. `receipt.json` holds the hashes of the files.\n"
    )


def _counts(receipt: JsonObject) -> str:
    formats = ", ".join(as_object(receipt.get("formats"))) or "none"
    lines = [
        ("Rows", f"{receipt.get('rows'):,}"),
        ("Format", formats),
        ("Tools", f"{receipt.get('tools_declared'):,}"),
        ("Calls", f"{receipt.get('calls'):,}"),
        ("Answers without a call", f"{cast(float, receipt.get('no_call_share')):.1%}"),
        ("Answers with parallel calls", f"{cast(float, receipt.get('parallel_share')):.1%}"),
        ("Tools told by", str(receipt.get("template_family") or "the chat template")),
    ]
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in lines)


def _contracts(receipt: JsonObject) -> str:
    contracts = as_object(receipt.get("contracts"))
    if not contracts:
        return ""
    listed = "".join(f"- {name}: {count:,} rows\n" for name, count in contracts.items())
    return f"Contracts that the model was given:\n\n{listed}\n"
