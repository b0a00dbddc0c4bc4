"""The server flags that the workbench and its pages advise, compared with the names that a release accepts."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.conformance.archives import SGLANG, VLLM
from workbench.hermes import server_releases
from workbench.hermes.dialects.known import DIALECTS

DOCS = Path(__file__).parents[2] / "docs"
OWN = "hermes_workbench"
_FLAG = re.compile(r"--tool-call-parser[ =]`?([\w.-]+)")
_SERVER = re.compile(r"vllm|sglang", re.IGNORECASE)


def vllm_outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """Compare the flags that are advised for vLLM with its registered parsers."""
    names = _literal_keys(folder / "vllm" / "tool_parsers" / "__init__.py", "_TOOL_PARSERS_TO_REGISTER")
    yield from _outcomes(names, (form.vllm for form in DIALECTS.values()), "vllm")
    yield "the release", _unequal(server_releases.VLLM, VLLM.version)


def sglang_outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """The same for SGLang."""
    names = _literal_keys(
        folder / "sglang" / "srt" / "function_call" / "parser_names.py", "TOOL_CALL_PARSER_NAMES"
    )
    yield from _outcomes(names, (form.sglang for form in DIALECTS.values()), "sglang")
    yield "the release", _unequal(server_releases.SGLANG, SGLANG.version)


def _outcomes(names: frozenset[str], advised: Iterable[str], server: str) -> Iterator[tuple[str, str]]:
    yield "the table of forms", _unknown(set(filter(None, advised)), names)
    yield "the pages", _unknown(set(_in_pages(server)) - {OWN}, names)


def _unknown(advised: set[str], names: frozenset[str]) -> str:
    if not advised:
        return "no flag is advised at all"
    missing = sorted(advised - names)
    return f"it has no parser {', '.join(missing)}; it has {', '.join(sorted(names))}" if missing else ""


def _unequal(ours: str, downloaded: str) -> str:
    return "" if ours == downloaded else f"server_releases has {ours}, the archive is {downloaded}"


def _in_pages(server: str) -> Iterator[str]:
    """Yield the parsers on all pages for the server that is named last before the flag."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for flag in _FLAG.finditer(text):
            named = _SERVER.findall(text, 0, flag.start())
            if named and named[-1].lower() == server:
                yield flag[1]


def _literal_keys(file: Path, name: str) -> frozenset[str]:
    """Return the texts of a list, or the keys of an object, that a module assigns to `name`, without importing it."""
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return frozenset(ast.literal_eval(statement.value))
    raise LookupError(f"{file} assigns nothing to {name}")
