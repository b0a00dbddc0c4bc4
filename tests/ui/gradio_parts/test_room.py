"""Only `workbench/ui/gradio_parts/` uses parts of Gradio that are not public."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest

PACKAGE = Path(__file__).parents[3] / "workbench"
ROOM = PACKAGE / "ui" / "gradio_parts"
PUBLIC = {"gradio", "gradio.themes"}
"""The modules of Gradio that its documentation imports from."""
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
INTERNAL = {
    "_queue", "active_jobs", "app_id", "attach_load_event", "block_fn", "blocks_config", "call_function",
    "clean_events", "config_values", "default_config", "event_analytics", "event_ids_to_events",
    "event_queue_per_concurrency_id", "fns", "get_blocks", "get_config_file", "handle_streaming_diffs",
    "pending_diff_streams", "pending_event_ids_session", "pending_messages_per_session", "pending_streams",
    "postprocess_data", "preprocess_data", "process_api", "safe_get_lock", "safe_get_stop_event", "session_data",
    "sleep_when_free", "state_holder", "time_last_used", "toorjson",
}  # fmt: skip
"""Attributes of Gradio's objects that are not documented, whatever their spelling."""
IN_SCRIPTS = re.compile(
    r"__GRADIO|gradio_config|queue/(join|data)|close_stream|process_completed|"
    # The source text of a function.
    r"Function\.prototype\.toString|\.test\((callback|fn|func)\)"
)


def outside() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if ROOM not in path.parents)


def private_uses(tree: ast.Module) -> Iterator[str]:
    """Yield each use of something of Gradio that is not public."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                name.name
                for name in node.names
                if name.name.split(".")[0] == "gradio" and name.name not in PUBLIC
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gradio":
            modules = [node.module or "", *(f"{node.module}.{name.name}" for name in node.names)]
            if modules[0] not in PUBLIC or any(_is_module(name) for name in modules[1:]):
                yield f"{node.module} ({', '.join(name.name for name in node.names)})"
        elif isinstance(node, ast.Attribute):
            of_gradio = isinstance(node.value, ast.Name) and node.value.id == "gr"
            if of_gradio and (node.attr.startswith("_") or _is_module(f"gradio.{node.attr}")):
                yield f"gr.{node.attr}"


def _is_module(name: str) -> bool:
    return name not in PUBLIC and inspect.ismodule(getattr(gr, name.partition(".")[2], None))


def private_attributes(tree: ast.Module) -> Iterator[str]:
    """Yield internal attributes, and private ones of anything but `self`, `cls` and classes of the same file."""
    own = {"self", "cls", *(node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in INTERNAL:
            yield f".{node.attr}"
        elif node.attr.startswith("_") and not node.attr.startswith("__"):
            is_own = isinstance(node.value, ast.Name) and node.value.id in own
            if not is_own and node.attr not in OF_NAMED_TUPLES:
                yield f".{node.attr}"


@pytest.mark.slow
def test_no_module_outside_the_room_uses_something_private_of_gradio() -> None:
    found = {}
    for path in outside():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        uses = [*private_uses(tree)]
        if (PACKAGE / "ui") in path.parents:
            uses += private_attributes(tree)
        if uses:
            found[str(path.relative_to(PACKAGE))] = uses
    assert found == {}


def test_no_script_outside_the_room_uses_gradio_s_own_names() -> None:
    scripts = [
        path
        for path in (PACKAGE / "ui").rglob("*.js")
        if ROOM not in path.parents and ".min." not in path.name
    ]
    assert len(scripts) > 50
    found = {path.name: match[0] for path in scripts if (match := IN_SCRIPTS.search(path.read_text("utf-8")))}
    assert found == {}


def test_no_file_outside_the_room_cites_gradio_s_source() -> None:
    files = [*outside(), *(path for path in (PACKAGE / "ui").rglob("*.js") if ROOM not in path.parents)]
    found = [path.name for path in files if re.search(r"[Gg]radio 6\.\d", path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "from gradio import processing_utils",
        "from gradio.blocks import Block",
        "import gradio.queueing",
        "gr.utils.diff(1, 2)",
        "cast(Any, blocks)._queue",
        "blocks.fns[1]",
        "holder.state_holder",
    ],
)
def test_private_uses_are_found(code: str) -> None:
    tree = ast.parse(code)
    assert [*private_uses(tree), *private_attributes(tree)]


@pytest.mark.parametrize(
    "code",
    [
        "import gradio as gr",
        "from gradio.themes import Base",
        "gr.update()",
        "self._x",
        "screen._replace(a=1)",
    ],
)
def test_public_uses_are_not_found(code: str) -> None:
    tree = ast.parse(code)
    assert [*private_uses(tree), *private_attributes(tree)] == []
