"""The replicas of vLLM's and SGLang's parsers, compared with the parsers of the releases that they name.

The real parsers run in a process of their own, with stand-ins for the rest of the server.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

from tests.conformance.stand_ins import install
from tests.conformance.vllm_plugin import CHECKOUT, CORPUS, Tokenizer, corpus, import_vllm
from workbench.hermes.replicas.attempt import ReplicaReading
from workbench.hermes.replicas.servers import read_as_sglang, read_as_vllm
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

_SGLANG = "sglang.srt.function_call"
_SGLANG_REAL = (
    "sglang.srt.environ",
    f"{_SGLANG}.base_format_detector",
    f"{_SGLANG}.core_types",
    f"{_SGLANG}.hermes_detector",
    f"{_SGLANG}.utils",
)
_SGLANG_MISSING = ("orjson", "partial_json_parser", "torch", "xgrammar")
GOOD = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ODD = (
    "<tool_call></tool_call>" + GOOD,
    "<tool_call> </tool_call>" + GOOD,
    '<tool_call>{"name": "f", "parameters": {}, "arguments": {"a": 1}}</tool_call>',
    '<tool_call>{"name": "f", "parameters": {"a": 1}, "arguments": {"a": 2}}</tool_call>',
    '<tool_call>{"name": "f"}</tool_call>' + GOOD,
    '<tool_call>{"name": "f", "arguments": null}</tool_call>',
    '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>',
    '<tool_call>{"name": "f", "arguments": [1]}</tool_call>',
    '<tool_call>{"name": "f", "arguments": {"a": "\\ud800"}}</tool_call>',
    '<tool_call>{"name": "\\ud800", "arguments": {}}</tool_call>' + GOOD,
    '<tool_call>{"name": "f", "arguments": {"a": NaN, "b": -Infinity}}</tool_call>',
    '<tool_call>{"name": "f", "arguments": {"a": 1, "a": 2}}</tool_call>',
    '<tool_call>{"name": ["f"], "arguments": {}}</tool_call>' + GOOD,
    '<tool_call>{"name": 5, "arguments": {}}</tool_call>' + GOOD,
    '<tool_call>{"name": "", "arguments": {}}</tool_call>' + GOOD,
    '<tool_call>{"name": null, "arguments": {}}</tool_call>' + GOOD,
    f'<tool_call>[{{"name": "f", "arguments": {{}}}}, 3]</tool_call>{GOOD}',
    f'<tool_call>[{{"name": "f", "arguments": {{}}}}, {{"name": "unknown"}}]</tool_call>{GOOD}',
    "<tool_call>3</tool_call>" + GOOD,
    '<tool_call>"f"</tool_call>' + GOOD,
    "<tool_call>[]</tool_call>" + GOOD,
    '<tool_call>\u00a0{"name": "f", "arguments": {}}\u2003</tool_call>',
    '<tool_call>\ufeff{"name": "f", "arguments": {}}</tool_call>',
    f'<tool_call>{{"name": "f", "arguments": {{"a": {"9" * 5000}}}}}</tool_call>{GOOD}',
    f'<tool_call>{{"name": "f", "arguments": {"[" * 100_000}{"]" * 100_000}}}</tool_call>{GOOD}',
    '<tool_call>{"name": "f", "arguments": {}}',
    '<tool_call>{"name": "f", "arguments": {}}</tool_call',
    "<tool_call>",
    "Nothing.",
)
"""Texts beside the corpus: what each rule of the two parsers turns on."""


def count() -> int:
    """Return how many texts are compared."""
    return sum(1 for _ in _texts())


def vllm_outcomes(folder: Path) -> list[tuple[str, str]]:
    """Return each text's case, and how vLLM's parser and its replica differ, or an empty text."""
    return _outcomes("vllm", folder, read_as_vllm)


def sglang_outcomes(folder: Path) -> list[tuple[str, str]]:
    """The same for SGLang."""
    return _outcomes("sglang", folder, read_as_sglang)


def _outcomes(
    server: str, folder: Path, read: Callable[[str, OfferedTools | None], ReplicaReading]
) -> list[tuple[str, str]]:
    command = [sys.executable, "-m", __name__, server, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=CHECKOUT)
    if ran.returncode:
        return [("the parser is imported", ran.stderr[-2000:])]
    found = json.loads(ran.stdout)
    tools = _tools()
    return [
        (case, _difference(_calls(read(text, tools)), theirs))
        for (case, text), theirs in zip(_texts(), found, strict=True)
    ]


def _difference(ours: object, theirs: object) -> str:
    return "" if repr(ours) == repr(theirs) else f"replica: {ours!r:.300}\nreal: {theirs!r:.300}"


def _calls(reading: ReplicaReading) -> list[list[object]]:
    return [[call.name, call.arguments] for call in reading.calls]


def _tools() -> OfferedTools:
    return parse_tools((CORPUS / "tools.json").read_text(encoding="utf-8"))


def _texts() -> Iterator[tuple[str, str]]:
    """Yield each text of the corpus alone, cut, and beside a good call, then the odd ones."""
    for row in corpus():
        text = row["text"]
        yield row["id"], text
        yield f"{row['id']}, after a call", GOOD + text
        yield f"{row['id']}, before a call", text + GOOD
        yield f"{row['id']}, cut", text[: len(text) * 2 // 3]
    for number, text in enumerate(ODD):
        yield f"odd {number}", text


def _read_with_vllm(texts: Sequence[str]) -> Iterator[list[list[object]]]:
    module = importlib.import_module("vllm.tool_parsers.hermes_tool_parser")
    parser = module.Hermes2ProToolParser(Tokenizer())
    for text in texts:
        found = parser.extract_tool_calls(text, None)
        yield [[call.function.name, json.loads(call.function.arguments)] for call in found.tool_calls]


def _read_with_sglang(texts: Sequence[str]) -> Iterator[list[list[object]]]:
    module = importlib.import_module(f"{_SGLANG}.hermes_detector")
    tools = [SimpleNamespace(function=SimpleNamespace(name=name)) for name in _tools().names]
    for text in texts:
        found = module.HermesDetector().detect_and_parse(text, tools)
        yield [[call.name, json.loads(call.parameters)] for call in found.calls]


def _main(server: str, folder: Path) -> None:
    if server == "vllm":
        import_vllm(folder)
        read = _read_with_vllm
    else:
        install(folder, "sglang", real=_SGLANG_REAL, missing=_SGLANG_MISSING)
        read = _read_with_sglang
    print(json.dumps(list(read([text for _, text in _texts()]))))


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
