"""Declare settings in the metadata of dataclass fields, for the page, the command line and the docs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Protocol

from workbench.errors import BadInput

InProtocol = Literal["", "always", "unless default", "spelled"]
"""Whether OpenAI's protocol knows a sampling field: it does not; it is always sent; it is sent if it is not the
default; the request builder spells it in a way of its own."""
_KEY: Final = "setting"


class FieldEditor(Protocol):
    """How a person edits a value."""

    @property
    def label(self) -> str:
        """As the page shows it."""
        ...

    def show(self, value: Any) -> object:
        """The value as the page's component holds it."""
        ...

    def parse(self, shown: object, where: str = "") -> Any:
        """The value of what the component holds.

        Args:
            shown: None if the component is empty.
            where: Says more about the place, such as `"column B, "`.

        Raises:
            BadInput: It is not a value of this setting.
        """
        ...


class _ShownAsIs:
    """Part of an editor whose component holds the value itself."""

    __slots__ = ()

    def show(self, value: Any) -> object:
        """See `FieldEditor`."""
        return value


@dataclass(frozen=True, slots=True)
class PlainEditor(_ShownAsIs):
    """Any value, such as a text or the choice of a list that only the page knows."""

    label: str

    def parse(self, shown: object, where: str = "") -> Any:
        """See `FieldEditor`."""
        return shown


@dataclass(frozen=True, slots=True)
class Switch(_ShownAsIs):
    """On or off."""

    label: str

    def parse(self, shown: object, where: str = "") -> bool:
        """See `FieldEditor`."""
        return bool(shown)


@dataclass(frozen=True, slots=True)
class NumberRange(_ShownAsIs):
    """A number from the least to the most, both of them allowed."""

    label: str
    least: float
    most: float
    step: float | None = None
    """Of the component's arrows. None allows whole numbers only."""

    def parse(self, shown: object, where: str = "") -> float:
        """See `FieldEditor`; an integer if only whole numbers are allowed.

        >>> NumberRange("Top p", 0, 1, 0.05).parse(2)
        Traceback (most recent call last):
        workbench.errors.BadInput: field 'top p': 2 is more than 1 (write a number from 0 to 1)
        """
        place = f"{where}field {self.label[:1].lower() + self.label[1:]!r}"
        kind = "number" if self.step else "whole number"
        remedy = f"write a {kind} from {self.least:,g} to {self.most:,}"
        if not isinstance(shown, int | float) or not math.isfinite(shown):
            raise BadInput(place, "it is empty", remedy)
        if not self.least <= shown <= self.most:
            limit = f"less than {self.least:g}" if shown < self.least else f"more than {self.most:,}"
            raise BadInput(place, f"{shown} is {limit}", remedy)
        if self.step is not None:
            return shown
        if shown != int(shown):
            raise BadInput(place, f"{shown} is not whole", remedy)
        return int(shown)

    def whole(self, shown: object, where: str = "") -> int:
        """The same of whole numbers, as an integer."""
        return int(self.parse(shown, where))


@dataclass(frozen=True, slots=True)
class ChoiceOption(_ShownAsIs):
    """One of a few numbers."""

    label: str
    options: tuple[tuple[str, int], ...]
    """What a person reads, and its value; values follow each other."""

    def parse(self, shown: object, where: str = "") -> int:
        """See `FieldEditor`."""
        values = [value for _, value in self.options]
        return NumberRange(self.label, min(values), max(values)).whole(shown, where)


@dataclass(frozen=True, slots=True)
class LinesEditor:
    """A list of values, one a line."""

    label: str
    placeholder: str
    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]
    """Raises `BadInput` with the line that cannot be read."""

    def show(self, value: Any) -> object:
        """See `FieldEditor`."""
        return self.to_text(value)

    def parse(self, shown: object, where: str = "") -> Any:
        """See `FieldEditor`."""
        return self.from_text(str(shown or ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One declared setting."""

    name: str
    default: Any
    """`dataclasses.MISSING` if a factory makes it."""
    editor: FieldEditor
    help: str
    """What it does, for the documentation and the command line; no full stop."""
    row: int
    """Where Play shows a sampling field: 0 is the row that is always visible, 1 the folded numbers, and from 2 on
    each field has the whole width."""
    protocol: InProtocol
    servers: Mapping[str, str] = field(hash=False)
    """Kinds of servers that take it beside the protocol, and what they call it."""


def setting(
    editor: FieldEditor,
    help: str,
    *,
    row: int = 1,
    protocol: InProtocol = "",
    servers: Mapping[str, str] | None = None,
) -> Mapping[str, Any]:
    """The metadata of a dataclass field that declares a setting; see `SettingField` for the arguments."""
    return {
        _KEY: {"editor": editor, "help": help, "row": row, "protocol": protocol, "servers": servers or {}}
    }


def settings_of(kind: type) -> Mapping[str, SettingField]:
    """The settings that a dataclass declares, by name, in its order."""
    return {
        declared.name: SettingField(name=declared.name, default=declared.default, **declared.metadata[_KEY])
        for declared in fields(kind)
        if _KEY in declared.metadata
    }
