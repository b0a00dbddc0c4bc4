"""Write what Python shares with the scripts of the page as TypeScript declarations, one file for each folder of scripts.

A script names the type of its value: `@param {Part<NoticeView>} part`. From there on the dataclasses are followed. What
the scripts of several folders get is declared in `shared/types.d.ts`. The events are those that the page listens to.
Run `python -m tests.ui.script_types` to write the files.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import getdoc, getsource
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from textwrap import dedent
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tests.services import services_for
from workbench.label import page as label
from workbench.ui import components, present
from workbench.ui.page import build_page
from workbench.ui.script_files import script_paths

PACKAGES = (components, present, label)
"""Where the views are."""
FOLDER = next(iter(script_paths().values())).parents[1]
PART = re.compile(r"@param \{Part<([^,>]+)")
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "null", object: "unknown"}
HEAD = "// Written by `python -m tests.ui.script_types` from the views and events of the page.\n"


@cache
def views() -> Mapping[str, Any]:
    """Return the dataclasses of `PACKAGES` by name."""
    names = [
        found.name
        for package in PACKAGES
        for found in walk_packages(package.__path__, package.__name__ + ".")
    ]
    return {
        name: found
        for module in map(import_module, names)
        for name, found in vars(module).items()
        if is_dataclass(found) and found.__module__ == module.__name__
    }


@cache
def values_of(script: str) -> frozenset[str]:
    """Return the names of the types of values that a script draws. Empty if it draws none."""
    found = PART.search(script_paths()[script].read_text(encoding="utf-8"))
    return frozenset(re.split(r" [|&] ", found[1])) - {"null"} if found else frozenset()


def events() -> Mapping[str, Sequence[str]]:
    """Return the events of each script that the page listens to, sorted by name."""
    with TemporaryDirectory() as folder, services_for(Path(folder), "Hello.") as (services, _):
        config = cast("dict[str, Any]", build_page(services).blocks.get_config_file())
    scripts = {part["id"]: part["props"].get("script") for part in config["components"]}
    found = defaultdict[str, set[str]](set)
    for dependency in config["dependencies"]:
        for part, event in dependency["targets"]:
            if script := scripts.get(part):
                found[script].add(event)
    return {script: sorted(names) for script, names in sorted(found.items())}


def declarations() -> Mapping[Path, str]:
    """Return the text of each file."""
    users = defaultdict[type, set[str]](set)
    for script, path in script_paths().items():
        for view in _with_parts([views()[name] for name in values_of(script)]):
            users[view].add(path.parent.name)
    texts = defaultdict[str, list[str]](list)
    for view, folders in sorted(users.items(), key=lambda item: item[0].__name__):
        texts[folders.pop() if len(folders) == 1 else "shared"].append(_interface(view))
    for script, names in events().items():
        name = "".join(map(str.capitalize, script.split("_"))) + "Events"
        folder = script_paths()[script].parent.name
        texts[folder].append(f"type {name} = {' | '.join(map(_quoted, names))};\n")
    return {FOLDER / folder / "types.d.ts": "\n".join([HEAD, *parts]) for folder, parts in texts.items()}


def _with_parts(found: Iterable[Any]) -> Iterator[type]:
    """Yield the dataclasses among types, and those that they consist of."""
    for each in found:
        if is_dataclass(each) and isinstance(each, type):
            yield each
            yield from _with_parts(hint for _, hint in _fields(each) if not _is_inside(each, hint))
        else:
            yield from _with_parts(get_args(each))


def _is_inside(view: type, hint: Any) -> bool:
    """Whether a hint names the type itself, as the nodes of a tree do."""
    return hint is view or any(_is_inside(view, part) for part in get_args(hint))


def _fields(view: Any) -> Sequence[tuple[str, Any]]:
    hints = get_type_hints(view, localns={"JsonValue": object})
    return [(each.name, hints[each.name]) for each in fields(view)]


def _interface(view: type) -> str:
    notes = _notes(view)
    lines = [f"  {_comment(notes[name])}{name}: {_type(hint)};\n" for name, hint in _fields(view)]
    return f"{_comment(getdoc(view) or '', indent='')}interface {view.__name__} {{\n{''.join(lines)}}}\n"


def _notes(view: type) -> Mapping[str, str]:
    """Return the docstrings of the fields."""
    [body] = [node.body for node in ast.parse(dedent(getsource(view))).body if isinstance(node, ast.ClassDef)]
    notes = defaultdict[str, str](str)
    for before, node in pairwise(body):
        match before, node:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                notes[name] = text
            case _:
                pass
    return notes


def _comment(text: str, indent: str = "  ") -> str:
    line = " ".join(text.split("\n\n")[0].split())
    return f"/** {line} */\n{indent}" if line else ""


def _quoted(text: object) -> str:
    return f'"{text}"'


def _type(hint: Any) -> str:
    """Return the TypeScript type of a field's value as JSON."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if is_dataclass(hint):
        return getattr(hint, "__name__", "")
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " | ".join(_quoted(member.value) for member in hint)
    if isinstance(hint, type) and issubclass(hint, tuple):
        return f"[{', '.join(map(_type, get_type_hints(cast(Any, hint)).values()))}]"
    if origin is Literal:
        return " | ".join(map(_quoted, parts))
    if origin in (Union, UnionType):
        return " | ".join(map(_type, parts))
    if origin is tuple and parts[-1] is not Ellipsis:
        return f"[{', '.join(map(_type, parts))}]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Record<string, {_type(parts[1])}>"
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return f"({_type(parts[0])})[]" if get_args(parts[0]) else f"{_type(parts[0])}[]"
    raise TypeError(f"a script cannot get {hint}")


if __name__ == "__main__":
    for path, text in declarations().items():
        path.write_text(text, encoding="utf-8")
