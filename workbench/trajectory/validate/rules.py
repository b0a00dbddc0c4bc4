"""The rules of the validator: what each can find, and a cheap question that shows whether it may find anything.

A row is checked in two steps. `is_surely_valid_row` asks each rule its question about a `Glance` of the row. If all
answer no, the row has no findings. Otherwise `findings_of` parses the row and runs every finder. A rule without a
question is always run, so a new rule is correct at once and fast later.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.arguments import call_findings, form_findings
from workbench.trajectory.validate.call_forms import (
    argument_form_findings,
    prose_call_findings,
    repeated_call_findings,
)
from workbench.trajectory.validate.codes import RowCode, row_code
from workbench.trajectory.validate.column_values import column_findings
from workbench.trajectory.validate.damage import damage_findings, may_be_damaged
from workbench.trajectory.validate.declared import declared_findings
from workbench.trajectory.validate.glance import Beginning, Finder, Glance
from workbench.trajectory.validate.loading import is_loadable, is_loadable_text, loading_findings, may_hide
from workbench.trajectory.validate.pairing import (
    answer_findings,
    empty_findings,
    end_findings,
    order_findings,
    pairing_findings,
    thought_findings,
)
from workbench.trajectory.validate.parsed_row import ParsedRow
from workbench.trajectory.validate.plain_values import fits_columns
from workbench.trajectory.validate.secrets import may_have_secrets, secrets_in
from workbench.trajectory.validate.text_rules import has_placeholder, secret_findings, text_findings


def _always(_: Glance) -> bool:
    return True


def _never(_: Glance) -> bool:
    return False


class Rule(NamedTuple):
    """One rule about a row."""

    codes: tuple[RowCode, ...]
    """What it can find, with severities. The rule about calls also gives the reader's `schema-…` codes."""
    find: Finder
    """Yields the findings of a parsed row."""
    may_find: Callable[[Glance], bool] = _always
    """Whether it may find anything in a row that looks like this. False must be certain."""


def _rule(words: str, find: Finder, may_find: Callable[[Glance], bool] = _always) -> Rule:
    return Rule(tuple(map(row_code, words.split())), find, may_find)


def _format_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield the findings of the format, except for arguments that the tolerant reader can repair."""
    entries = parsed.entries
    if parsed.row.findings:
        entries += parsed.rejected
    given = [call for entry in entries for call in entry.calls if call.given and call.given.problem]
    repairable = {call.given.arguments_pointer for call in given if call.given and call.repairs}
    # Calls of one text share their pointer.
    repairable -= {call.given.arguments_pointer for call in given if call.given and not call.repairs}
    for finding in parsed.row.findings:
        if finding.code == "call-unreadable" and (
            finding.pointer in repairable or (finding.entry or 0) >= parsed.bad_from
        ):
            continue
        yield finding


def _declared_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    return declared_findings(parsed.row)


def _turn_findings(parsed: ParsedRow) -> Iterator[RowFinding]:
    """Yield findings about the order of the entries, or about results if the order is right.

    If it is not, calls and results are not paired, to avoid reporting the same problem twice.
    """
    disorder = tuple(order_findings(parsed))
    yield from disorder
    if not any(finding.severity is Severity.ERROR for finding in disorder):
        yield from pairing_findings(parsed)


def _has_bad_format(beginning: Beginning) -> bool:
    return beginning.has_findings(_format_findings)


def _has_bad_tools(beginning: Beginning) -> bool:
    return beginning.has_findings(_declared_findings)


def _may_have_bad_format(glance: Glance) -> bool:
    return not glance.beginning.is_plain and glance.beginning.answer(_has_bad_format)


def _may_have_bad_tools(glance: Glance) -> bool:
    return not glance.beginning.is_plain and glance.beginning.answer(_has_bad_tools)


def _has_bad_system_text(beginning: Beginning) -> bool:
    may_find = "<|" in beginning.system or has_placeholder(beginning.system)
    return may_find and beginning.has_findings(text_findings)


def _may_not_load_beginning(beginning: Beginning) -> bool:
    text = beginning.text
    if not is_loadable_text(text) or may_hide(text):
        return True
    return not beginning.is_plain and beginning.has_findings(loading_findings)


def _is_damaged_beginning(beginning: Beginning) -> bool:
    return may_be_damaged(beginning.system)


def _has_secret_in_system(beginning: Beginning) -> bool:
    return _has_secret(beginning.system)


def _has_unusual_order(glance: Glance) -> bool:
    return not glance.has_usual_order


def _may_have_other_form(glance: Glance) -> bool:
    # Only JSON calls are read at a glance. Finding one character is much faster.
    system = glance.beginning.system
    return not glance.are_calls_valid or ("=" in system and "<function=" in system)


def _may_not_load(glance: Glance) -> bool:
    if not glance.has_plain_others and not is_loadable(glance.others):
        return True
    beginning = glance.beginning
    if beginning.is_plain and beginning.has_plain_text and glance.has_plain_text:
        return False
    return (
        not is_loadable_text(glance.text)
        or (may_hide(glance.text) and not is_loadable([call.arguments for call in glance.calls]))
        or beginning.answer(_may_not_load_beginning)
    )


def _may_not_fit(glance: Glance) -> bool:
    return not glance.has_plain_others and not fits_columns(glance.others)


def _may_be_damaged(glance: Glance) -> bool:
    return (not glance.has_plain_text and may_be_damaged(glance.text)) or (
        not glance.beginning.has_plain_text and glance.beginning.answer(_is_damaged_beginning)
    )


def _may_have_bad_text(glance: Glance) -> bool:
    # Tags in texts of the model and in results are seen when calls and results are read.
    return (
        glance.has_tag_in_question
        or "<|" in glance.text
        or not glance.are_calls_valid
        or has_placeholder(glance.text)
        or glance.beginning.answer(_has_bad_system_text)
    )


def _may_have_secret(glance: Glance) -> bool:
    return glance.beginning.answer(_has_secret_in_system) or (
        may_have_secrets(glance.text) and any(_has_secret(text) for _, text in glance.turns)
    )


def _has_secret(text: str) -> bool:
    return any(True for _ in secrets_in(text))


SECRETS: Final = _rule("secret generated-secret personal-data", secret_findings, _may_have_secret)
"""The rule that a check may leave out."""
RULES: Final = (
    _rule(
        "missing-field unknown-role tools-unreadable call-unreadable mask-value "
        "log-line log-event log-left-out log-compacted log-members tools-unlisted",
        _format_findings,
        _may_have_bad_format,
    ),
    _rule("lone-surrogate null-character non-finite-number duplicate-key", loading_findings, _may_not_load),
    _rule("big-integer deep-nesting", column_findings, _may_not_fit),
    _rule(
        "spec-unsound spec-unusual tool-declared-twice tools-mismatch",
        _declared_findings,
        _may_have_bad_tools,
    ),
    _rule(
        "role-order call-without-result result-without-call result-id-mismatch result-name-mismatch result-order"
        " duplicate-call-id",
        _turn_findings,
        _has_unusual_order,
    ),
    # A glance is only taken of formats with one answer, and of rows without blank texts.
    _rule("no-answer same-answers", answer_findings, _never),
    _rule("empty-entry", empty_findings, _never),
    _rule("thought-only", thought_findings, lambda glance: not glance.are_calls_valid),
    _rule("last-not-assistant", end_findings, _has_unusual_order),
    _rule(
        "undeclared-tool unknown-member call-not-strict call-unreadable call-truncated call-in-user none-filled",
        call_findings,
        lambda glance: not glance.are_calls_valid or glance.has_tag_in_question,
    ),
    _rule("call-form", form_findings, _may_have_other_form),
    _rule("call-in-prose", prose_call_findings, lambda glance: glance.may_have_prose_call),
    _rule("repeated-call", repeated_call_findings, lambda glance: glance.has_repeated_call),
    # A glance is only taken of a format whose calls are inside the texts.
    _rule("arguments-not-text", argument_form_findings, _never),
    _rule("mojibake replacement-character", damage_findings, _may_be_damaged),
    _rule("control-mark placeholder", text_findings, _may_have_bad_text),
    SECRETS,
)
"""All rules about a single row. Their findings come in this order within an entry."""


def is_surely_valid_row(glance: Glance, *, finds_secrets: bool) -> bool:
    """Whether no rule can find anything in a row that looks like this."""
    questions = _QUESTIONS if finds_secrets else _QUESTIONS_WITHOUT_SECRETS
    for may_find in questions:  # noqa: SIM110  faster than `any` with a generator
        if may_find(glance):
            return False
    return True


def findings_of(parsed: ParsedRow, *, finds_secrets: bool = True) -> tuple[RowFinding, ...]:
    """Return all findings of a row, in the order of its entries; findings about the whole row come first."""
    findings = [finding for rule in _active(finds_secrets=finds_secrets) for finding in rule.find(parsed)]
    findings.sort(key=lambda finding: -1 if finding.entry is None else finding.entry)
    return tuple(findings)


def _active(*, finds_secrets: bool) -> tuple[Rule, ...]:
    return RULES if finds_secrets else _WITHOUT_SECRETS


_WITHOUT_SECRETS: Final = tuple(rule for rule in RULES if rule is not SECRETS)


def _questions(rules: tuple[Rule, ...]) -> tuple[Callable[[Glance], bool], ...]:
    """Return the questions of some rules, each once, without the one whose answer is always no."""
    return tuple(dict.fromkeys(rule.may_find for rule in rules if rule.may_find is not _never))


_QUESTIONS: Final = _questions(RULES)
_QUESTIONS_WITHOUT_SECRETS: Final = _questions(_WITHOUT_SECRETS)
