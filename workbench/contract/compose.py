"""Compose the system text from a contract and the offered tools."""

from collections.abc import Mapping
from typing import Final

from workbench.chat.near_names import did_you_mean
from workbench.contract.contract import Contract, Placeholder, find_placeholders
from workbench.errors import BadInput
from workbench.hermes.spelling.families import family_named
from workbench.toolspec.spec import OfferedTools

PREDEFINED: Final = frozenset({"date"})
"""Variables that every contract can use without declaring them. The caller of `compose` passes their values."""


TOOLS_APART: Final = "(their specs are given to you apart from this text)"
"""Replaces `{{ tools }}` if the server writes the tools into the prompt itself, so that they are not written twice."""


def compose(
    contract: Contract,
    tools: OfferedTools,
    *,
    variables: Mapping[str, str],
    are_tools_apart: bool = False,
) -> str:
    """Fill the placeholders of a contract and return the system text.

    Inserted values are not searched for placeholders, so a value may contain braces.

    Args:
        tools: Tools that replace `{{ tools }}`, in the format of the contract's family.
        variables: Values by name. They override the contract's defaults; `date` is today's date as text.
        are_tools_apart: True if a server writes the tools; `{{ tools }}` is then replaced by `TOOLS_APART`.

    Raises:
        BadInput: A placeholder is malformed or names an unknown variable, or `variables` has a variable that the
            contract does not declare.
    """
    family = family_named(contract.family)
    _check_variables(contract, variables)
    spelled = TOOLS_APART if are_tools_apart else family.render_tools(tools)
    values = {**contract.variables, **variables, "tools": spelled}
    pieces: list[str] = []
    position = 0
    for place in find_placeholders(contract.text):
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
            f"{text!r} is not a placeholder",
            "write {{ name }}, or {{ '{{' }} for two literal braces",
        )
    if place.name not in values:
        known = tuple(dict.fromkeys(("tools", *sorted(PREDEFINED), *contract.variables)))
        otherwise = f"known variables: {', '.join(known)}; declare others in the front matter"
        if place.name in PREDEFINED:
            raise BadInput(where, f"variable {place.name!r} has no value", otherwise)
        remedy = did_you_mean(place.name, known, otherwise=otherwise)
        raise BadInput(where, f"variable {place.name!r} is unknown", remedy)
    return values[place.name]


def _check_variables(contract: Contract, variables: Mapping[str, str]) -> None:
    for name in variables:
        if name not in contract.variables and name not in PREDEFINED:
            otherwise = f"declared variables: {', '.join(contract.variables) or 'none'}"
            remedy = did_you_mean(name, (*PREDEFINED, *contract.variables), otherwise=otherwise)
            raise BadInput(f"contract {contract.name!r}", f"it has no variable {name!r}", remedy)


def _line(contract: Contract, place: Placeholder) -> int:
    return contract.first_line + contract.text.count("\n", 0, place.start)
