"""Compose a contract and the offered tools into the system text."""

from collections.abc import Mapping
from typing import Final

from workbench.contract.contract import Contract, Placeholder, placeholders
from workbench.errors import BadInput
from workbench.hermes.spelling.families import family_named
from workbench.toolspec.spec import OfferedTools

ALWAYS_GIVEN: Final = frozenset({"date"})
"""Variables that a caller may hand in to any contract, and that it need not declare."""


TOOLS_APART: Final = "(their specs are given to you apart from this text)"
"""What `{{ tools }}` becomes where a server writes the tools into its prompt: they are never written twice."""


def compose(
    contract: Contract,
    tools: OfferedTools,
    *,
    variables: Mapping[str, str],
    are_tools_apart: bool = False,
) -> str:
    """The system text: the contract's, with the tools in its family's spelling and all variables filled.

    Filled in values are not looked at again: a value may hold braces.

    Args:
        tools: What `{{ tools }}` becomes.
        variables: Values by name, which win over the contract's defaults; `date` is today, as it is shown.
        are_tools_apart: True where a server writes the tools; `{{ tools }}` becomes `TOOLS_APART`.

    Raises:
        BadInput: A placeholder names no variable, or `variables` has one that the contract does not declare.
    """
    family = family_named(contract.family)
    _check_given(contract, variables)
    spelled = TOOLS_APART if are_tools_apart else family.spell_tools(tools)
    values = {**contract.variables, **variables, "tools": spelled}
    pieces: list[str] = []
    position = 0
    for place in placeholders(contract.text):
        pieces.append(contract.text[position : place.start])
        pieces.append("{{" if place.is_literal else _filled(contract, place, values))
        position = place.end
    pieces.append(contract.text[position:])
    return "".join(pieces)


def _filled(contract: Contract, place: Placeholder, values: Mapping[str, str]) -> str:
    where = f"contract {contract.name!r}, line {_line(contract, place)}"
    if place.name is None:
        text = contract.text[place.start : place.end + 20].partition("\n")[0]
        raise BadInput(
            where,
            f"{text!r} is no placeholder",
            "write {{ name }} alone, or {{ '{{' }} for two literal braces",
        )
    if place.name not in values:
        known = ", ".join(dict.fromkeys(("tools", *sorted(ALWAYS_GIVEN), *contract.variables)))
        missing = "has no value" if place.name in ALWAYS_GIVEN else "is unknown"
        raise BadInput(
            where, f"variable {place.name!r} {missing}", f"there are {known}; declare others above"
        )
    return values[place.name]


def _check_given(contract: Contract, variables: Mapping[str, str]) -> None:
    for name in variables:
        if name not in contract.variables and name not in ALWAYS_GIVEN:
            declared = ", ".join(contract.variables) or "none"
            raise BadInput(
                f"contract {contract.name!r}", f"it has no variable {name!r}", f"it declares {declared}"
            )


def _line(contract: Contract, place: Placeholder) -> int:
    return contract.first_line + contract.text.count("\n", 0, place.start)
