"""Contracts as values and as files: YAML front matter, then the text with its variables."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from textwrap import indent
from typing import Final, NamedTuple

import yaml

from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import canonical_json
from workbench.toolspec.yaml_text import compose_yaml

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a variable can be called."""

_PLACEHOLDER: Final = re.compile(
    rf"\{{\{{[ \t]*(?:(?P<name>{VARIABLE_NAME.pattern})[ \t]*\}}\}}"
    r"|(?P<literal>'\{\{'|\"\{\{\")[ \t]*\}\}"
    r"|(?P<bad>[A-Za-z_]))"
)


class Placeholder(NamedTuple):
    """One place in a text that is to be filled."""

    start: int
    """First code point."""
    end: int
    """One past the last."""
    name: str | None
    """The variable; None where it stands for a literal `{{`, or cannot be read."""
    is_literal: bool = False
    """True: it stands for `{{`."""


def placeholders(text: str) -> Iterator[Placeholder]:
    """Those of `text`, in order; one that begins like a placeholder and is none has neither name nor literal.

    >>> [place.name for place in placeholders('{{ tools }} {"a": {"b": 1}} {{x}}')]
    ['tools', 'x']
    """
    for match in _PLACEHOLDER.finditer(text):
        yield Placeholder(*match.span(), match["name"], is_literal=match["literal"] is not None)


FENCE: Final = "---"
"""A line of its own before and after the front matter."""
RESERVED: Final = frozenset({"tools"})
"""Variables that `compose` fills itself; a contract cannot declare them."""

_KEYS: Final = ("name", "title", "family", "description", "variables")
_REQUIRED: Final = ("title", "family")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The system text that tells a model how to call tools."""

    name: str
    """As its file is named, without the ending."""
    title: str
    """One line for people."""
    family: str
    """Name of the render family, such as `hermes-lines`."""
    description: str = ""
    """What it is for and when to use it."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Own variables with their defaults, in the order written."""
    text: str
    """With placeholders `{{ name }}`; see `workbench.contract.contract`."""
    first_line: int = field(default=1, compare=False)
    """Line of the file at which `text` begins, from 1; only for messages."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of what can reach a model: family, variables, text. Name and title do not count."""
        content = {"family": self.family, "text": self.text, "variables": dict(self.variables)}
        return sha256(canonical_json(content).encode("utf-8", "surrogatepass")).hexdigest()


def parse_contract(text: str, *, name: str) -> Contract:
    """The contract in a file's text.

    All that follows the second `---` line is the contract's text, byte for byte, but for one line break at
    the end of the file.

    Args:
        name: What the file is named; the front matter may repeat it.

    Raises:
        BadInput: The front matter is missing or cannot be used; it names the line.
    """
    front, body, first_line = _split(text, name)
    values: dict[str, str] = {}
    variables: dict[str, str] = {}
    for key, node in _entries(_front_node(front, name), name):
        if key not in _KEYS:
            raise _bad(name, node, f"unknown key {key!r}", f"use {', '.join(_KEYS)}")
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
    """The file's text; `parse_contract` gives an equal contract back."""
    fields = {"name": contract.name, "title": contract.title, "family": contract.family}
    if contract.description:
        fields["description"] = contract.description
    front = _yaml(fields)
    if contract.variables:
        front += "variables:\n" + indent(_yaml(contract.variables), "  ")
    return f"{FENCE}\n{front}{FENCE}\n{contract.text}\n"


def _yaml(fields: Mapping[str, str]) -> str:
    """One `key: value` a line."""
    lines: list[str] = []
    for key, value in fields.items():
        # Only double quotes can spell every character; YAML folds line breaks in all other styles.
        style = None if value.isprintable() else '"'
        lines.append(yaml.safe_dump({key: value}, allow_unicode=True, width=inf, default_style=style))
    return "".join(lines)


def _split(text: str, name: str) -> tuple[str, str, int]:
    """Front matter, body, and the line at which the body begins."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        raise BadInput(
            f"contract {name!r}, line 1", "no front matter", f"begin with {FENCE!r}, title, family, {FENCE!r}"
        )
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            body = lines[index + 1 :]
            if len(body) > 1 and not body[-1]:
                body.pop()
            return "\n".join(lines[1:index]), "\n".join(body), index + 2
    raise BadInput(
        f"contract {name!r}, line {len(lines)}", "the front matter does not end", f"add a line {FENCE!r}"
    )


def _front_node(front: str, name: str) -> yaml.Node:
    try:
        node = compose_yaml(front)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        problem = f"front matter is not YAML: {error.problem or error.context}"
        raise BadInput(f"contract {name!r}, line {line}", problem, "put the value in quotes") from error
    except yaml.YAMLError as error:
        raise BadInput(f"contract {name!r}, line 2", f"front matter is not YAML: {error}") from error
    if node is None:
        raise BadInput(f"contract {name!r}, line 2", "the front matter is empty", "write title and family")
    return node


def _entries(node: yaml.Node, name: str) -> Iterator[tuple[str, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        raise _bad(name, node, "not a mapping", "write one `key: value` a line")
    seen: set[str] = set()
    for key_node, value_node in node.value:
        key = _scalar(key_node, name, "a key")
        if key in seen:
            raise _bad(name, key_node, f"{key!r} stands there twice", "remove one")
        seen.add(key)
        yield key, value_node


def _scalar(node: yaml.Node, name: str, what: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _bad(name, node, f"{what} is not a text", "write one value, in quotes if need be")
    return node.value


def _variables(node: yaml.Node, name: str) -> dict[str, str]:
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return {}
    variables: dict[str, str] = {}
    for key, value in _entries(node, name):
        if VARIABLE_NAME.fullmatch(key) is None:
            raise _bad(name, value, f"{key!r} cannot name a variable", "use letters, digits and _")
        if key in RESERVED:
            raise _bad(name, value, f"variable {key!r} is filled by the workbench", "choose another name")
        variables[key] = _scalar(value, name, f"variable {key!r}")
    return variables


def _check(values: Mapping[str, str], name: str) -> None:
    where = f"contract {name!r}, front matter"
    for key in _REQUIRED:
        if not values.get(key):
            raise BadInput(where, f"{key!r} is missing", f"add a line `{key}: …`")
    if values["family"] not in FAMILIES:
        raise BadInput(where, f"unknown family {values['family']!r}", f"use one of {', '.join(FAMILIES)}")
    if values.get("name", name) != name:
        raise BadInput(
            where, f"it names itself {values['name']!r}", f"write `name: {name}` or rename the file"
        )


def _bad(name: str, node: yaml.Node, problem: str, remedy: str) -> BadInput:
    # The front matter begins on line 2 of the file, and YAML counts from 0.
    return BadInput(f"contract {name!r}, line {node.start_mark.line + 2}", problem, remedy)


def show_variables(values: Mapping[str, str]) -> str:
    """Write a variable a line."""
    return "\n".join(f"{name} = {value}" for name, value in values.items())


def parse_variables(text: str) -> dict[str, str]:
    """Read a variable a line; blank lines do not count.

    Raises:
        BadInput: A line has no `=`.
    """
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.partition("=")
        if not line.strip():
            continue
        if not equals:
            raise BadInput(f"variables, line {number}", f"no = in {line[:40]!r}", "write name = value")
        values[name.strip()] = value.strip()
    return values
