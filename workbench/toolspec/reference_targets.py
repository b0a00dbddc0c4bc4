"""Find the positions in a JSON Schema to which its references lead, also through `$id` and anchors.

*Source:* JSON Schema Draft 2020-12, section 8.2; RFC 3986, section 5; RFC 6901.
"""

import re
from collections.abc import Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.errors import ConstraintFailed
from workbench.toolspec.drafts import Draft

Where = tuple[str | int, ...]
"""Keys and indexes that lead to a position in a document."""
_NOT_SCHEMAS: Final = frozenset({"const", "enum", "default", "examples"})
_ENCODED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?)(.*)", re.DOTALL)


class References:
    """The positions in a document to which references lead.

    Args:
        document: The document.
        draft: Before 2019-09, a schema with a `$ref` has no `$id`.
    """

    def __init__(self, document: JsonValue, draft: Draft) -> None:
        self._document = document
        self._is_ref_alone = draft is Draft.DRAFT_7
        self._positions: dict[str, Where] = {}
        self._bases: dict[Where, str] = {}

    def at(self, where: Where) -> JsonValue:
        """Return the value at a position, or None if it does not exist."""
        found = self._document
        for step in where:
            found = _step(found, step)
        return found

    def target(self, ref: str, where: Where) -> Where | None:
        """Return the position to which the reference of a schema leads, or None if it leads to another document.

        Raises:
            ConstraintFailed: It leads nowhere.
        """
        if not self._positions:
            self._positions[""] = ()
            self._note((), self._document, "")
        base = self._bases.get(where, "")
        address, _, fragment = _joined(base, ref).partition("#")
        target = self._positions.get(address)
        if target is None:
            return None
        if fragment.startswith("/"):
            target = (*target, *map(_unescaped, _decoded(fragment).split("/")[1:]))
        elif fragment:
            target = self._positions.get(f"{address}#{fragment}")
        if target is None or self.at(target) is None:
            raise ConstraintFailed(f"{pointer([*where, '$ref'])}: {ref[:40]!r} leads nowhere")
        return target

    def _note(self, where: Where, value: JsonValue, base: str) -> None:
        """Note the position of each schema with an address or anchor, and the address of each schema with a `$ref`."""
        if isinstance(value, Mapping):
            base = self._note_names(where, value, base)
            if "$ref" in value:
                self._bases[where] = base
            for key, inner in value.items():
                if key not in _NOT_SCHEMAS:
                    self._note((*where, key), inner, base)
        elif isinstance(value, list | tuple):
            for index, inner in enumerate(value):
                self._note((*where, index), inner, base)

    def _note_names(self, where: Where, schema: JsonObject, base: str) -> str:
        """Note the names of a schema. Return the address to which the references inside it are relative."""
        own = None if self._is_ref_alone and "$ref" in schema else schema.get("$id")
        if isinstance(own, str) and not own.startswith("#"):
            base = _joined(base, own).rstrip("#")
            self._positions.setdefault(base, where)
        anchors = [f"#{schema[key]}" for key in ("$anchor", "$dynamicAnchor") if key in schema]
        if isinstance(own, str) and own.startswith("#"):
            anchors.append(own)
        for anchor in anchors:
            self._positions.setdefault(base + anchor, where)
        return base


def _joined(base: str, ref: str) -> str:
    """Return the address to which a reference leads.

    >>> _joined("https://example.com/a/b.json", "c.json#/x"), _joined("https://example.com/a", "#x")
    ('https://example.com/a/c.json#/x', 'https://example.com/a#x')
    """
    if ref.startswith("#") or not ref:
        return base + ref
    found = _ADDRESS.match(base)
    if _ADDRESS.match(ref) or found is None:
        return ref
    host, path = found.groups()
    folder = "" if ref.startswith("/") else path.rpartition("/")[0] + "/"
    return host + folder + ref.removeprefix("./")


def _decoded(text: str) -> str:
    """Return a text without percent-encoding: `My%20Type` is `My Type`."""
    return _ENCODED.sub(
        lambda match: bytes.fromhex(match.group().replace("%", "")).decode(errors="replace"), text
    )


def _unescaped(text: str) -> str:
    """Return the key that a part of a JSON pointer names. *Source:* RFC 6901."""
    return text.replace("~1", "/").replace("~0", "~")


def _step(value: JsonValue, step: str | int) -> JsonValue:
    if isinstance(value, Mapping):
        return value.get(str(step))
    if isinstance(value, list | tuple) and (isinstance(step, int) or step.isdecimal()):
        return value[int(step)] if int(step) < len(value) else None
    return None
