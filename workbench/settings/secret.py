"""A key that no way of showing a value shows."""

import os
from collections.abc import Mapping


class Secret:
    """A key or token: it lives in memory, and no way of showing a value shows it.

    >>> Secret("sk-1")
    Secret(…)
    >>> f"{Secret('sk-1')}", Secret("sk-1").reveal()
    ('…', 'sk-1')
    """

    # No dataclass: `asdict` would take it apart.
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def reveal(self) -> str:
        """The value itself; for the request that needs it and nothing else."""
        return self._value

    def struck_out(self, text: str) -> str:
        """`text` without the value, wherever it stands in it."""
        return text.replace(self._value, "…") if self._value else text


def read_secret(name: str, environment: Mapping[str, str] | None = None) -> Secret | None:
    """A key that a variable of any name holds; None where it is not set.

    Args:
        name: The variable.
        environment: Variables by name; None takes the process's own.
    """
    value = (os.environ if environment is None else environment).get(name, "").strip()
    return Secret(value) if value else None
