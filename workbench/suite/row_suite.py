"""Write a suite whose cases are the rows of a table: a message and contract variables with `{{ column }}`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.near_names import did_you_mean
from workbench.contract.contract import Contract, find_placeholders
from workbench.errors import BadInput
from workbench.suite.row_table import RowTable
from workbench.toolspec.yaml_text import dump_yaml

LITERAL: Final = "{{ '{{' }}"
"""Two literal braces in a template."""
_ID: Final = "id"
_MOST_ID_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSuite:
    """A suite made from rows, and how it uses their columns."""

    text: str
    in_message: tuple[str, ...]
    """Columns that the message uses."""
    in_contract: tuple[str, ...]
    """Columns that set a variable of the contract."""
    unused: tuple[str, ...]
    """The other columns."""


def row_suite(
    name: str,
    message: str,
    table: RowTable,
    contract: Contract,
    values: Mapping[str, str],
    *,
    tools: Sequence[str] = (),
    tool_specs: Sequence[JsonObject] = (),
) -> RowSuite:
    """Return the suite.

    Args:
        name: Name of the suite.
        message: The user message. `{{ name }}` is replaced by a column, or else by a variable of the contract.
        contract: Columns with the name of one of its variables set that variable.
        values: The values of the other variables that were set.
        tools: Names of the offered toolsets and tools.
        tool_specs: Specs of offered tools that the catalog does not have.

    Raises:
        BadInput: The message is empty or uses a name that is neither a column nor a variable.
    """
    if not message.strip():
        raise BadInput("message", "empty", "write a message, with {{ column }} for each value")
    template, used = _template(message, table.columns, {**contract.variables, **values}, contract)
    _check_filled(message, used, table)
    in_contract = tuple(column for column in table.columns if column in contract.variables)
    fixed = {name: _escaped(value) for name, value in values.items() if name in contract.variables}
    variables = {**fixed, **{column: f"{{{{ {column} }}}}" for column in in_contract}}
    case: dict[str, Any] = {"id": _id(table), "prompt": template}
    if variables:
        case["variables"] = variables
    case["expect"] = [{"answered": True}]
    case["rows"] = [dict(row) for row in table.rows]
    document: dict[str, JsonValue] = {"suite": name, "description": "Made from rows. Add what you expect."}
    defaults: dict[str, JsonValue] = {}
    if tools:
        defaults["tools"] = list(tools)
    if tool_specs:
        defaults["tool_specs"] = list(tool_specs)
    if defaults:
        document["defaults"] = defaults
    document["cases"] = [case]
    return RowSuite(
        text=dump_yaml(document),
        in_message=used,
        in_contract=in_contract,
        unused=tuple(column for column in table.columns if column not in {*used, *in_contract, _ID}),
    )


def _template(
    message: str, columns: Sequence[str], values: Mapping[str, str], contract: Contract
) -> tuple[str, tuple[str, ...]]:
    """Return the message in the template language of suites, and the columns that it uses."""
    pieces: list[str] = []
    used: list[str] = []
    position = 0
    for place in find_placeholders(message):
        pieces.append(message[position : place.start])
        position = place.end
        if place.name in columns:
            used.append(str(place.name))
            pieces.append(f"{{{{ {place.name} }}}}")
        elif place.name is not None and place.name in values:
            pieces.append(_escaped(values[place.name]))
        elif place.is_literal:
            pieces.append(LITERAL)
        else:
            raise _unknown(message, place.start, place.name, (*columns, *contract.variables))
    pieces.append(message[position:])
    return "".join(pieces), tuple(dict.fromkeys(used))


def _unknown(message: str, start: int, name: str | None, known: Sequence[str]) -> BadInput:
    where = f"message, line {message.count(chr(10), 0, start) + 1}"
    if name is None:
        text = message[start : start + 30].partition("\n")[0]
        return BadInput(
            where, f"{text!r} is not a placeholder", f"write {{{{ name }}}}, or {LITERAL} for {{{{"
        )
    otherwise = f"known names: {', '.join(dict.fromkeys(known))}"
    remedy = did_you_mean(name, known, otherwise=otherwise)
    return BadInput(where, f"there is no column or variable {name!r}", remedy)


def _check_filled(message: str, used: Sequence[str], table: RowTable) -> None:
    """Refuse a row whose message would be empty."""
    around = message
    for place in reversed([place for place in find_placeholders(message) if place.name in used]):
        around = around[: place.start] + around[place.end :]
    if around.strip() or not used:
        return
    for number, row in enumerate(table.rows, start=1):
        if not any(str(row[column]).strip() for column in used):
            problem = "the message would be empty"
            raise BadInput(f"rows, row {number}, column {used[0]!r}", problem, "fill the cell")


def _id(table: RowTable) -> str:
    """Return the template of the cases' ids: the column `id` if it identifies the rows, otherwise their number."""
    ids = [row.get(_ID) for row in table.rows]
    texts = {text for text in ids if isinstance(text, str) and 0 < len(text) <= _MOST_ID_CHARS}
    return f"{{{{ {_ID} }}}}" if len(texts) == len(ids) else "row"


def _escaped(text: str) -> str:
    return text.replace("{{", LITERAL)
