"""Make the receipt of a set of rows, which anyone can reproduce from the files, and the dataset card."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple, cast

import yaml

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on, canonical_json
from workbench.trajectory.declared_tools import lists_tools
from workbench.trajectory.formats.sharegpt import SHAREGPT
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import plain_tools
from workbench.trajectory.system_text import split_system
from workbench.trajectory.validate.check import CheckedRow
from workbench.trajectory.validate.codes import matches_code
from workbench.trajectory.validate.glance import Glance
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.set_facts import SetFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """Values of the dataset card that are not in the receipt."""

    title: str
    licence: str
    """Licence id of the Hugging Face Hub, such as `apache-2.0`."""
    splits: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """File name by split name."""


def render_card(receipt: JsonObject, options: CardOptions) -> str:
    """Return the dataset card: YAML front matter, then Markdown. The same input gives the same text.


    *Source:* `configs` and `license` in https://huggingface.co/docs/hub/datasets-cards.
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
        _listed_by(receipt.get("template_family")),
    ]
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in lines)


def _listed_by(family: JsonValue) -> tuple[str, str]:
    if family == OWN_WORDS:
        return "Tools listed", "in the system texts, in their own words"
    return "Tools listed by", str(family or "the chat template")


def _contracts(receipt: JsonObject) -> str:
    contracts = as_object(receipt.get("contracts"))
    if not contracts:
        return ""
    listed = "".join(
        f"- {name}: {count:,} {'row' if count == 1 else 'rows'}\n" for name, count in contracts.items()
    )
    return f"Contracts used:\n\n{listed}\n"


OWN_WORDS: Final = "own-words"
"""Family of rows whose system text lists the tools, but in the sentences of no known family."""
VERSION: Final = 1
"""Version of the receipt's JSON shape."""


class FileFacts(NamedTuple):
    """Name, hash and size of a file of rows."""

    name: str
    """Without its folder, so that the receipt does not depend on where it was made."""
    sha256: str
    """Of all bytes, hex."""
    size_bytes: int
    rows: int


@dataclass(slots=True)
class Counts:
    """Counts over rows, beside those of `SetFacts`.

    Memory grows with the number of tools and contracts, not with the number of rows.
    """

    formats: Counter[str] = field(default_factory=Counter[str])
    families: Counter[str] = field(default_factory=Counter[str])
    """Rows by the template family whose sentences list the tools, or `OWN_WORDS`; empty name if no system text does."""
    contracts: Counter[str] = field(default_factory=Counter[str])
    """Rows by the contract named in their column `contract`."""
    issues: Counter[str] = field(default_factory=Counter[str])
    ignored: Sequence[str] = ()
    """Codes, or their first words, that do not count as errors."""
    errors: int = 0
    tools: set[str] = field(default_factory=set[str])
    """SHA-256 (hex) of each distinct tool spec's canonical JSON."""

    def add(self, checked: CheckedRow) -> None:
        """Count one row with its findings."""
        content = checked.content
        if isinstance(content, Glance):
            self._add_glance(content)
        else:
            self._add_parsed(content)
            self.add_findings(checked.findings)

    def extend(self, other: "Counts") -> None:
        """Add the counts over other rows."""
        self.formats.update(other.formats)
        self.families.update(other.families)
        self.contracts.update(other.contracts)
        self.issues.update(other.issues)
        self.errors += other.errors
        self.tools |= other.tools

    def _add_parsed(self, parsed: ParsedRow) -> None:
        row = parsed.row
        self.formats[row.format] += 1
        self.tools.update(map(_hash_of, plain_tools(row.tools).specs))
        self.families[_family(row)] += 1
        if contract := _contract(row.columns):
            self.contracts[contract] += 1

    def _add_glance(self, glance: Glance) -> None:
        self.formats[SHAREGPT.name] += 1
        self.tools.update(map(_hash_of, plain_tools(glance.beginning.tools).specs))
        self.families[_family_of(glance.beginning.system, glance.beginning.tools)] += 1
        if contract := _contract(glance.row):
            self.contracts[contract] += 1

    def add_findings(self, findings: Iterable[RowFinding]) -> None:
        """Count findings, including those of unreadable rows and of the whole set."""
        for finding in findings:
            self.issues[finding.code] += 1
            is_error = finding.severity is Severity.ERROR and not matches_code(finding.code, self.ignored)
            self.errors += is_error


def receipt_of(
    counts: Counts, facts: SetFacts, files: Sequence[FileFacts], versions: Mapping[str, str]
) -> JsonObject:
    """Return the receipt as JSON. The caller must make sure that the rows have no errors.

    Args:
        counts: Counts over all rows of all files.
        facts: What the check counted in the same rows.
        files: The files, in the order in which they were named.
        versions: Versions of the programs that made the rows, by name.
    """
    listed: list[JsonValue] = [{**file._asdict()} for file in files]
    return {
        "receipt": VERSION,
        "files": listed,
        "rows": facts.rows,
        "formats": _sorted(counts.formats),
        "template_family": _only(counts.families),
        "tools_fingerprint": sha256(
            "\n".join(sorted(counts.tools)).encode(errors="surrogatepass")
        ).hexdigest(),
        "tools_declared": len(counts.tools),
        "assistant_messages": facts.entries,
        "calls": facts.calls.total(),
        "no_call_share": _share(facts.entries_without_call, facts.entries),
        "parallel_share": _share(facts.parallel_entries, facts.entries),
        "contracts": _sorted(counts.contracts),
        "issues": _sorted(counts.issues),
        **({"ignored": list(counts.ignored)} if counts.ignored else {}),
        "versions": dict(sorted(versions.items())),
    }


def _family(row: TrainingRow) -> str:
    for entry in row.entries:
        if entry.role is Role.SYSTEM and (family := _family_of(entry.text, row.tools)):
            return family
    return ""


def _family_of(text: str, tools: OfferedTools) -> str:
    frame = split_system(text).frame.removeprefix("template-")
    return frame or (OWN_WORDS if text and lists_tools(text, tools) else "")


def _only(families: Counter[str]) -> str | None:
    """Return the family that all rows share, `mixed` if there are several, or None if no row lists tools."""
    names = set(families) - {""}
    return "mixed" if len(names) > 1 else next(iter(names), None)


def _contract(columns: Mapping[str, JsonValue]) -> str:
    """Return the contract of a row: its name, with version or fingerprint if the row has them."""
    contract = columns.get("contract")
    if isinstance(contract, str):
        return contract
    fields = as_object(contract)
    parts = [fields.get(key) for key in ("name", "version", "fingerprint")]
    return " ".join(str(part) for part in parts if part not in (None, ""))


def _hash_of(spec: ToolSpec) -> str:
    """Return the SHA-256 (hex) of a spec's canonical JSON."""
    return cached_on(spec, "_canonical_hash", lambda spec: _hash(canonical_json(spec.document)))


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _share(count: int, of: int) -> float:
    return round(count / of, 4) if of else 0.0


def _sorted(counts: Counter[str]) -> JsonObject:
    return dict(sorted(counts.items()))
