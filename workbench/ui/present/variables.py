"""Show a field for each variable of a contract."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.chat.near_names import did_you_mean
from workbench.contract.compose import PREDEFINED
from workbench.contract.contract import RESERVED, Contract, find_placeholders


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableField:
    """The field of one variable. Its value is in the text of the variables, which the browser has."""

    name: str
    default: str
    """The contract's value, shown as the placeholder. It is taken where no value is set."""
    problem: str = ""
    """What is wrong with the variable. Empty if nothing is."""
    is_declared: bool = True
    """False for a variable that the contract does not declare. It can only be removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariablesView:
    """The variables of a contract, and those that were set although the contract does not declare them."""

    fields: tuple[VariableField, ...] = ()


def show_variable_fields(contract: Contract, values: Mapping[str, str]) -> VariablesView:
    """Return a field for each variable that the contract declares or uses, or that has a value.

    Args:
        values: The values that were set, by name.
    """
    used = _lines_of_use(contract)
    declared = [
        VariableField(
            name=name,
            default=default,
            problem=(
                "No value and no default: it is replaced by nothing."
                if name in used and not default and not values.get(name)
                else ""
            ),
        )
        for name, default in contract.variables.items()
    ]
    undeclared = [
        VariableField(
            name=name,
            default="",
            problem=_undeclared(name, contract, used),
            is_declared=False,
        )
        for name in dict.fromkeys((*used, *values))
        if name not in contract.variables
    ]
    return VariablesView(fields=(*declared, *undeclared))


def _lines_of_use(contract: Contract) -> Mapping[str, int]:
    """Return the line of the first use of each variable that a person can set."""
    lines: dict[str, int] = {}
    for place in find_placeholders(contract.text):
        if place.name and place.name not in RESERVED and place.name not in PREDEFINED:
            lines.setdefault(place.name, contract.first_line + contract.text.count("\n", 0, place.start))
    return lines


def _undeclared(name: str, contract: Contract, used: Mapping[str, int]) -> str:
    if name in used:
        otherwise = "add it to variables in the front matter"
        remedy = did_you_mean(name, contract.variables, otherwise=otherwise)
        return f"Line {used[name]} uses it, but the contract does not declare it ({remedy})."
    remedy = did_you_mean(name, contract.variables, otherwise="remove it")
    return f"The contract does not declare it ({remedy})."
