"""One row, held against every rule."""

from collections.abc import Iterator
from typing import Final

from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.validate.calls import call_findings
from workbench.trajectory.validate.declared import declared_findings
from workbench.trajectory.validate.order import empty_findings, end_findings, order_findings
from workbench.trajectory.validate.pairing import pairing_findings
from workbench.trajectory.validate.seen import SeenRow, see
from workbench.trajectory.validate.texts import secret_findings, text_findings

_RULES: Final = (empty_findings, end_findings, call_findings, text_findings)


def check_row(row: TrainingRow) -> tuple[RowFinding, ...]:
    """All that is wrong with a row by itself, in the order of its entries; what is said of the row, first.

    Where the speakers are out of order, calls and results are not paired: that would tell one fault again.
    """
    return check_seen(see(row))


def check_seen(seen: SeenRow, *, finds_secrets: bool = True) -> tuple[RowFinding, ...]:
    """As `check_row`, of a row whose texts are read; without `finds_secrets` these are not looked for."""
    findings = [*_all(seen), *(secret_findings(seen) if finds_secrets else ())]
    findings.sort(key=lambda finding: -1 if finding.entry is None else finding.entry)
    return tuple(findings)


def _all(seen: SeenRow) -> Iterator[RowFinding]:
    yield from _of_format(seen)
    yield from declared_findings(seen.row)
    disorder = tuple(order_findings(seen))
    yield from disorder or pairing_findings(seen)
    for rule in _RULES:
        yield from rule(seen)


def _of_format(seen: SeenRow) -> Iterator[RowFinding]:
    """What the format could not read, but for arguments that a tolerant reader can."""
    mended = {
        call.given.arguments_pointer
        for one in seen.entries
        for call in one.calls
        if call.given and call.repairs
    }
    for finding in seen.row.findings:
        if finding.code != "call-unreadable" or finding.pointer not in mended:
            yield finding
