"""Export sessions to files of rows with receipt and card. Either everything is written, or nothing."""

import json
import shutil
import sys
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.errors import BadInput
from workbench.library.datasets.export_target import ExportRefused, ExportSummary, ExportTarget
from workbench.library.datasets.file_row import ReadLimits
from workbench.library.datasets.receipts import ReceiptMaker, receipt_bytes
from workbench.library.datasets.row_files import read_row, read_rows, until_damaged
from workbench.library.datasets.row_import import ReadRow
from workbench.library.datasets.row_writer import STANDARD_OUTPUT, open_log_writer, open_writer
from workbench.library.datasets.session_export import (
    FormChoice,
    SessionDone,
    export_rows,
    with_text_arguments,
)
from workbench.records.corpus.row_result import RowResult
from workbench.records.corpus.session_rows import ExportOptions
from workbench.settings import Secret
from workbench.store.corpus.corpus import CorpusStore
from workbench.trajectory.formats.known import WRITTEN, format_named
from workbench.trajectory.sets.receipt import CardOptions, render_card
from workbench.trajectory.writing.row_draft import TEXT_BREAKS

RECEIPT: Final = "receipt.json"
"""Name of the receipt, in the folder of the rows."""
CARD: Final = "README.md"
"""Name of the card, in the folder of the rows."""
DATASET_INFO: Final = "dataset_info.json"
"""Name of the file in which LLaMA-Factory looks up data sets, in the folder of the rows."""
_OURS: Final = "checked by Hermes Workbench"
"""Text in every card of the workbench, so that other READMEs are not overwritten."""


class DatasetFiles:
    """Reads and writes files of rows on this machine."""

    def export(
        self, corpus: CorpusStore, options: ExportOptions, target: ExportTarget, summary: ExportSummary
    ) -> Generator[SessionDone]:
        """Write the rows of sessions, and yield the result of each session."""
        format_named(options.format)
        options = _with_argument_form(options)
        is_session_folder = _is_session_folder(options, target)
        folder = _folder_of(target, is_session_folder=is_session_folder)
        try:
            with TemporaryDirectory(dir=folder, prefix=".export-") as draft:
                names = _names(target)
                receipts = _Receipts(options, target)
                files = [Path(draft) / name for name in names]
                if is_session_folder:
                    files = [Path(draft)]
                yield from _write(corpus, options, target, summary, files, receipts)
                if is_session_folder:
                    names = sorted(file.name for file in Path(draft).iterdir())
                if summary.rows:
                    self._finish(Path(draft), names, folder, receipts, target, summary)
        except OSError as error:
            raise BadInput(f"--out {target.out}", str(error.strerror or error)) from error

    def read(self, file: str, read_as: str, *, limits: ReadLimits = ReadLimits()) -> Iterator[ReadRow]:  # noqa: B008
        """Yield each row of a file. One that is cut off ends with a row that says so."""
        if read_as != "auto":
            format_named(read_as)
        for row in until_damaged(read_rows(file, limits)):
            yield ReadRow(row.number, read_row(row, read_as), row.line)

    def push(
        self, repo: str, files: Sequence[str], *, message: str, is_private: bool, token: Secret | None
    ) -> str:
        """Push files to a dataset repository, under their own names."""
        # Imported here because the hub's client is slow to load.
        from workbench.library.datasets.hub_push import push_files

        content: Mapping[str, Path | bytes] = {Path(file).name: Path(file) for file in files}
        plain_token = token.reveal() if token else None
        return push_files(repo, content, message=message, is_private=is_private, token=plain_token)

    def _finish(
        self,
        draft: Path,
        names: Sequence[str],
        folder: Path | None,
        receipts: "_Receipts",
        target: ExportTarget,
        summary: ExportSummary,
    ) -> None:
        """Write the receipt and the card, then move all files to their folder."""
        if folder is None:
            with (draft / names[0]).open("rb") as rows:
                shutil.copyfileobj(rows, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        if target.split:
            names = [name for name in names if summary.splits[Path(name).stem]]
        summary.receipt = _receipt(receipts.of([draft / name for name in names]), target, summary)
        placed = [*names, *_receipt_and_card(draft, folder, names, target, summary)]
        placed += _dataset_info(draft, folder, names, receipts.options, summary)
        for name in placed:
            (draft / name).replace(folder / name)
        summary.files = tuple(str(folder / name) for name in placed)


class _Receipts:
    """Counts the rows of each file while they are written, from what their check has found.

    Parquet changes rows, for example by filling in nulls, so the rows of its files are read again. So are
    sessions, each of which is a file.
    """

    def __init__(self, options: ExportOptions, target: ExportTarget) -> None:
        self.options = options
        is_log = format_named(options.format).log is not None
        self._reads_again = is_log or target.out.endswith(".parquet")
        self._by_file: dict[str, ReceiptMaker] = {}

    def restart(self) -> None:
        """Forget all rows, because they are written again."""
        self._by_file = {}

    def count(self, name: str, result: RowResult) -> None:
        """Count a row that was written to the file with this name."""
        if result.checked is not None and not self._reads_again:
            self._maker(name).count(result.checked)

    def of(self, files: Sequence[Path]) -> ReceiptMaker:
        """Return the receipt of the files, in this order."""
        makers = [self._maker(file.name) for file in files]
        for maker, file in zip(makers, files, strict=True):
            if self._reads_again:
                deque(maker.add(str(file)), maxlen=0)
            else:
                maker.end_file(str(file))
        for maker in makers[1:]:
            makers[0].extend(maker)
        makers[0].finish()
        return makers[0]

    def _maker(self, name: str) -> ReceiptMaker:
        if name not in self._by_file:
            self._by_file[name] = ReceiptMaker(self.options.format, self.options.ignored_codes)
        return self._by_file[name]


def _with_argument_form(options: ExportOptions) -> ExportOptions:
    """Settle the form of arguments. With `auto`: objects, until `_write` knows better."""
    form = options.arguments
    if form == "auto":
        form = "object"
    return replace(options, row_options=replace(options.row_options, arguments=form))


def _is_session_folder(options: ExportOptions, target: ExportTarget) -> bool:
    """Whether each row becomes a file of its own in a folder."""
    if format_named(options.format).log is None:
        return False
    if target.split:
        raise BadInput("--split", "each session is a file of its own", "omit --split")
    return target.out != STANDARD_OUTPUT and not target.out.endswith((".jsonl", ".jsonl.gz", ".parquet"))


def _folder_of(target: ExportTarget, *, is_session_folder: bool) -> Path | None:
    """Return the folder of the files, or None for standard output."""
    if target.out == STANDARD_OUTPUT:
        if target.split:
            raise BadInput("--out -", "standard output cannot be split", "name a folder")
        return None
    path = Path(target.out).expanduser()
    if target.split or is_session_folder:
        path.mkdir(parents=True, exist_ok=True)
        return path
    if path.is_dir():
        raise BadInput(f"--out {target.out}", "this is a folder", "name a file in it, such as rows.jsonl")
    if not path.parent.is_dir():
        raise BadInput(f"--out {target.out}", f"there is no folder {str(path.parent)!r}", "create it first")
    return path.parent


def _names(target: ExportTarget) -> Sequence[str]:
    if target.split:
        return [f"{name}.jsonl" for name in target.split.shares]
    return ["rows.jsonl" if target.out == STANDARD_OUTPUT else Path(target.out).name]


def _write(
    corpus: CorpusStore,
    options: ExportOptions,
    target: ExportTarget,
    summary: ExportSummary,
    files: Sequence[Path],
    receipts: _Receipts,
) -> Iterator[SessionDone]:
    """Write all rows, or raise `ExportRefused` if sessions have errors.

    Only the written rows decide whether arguments become text. They are written as objects until one has another type
    than those above it. Then the files are written again from the beginning, as text.
    """
    choice = FormChoice(options, mixes=target.out.endswith(".parquet"))
    done_count = 0
    with closing(_written(corpus, options, target, files, receipts)) as written:
        for done in written:
            summary.add(done)
            choice.add(done)
            yield done
            done_count += 1
            if choice.needs_text:
                break
    if choice.needs_text:
        summary.notes.append(f"arguments are written as text ({TEXT_BREAKS})")
        receipts.restart()
        again = _written(corpus, with_text_arguments(options), target, files, receipts)
        for done in islice(again, done_count, None):
            summary.add(done)
            yield done
    is_read_only = format_named(options.format).spell is None
    if is_read_only and not summary.rows and summary.defective == summary.left_out["not-writable"]:
        raise BadInput(
            f"format {options.format!r}",
            "this format can only be read, and there are no unchanged imported rows of it",
            f"use one of {', '.join(WRITTEN)}",
        )
    if summary.defective and not target.skips_invalid:
        has = "has" if summary.defective == 1 else "have"
        advice = "write unchanged rows with --raw" if is_read_only else "correct them"
        raise ExportRefused(
            "export",
            f"{summary.defective} of {summary.sessions} sessions {has} errors, so nothing was written",
            f"{advice}, or skip them with --skip-invalid",
        )


def _written(
    corpus: CorpusStore,
    options: ExportOptions,
    target: ExportTarget,
    files: Sequence[Path],
    receipts: _Receipts,
) -> Generator[SessionDone]:
    """Write the rows of each session, and yield the session."""
    with ExitStack() as stack:
        open_one = open_writer if format_named(options.format).log is None else open_log_writer
        writers = {file.name: stack.enter_context(open_one(str(file))) for file in files}
        for done in export_rows(corpus, options, target.split):
            name = f"{done.split}.jsonl" if done.split else files[0].name
            for result in done.rows:
                if result.row is not None:
                    writers[name](result.row if result.original is None else result.original)
                    receipts.count(name, result)
            yield done


def _receipt(maker: ReceiptMaker, target: ExportTarget, summary: ExportSummary) -> JsonObject | None:
    """Return the receipt of the files with the counts of the export, or None if rows have errors."""
    summary.issues = maker.counts.issues
    if maker.counts.errors:
        issue_counts = ", ".join(f"{code} {count:,}" for code, count in sorted(summary.issues.items()))
        count = maker.counts.errors
        noun = "error" if count == 1 else "errors"
        summary.notes.append(f"no receipt was written: the rows have {count:,} {noun} ({issue_counts})")
        return None
    export: dict[str, JsonValue] = {
        "sessions": summary.sessions,
        "left_out": dict(sorted(summary.left_out.items())),
        "fixed_messages": summary.fixed_messages,
        "fixes": dict(sorted(summary.fixes.items())),
        "corrected_messages": summary.corrected_messages,
        "person_messages": summary.person_messages,
        "losses": dict(sorted(summary.losses.items())),
    }
    if target.split:
        export["split"] = {"shares": dict(target.split.shares), "seed": target.split.seed}
    return {**maker.receipt(), "export": export}


def _receipt_and_card(
    draft: Path, folder: Path, names: Sequence[str], target: ExportTarget, summary: ExportSummary
) -> Iterator[str]:
    """Write the receipt and the card, unless they would overwrite other files; yield their names."""
    existing = folder / RECEIPT
    if existing.exists() and not _is_ours(existing):
        summary.notes.append(
            f"no receipt was written: {existing} exists and is not a receipt of the workbench"
        )
    elif summary.receipt is not None:
        (draft / RECEIPT).write_bytes(receipt_bytes(summary.receipt))
        yield RECEIPT
    elif existing.exists():
        existing.unlink()
        summary.notes.append(f"{existing} described other rows and was removed")
    if summary.receipt is not None and target.licence:
        yield from _card(draft, folder, names, target, summary)


def _dataset_info(
    draft: Path, folder: Path, names: Sequence[str], options: ExportOptions, summary: ExportSummary
) -> list[str]:
    """Write LLaMA-Factory's `dataset_info.json`, with the entries that the folder's file has already.

    *Source:* https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md
    """
    entry = format_named(options.format).dataset_info
    if entry is None:
        return []
    existing: JsonObject = {}
    if (folder / DATASET_INFO).exists():
        try:
            loaded = cast(JsonValue, json.loads((folder / DATASET_INFO).read_bytes()))
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            summary.notes.append(f"{folder / DATASET_INFO} is not a JSON object and was left as it is")
            return []
        existing = loaded
    entries = {Path(name).name.split(".")[0]: {"file_name": name, **entry} for name in names}
    text = json.dumps({**existing, **entries}, indent=2, ensure_ascii=False) + "\n"
    (draft / DATASET_INFO).write_text(text, encoding="utf-8", newline="\n")
    return [DATASET_INFO]


def _card(
    draft: Path, folder: Path, names: Sequence[str], target: ExportTarget, summary: ExportSummary
) -> list[str]:
    existing = folder / CARD
    if existing.exists() and _OURS not in existing.read_text(encoding="utf-8", errors="replace"):
        summary.notes.append(f"no card was written: {existing} exists and is not a card of the workbench")
        return []
    stem = names[0].split(".")[0] if len(names) == 1 else folder.resolve().name
    together = {"train": names[0] if len(names) == 1 else "*.jsonl"}
    splits = {name.split(".")[0]: name for name in names} if target.split else together
    card_options = CardOptions(title=target.title or stem, licence=target.licence, splits=splits)
    summary.card = render_card(summary.receipt or {}, card_options)
    (draft / CARD).write_text(summary.card, encoding="utf-8", newline="\n")
    return [CARD]


def _is_ours(receipt: Path) -> bool:
    try:
        return "receipt" in as_object(cast(JsonValue, json.loads(receipt.read_bytes())))
    except ValueError:
        return False
