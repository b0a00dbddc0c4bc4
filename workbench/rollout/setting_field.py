"""Declare settings in the metadata of dataclass fields, for the page, the command line and the docs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Protocol

from workbench.errors import BadInput

InProtocol = Literal["", "always", "unless default", "spelled"]
"""How a sampling field is sent in OpenAI's protocol: not at all (empty), always, only if it is not the default, or
"spelled", which means that the request builder has its own code for it."""
_KEY: Final = "setting"


class FieldEditor(Protocol):
    """How people edit a value on the page."""

    @property
    def label(self) -> str:
        """The label on the page."""
        ...

    def show(self, value: Any) -> object:
        """Return the value in the form that the page's component holds."""
        ...

    def parse(self, shown: object, where: str = "") -> Any:
        """Parse what the component holds.

        Args:
            shown: None if the component is empty.
            where: Prefix for the location in error messages, such as `"column B, "`.

        Raises:
            BadInput: It is not a valid value of this setting.
        """
        ...


class _ShownAsIs:
    """Base of an editor whose component holds the value itself."""

    __slots__ = ()

    def show(self, value: Any) -> object:
        return value


@dataclass(frozen=True, slots=True)
class PlainEditor(_ShownAsIs):
    """Any value, such as a text or an item of a list that only the page knows."""

    label: str

    def parse(self, shown: object, where: str = "") -> Any:
        return shown


@dataclass(frozen=True, slots=True)
class Switch(_ShownAsIs):
    """A check box: on or off."""

    label: str

    def parse(self, shown: object, where: str = "") -> bool:
        return bool(shown)


@dataclass(frozen=True, slots=True)
class NumberRange(_ShownAsIs):
    """A number from `least` to `most`, both included."""

    label: str
    least: float
    most: float
    step: float | None = None
    """Step of the component's arrows. None if only whole numbers are allowed."""

    def parse(self, shown: object, where: str = "") -> float:
        """See `FieldEditor`. The result is an integer if only whole numbers are allowed.

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
            raise BadInput(place, f"{shown} is not a whole number", remedy)
        return int(shown)

    def whole(self, shown: object, where: str = "") -> int:
        """Parse a whole number and return it as an integer."""
        return int(self.parse(shown, where))


@dataclass(frozen=True, slots=True)
class ChoiceOption(_ShownAsIs):
    """A choice of a few values, each an integer."""

    label: str
    options: tuple[tuple[str, int], ...]
    """Label and value of each choice. The values are consecutive integers."""

    def parse(self, shown: object, where: str = "") -> int:
        values = [value for _, value in self.options]
        return NumberRange(self.label, min(values), max(values)).whole(shown, where)


@dataclass(frozen=True, slots=True)
class LinesEditor:
    """A list of values, one per line."""

    label: str
    placeholder: str
    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]
    """Raises `BadInput` with the number of the line that cannot be parsed."""

    def show(self, value: Any) -> object:
        return self.to_text(value)

    def parse(self, shown: object, where: str = "") -> Any:
        return self.from_text(str(shown or ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One declared setting."""

    name: str
    default: Any
    """`dataclasses.MISSING` if the field has a default factory."""
    editor: FieldEditor
    help: str
    """What the setting does, for the documentation and the command line. Without a full stop."""
    row: int
    """Where Play shows a sampling field: 0 is the row that is always visible, 1 the collapsed numbers; from 2 on, each
    field has a row of its own."""
    protocol: InProtocol
    servers: Mapping[str, str] = field(hash=False)
    """Servers that accept the field in addition to OpenAI's protocol: kind of server to its name for the field."""


def setting(
    editor: FieldEditor,
    help: str,
    *,
    row: int = 1,
    protocol: InProtocol = "",
    servers: Mapping[str, str] | None = None,
) -> Mapping[str, Any]:
    """Return the metadata of a dataclass field that declares a setting; see `SettingField` for the arguments."""
    return {
        _KEY: {"editor": editor, "help": help, "row": row, "protocol": protocol, "servers": servers or {}}
    }


def settings_of(kind: type) -> Mapping[str, SettingField]:
    """Return the settings that a dataclass declares, by name, in the order of its fields."""
    return {
        declared.name: SettingField(name=declared.name, default=declared.default, **declared.metadata[_KEY])
        for declared in fields(kind)
        if _KEY in declared.metadata
    }
