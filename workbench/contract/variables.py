"""Values of a contract's variables as a person writes them: `name = value`, one a line."""

from collections.abc import Mapping

from workbench.errors import BadInput


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
