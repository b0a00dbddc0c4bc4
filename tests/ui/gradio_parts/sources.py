"""What the parts of `workbench/ui/gradio_parts/` name in Gradio, and fingerprints of the installed version of it.

`python -m tests.ui.gradio_parts.sources` writes the fingerprints again, once every part has been looked at.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import gradio as gr

ROOM: Final = Path(__file__).parents[3] / "workbench" / "ui" / "gradio_parts"
RECORDED: Final = Path(__file__).with_name("sources.json")
_WITHOUT: Final = {"__init__", "page_scripts"}
"""Modules that use nothing of Gradio."""
PACKAGE: Final = Path(gr.__file__).parent
ASSETS: Final = PACKAGE / "templates" / "frontend" / "assets"
_CITED: Final = re.compile(r"\*Gradio (\d+\.\d+):\*((?:.|\n)*?)(?:\.$|\Z)", re.MULTILINE)


def parts() -> Iterator[Path]:
    """Yield the modules and scripts of the room."""
    yield from sorted(
        path for path in ROOM.iterdir() if path.suffix in {".py", ".js"} and path.stem not in _WITHOUT
    )


def head_of(part: Path) -> str:
    """Return the first lines of a part, which say what it replaces: its docstring, or its comment."""
    text = part.read_text(encoding="utf-8")
    if part.suffix == ".py":
        return text.split('"""')[1]
    lines = text.splitlines()
    return "\n".join(line.removeprefix("//").strip() for line in lines if line.startswith("//"))


def version_in(head: str) -> str:
    """Return the version of Gradio that a part was written for. Empty if it names none."""
    found = _CITED.search(head)
    return found[1] if found else ""


def cited_in(head: str) -> list[str]:
    """Return what a part names in Gradio, such as `utils.diff`, or `assets/core` for a script of its browser side.

    >>> cited_in("*Gradio 6.31:* `utils.diff`, `assets/core` (js/core/src/css.ts, `prefix_css`).")
    ['utils.diff', 'assets/core']
    """
    found = _CITED.search(head)
    return re.findall(r"`([\w./]+)`", re.sub(r"\([^)]*\)", "", found[2] if found else ""))


def fingerprint(name: str) -> str:
    """Return a hash of the source of a function or class, or of an asset. Empty if there is no such thing."""
    if name.startswith("assets/"):
        source = b"".join(
            file.read_bytes() for file in sorted(ASSETS.glob(f"{name.removeprefix('assets/')}-*.js"))
        )
    else:
        source = _source_of(name.split(".")).encode()
    return sha256(source).hexdigest()[:16] if source else ""


def _source_of(steps: Sequence[str]) -> str:
    """Return the source of what is named. From the file, because a page that was built has replaced functions."""
    for count in range(len(steps) - 1, 0, -1):
        file = PACKAGE.joinpath(*steps[:count]).with_suffix(".py")
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            found: Any = ast.parse(text)
            for step in steps[count:]:
                found = next(
                    (node for node in getattr(found, "body", ()) if getattr(node, "name", "") == step), None
                )
            return (ast.get_source_segment(text, found) or "") if found else ""
    return ""


def fingerprints() -> Mapping[str, Mapping[str, str]]:
    """Return for each part the fingerprints of what it names."""
    return {part.name: {name: fingerprint(name) for name in cited_in(head_of(part))} for part in parts()}


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(fingerprints(), indent=1) + "\n", encoding="utf-8")
