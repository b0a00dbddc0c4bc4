"""`workbench mask`: show which tokens of rows a trainer trains on, and where that differs from the rows."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Annotated, Any, Final

import typer

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.row_engine import ROW_FILES, FormatOption
from workbench.cli.rows.stats import mask_json, mask_lines
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, terminal_paint, write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.library.datasets.row_files import read_row, read_rows
from workbench.settings.extras import install_command
from workbench.trajectory.formats.known import format_named
from workbench.trajectory.mask_proof import TrainerText, compare_mask, marked_row
from workbench.trajectory.row import RowFinding, TrainingRow

DIFFERS: Final = 1
"""Exit code if a mask that a row states is not that of the trainer."""


_MOST_LINES: Final = 20
"""Maximum number of findings listed. The JSON has all of them."""


class TrainerName(StrEnum):
    """A trainer whose own code is asked."""

    TRL = "trl"
    AXOLOTL = "axolotl"
    LLAMAFACTORY = "llamafactory"
    UNSLOTH = "unsloth"


def mask(
    file: Annotated[str, typer.Argument(metavar="FILE", help=ROW_FILES)],
    trainer: Annotated[TrainerName, typer.Option(help="Trainer whose own code is asked")],
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="Folder or repository with the tokenizer, for transformers")
    ],
    template: Annotated[
        str,
        typer.Option(metavar="FILE", help="Jinja chat template", show_default="that of the tokenizer"),
    ] = "",
    row: Annotated[
        int, typer.Option(metavar="ROW", min=0, help="Show this row with the text that is trained on marked")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Without --row, number of rows to compare")] = 100,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Option of the trainer, such as assistant_only_loss=true for TRL; repeatable",
        ),
    ] = None,
    format_: FormatOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Show which tokens of rows a trainer trains on.

    The trainer's own code decides. Reports where a row's loss mask and the trainer's differ. Exit code 1 if a mask that
    a row states is not honored.
    """
    try:
        from workbench.training.trainer_masks import load_tokenizer, trainer_texts
    except ImportError as error:
        remedy = f"install the extra `train`: {install_command('train')}"
        raise BadInput("mask", f"{error.name or error} is not installed", remedy) from error
    numbers, rows = _rows(file, row, limit, format_)
    tokenizer = load_tokenizer(model, read_text(template) if template else "")
    marked = [marked_row(read) for read in rows]
    ask = partial(
        trainer_texts,
        trainer.value,
        row_format=format_named(rows[0].format),
        tokenizer=tokenizer,
        settings=_settings(settings or ()),
    )
    texts = ask(rows=[read.fields for read in rows])
    # The marks need tokens, too: with a limit, the copies would be cut off earlier.
    copied = [fields for fields in marked if fields is not None]
    copies = iter(ask(rows=copied, is_uncut=True) if copied else ())
    special = {key for key, token in tokenizer.added_tokens_decoder.items() if token.special}
    findings: list[tuple[int, RowFinding]] = []
    for number, read, text, fields in zip(numbers, rows, texts, marked, strict=True):
        copy = None if fields is None else next(copies)
        # The token that opens the text opens turns, or the text; it ends none.
        ends = special - {text.tokens[0].token.id} if text and text.tokens else special
        findings += (
            (number, finding)
            for finding in compare_mask(read, text, copy and copy.text, ends=frozenset(ends))
        )
    rendered = [text for text in texts if text is not None]
    _report(file, rendered, findings, count=len(rows), shows_text=bool(row and rendered), as_json=as_json)
    if any(finding.severity is Severity.ERROR for _, finding in findings):
        raise typer.Exit(DIFFERS)


def _rows(file: str, number: int, limit: int, read_as: str) -> tuple[Sequence[int], Sequence[TrainingRow]]:
    """Return the rows to ask about, with their numbers."""
    chosen = (row for row in read_rows(file) if number in (0, row.number))
    numbers: list[int] = []
    rows: list[TrainingRow] = []
    for row in islice(chosen, 1 if number else limit):
        read = read_row(row, read_as)
        if isinstance(read, RowFinding):
            raise BadInput(f"{file}:{row.number}", read.message, "run `workbench check` first")
        numbers.append(row.number)
        rows.append(read)
    if not rows:
        raise BadInput(f"{file}:{number}" if number else f"file {file}", "there is no such row")
    return numbers, rows


def _settings(texts: Iterable[str]) -> Mapping[str, Any]:
    import yaml

    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise BadInput(f"--set {text}", "not NAME=VALUE", "write an option of the trainer and its value")
        settings[name] = yaml.safe_load(value)
    return settings


def _report(
    file: str,
    texts: Sequence[TrainerText],
    findings: Sequence[tuple[int, RowFinding]],
    *,
    count: int,
    shows_text: bool,
    as_json: bool,
) -> None:
    """Print the tokens of the rows that the trainer uses, and the findings about all `count` rows."""
    trained = sum(token.is_trained for text in texts for token in text.tokens)
    tokens = sum(len(text.tokens) for text in texts)
    if as_json:
        listed = [{"row": number, **finding.document()} for number, finding in findings]
        found: JsonObject = {"rows": count, "tokens": tokens, "trained": trained, "findings": listed}
        text = {"mask": mask_json(texts[0].masked, texts[0].tokens)} if shows_text else {}
        write_json_line({**found, **text})
        return
    if shows_text:
        for line in mask_lines(texts[0].masked, texts[0].tokens, terminal_paint()):
            print(line)
    for number, finding in findings[:_MOST_LINES]:
        print(shown(f"{file}:{number}: {finding.severity}: {finding.code}: {finding.message}"))
    if len(findings) > _MOST_LINES:
        print(f"… and {count_of(len(findings) - _MOST_LINES, 'more finding')}; --json lists all of them")
    if not shows_text:
        print(f"{trained:,} of {tokens:,} tokens are trained on, in {count_of(count, 'row')}")
    sys.stdout.flush()
