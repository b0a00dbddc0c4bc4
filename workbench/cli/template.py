"""`workbench template check`: check the chat template of a model."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import Paint, Tone, terminal_paint, write_json_line
from workbench.cli.terminal.sources import load_contract, read_text
from workbench.cli.terminal.visible import shown
from workbench.contract.compare_template import PromptComparison
from workbench.errors import BadInput
from workbench.hermes.templates.template import ChatTemplate
from workbench.toolspec.spec import OfferedTools, ToolSpec

FAILED: Final = 1
"""Exit code if tool calling cannot work with the template."""
TOOL_USE: Final = "tool_use"
"""Name of the template for conversations with tools, if a model has several templates."""
MAX_DIFFERENCE_CHARS: Final = 200
"""Longest difference, in characters; longer ones are cut."""

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}


def check(
    gguf: Annotated[
        str, typer.Option(metavar="FILE", help="GGUF model whose metadata has the template")
    ] = "",
    jinja: Annotated[str, typer.Option(metavar="FILE", help="Template file, or - for standard input")] = "",
    contract: Annotated[
        str, typer.Option(metavar="NAME", help="Also show how the prompt of this contract differs")
    ] = "",
    json_output: JsonOption = False,
) -> None:
    """Check how a chat template writes tools, tool calls and results.

    Exit code 1 if there is an error.
    """
    from workbench.engines.gguf_files.template_process import template_in_child
    from workbench.hermes.templates.check import check_template

    if bool(gguf) == bool(jinja):
        raise BadInput("template check", "give --gguf or --jinja, and not both")
    now = datetime.now(UTC)
    with template_in_child(_source(gguf) if gguf else read_text(jinja)) as template:
        findings = check_template(template, now=now)
        comparison = _comparison(template, contract, now) if contract else None
    if json_output:
        write_json_line(_report(findings, comparison))
    else:
        paint = terminal_paint()
        lines = (*_finding_lines(findings, paint), *_comparison_lines(comparison, contract, paint))
        print("\n".join(lines))
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(FAILED)


def _source(gguf: str) -> str:
    """Return the template that Transformers would choose for a conversation with tools."""
    from workbench.engines.gguf import DEFAULT_NAME, TEMPLATE_KEY, load_chat_templates

    templates = load_chat_templates(Path(gguf).expanduser())
    for name in (TOOL_USE, DEFAULT_NAME):
        if name in templates:
            return templates[name]
    raise BadInput(f"model file {gguf}", f"no {TEMPLATE_KEY} in its metadata", "give a template with --jinja")


def _comparison(template: ChatTemplate, contract: str, now: datetime) -> PromptComparison:
    """Render a short conversation with the contract and with the template, and compare the prompts."""
    from workbench.contract.compare_template import compare_with_template
    from workbench.hermes.openai_messages import parse_messages
    from workbench.hermes.templates.bench import CONVERSATION, sentinel_tool

    return compare_with_template(
        load_contract(contract),
        template,
        parse_messages(CONVERSATION).conversation,
        OfferedTools(specs=(ToolSpec(document=sentinel_tool()),)),
        variables={"date": now.date().isoformat()},
        now=now,
    )


def _report(findings: Sequence[Finding], comparison: PromptComparison | None) -> JsonObject:
    listed = [
        {"code": finding.code, "severity": finding.severity.value, "message": finding.message}
        for finding in findings
    ]
    if comparison is None or comparison.theirs is None:
        return {"findings": listed, "differences": None}
    differences = [
        {
            "change": difference.change.value,
            "ours": difference.ours.of(comparison.ours.text),
            "theirs": difference.theirs.of(comparison.theirs),
            "has_mark": difference.has_mark,
        }
        for difference in comparison.differences
    ]
    return {"findings": listed, "differences": differences}


def _finding_lines(findings: Sequence[Finding], paint: Paint) -> Iterator[str]:
    width = max(len(finding.code) for finding in findings)
    for finding in findings:
        head = f"{finding.severity:<7}  {finding.code:<{width}}"
        yield f"{paint(head, _TONES[finding.severity])}  {shown(finding.message)}"


def _comparison_lines(comparison: PromptComparison | None, contract: str, paint: Paint) -> Iterator[str]:
    if comparison is None:
        return
    yield ""
    if comparison.theirs is None:
        yield paint(f"cannot compare: {shown(comparison.problem)}", Tone.BAD)
        return
    if not comparison.differences:
        yield paint(f"contract {contract!r} and the template render the same prompt", Tone.CALL)
        return
    yield paint(f"contract {contract!r} (-) and the template (+) differ", Tone.TITLE)
    for difference in comparison.differences:
        heading = "  special tokens differ" if difference.has_mark else "  text differs"
        yield paint(heading, Tone.QUIET)
        yield from _signed("-", difference.ours.of(comparison.ours.text), paint, Tone.BAD)
        yield from _signed("+", difference.theirs.of(comparison.theirs), paint, Tone.CALL)


def _signed(sign: str, text: str, paint: Paint, tone: Tone) -> Iterator[str]:
    cut = text if len(text) <= MAX_DIFFERENCE_CHARS else text[: MAX_DIFFERENCE_CHARS - 1] + "…"
    for line in shown(cut).splitlines():
        yield paint(f"  {sign} {line}", tone)


GROUP: Final = {
    "check": check,
}
"""The commands of `workbench template`."""
