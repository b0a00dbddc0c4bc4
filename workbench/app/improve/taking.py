"""Take a candidate over: save it as a version of its contract, with what was measured of it."""

from workbench.app.services import Services
from workbench.contract.contract import parse_contract, render_contract
from workbench.errors import BadInput
from workbench.records.runs import StoredRun
from workbench.records.versions import NewVersion, Version, VersionKind, name_in
from workbench.suite.improve.outcome import CandidateRow, SearchOutcome, outcome_of


def outcome_for(services: Services, stored: StoredRun) -> SearchOutcome:
    """Return the table and the verdict of a stored search.

    Raises:
        BadInput: The run is not a search.
        StoreError: The results cannot be read.
    """
    if stored.plan.search is None:
        raise BadInput(f"run {stored.id[:12]}", "it is not a search", "start one with `workbench improve`")
    return outcome_of(stored.plan, stored.plan.search, services.runs.results(stored.id))


def take_candidate(services: Services, stored: StoredRun, label: str) -> Version:
    """Save a candidate as the next version of its contract. The message says how it was measured.

    Raises:
        BadInput: There is no such candidate, or it was not run on the choosing part.
        StoreError: The version could not be stored.
    """
    outcome = outcome_for(services, stored)
    arm = next((arm for arm in stored.plan.arms if arm.label == label), None)
    row = next((row for row in outcome.rows if row.label == label), None)
    if arm is None or row is None or row.rates["choose"].rate is None:
        raise BadInput(f"candidate {label!r}", "it has no result to prove it", "choose one from the table")
    name = name_in(arm.contract_name)
    text = render_contract(parse_contract(arm.contract_text, name=name))
    message = f"run {stored.id[:12]}: {proof_of(row)}"
    return services.versions.save(
        NewVersion(kind=VersionKind.CONTRACT, name=name, text=text, message=message[:500])
    )


def proof_of(row: CandidateRow) -> str:
    """Return what was measured of a candidate, in one line."""
    rates = [f"{part} {rate.passed} of {rate.total}" for part, rate in row.rates.items() if rate.total]
    tokens = "" if row.tokens is None else f", {row.tokens_text} prompt tokens"
    return f"passed {', '.join(rates)}{tokens}"
