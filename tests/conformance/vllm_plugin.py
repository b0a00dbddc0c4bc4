"""The tool parser plugin, loaded into the classes of a real vLLM from its source archive.

Only the modules that a tool parser touches run; torch and the rest of vLLM are stand-ins. From 0.25 on the answer is
put together by vLLM's own `DelegatingParser`, before by a copy of what its server did.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import workbench.gateway
from tests.conformance.stand_ins import install
from tests.gateway import vllm_stand_in
from workbench import parse, parse_tools
from workbench.gateway.answer import AnswerWriter
from workbench.rollout.completion_writer import REPLACEMENT
from workbench.rollout.ports import Delta

CHECKOUT = Path(__file__).parents[2]
CORPUS = CHECKOUT / "tests" / "corpus"
PLUGIN = Path(workbench.gateway.__file__).with_name("vllm_plugin.py")
NAME = "hermes_workbench"
_OPENAI = "vllm.entrypoints.openai"
REAL = (
    "vllm.envs",
    "vllm.exceptions",
    "vllm.entrypoints.generate.base.protocol",
    "vllm.entrypoints.serve.engine.protocol",
    f"{_OPENAI}.chat_completion.protocol",
    f"{_OPENAI}.engine.protocol",
    f"{_OPENAI}.protocol",
    f"{_OPENAI}.responses.protocol",
    f"{_OPENAI}.tool_parsers.abstract_tool_parser",
    f"{_OPENAI}.tool_parsers.hermes_tool_parser",
    "vllm.parser.abstract_parser",
    "vllm.tool_parsers",
    "vllm.tool_parsers.abstract_tool_parser",
    "vllm.tool_parsers.hermes_tool_parser",
    "vllm.tool_parsers.tool_strict_level",
    "vllm.tool_parsers.utils",
    "vllm.utils.collection_utils",
    "vllm.utils.import_utils",
)
"""The modules of vLLM that run, in all of its layouts."""
MISSING = ("msgspec", "openai", "openai_harmony", "partial_json_parser", "torch", "transformers", "xgrammar")
"""Packages of vLLM that the workbench does not need."""


SIZES = (1, 3, 10, 100)
"""Sizes of the pieces in which each text is streamed, in characters."""


def corpus() -> list[dict]:
    """Return the rows of our own texts."""
    lines = (CORPUS / "readings.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def count() -> int:
    """Return how many cases `outcomes` has."""
    return 2 + len(corpus()) * (1 + len(SIZES))


def outcomes(folder: Path) -> list[tuple[str, str]]:
    """Return each case, and what went wrong in it or an empty text."""
    command = [sys.executable, "-m", __name__, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=CHECKOUT)
    if ran.returncode:
        return [("the plugin is imported", ran.stderr[-2000:])]
    return [("the plugin is imported", ""), *map(tuple, json.loads(ran.stdout))]


def import_vllm(folder: Path) -> None:
    """Make the named modules of vLLM importable in this process, for good."""
    install(folder, "vllm", real=REAL, missing=MISSING)


class Tokenizer:
    """As much of a tokenizer as vLLM's parsers use when they are made."""

    def encode(self, text, **_options):
        return [ord(character) for character in text]

    def decode(self, tokens, **_options):
        return "".join(map(chr, tokens))

    def get_vocab(self):
        return {}


def _module(*names):
    """Import the first of these modules that this version has."""
    return importlib.import_module(next(filter(_exists, names)))


def _exists(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _cases() -> Iterator[tuple[str, str]]:
    tools = parse_tools((CORPUS / "tools.json").read_text(encoding="utf-8"))
    specs = [spec.document for spec in tools.specs]
    protocol = _module(f"{_OPENAI}.chat_completion.protocol", f"{_OPENAI}.protocol")
    request = protocol.ChatCompletionRequest.model_validate(
        {"messages": [{"role": "user", "content": "hi"}], "model": "m", "tools": specs}
    )
    adjusted = _parser().adjust_request(request)
    yield "the tags stay in the text", "they are left out" if adjusted.skip_special_tokens else ""
    for row in corpus():
        text = row["text"]
        yield f"{row['id']}, whole", _whole(text, request, tools)
        for size in SIZES:
            yield f"{row['id']}, in pieces of {size}", _streamed(text, size, request, tools)


def _parser_class():
    manager = _module(
        "vllm.tool_parsers.abstract_tool_parser", f"{_OPENAI}.tool_parsers.abstract_tool_parser"
    ).ToolParserManager
    if NAME not in manager.tool_parsers:
        manager.import_tool_parser(str(PLUGIN))
    if NAME not in manager.tool_parsers:
        # vLLM only logs why a plugin cannot be imported, and 0.11 imports it with a part of vLLM that does not run here.
        vllm_stand_in.import_tool_parser(PLUGIN)
    return manager.get_tool_parser(NAME)


def _parser():
    return _parser_class()(Tokenizer())


def _whole(text, request, tools) -> str:
    found = _parser().extract_tool_calls(text, request)
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in found.tool_calls]
    readable = parse(text.replace("\0", REPLACEMENT), tools=tools)
    expected = [(call.name, dict(call.arguments)) for call in readable.calls]
    return "" if repr(calls) == repr(expected) else f"{calls}\nexpected {expected}"


def _streamed(text, size, request, tools) -> str:
    """Compare what a client adds up with the pieces that the gateway would send."""
    writer = AnswerWriter(tools=tools, call_id=str)
    writer.feed(Delta(text=text))
    expected = ("".join(writer.sent.content), [(call.name, _sent(call)) for call in writer.sent.calls])
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    content, calls = _served(pieces, request)
    got = (content, [(call["name"], _value(call["arguments"])) for call in calls])
    return "" if repr(got) == repr(expected) else f"{got}\nexpected {expected}"


def _sent(call):
    return _value("".join(call.arguments))


def _value(text):
    """Return the value of complete arguments, and the text of those that were cut off."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return f"incomplete: {text}"


def _delegating_parser():
    """Return the class that puts an answer together; None before vLLM had it, or where it lacks the end of an answer."""
    module = _exists("vllm.parser") and importlib.import_module("vllm.parser.abstract_parser")
    found = getattr(module, "DelegatingParser", None)
    return found if hasattr(found, "finalize_generation") else None


def _served(pieces, request):
    """Return the content and the calls of a streamed answer, as a client adds them up."""
    delegating = _delegating_parser()
    if delegating is None:
        # The token that ends a completion has no text. Of several calls that begin with it, old servers send the last.
        content, calls, _ = vllm_stand_in.serve(_parser(), [*pieces, ""], request)
        return content, calls

    class Served(delegating):
        tool_parser_cls = _parser_class()

    server = Served(Tokenizer(), request.tools)
    content, calls = "", []
    for number, piece in enumerate(pieces, start=1):
        delta = server.parse_delta(piece, [0], request, [0], finished=number == len(pieces))
        content += (delta and delta.content) or ""
        for call in (delta and delta.tool_calls) or ():
            if call.index == len(calls):
                calls.append({"name": call.function.name, "arguments": ""})
            calls[call.index]["arguments"] += call.function.arguments or ""
    return content, calls


if __name__ == "__main__":
    import_vllm(Path(sys.argv[1]))
    print(json.dumps(list(_cases())))
