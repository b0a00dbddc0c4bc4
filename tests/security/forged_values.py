"""Values for forged events: what a component of the page could have, and what it cannot."""

import json
import random
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from tests.security.two_owner_site import Site

NESTED = "[" * 10_000 + "]" * 10_000
"""JSON of 10,000 nested lists."""
DEEP = "@@deep@@"
"""Placeholder for JSON that is nested too deep for `json.dumps`."""
_WORDS = (
    "", "x", "weather", "minimal", "now", "parse", "json", "auto", "raw", "0", "-1", "../x", "/etc/passwd", "%", "'",
    "\0", "🦉", "scripted:x", "embedded", "x" * 400,
)  # fmt: skip
TEXTS = (
    "", "hi", "{}", "[]", "null", "[1, {", '{"a": 1}', "- id: a\n  prompt: hi\n", "a: &x [*x]", "!!python/name:os.system",
    '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]',
    '[{"type": "function", "function": {"name": 5, "parameters": []}}]', "---\ntitle: A\nfamily: x\n---\n{{ tools }}",
    "{% for x in y %}", "{{ 1/0 }}", "<tool_call>\n{\"name\": \"now\"", "a = b\nc", "NaN", "1e999", "\ufeff",
)  # fmt: skip
HOSTILE: tuple[object, ...] = (
    None, True, False, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**70, 10**30, "", "\0", "\ud800", "x" * 100_000,
    [], {}, [[]], [None], [{}], {"a": {"b": []}}, DEEP, [DEEP], {"x": DEEP}, {"__type__": "update", "value": 1},
    {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}, [{"path": "/etc/passwd"}], {"path": 5},
    {"value": 1}, {"id": []}, list(range(200)), "NaN", "[" * 5000, '{"a":' * 500, {"url": "http://127.0.0.1:9/x", "path": "x"},
)  # fmt: skip


class ForgedValues:
    """Draws values of components, and values that no component can have.

    Args:
        target: The server. Ids are those of its two owners.
        config: What `/config` says: the page's components and events.
        chance: Draws the values.
    """

    def __init__(self, target: Site, config: Mapping[str, Any], chance: random.Random) -> None:
        self.target = target
        self.chance = chance
        self.components = {one["id"]: one for one in config["components"]}

    def word(self) -> str:
        """Return an id or a name, usually of the sender and sometimes of the other owner."""
        own, other = self.target.bob, self.target.ann
        ids = self.chance.choices([own.all(), other.all(), _WORDS], weights=[5, 3, 3])[0]
        return self.chance.choice(ids)

    def value(self, component_id: int) -> object:
        """Return a value that a component of the page could have."""
        component = self.components.get(component_id, {})
        props, kind = component.get("props", {}), component.get("type", "")
        choices = [one[1] if isinstance(one, list) else one for one in props.get("choices") or []]
        if kind == "state":
            return None
        if kind in ("dropdown", "radio") and choices and not props.get("multiselect"):
            return self.chance.choice([*choices, self.word()])
        if kind == "checkboxgroup" or props.get("multiselect"):
            return self.chance.sample(choices, k=min(len(choices), self.chance.randint(0, 3)))
        if kind == "number":
            return self.chance.choice([0, 1, 2, 0.5, 100, None])
        if kind == "checkbox":
            return self.chance.random() < 0.5
        if kind == "code":
            return self.chance.choice(TEXTS)
        if kind in ("file", "uploadbutton"):
            return self.chance.choice(
                [None, _file("/etc/passwd"), _file("data/workbench.sqlite3"), [_file("x")]]
            )
        if kind == "drawn":
            return self.chance.choice([None, {}, {"id": self.word()}, {"comparison": self.word()}])
        return self.chance.choice([self.word(), self.chance.choice(TEXTS)])

    def hostile(self, *, is_text: bool = False) -> object:
        """Return a value that no component can have."""
        if is_text:
            return self.chance.choice(
                ["", "\0", "x" * 3000, "%00", "../../etc/passwd", "é\n\r", "\ud800"[:0]]
            )
        # A copy, because parts of a value are changed later.
        return deepcopy(self.chance.choice(HOSTILE))


def _file(path: str) -> dict[str, object]:
    return {"path": path, "meta": {"_type": "gradio.FileData"}, "orig_name": "x.json"}


def dumped(value: object) -> bytes:
    """Return JSON, including values that are not valid JSON: NaN, lone surrogates and very deep nesting."""
    return json.dumps(value, default=str).replace(f'"{DEEP}"', NESTED).encode()
