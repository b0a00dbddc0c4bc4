"""Drafts of contracts: texts that a person has in the browser and has not saved.

A reference such as `orders@draft` names one. The browser sends the texts with each request, and whatever uses a draft
stores its text, so that it can be opened, continued and compared after the draft has changed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from workbench.app.services import Services
from workbench.records.run_config import RunConfig
from workbench.records.versions import VersionKind, hash_of, name_in

DRAFT: Final = "@draft"
_HASH_CHARS: Final = 4

Drafts = Mapping[str, str]
"""The reference of each draft to its text."""


def read_drafts(text: str) -> Drafts:
    """Read the drafts that the browser sends: a JSON object of names and texts. Empty if it is damaged."""
    try:
        found: object = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    named = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {f"{name}{DRAFT}": draft for name, draft in named.items() if isinstance(draft, str)}


def shown_reference(reference: str) -> str:
    """Write a reference for a person.

    >>> shown_reference("orders@draft"), shown_reference("orders@3")
    ('orders · draft', 'orders@3')
    """
    return reference.removesuffix(DRAFT) + " · draft" if reference.endswith(DRAFT) else reference


def contract_label(reference: str, text: str) -> str:
    """Say which text of a contract was used, with the beginning of its hash.

    >>> contract_label("orders@draft", "")
    'orders · draft · e3b0'
    """
    return f"{shown_reference(reference)} · {hash_of(text)[:_HASH_CHARS]}"


def contract_choices(services: Services, drafts: Drafts) -> list[tuple[str, str]]:
    """Return the available contracts as labels and references. A draft follows its saved version."""
    references = sorted({*services.contract_names(), *drafts})
    return [(shown_reference(reference), reference) for reference in references]


def left_out_note(references: Iterable[str], drafts: Drafts) -> str:
    """Say which drafts a run does not use, although it uses their saved versions. Empty if there are none."""
    names = [name for name in dict.fromkeys(references) if name + DRAFT in drafts]
    chosen: Sequence[str] = [name for name in names if name + DRAFT not in references]
    return "".join(f" · without your draft of {name!r}: choose “{name} · draft” to use it" for name in chosen)


def with_pinned_contract(services: Services, setup: RunConfig) -> RunConfig:
    """Return a setup whose contract is named as what its text is: the newest version, an older one, or a draft."""
    name, text_hash = name_in(setup.contract_name), hash_of(setup.contract_text)
    version = services.versions.find(VersionKind.CONTRACT, name, text_hash)
    newest = services.versions.find(VersionKind.CONTRACT, name)
    if version is None:
        return replace(setup, contract_name=name + DRAFT)
    is_newest = newest is not None and newest.text_hash == text_hash
    return setup if is_newest else replace(setup, contract_name=f"{name}@{version.number}")
