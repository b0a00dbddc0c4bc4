"""Parsing takes linear time: twice the text takes less than 2.6 times as long, whatever the text is."""

from collections.abc import Callable
from time import process_time

import pytest

from tests.hermes.readings import TOOLS
from workbench.hermes.parse import parse
from workbench.hermes.stream import Stream

pytestmark = pytest.mark.slow
OPEN, CLOSE = "<tool_call>", "</tool_call>"
XML_CLOSE = "</parameter></function></tool_call>"
HEAD = OPEN + '{"name": "f", "arguments": {"q": '
WEATHER = OPEN + '{"name": "get_weather", "arguments": {"city": "'
SHAPES: dict[str, Callable[[int], str]] = {
    "unreadable blocks": lambda n: f"{OPEN}{{" * n,
    "unreadable blocks, one close": lambda n: f"{OPEN}{{" * n + CLOSE,
    "open tags": lambda n: OPEN * n,
    "newlines after an open tag": lambda n: OPEN + "\n" * n * 20,
    "open tags with fences": lambda n: f"{OPEN}\n```" * n,
    "open tags with newlines": lambda n: f"{OPEN}\n\n\n" * n,
    "parameters and spaces": lambda n: f"{OPEN}<function=f>" + "<parameter=a>     " * n,
    "parameters never closed": lambda n: f"{OPEN}<function=f>" + "<parameter=a>x" * n,
    "functions never closed": lambda n: f"{OPEN}<function=f><parameter=a>" * n + CLOSE,
    "functions closed too late": lambda n: (
        f"{OPEN}<function=f><parameter=a>" * n + "</function>" * n + "{" + CLOSE
    ),
    "examples in a value": lambda n: (
        f"{OPEN}<function=f><parameter=a>" + f"{OPEN}<function=g><parameter=b>1{XML_CLOSE}" * n + XML_CLOSE
    ),
    "examples inside each other": lambda n: f"{OPEN}<function=f><parameter=a>" * n + XML_CLOSE * n,
    "examples never closed": lambda n: (
        f"{OPEN}<function=f><parameter=a>" + f"{OPEN}<function=g><parameter=b>1</parameter>\n" * n
    ),
    "calls with cut examples": lambda n: (
        f"{OPEN}<function=f><parameter=a><function=g><parameter=b>1{XML_CLOSE}" * n
    ),
    "values with cut examples": lambda n: (
        f"{OPEN}<function=typed>" + "<parameter=s><function=g><parameter=b>1</parameter>" * n + XML_CLOSE
    ),
    "closing tags in values": lambda n: f"{OPEN}<function=f><parameter=a>1{XML_CLOSE}{XML_CLOSE}\n" * n,
    "functions closed in a value": lambda n: (
        f"{OPEN}<function=f><parameter=a>" + "</function> x " * n + XML_CLOSE
    ),
    "untagged calls with examples": lambda n: (
        f"<function=f>\n<parameter=a>\n{OPEN}<function=g><parameter=b>1{XML_CLOSE}\n" * n
    ),
    "braces": lambda n: OPEN + "{" * n * 10 + CLOSE,
    "brackets": lambda n: OPEN + "[" * n * 10 + CLOSE,
    "closed brackets": lambda n: OPEN + "[" * n * 10 + "]" * n * 10 + CLOSE,
    "one string": lambda n: HEAD + '"' + "x" * n * 50 + '"}}' + CLOSE,
    "valid calls": lambda n: (OPEN + '{"name": "f", "arguments": {}}' + CLOSE) * n,
    "backslashes": lambda n: HEAD + '"' + "\\" * n * 10 + '"}}' + CLOSE,
    "fences": lambda n: "```\n\n\n" * n,
    "fences around fences": lambda n: "```\n" * n + HEAD + "1}}" + CLOSE + "\n```" * n,
    "fenced calls": lambda n: f"```\n{HEAD}1}}}}{CLOSE}\n```\n" * n,
    "fences around fenced calls": lambda n: "```\n" * n + f"```\n{HEAD}1}}}}{CLOSE}\n```\n```\n" * n,
    "digits": lambda n: HEAD + "1" * n * 10 + "}}" + CLOSE,
    "duplicate keys": lambda n: HEAD[:-5] + ",".join(['"a":1'] * n) + "}}" + CLOSE,
    "thoughts": lambda n: "<think>" * n,
    "thoughts and braces": lambda n: '<think></think>{"' * n,
    "quotes": lambda n: HEAD + '"' + '"x' * n,
    "single quotes": lambda n: OPEN + "{'a':" + "'" * n + CLOSE,
    "quotes across blocks": lambda n: f'{OPEN}{{"' * n + CLOSE,
    "objects in one block": lambda n: OPEN + '{"name": "f", "arguments": {}}\n' * n + CLOSE,
    "objects in one block, never closed": lambda n: OPEN + '{"name": "f", "arguments": {}}\n' * n,
    "functions in one block": lambda n: (
        OPEN + "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n" * n + CLOSE
    ),
    "raw newlines": lambda n: HEAD + '"' + "x\n" * n + '"}}' + CLOSE,
    "comments": lambda n: f"{OPEN}{{/*" * n,
    "alternate tags": lambda n: "<tools>{}" * n,
    "untagged functions": lambda n: "<function=f><parameter=a>" * n,
    "quoted tags": lambda n: f"`{OPEN}`" * n,
    "less-than signs": lambda n: "<" * n * 10,
    "Mistral tokens": lambda n: "[TOOL_CALLS][" * n,
    "Mistral names": lambda n: "[TOOL_CALLS]f" * n,
    "Llama tokens": lambda n: "<|python_tag|>{" * n,
    "Python calls never closed": lambda n: "f(a=" * n,
    "Python lists never closed": lambda n: "\n[f(a=1), " * n,
    "invokes never closed": lambda n: '<invoke name="f"><parameter name="a">' * n,
    "fenced JSON never closed": lambda n: '```json\n{"name": ' * n,
    "lines of JSON": lambda n: '{"name": 1}\n' * n,
    "harmony recipients": lambda n: "to=functions.f {" * n,
    "harmony recipients without arguments": lambda n: "to=functions.f" * n,
    "declared keys": lambda n: WEATHER + '{"a": 1' + ', "days": "2"' * n + CLOSE,
    "commas and line breaks": lambda n: WEATHER + ", \n" * n + '"days": 2}}' + CLOSE,
    "texts in a row": lambda n: HEAD + '["x"' + ' "x"' * n + "]}}" + CLOSE,
    "texts in a row, never closed": lambda n: HEAD + "[" + '"x" ' * n + "y" + CLOSE,
    "groups": lambda n: HEAD + "[" + "(3), " * n + "]}}" + CLOSE,
    "members beside the arguments": lambda n: (
        HEAD + "1}, " + ", ".join(f'"k{place}": 1' for place in range(n)) + "}" + CLOSE
    ),
    "misspelled tags": lambda n: "<tool_cal>{" * n,
    "calls on lines, the last one cut off": lambda n: '{"name": "f", "arguments": {}}\n' * n + "{",
    "calls of no tool on lines": lambda n: '{"name": "no", "arguments": {}}\n' * n + "{",
    "Python calls on lines, the last one cut off": lambda n: "f(a=1)\n" * n + "f(a=",
    "Kimi sections": lambda n: "<|tool_calls_section_begin|>" * n,
    "Kimi strings never closed": lambda n: '<|tool_call_begin|>f<|tool_call_argument_begin|>{"a": "' * n,
    "DeepSeek calls without braces": lambda n: "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{<｜tool▁call▁end｜>" * n,
    "arguments of DSML never closed": lambda n: '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a">' * n,
    "made-up results": lambda n: "Action: f\nAction Input: {}\nObservation: x\n" * n,
    "foreign thoughts": lambda n: "[THINK]x[/THINK]" * n,
    "foreign thoughts never closed": lambda n: "x<|channel|>analysis<|message|>" * n,
    "thoughts never opened": lambda n: f"{HEAD}1}}}}{CLOSE}</think>" * n,
    "foreign thoughts never opened": lambda n: f"{HEAD}1}}}}{CLOSE}[/THINK]" * n,
    "calls in a thought": lambda n: "<think>" + '[TOOL_CALLS]f[ARGS]{"a": 1} ' * n + "</think>",
}


EXAMPLES = ("examples in a value", "examples inside each other", "calls with cut examples")


def seconds(run: Callable[[], object], *, times: int) -> float:
    best = float("inf")
    for _ in range(times):
        start = process_time()
        run()
        best = min(best, process_time() - start)
    return best


def assert_linear(run: Callable[[int], Callable[[], object]]) -> None:
    ratios = []
    for _ in range(5):
        # Too long a time of the long text is measured again; too long a time of the short one would hide growth.
        ratios.append(seconds(run(1600), times=1) / max(seconds(run(800), times=3), 1e-3))
        if ratios[-1] < 2.6:
            return
    raise AssertionError(ratios)


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_takes_linear_time(shape: str) -> None:
    def run(n: int) -> Callable[[], object]:
        text = SHAPES[shape](n)
        return lambda: parse(text, tools=TOOLS)

    assert_linear(run)


@pytest.mark.parametrize("shape", list(SHAPES)[list(SHAPES).index("Mistral tokens") :])
def test_reading_foreign_forms_takes_linear_time_at_the_lenient_level(shape: str) -> None:
    def run(n: int) -> Callable[[], object]:
        text = SHAPES[shape](n)
        return lambda: parse(text, tools=TOOLS, level="lenient")

    assert_linear(run)


@pytest.mark.parametrize(
    "shape",
    ["one string", "valid calls", "unreadable blocks", "quotes", "raw newlines", "thoughts", *EXAMPLES],
)
def test_streaming_takes_linear_time(shape: str) -> None:
    def run(n: int) -> Callable[[], object]:
        text = SHAPES[shape](n)

        def feed() -> None:
            stream = Stream(tools=TOOLS)
            for start in range(0, len(text), 4):
                stream.feed(text[start : start + 4])
            stream.finish()

        return feed

    assert_linear(run)
