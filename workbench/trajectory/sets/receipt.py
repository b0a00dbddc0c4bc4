"""The receipt of a set of rows, reproducible from its files, and the dataset card."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple, cast

import yaml

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.toolspec.spec import canonical_json
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.system_text import split_system
from workbench.trajectory.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """What a receipt cannot know."""

    title: str
    """The set's name for people."""
    licence: str
    """As the hub names licences, such as `apache-2.0`."""
    splits: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """File of each split, by the split's name."""


def render_card(receipt: JsonObject, options: CardOptions) -> str:
    """The card as Markdown with YAML in front. The same receipt and terms give the same text.

    *Source:* `configs` and `license` of the hub's dataset cards.
    """
    front: dict[str, object] = {
        "license": options.licence,
        "task_categories": ["text-generation"],
        "tags": ["function-calling", "tool-use", *as_object(receipt.get("formats"))],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": path} for split, path in options.splits.items()],
            }
        ],
    }
    return (
        f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True)}---\n\n"
        f"# {options.title}\n\n"
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


VERSION: Final = 1
"""Of the document's shape."""

RowCheck = Callable[[TrainingRow], Iterable[RowFinding]]
"""Everything that is wrong with one row."""


class FileFacts(NamedTuple):
    """One file of rows."""

    name: str
    """Without its folder: a receipt does not depend on where it was made."""
    sha256: str
    """Of all its bytes, hex."""
    size_bytes: int
    rows: int


@dataclass(slots=True)
class Counts:
    """What was counted so far; memory grows with the number of tools and contracts, not of rows."""

    check: RowCheck
    """Finds what is wrong with a row."""
    rows: int = 0
    assistant_messages: int = 0
    without_call: int = 0
    """Messages of the model that call nothing."""
    calls: int = 0
    parallel: int = 0
    """Messages of the model with two calls or more."""
    formats: Counter[str] = field(default_factory=Counter[str])
    families: Counter[str] = field(default_factory=Counter[str])
    """Rows by the sentences that tell of tools; empty name where none do."""
    contracts: Counter[str] = field(default_factory=Counter[str])
    """Rows by their column `contract`."""
    issues: Counter[str] = field(default_factory=Counter[str])
    errors: int = 0
    tools: set[str] = field(default_factory=set[str])
    """SHA-256 (hex) of each distinct tool spec's canonical JSON."""

    def add(self, row: TrainingRow) -> None:
        """Count one row."""
        self.rows += 1
        self.formats[row.format] += 1
        self.add_findings(self.check(row))
        trajectory = read_trajectory(row).trajectory
        self._add_messages(trajectory)
        self.tools.update(_hash(canonical_json(spec.document)) for spec in trajectory.tools.specs)
        self.families[_family(row)] += 1
        if contract := _contract(row.columns):
            self.contracts[contract] += 1

    def add_findings(self, findings: Iterable[RowFinding]) -> None:
        """Count findings, also those of rows that could not be read, and of the set."""
        for finding in findings:
            self.issues[finding.code] += 1
            self.errors += finding.severity is Severity.ERROR

    def _add_messages(self, trajectory: Trajectory) -> None:
        for message in trajectory.messages:
            if message.role is Role.ASSISTANT:
                count = len(message.calls)
                self.assistant_messages += 1
                self.calls += count
                self.without_call += count == 0
                self.parallel += count > 1


def receipt_of(counts: Counts, files: Sequence[FileFacts], versions: Mapping[str, str]) -> JsonObject:
    """The document; for sets without errors only, which is the caller's to hold.

    Args:
        counts: All rows of all files.
        files: In the order in which they were named.
        versions: Of whatever made it, by name.
    """
    listed: list[JsonValue] = [{**one._asdict()} for one in files]
    return {
        "receipt": VERSION,
        "files": listed,
        "rows": counts.rows,
        "formats": _sorted(counts.formats),
        "template_family": _only(counts.families),
        "tools_fingerprint": sha256(
            "\n".join(sorted(counts.tools)).encode(errors="surrogatepass")
        ).hexdigest(),
        "tools_declared": len(counts.tools),
        "assistant_messages": counts.assistant_messages,
        "calls": counts.calls,
        "no_call_share": _share(counts.without_call, counts.assistant_messages),
        "parallel_share": _share(counts.parallel, counts.assistant_messages),
        "contracts": _sorted(counts.contracts),
        "issues": _sorted(counts.issues),
        "versions": dict(sorted(versions.items())),
    }


def _family(row: TrainingRow) -> str:
    for entry in row.entries:
        if entry.role is Role.SYSTEM and (frame := split_system(entry.text).frame):
            return frame.removeprefix("template-")
    return ""


def _only(families: Counter[str]) -> str | None:
    """The one family of all rows; `mixed` where there are several, None where none tells of tools."""
    names = set(families) - {""}
    return "mixed" if len(names) > 1 else next(iter(names), None)


def _contract(columns: Mapping[str, JsonValue]) -> str:
    """The contract that a row was made under: a name, or name and version or fingerprint."""
    given = columns.get("contract")
    if isinstance(given, str):
        return given
    fields = as_object(given)
    parts = [fields.get(key) for key in ("name", "version", "fingerprint")]
    return " ".join(str(part) for part in parts if part not in (None, ""))


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _share(count: int, of: int) -> float:
    return round(count / of, 4) if of else 0.0


def _sorted(counts: Counter[str]) -> JsonObject:
    return dict(sorted(counts.items()))
