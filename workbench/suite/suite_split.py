"""Split a suite into three parts by families of cases: to search on, to choose by, and to open once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from workbench.errors import BadInput
from workbench.suite.case import Case
from workbench.suite.expectation import expected_tools, expects_call
from workbench.toolspec.spec import canonical_json

# Cases that a template made from different rows resemble each other. If some of them were searched on and others
# tested, the test would repeat what the search has seen. So a family stays in one part. Families of the same kind (the
# same tags, and the same tools to call, or none) are spread over the parts, so that each part asks for the same skills.
SHARES = {"search": 0.5, "choose": 0.25, "kept": 0.25}
"""The share of the cases in each part."""
FEWEST_FAMILIES = 6
"""With fewer families, a part could have only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteParts:
    """The three parts of a suite, as keys of cases in the order of the suite."""

    search: tuple[str, ...]
    """Cases that proposals are tried on. A model that proposes changes sees only these."""
    choose: tuple[str, ...]
    """Cases by which candidates are compared."""
    kept: tuple[str, ...]
    """Cases that no step of the search sees. They are run once, at the end."""


def family_of(case: Case) -> str:
    """Return a key that is equal for cases made from one template, or else with the same conversation."""
    if case.row:
        values = sorted((str(value) for value in case.row.values()), key=len, reverse=True)
        text = case.messages[-1].text
        for value in filter(None, values):
            text = text.replace(value, "{}")
        return f"{case.suite}: {text}"
    return canonical_json([case.suite, *(message.text for message in case.messages)])


def split_cases(cases: Sequence[Case], seed: int) -> SuiteParts:
    """Split cases by family. The same cases and seed always give the same parts.

    Raises:
        BadInput: There are too few families.
    """
    families: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        families[family_of(case)].append(case)
    if len(families) < FEWEST_FAMILIES:
        problem = f"its cases form {len(families)} families; a search needs at least {FEWEST_FAMILIES}"
        raise BadInput("suite", problem, "add cases with other requests")
    parts: dict[str, set[str]] = {name: set() for name in SHARES}
    for family in sorted(families, key=lambda key: (_kind(families[key][0]), _place(key, seed))):
        # The part that has the smallest share of what it should have gets the next family.
        smallest = min(SHARES, key=lambda name: (len(parts[name]) / SHARES[name], -SHARES[name]))
        parts[smallest].update(case.key for case in families[family])
    chosen = {name: tuple(case.key for case in cases if case.key in keys) for name, keys in parts.items()}
    return SuiteParts(**chosen)


def _kind(case: Case) -> str:
    tools = expected_tools(case.expectations)
    return canonical_json([str(expects_call(case.expectations)), sorted(tools or ()), sorted(case.tags)])


def _place(key: str, seed: int) -> str:
    return sha256(f"{seed}:{key}".encode("utf-8", "surrogatepass")).hexdigest()
