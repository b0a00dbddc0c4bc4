"""Tools that many rows declare: whether one name always stands for the same parameters."""

import marshal
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.validate.declared import meaning_of

_MOST_TOOLS: Final = 50_000
"""So many names are watched; later ones are not, so that memory does not grow with the rows."""
_LONGEST: Final = 4_000
"""Parameters beyond so many bytes are kept as what they mean."""
_MARSHAL: Final = 2
"""The newest version in which equal values always give equal bytes."""
_HASH: Final = b"#"
"""Stands before a meaning; no object begins so in the other form."""
_KEPT: Final = "_written"


@dataclass(slots=True, kw_only=True)
class ToolWatch:
    """Tools by name as first declared; two of them add up by `extend`, the earlier rows first."""

    first: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """By tool's name, its parameters byte for byte: what they mean is worked out when others come up."""
    meanings: dict[str, bytes] = field(default_factory=dict[str, bytes], compare=False)
    """Those of the first that were asked for."""
    conflicts: set[str] = field(default_factory=set[str])
    """Tools that are declared with different parameters."""

    def add(self, spec: ToolSpec) -> None:
        """One more declaration."""
        self._add(spec.name, _written(spec))

    def extend(self, other: "ToolWatch") -> None:
        """The declarations of another set too."""
        self.conflicts |= other.conflicts
        for name, written in other.first.items():
            self._add(name, written)

    def _add(self, name: str, written: bytes) -> None:
        known = self.first.get(name)
        if known is None:
            if len(self.first) < _MOST_TOOLS:
                self.first[name] = written
        elif known != written and name not in self.conflicts:
            if name not in self.meanings:
                self.meanings[name] = _meaning(known)
            if _meaning(written) != self.meanings[name]:
                self.conflicts.add(name)


def _written(spec: ToolSpec) -> bytes:
    kept: dict[str, object] = spec.__dict__
    written = kept.get(_KEPT)
    if not isinstance(written, bytes):
        written = kept[_KEPT] = _bytes(spec)
    return written


def _bytes(spec: ToolSpec) -> bytes:
    try:
        written = marshal.dumps(dict(spec.parameters), _MARSHAL)
    except ValueError:  # nested too deep
        written = b""
    return written if 0 < len(written) <= _LONGEST else _HASH + meaning_of(spec)


def _meaning(written: bytes) -> bytes:
    if written.startswith(_HASH):
        return written.removeprefix(_HASH)
    parameters: JsonObject = marshal.loads(written)
    return meaning_of(ToolSpec.of_function({"parameters": parameters}))
