"""Parse and write contracts: files with YAML front matter, followed by a text with placeholders."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from math import inf
from textwrap import indent
from typing import Final, NamedTuple

import yaml

from workbench.chat.near_names import did_you_mean
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import canonical_json
from workbench.toolspec.yaml_text import compose_yaml

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Pattern of a variable name."""

_PLACEHOLDER: Final = re.compile(
    rf"\{{\{{[ \t]*(?:(?P<name>{VARIABLE_NAME.pattern})[ \t]*\}}\}}"
    r"|(?P<literal>'\{\{'|\"\{\{\")[ \t]*\}\}"
    r"|(?P<bad>[A-Za-z_]))"
)


class Placeholder(NamedTuple):
    """A placeholder in a contract's text, such as `{{ date }}`."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    name: str | None
    """Name of the variable; None for a literal `{{` and for a malformed placeholder."""
    is_literal: bool = False
    """True if it is `{{ '{{' }}`, which is replaced by two literal braces."""


def find_placeholders(text: str) -> Iterator[Placeholder]:
    """Return the placeholders of `text`, in the order of the text.

    A malformed one, such as `{{ tools | tojson }}`, has no name and is not a literal. Braces that are not followed
    by a name are ordinary text.

    >>> [place.name for place in find_placeholders('{{ tools }} {"a": {"b": 1}} {{x}}')]
    ['tools', 'x']
    """
    for match in _PLACEHOLDER.finditer(text):
        yield Placeholder(*match.span(), match["name"], is_literal=match["literal"] is not None)


FENCE: Final = "---"
"""The line before and after the front matter."""
RESERVED: Final = frozenset({"tools"})
"""Variables that `compose` fills in; a contract cannot declare them."""

_KEYS: Final = ("name", "title", "family", "description", "variables")
_REQUIRED: Final = ("title", "family")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """A system prompt that describes the offered tools and how to call them."""

    name: str
    """Name of its file without the extension."""
    title: str
    """One line for people."""
    family: str
    """Name of the template family, such as `hermes-lines`."""
    description: str = ""
    """When to use it, for people."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Declared variables with their default values, in the order of the file."""
    text: str
    """The text, with placeholders such as `{{ tools }}`."""
    first_line: int = field(default=1, compare=False)
    """Line of the file at which `text` begins, counted from 1; used in error messages."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of everything that can reach a model: family, variables and text, but not name or title."""
        content = {"family": self.family, "text": self.text, "variables": dict(self.variables)}
        return sha256(canonical_json(content).encode("utf-8", "surrogatepass")).hexdigest()


def parse_contract(text: str, *, name: str) -> Contract:
    """Parse the text of a contract file.

    Everything after the second `---` line is the contract's text, byte for byte, except for one line break at the
    end of the file.

    Args:
        name: Name of the file without the extension. If the front matter has a `name`, it must be the same.

    Raises:
        BadInput: The front matter is missing or invalid. The error names the line.
    """
    front, body, first_line = _split(text, name)
    values: dict[str, str] = {}
    variables: dict[str, str] = {}
    for key, node in _entries(_front_node(front, name), name):
        if key not in _KEYS:
            remedy = did_you_mean(key, _KEYS, otherwise=f"use {', '.join(_KEYS)}")
            raise _bad(name, node, f"unknown key {key!r}", remedy)
        if key == "variables":
            variables = _variables(node, name)
        else:
            values[key] = _scalar(node, name, key)
    _check(values, name)
    return Contract(
        name=name,
        title=values["title"],
        family=values["family"],
        description=values.get("description", ""),
        variables=variables,
        text=body,
        first_line=first_line,
    )


def render_contract(contract: Contract) -> str:
    """Write a contract as the text of a file. `parse_contract` returns an equal contract."""
    fields = {"name": contract.name, "title": contract.title, "family": contract.family}
    if contract.description:
        fields["description"] = contract.description
    front = _yaml(fields)
    if contract.variables:
        front += "variables:\n" + indent(_yaml(contract.variables), "  ")
    return f"{FENCE}\n{front}{FENCE}\n{contract.text}\n"


def _yaml(fields: Mapping[str, str]) -> str:
    """Write fields as YAML, one `key: value` per line."""
    return "".join(_yaml_line(key, value) for key, value in fields.items())


@lru_cache(maxsize=256)
def _yaml_line(key: str, value: str) -> str:
    """Write one field. Cached, because an import writes the same front matter for each row."""
    # Only double-quoted YAML can represent every character; the other styles fold line breaks.
    style = None if value.isprintable() else '"'
    return yaml.safe_dump({key: value}, allow_unicode=True, width=inf, default_style=style)


def _split(text: str, name: str) -> tuple[str, str, int]:
    """Split a file into front matter and body, and return them with the line at which the body begins."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise BadInput(
            f"contract {name!r}, line 1",
            "no front matter",
            f"start the file with {FENCE!r}, `title: …`, `family: …` and {FENCE!r}, each on its own line",
        )
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            body = lines[index + 1 :]
            if len(body) > 1 and not body[-1]:
                body.pop()
            return "\n".join(lines[1:index]), "\n".join(body), index + 2
    raise BadInput(
        f"contract {name!r}, line {len(lines)}", "the front matter is not closed", f"add a line {FENCE!r}"
    )


def _front_node(front: str, name: str) -> yaml.Node:
    try:
        node = compose_yaml(front)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        problem = f"the front matter is not valid YAML: {error.problem or error.context}"
        raise BadInput(
            f"contract {name!r}, line {line}", problem, "try putting the value in quotes"
        ) from error
    except yaml.YAMLError as error:
        raise BadInput(
            f"contract {name!r}, line 2", f"the front matter is not valid YAML: {error}"
        ) from error
    if node is None:
        raise BadInput(f"contract {name!r}, line 2", "the front matter is empty", "add title and family")
    return node


def _entries(node: yaml.Node, name: str) -> Iterator[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise _bad(name, node, "not a mapping", "write one `key: value` per line")
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key = _scalar(key_node, name, "a key")
        if key in seen:
            raise _bad(name, key_node, f"{key!r} occurs twice", "remove one")
        seen.add(key)
        yield key, value_node


def _scalar(node: yaml.Node, name: str, what: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _bad(name, node, f"{what} is not a text", "write a single value, in quotes if necessary")
    return node.value


def _variables(node: yaml.Node, name: str) -> dict[str, str]:
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return {}
    variables: dict[str, str] = {}
    for key, value in _entries(node, name):
        if VARIABLE_NAME.fullmatch(key) is None:
            raise _bad(name, value, f"{key!r} is not a valid variable name", "use letters, digits and _")
        if key in RESERVED:
            raise _bad(name, value, f"variable {key!r} is filled in by the workbench", "choose another name")
        variables[key] = _scalar(value, name, f"variable {key!r}")
    return variables


def _check(values: Mapping[str, str], name: str) -> None:
    where = f"contract {name!r}, front matter"
    for key in _REQUIRED:
        if not values.get(key):
            raise BadInput(where, f"{key!r} is missing", f"add a line `{key}: …`")
    if values["family"] not in FAMILIES:
        remedy = did_you_mean(values["family"], FAMILIES, otherwise=f"use one of {', '.join(FAMILIES)}")
        raise BadInput(where, f"unknown family {values['family']!r}", remedy)
    if values.get("name", name) != name:
        raise BadInput(
            where, f"its name is {values['name']!r}, not {name!r}", f"write `name: {name}` or rename the file"
        )


def _bad(name: str, node: yaml.Node, problem: str, remedy: str) -> BadInput:
    # The front matter begins on line 2 of the file, and YAML counts lines from 0.
    return BadInput(f"contract {name!r}, line {node.start_mark.line + 2}", problem, remedy)


def show_variables(values: Mapping[str, str]) -> str:
    """Write variables as text, one `name = value` per line. `parse_variables` returns equal variables.

    A value with line breaks, spaces around it or a quotation mark at its start is written as a JSON string.
    """
    return "\n".join(f"{name} = {_line_value(value)}" for name, value in values.items())


def _line_value(value: str) -> str:
    is_plain = not value or (value.splitlines() == [value] and value.strip() == value and value[0] != '"')
    return value if is_plain else json.dumps(value)


def parse_variables(text: str) -> dict[str, str]:
    """Parse variables from text, one `name = value` per line. Blank lines are ignored.

    A value may be a JSON string, such as `"two\\nlines"`.

    Raises:
        BadInput: A line has no `=`.
    """
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.partition("=")
        if not line.strip():
            continue
        if not equals:
            raise BadInput(f"variables, line {number}", f"{line[:40]!r} has no =", "write name = value")
        values[name.strip()] = _value_of(value.strip())
    return values


def _value_of(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text
