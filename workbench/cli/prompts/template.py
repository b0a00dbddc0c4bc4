"""`workbench template check`: what a model's own chat template gets wrong."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.paint import Paint, Tone, shown, terminal_paint
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput
from workbench.hermes.template import ChatTemplate

FAILED: Final = 1
"""Exit code where tool calling cannot work with the template."""
MAX_STRETCH_CHARS: Final = 200
"""A longer stretch that differs is cut."""

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}


def build_app() -> typer.Typer:
    """The group of verbs."""
    app = typer.Typer(no_args_is_help=True, help="Look into a model's own chat template.")
    app.callback()(_group)
    app.command("check")(check)
    return app


def _group() -> None:
    """Look into a model's own chat template."""


def check(
    gguf: Annotated[str, typer.Option(metavar="FILE", help="Model whose metadata has the template.")] = "",
    jinja: Annotated[
        str, typer.Option(metavar="FILE", help="The template itself; - reads standard input.")
    ] = "",
    contract: Annotated[
        str, typer.Option(metavar="NAME", help="Also show where this contract's prompt differs.")
    ] = "",
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Probe a chat template and tell what becomes of tools, calls, results. Exit 1 on an error."""
    from workbench.hermes.template import parse_template
    from workbench.hermes.template_check import check_template

    if bool(gguf) == bool(jinja):
        raise BadInput("template check", "give either --gguf or --jinja")
    now = datetime.now(UTC)
    template = parse_template(_source(gguf) if gguf else read_text(jinja))
    findings = check_template(template, now=now)
    can_compare = bool(contract) and all(finding.code != "template-fails" for finding in findings)
    stretches = _stretches(template, contract, now) if can_compare else None
    if json_output:
        write_json_line(_report(findings, stretches))
    else:
        for line in _finding_lines(findings, terminal_paint()):
            print(line)
        if stretches is not None:
            for line in _stretch_lines(stretches, contract, terminal_paint()):
                print(line)
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise typer.Exit(FAILED)


def _source(gguf: str) -> str:
    from workbench.engines.gguf import read_chat_template

    return read_chat_template(Path(gguf).expanduser())


def _stretches(template: ChatTemplate, contract: str, now: datetime) -> Sequence[JsonObject]:
    """Where the prompts of one short conversation differ, the contract's and the template's own."""
    from workbench.contract.compare import compare_with_template
    from workbench.library.homes import find_folder
    from workbench.library.prompts import FileLibrary
    from workbench.settings import read_settings

    library = FileLibrary(find_folder("prompts", read_settings().home))
    compared = compare_with_template(library.load_contract(contract), template, now=now)
    return [
        {
            "change": one.change.value,
            "ours": one.ours.of(compared.ours),
            "theirs": one.theirs.of(compared.theirs),
            "has_mark": one.has_mark,
        }
        for one in compared.differences
    ]


def _report(findings: Sequence[Finding], stretches: Sequence[JsonObject] | None) -> JsonObject:
    told = [{"code": one.code, "severity": one.severity.value, "message": one.message} for one in findings]
    return {"findings": told, "differences": stretches}


def _finding_lines(findings: Sequence[Finding], paint: Paint) -> Iterator[str]:
    width = max(len(finding.code) for finding in findings)
    for finding in findings:
        head = f"{finding.severity:<7}  {finding.code:<{width}}"
        yield f"{paint(head, _TONES[finding.severity])}  {shown(finding.message)}"


def _stretch_lines(stretches: Sequence[JsonObject], contract: str, paint: Paint) -> Iterator[str]:
    yield ""
    if not stretches:
        yield paint(f"contract {contract!r} and the template give the same prompt", Tone.CALL)
        return
    yield paint(f"contract {contract!r} (-) and the template (+) differ", Tone.TITLE)
    for stretch in stretches:
        yield paint("  a mark differs" if stretch["has_mark"] else "  text differs", Tone.QUIET)
        yield from _signed("-", str(stretch["ours"]), paint, Tone.BAD)
        yield from _signed("+", str(stretch["theirs"]), paint, Tone.CALL)


def _signed(sign: str, text: str, paint: Paint, tone: Tone) -> Iterator[str]:
    cut = text if len(text) <= MAX_STRETCH_CHARS else text[: MAX_STRETCH_CHARS - 1] + "…"
    for line in shown(cut).splitlines():
        yield paint(f"  {sign} {line}", tone)
