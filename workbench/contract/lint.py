"""Lint a contract: unclosed tags, examples that do not parse, examples in the format of another family."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from workbench.chat.finding import Finding, Severity, Span
from workbench.chat.short_text import shortened
from workbench.contract.contract import Contract, find_placeholders
from workbench.hermes.near_miss import check_tags
from workbench.hermes.parse import parse
from workbench.hermes.reading import ReadCall
from workbench.hermes.spelling.families import family_named
from workbench.hermes.spelling.tools import TOOLS_NOT_JSON
from workbench.toolspec.spec import OfferedTools

CONTRACT_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mark-unclosed": "a block is opened but not closed; models copy such mistakes",
        "mark-unopened": "a block is closed but was never opened",
        "chatml-mark": "the text has a special token of the chat template; a model may take it for the end of its turn",
        "example-unreadable": "an example contains no readable call",
        "example-fixed": "an example call can only be read with a fix",
        "example-unknown-tool": "an example calls a tool that is not offered",
        "example-invalid-arguments": "the arguments of an example do not match the schema of its tool",
        "family-dialect": "an example call is not written in the format of the family",
        "no-tools": "tools are offered, but the text has no `{{ tools }}`, so the model does not see them",
        "tools-twice": "`{{ tools }}` occurs more than once; each copy costs its tokens",
        "tools-without-marks": "`{{ tools }}` is not between `<tools>` and `</tools>`",
        "tools-not-json": "the family writes tools that are not valid JSON, as its models were trained",
        "variable-unused": "a variable is declared but not used",
        "near-miss-tag": "text that is almost a tag, such as `<toolcall>`",
    }
)
"""All codes of contract findings, each with its meaning."""

_BLOCKS: Final = ("tool_call", "tool_response", "tools", "think", "scratch_pad")
_MARK: Final = re.compile(rf"<(/?)({'|'.join(_BLOCKS)})>")
_CHATML: Final = re.compile(r"<\|im_(?:start|end)\|>")
_CALL: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_FORM: Final = re.compile(r"<[a-z][a-z _-]*>|\.\.\.|…")
"""Placeholders such as `<function-name>` or `...`. A call with one of them shows a form and is not checked."""
_FUNCTION: Final = re.compile(r"<function[=\s]")
_FORM_NAMES: Final = frozenset({"tool_name", "function_name", "name"})


def lint_contract(contract: Contract, tools: OfferedTools) -> tuple[Finding, ...]:
    """Return all findings about a contract, in the order of its text. It never raises.

    Spans count from the start of `contract.text`; line numbers count from the start of the file.

    Args:
        tools: Tools to check the examples against. Without tools, names and arguments are not checked.
    """
    findings = [
        *_marks(contract.text),
        *_chatml(contract.text),
        *check_tags(contract.text),
        *_examples(contract, tools),
        *_tools_place(contract, tools),
        *_variables(contract),
    ]
    findings.sort(key=lambda finding: finding.span.start if finding.span else -1)
    return tuple(_with_line(contract, finding) for finding in findings)


def _with_line(contract: Contract, finding: Finding) -> Finding:
    if finding.span is None:
        return finding
    line = contract.first_line + contract.text.count("\n", 0, finding.span.start)
    return replace(finding, line=line)


def _warning(code: str, message: str, start: int, end: int) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, span=Span(start, end))


def _marks(text: str) -> Iterator[Finding]:
    """Report blocks without their closing or opening tag.

    A tag counts only if JSON follows or precedes it, so that a sentence such as "Answer within <tool_call>" passes.
    """
    opened: dict[str, re.Match[str]] = {}
    for match in _MARK.finditer(text):
        is_close, name = bool(match[1]), match[2]
        if is_close:
            if name not in opened and _closes_block(text, match):
                yield _warning(
                    "mark-unopened", f"{match.group()!r} closes a block that is not open", *match.span()
                )
            opened.pop(name, None)
            continue
        before = opened.pop(name, None)
        if before and _opens_block(text, before):
            yield _unclosed(before)
        opened[name] = match
    yield from (_unclosed(match) for match in opened.values() if _opens_block(text, match))


def _unclosed(match: "re.Match[str]") -> Finding:
    message = f"{match.group()!r} is not closed: add '</{match[2]}>' after its body"
    return _warning("mark-unclosed", message, *match.span())


def _opens_block(text: str, match: "re.Match[str]") -> bool:
    return text[match.end() :].lstrip()[:1] in ("{", "[")


def _closes_block(text: str, match: "re.Match[str]") -> bool:
    return text[: match.start()].rstrip()[-1:] in ("}", "]")


def _chatml(text: str) -> Iterator[Finding]:
    for match in _CHATML.finditer(text):
        message = f"{match.group()!r} belongs to the chat template, not in a contract: remove it"
        yield _warning("chatml-mark", message, *match.span())


def _examples(contract: Contract, tools: OfferedTools) -> Iterator[Finding]:
    dialect = family_named(contract.family).dialect
    for match in _CALL.finditer(contract.text):
        body = match[1]
        is_xml = _FUNCTION.search(body) is not None
        if not body.strip() or (not is_xml and _FORM.search(body)):
            continue
        if is_xml != (dialect == "xml"):
            format_name = "<function=…>" if dialect == "xml" else "JSON"
            message = f"the family {contract.family!r} writes calls as {format_name}; this example does not"
            yield _warning("family-dialect", message, *match.span())
        yield from _example(match, tools)


def _example(match: "re.Match[str]", tools: OfferedTools) -> Iterator[Finding]:
    reading = parse(match.group(), tools=tools if tools.specs else None)
    if not reading.calls or reading.dropped:
        reason = next((finding.message for finding in reading.findings), "it contains no call")
        yield _warning(
            "example-unreadable", shortened(f"this example has no readable call: {reason}"), *match.span()
        )
        return
    if reading.fixes:
        codes = ", ".join(sorted({fix.code for fix in reading.fixes}))
        message = shortened(f"the strict reader cannot read this example ({codes})")
        yield _warning("example-fixed", message, *match.span())
    for call in reading.calls:
        yield from _example_call(call, match, tools)


def _example_call(call: ReadCall, match: "re.Match[str]", tools: OfferedTools) -> Iterator[Finding]:
    if not tools.specs or call.name in _FORM_NAMES:
        return
    if call.name not in tools.by_name:
        message = f"the example calls {call.name[:40]!r}, which is not offered; models may copy this"
        yield replace(
            _warning("example-unknown-tool", shortened(message), *match.span()), severity=Severity.NOTE
        )
        return
    for finding in call.findings:
        if finding.severity is Severity.ERROR:
            message = shortened(f"example of {call.name[:30]!r}: {finding.message}")
            yield _warning("example-invalid-arguments", message, *match.span())


def _tools_place(contract: Contract, tools: OfferedTools) -> Iterator[Finding]:
    text = contract.text
    places = [place for place in find_placeholders(text) if place.name == "tools"]
    if not places and tools.specs:
        message = "the text has no '{{ tools }}', so the model does not see the tools"
        yield Finding(code="no-tools", message=message, severity=Severity.WARNING)
    for place in places[1:]:
        message = "'{{ tools }}' occurs again: each copy costs its tokens"
        yield _warning("tools-twice", message, place.start, place.end)
    for place in places[:1]:
        before, after = text[: place.start].rstrip(), text[place.end :].lstrip()
        if not (before.endswith("<tools>") and after.startswith("</tools>")):
            message = "'{{ tools }}' is not between <tools> and </tools>, where Hermes models expect it"
            yield replace(
                _warning("tools-without-marks", message, place.start, place.end), severity=Severity.NOTE
            )
        check_tools = family_named(contract.family).check_tools
        for finding in check_tools(tools) if check_tools else ():
            if finding.code == TOOLS_NOT_JSON:
                yield replace(finding, severity=Severity.NOTE, span=Span(place.start, place.end))


def _variables(contract: Contract) -> Iterator[Finding]:
    used = {place.name for place in find_placeholders(contract.text)}
    for name in contract.variables:
        if name not in used:
            message = f"variable {name!r} is declared but not used: remove it, or write {{{{ {name} }}}}"
            yield Finding(code="variable-unused", message=shortened(message), severity=Severity.NOTE)
