"""Scenarios about calls: where a server puts them, and in which shape."""

import json
from typing import Any, Final

from tests.peers.scenario import NAMED, REQUIRED, row

ROME: Final = '{"city": "Rome"}'
IN_CONTENT: Final = f'<tool_call>\n{{"name": "weather", "arguments": {ROME}}}\n</tool_call>'
AS_XML: Final = (
    "<tool_call>\n<function=weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>"
)
RAN: Final = f"ran weather {ROME}; end answered"
BOTH_RAN: Final = f"ran weather {ROME}; ran now {{}}; end answered"
CUT: Final = json.dumps('<tool_call>\n{"name": "weather", "arguments": {"city": "Ro')


def entry(name: str, arguments: object, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **fields}


PARSED: Final = (
    row("a parsed call", lambda w: w.stream(*w.call("weather", ROME), end="tool_calls"), RAN),
    row("a parsed call with finish reason stop", lambda w: w.stream(*w.call("weather", ROME)), RAN),
    row("text, then a parsed call",
        lambda w: w.stream(w.text("I look."), *w.call("weather", ROME), end="tool_calls"), f'prose "I look."; {RAN}'),
    row("two parsed calls",
        lambda w: w.stream(*w.call("weather", ROME), *w.call("now", "{}", index=1), end="tool_calls"), BOTH_RAN),
    row("arguments in single characters", lambda w: w.stream(*w.call("weather", *ROME), end="tool_calls"), RAN),
    row("arguments are empty", lambda w: w.stream(*w.call("now", ""), end="tool_calls"), "ran now {}; end answered"),
    row("arguments are null",
        lambda w: w.stream(w.chunk(tool_calls=[entry("now", None, index=0, id="a")])), "ran now {}; end answered"),
    row("arguments are an object",
        lambda w: w.stream(w.chunk(tool_calls=[entry("weather", {"city": "Rome"}, index=0, id="a")])), RAN),
    row("arguments are a list",
        lambda w: w.stream(*w.call("weather", '["Rome"]')), "finding arguments-not-object; end unreadable"),
    row("arguments are JSON text within JSON text",
        lambda w: w.stream(*w.call("weather", json.dumps(ROME))),
        f"ran weather {ROME}; fix string-arguments; end answered"),
    row("Unicode escapes, one of them split",
        lambda w: w.stream(*w.call("weather", r'{"city": "M\u00fcnchen \ud8', r'3c\udf55"}')),
        'ran weather {"city": "München 🍕"}; end answered'),
    row("a trailing comma in the arguments",
        lambda w: w.stream(*w.call("weather", '{"city": "Rome",}')),
        f"ran weather {ROME}; fix trailing-comma; end answered"),
    row("arguments of the wrong type",
        lambda w: w.stream(*w.call("weather", '{"city": 5}')),
        'invalid-arguments weather {"city": 5}; finding schema-type; end answered'),
    row("a tool that was not offered",
        lambda w: w.stream(*w.call("wether", ROME)),
        f"unknown-tool wether {ROME}; finding unknown-tool; end answered"),
    row("a call without a name", lambda w: w.stream(*w.call("", ROME)), "finding bad-name; end unreadable"),
    row("no id", lambda w: w.stream(w.chunk(tool_calls=[entry("weather", ROME, index=0)])), RAN),
    row("no index",
        lambda w: w.stream(
            w.chunk(tool_calls=[entry("weather", ROME, id="a")]), w.chunk(tool_calls=[entry("now", "{}", id="b")])
        ), BOTH_RAN),
    row("neither index nor id",
        lambda w: w.stream(w.chunk(tool_calls=[entry("weather", ROME), entry("now", "{}")])), BOTH_RAN),
    row("index 0 for every call",
        lambda w: w.stream(
            w.chunk(tool_calls=[entry("weather", ROME, index=0, id="a")]),
            w.chunk(tool_calls=[entry("now", "{}", index=0, id="b")]),
        ), BOTH_RAN),
    row("the older field function_call, in pieces",
        lambda w: w.stream(
            w.chunk(function_call={"name": "weather", "arguments": ""}),
            w.chunk(function_call={"arguments": ROME[:6]}),
            w.chunk(function_call={"arguments": ROME[6:]}),
            end="function_call",
        ), RAN),
    row("a parsed call in an answer that is not streamed",
        lambda w: w.whole({"content": None, "tool_calls": [entry("weather", ROME, id="a")]}, "tool_calls"), RAN),
)  # fmt: skip

UNPARSED: Final = (
    row("a call in the content, in single characters",
        lambda w: w.stream(w.text("I look.\n"), *map(w.text, IN_CONTENT)), f'prose "I look."; {RAN}'),
    row("a call in the content, as XML", lambda w: w.stream(w.text(AS_XML)), RAN),
    row("one call in the content, another one parsed",
        lambda w: w.stream(w.text(IN_CONTENT), *w.call("now", "{}"), end="tool_calls"), BOTH_RAN),
    row("the same call in the content and parsed",
        lambda w: w.stream(w.text(IN_CONTENT), *w.call("weather", ROME), end="tool_calls"),
        f"ran weather {ROME}; finding call-repeated; end answered"),
    row("a call in the content without its closing tag",
        lambda w: w.stream(w.text(IN_CONTENT.removesuffix("\n</tool_call>"))),
        f"ran weather {ROME}; fix missing-close-tag; end answered"),
    row("a call in the reasoning is not run",
        lambda w: w.stream(w.thought(IN_CONTENT), w.text("Noon.")),
        f'thought {json.dumps(f"<think>{chr(10)}{IN_CONTENT}{chr(10)}</think>")}; prose "Noon."; '
        "finding call-in-reasoning; end answered"),
)  # fmt: skip

BROKEN: Final = (
    row("cut off by max tokens within a parsed call",
        lambda w: w.stream(*w.call("weather", '{"city": "Ro'), end="length"),
        f"unclosed {CUT}; finding truncated; end length"),
    row("cut off by max tokens within a call in the content",
        lambda w: w.stream(w.text(IN_CONTENT[:-24]), end="length"),
        f"unclosed {json.dumps(IN_CONTENT[:-24])}; finding truncated; end length"),
    row("the connection is cut within a parsed call",
        lambda w: w.stream(*w.call("weather", '{"city": "Ro'), None, end=None),
        f"unclosed {CUT}; finding truncated; end interrupted: peer closed connection without sending complete "
        "message body (incomplete chunked read)"),
    row("a parsed call ends halfway, as if it were complete",
        lambda w: w.stream(*w.call("weather", '{"city": "Ro'), end="tool_calls"),
        "finding invalid-json; end unreadable"),
)  # fmt: skip

CHOICES: Final = (
    row("required, and obeyed", lambda w: w.stream(*w.call("weather", ROME), end="tool_calls"), RAN, choice=REQUIRED),
    row("required, and not obeyed",
        lambda w: w.stream(w.text("Noon.")), 'prose "Noon."; finding choice-not-obeyed; end answered', choice=REQUIRED),
    row("required, obeyed in the content", lambda w: w.stream(w.text(IN_CONTENT)), RAN, choice=REQUIRED),
    row("named, and obeyed", lambda w: w.stream(*w.call("weather", ROME)), RAN, choice=NAMED),
    row("named, and another tool is called",
        lambda w: w.stream(*w.call("now", "{}")), "ran now {}; finding choice-not-obeyed; end answered", choice=NAMED),
)  # fmt: skip

CALLS: Final = (*PARSED, *UNPARSED, *BROKEN, *CHOICES)
