"""llama.cpp's tests of what it reads from an answer: the cases of `peg_tester` in `tests/test-chat.cpp`.

A case names a chat template, an answer, the tools, and the message that is expected. Left out are answers that are cut
off, which the reader never runs, and answers that continue a message of the prompt.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.archives import LLAMA_CPP
from tests.conformance.cpp_text import CppCall, NotAValue, Token, read_list, read_value, tokens_of
from tests.conformance.outcome import Completion, Outcome, Suite
from tests.conformance.readings import Message, message_of, read, without_thoughts
from workbench.errors import BadInput
from workbench.hermes.templates.template import TemplateInput, parse_template, render_template

CLAIMED = (
    "NousResearch-Hermes-2-Pro",
    "NousResearch-Hermes-3",
    "MiMo-VL",
    "Qwen-Q",
    "Qwen3",
    "NVIDIA-Nemotron-3",
    "StepFun3.5",
)
"""How the names of the templates begin whose families the workbench reads. All others are read leniently."""
FOLDER = Path("vendor/llama.cpp")
PARAMETER = {"template_path": "LFM2"}
"""The value of the parameter of the one function that is called for several templates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCase:
    """One `test(…)`."""

    template: str
    """File name of the chat template, without its ending."""
    line: int
    chain: Mapping[str, tuple[Any, ...]]
    """The arguments of each method that is called: `test`, `tools`, `expect`, …"""


def chat_cases(folder: Path) -> Iterator[ChatCase]:
    """Return the cases of all templates, in the order of the file."""
    source = (folder / FOLDER / "tests/test-chat.cpp").read_text(encoding="utf-8")
    tokens = tokens_of(source)
    names: dict[str, Any] = dict(PARAMETER)
    for place in range(1, len(tokens) - 3):
        before, _name, sign, *after = (token.value for token in tokens[place - 1 : place + 4])
        if tokens[place].kind == "name" and sign == "." and after == ["test", "("]:
            yield from _case(tokens, place, names)
        elif tokens[place].kind == "name" and sign in ("=", "{", ":") and before not in (".", "->"):
            _note(tokens, place, names)


def _note(tokens: list[Token], place: int, names: dict[str, Any]) -> None:
    """Note the value of `name = value;`, of `name{ value };`, or of `for (… name : values)`, if it is one."""
    sign = tokens[place + 1].value
    try:
        value, end = read_value(tokens, place if sign == "{" else place + 2, names)
    except NotAValue:
        return
    if tokens[end].value in (";", ")"):
        names[tokens[place].value] = value


def _case(tokens: list[Token], place: int, names: Mapping[str, Any]) -> Iterator[ChatCase]:
    """Read `tester.test(TEXT).tools({…}).expect(…).run()`, once for each template that the tester has."""
    tester: CppCall = names[tokens[place].value]
    line = tokens[place].line
    chain: dict[str, tuple[Any, ...]] = {}
    place += 1
    while tokens[place].value == ".":
        chain[tokens[place + 1].value], place = read_list(tokens, place + 2, names)
    paths = tester.arguments[0]
    for path in [paths] if isinstance(paths, str) else paths:
        yield ChatCase(template=Path(path).stem, line=line, chain=chain)


def expected_of(case: ChatCase) -> Message:
    """Return the message that llama.cpp expects."""
    content = thoughts = ""
    calls: tuple[Any, ...] = ()
    if "expect" in case.chain:
        content, thoughts, calls = _built(case.chain["expect"][0])
    (content,) = case.chain.get("expect_content", (content,))
    (thoughts,) = case.chain.get("expect_reasoning", (thoughts,))
    (calls,) = case.chain.get("expect_tool_calls", (calls,))
    return Message(
        content=content.strip(),
        thoughts=thoughts.strip(),
        calls=tuple((name, json.loads(arguments or "{}")) for name, arguments, *_id in calls),
    )


def _built(call: CppCall) -> tuple[str, str, tuple[Any, ...]]:
    """Return content, thoughts and calls of a message that one of the helpers of the file builds."""
    match call.name, call.arguments:
        case "simple_assist_msg", (content, *rest):
            thoughts, name, arguments, _id = (*rest, *[""] * (4 - len(rest)))
            return content, thoughts, ((name, arguments),) if name else ()
        case "message_with_tool_calls", (name, arguments):
            return "", "", ((name, arguments),)
        case "message_with_tool_calls_and_reasoning", (name, arguments, thoughts):
            return "", thoughts, ((name, arguments),)
        case "message_with_reasoning_content_and_multiple_tool_calls", (thoughts, content, calls):
            return content, thoughts, calls
        case "message_with_content_and_tool_call", (content, name, arguments):
            return content, "", ((name, arguments),)
        case "message_with_reasoning_and_tool_call", (thoughts, name, arguments):
            return "", thoughts, ((name, arguments),)
    raise NotAValue(call)


def _tool(tool: CppCall | tuple[str, ...]) -> dict[str, Any]:
    name, description, parameters = tool.arguments if isinstance(tool, CppCall) else tool
    function = {"name": name, "description": description, "parameters": json.loads(parameters)}
    return {"type": "function", "function": function}


def _is_compared(case: ChatCase) -> bool:
    return not case.chain.keys() & {"is_partial", "continue_final_message"}


def _outcomes(folder: Path, *, is_claimed: bool) -> Iterator[Outcome]:
    for case in chat_cases(folder):
        if _is_compared(case) and case.template.startswith(CLAIMED) is is_claimed:
            yield _outcome(folder, case, level="lenient")


def _outcome(folder: Path, case: ChatCase, *, level: str) -> Outcome:
    (tools,) = case.chain.get("tools", ((),))
    (is_thinking,) = case.chain.get("enable_thinking", ("true",))
    completion = Completion(
        text=case.chain["test"][0],
        tools=json.dumps([_tool(tool) for tool in tools]),
        level=level,
        starts_in_thought=_opens_thought(folder, case.template, is_thinking=is_thinking == "true"),
    )
    expected, got = expected_of(case), message_of(read(completion))
    if case.chain.get("reasoning_format", ("NONE",))[0].endswith("NONE"):
        expected, got = without_thoughts(expected), without_thoughts(got)
    return Outcome(
        id=f"{case.template}:{case.line}",
        agrees=expected == got,
        details=f"{completion}\nexpected {expected}\n     got {got}",
        completions=(completion,),
    )


@cache
def _opens_thought(folder: Path, template: str, *, is_thinking: bool) -> bool:
    """Whether the prompt of a template ends inside a thought, which the answer then goes on with."""
    path = folder / FOLDER / "models/templates" / f"{template}.jinja"
    if not path.exists():
        return False
    prompt = TemplateInput(
        messages=[{"role": "user", "content": "Hello"}],
        generation_prompt=True,
        now=datetime(2026, 1, 1),
        variables={"enable_thinking": is_thinking},
    )
    try:
        return render_template(parse_template(path.read_text("utf-8")), prompt).rstrip().endswith("<think>")
    except BadInput:
        return False


def _claimed(folder: Path) -> Iterator[Outcome]:
    return _outcomes(folder, is_claimed=True)


def _others(folder: Path) -> Iterator[Outcome]:
    return _outcomes(folder, is_claimed=False)


LLAMA_CHAT = Suite(
    name="llama.cpp test-chat: Hermes, Qwen, Nemotron 3, Step 3.5",
    archive=LLAMA_CPP,
    cases=74,
    outcomes=_claimed,
)
LLAMA_CHAT_OTHERS = Suite(
    name="llama.cpp test-chat: other forms", archive=LLAMA_CPP, cases=278, outcomes=_others
)
