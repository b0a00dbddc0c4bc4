"""The validator of training rows against `json.loads`, Hermes-FC's validator and itself in two processes; its memory."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import jsonschema

from tests.bench.data_rows import lines
from tests.bench.timing import once
from workbench.app import garbage
from workbench.library.datasets.checking import FilesCheck
from workbench.library.datasets.chunks import LocalRunner
from workbench.library.datasets.conversion import Conversion, convert_file
from workbench.library.datasets.export_target import ExportSummary, ExportTarget
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.library.datasets.row_import import ImportOptions, import_rows
from workbench.records.corpus.session_rows import ExportOptions
from workbench.settings import read_settings
from workbench.trajectory.validate.check import CheckOptions
from workbench.wiring import open_services

ROWS = 200_000
NAIVE_ROWS = 2_000
"""Hermes-FC's validator takes no more: a thousand rows take it seconds."""
STORED_ROWS = 20_000
PLAIN = CheckOptions(finds_near=False, finds_secrets=False)
HERMES_FC = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


def measure() -> Iterator[str]:
    """Lines; BENCH_ROWS takes fewer rows, for a quick look."""
    garbage.start()  # as a command does
    rows = int(os.environ.get("BENCH_ROWS", ROWS))
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        for name, is_own, count in (("shared tools", False, rows), ("tools of its own", True, rows // 4)):
            file = Path(folder) / f"{is_own}.jsonl"
            with file.open("wb") as out:
                out.writelines(lines(count, own_tools=is_own))
            yield f"{count:,} rows, each with {name}, {file.stat().st_size / 2**20:.0f} MB"
            yield from _speed(file, count)
            yield from _converted(file, count)
        yield from _memory(Path(folder) / "False.jsonl", rows)
        yield from _stored(Path(folder), min(rows, STORED_ROWS))


def _speed(file: Path, count: int) -> Iterator[str]:
    times_loads = _ratio(lambda: _checked(file, PLAIN), lambda: _load_all(file))
    plain = _best_s(lambda: _checked(file, PLAIN)) / count
    naive = _best_s(lambda: _naive(file)) / min(count, NAIVE_ROWS)
    yield (
        f"check: {1 / plain:,.0f} rows/s, {plain * 1e6:.0f} µs a row, {times_loads:.1f} × json.loads (aim 6); "
        f"Hermes-FC with jsonschema takes {naive / plain:.1f} × as long (aim 10)"
    )
    near = _processor_s(lambda: _checked(file, CheckOptions(finds_secrets=False))) / count - plain
    secrets = _processor_s(lambda: _checked(file, CheckOptions(finds_near=False))) / count - plain
    yield f"near-duplicates {near * 1e6:.0f} µs a row more, secrets {secrets * 1e6:.0f} µs a row more"
    opened, whole = (
        _ratio(
            lambda is_whole=is_whole: _opened(file, is_whole=is_whole), lambda: _checked(file, CheckOptions())
        )
        for is_whole in (False, True)
    )
    yield (
        f"open to look at: {opened:.2f} × the time of a check (aim 1) until the picture is there, "
        f"{whole:.2f} × until it has the near duplicates"
    )
    one, two = (once(lambda jobs=jobs: _checked(file, CheckOptions(), jobs)) for jobs in (1, 2))
    yield (
        f"all of it: {count / one:,.0f} rows/s; in two processes {one / two:.2f} × as fast (aim 1.7), "
        f"where this machine gives json.loads alone {_gain_of_loads(file):.2f} ×"
    )


def _converted(file: Path, count: int) -> Iterator[str]:
    for form in ("openai", "sharegpt"):
        target = str(file.with_suffix(".out"))
        rows = islice(convert_file(str(file), target, Conversion(write_as=form)), NAIVE_ROWS * 2)
        taken = _processor_s(lambda rows=rows: deque(rows, maxlen=0)) / min(count, NAIVE_ROWS * 2)
        yield f"convert to {form}, read back each time: {1 / taken:,.0f} rows/s"


def _stored(folder: Path, count: int) -> Iterator[str]:
    """Import rows as sessions and export them again, unchanged and in another format."""
    file = folder / "stored.jsonl"
    with file.open("wb") as out:
        out.writelines(lines(count, own_tools=False, seed=2))
    variables = {"WORKBENCH_DATA": str(folder / "data")}
    with open_services(read_settings(variables)) as services:
        setup = services.setup_for()

        def bring() -> None:
            rows = services.datasets.read(str(file), "auto")
            done = import_rows(services.corpus, rows, setup, ImportOptions(file=file.name))
            assert sum(row.is_new for row in done) == count

        def export(form: str) -> Path:
            target = folder / form / "rows.jsonl"
            target.parent.mkdir()
            options, summary = ExportOptions(format=form), ExportSummary()
            export_target = ExportTarget(out=str(target))
            deque(services.datasets.export(services.corpus, options, export_target, summary), maxlen=0)
            assert summary.rows == count
            return target

        taken = _processor_s(bring)
        yield f"import of {count:,} rows: {count / taken:,.0f} rows/s (aim 750)"
        taken = _processor_s(lambda: export("sharegpt"))
        is_same = (folder / "sharegpt" / "rows.jsonl").read_bytes() == file.read_bytes()
        same = "byte for byte" if is_same else "NOT byte for byte"
        yield f"export, unchanged: {count / taken:,.0f} rows/s (aim 750), {same}"
        taken = _processor_s(lambda: export("trl"))
        yield f"export to trl: {count / taken:,.0f} rows/s (aim 750)"


def _gain_of_loads(file: Path) -> float:
    """How much faster two processes load the lines than one: more than this no check can gain."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(time.sleep, [1, 1]))  # Start both processes.
        two = once(lambda: list(pool.map(_load_half, [file] * 2, [0, 1])))
    return once(lambda: _load_all(file)) / two


def _load_half(file: Path, start: int) -> None:
    """Loads every second line."""
    with file.open("rb") as opened:
        for line in islice(opened, start, None, 2):
            json.loads(line)


def _processor_s(call: Callable[[], object]) -> float:
    """Processor time of one call: other work on the machine counts little."""
    started = time.process_time()
    call()
    return time.process_time() - started


def _best_s(call: Callable[[], object]) -> float:
    """Processor time of the faster of two calls: a moment in which the machine was slow counts for no side."""
    return min(_processor_s(call), _processor_s(call))


def _ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """Processor time of one call in that of another: the median of three pairs, which share what disturbs them."""
    return median(_processor_s(one) / _processor_s(other) for _ in range(3))


def _load_all(file: Path) -> None:
    with file.open("rb") as opened:
        for line in opened:
            json.loads(line)


def _checked(file: Path, options: CheckOptions, jobs: int = 1) -> None:
    found = FilesCheck(files=[str(file)], options=options, runner=LocalRunner(jobs=jobs)).findings()
    errors = [one for one in found if one.finding.severity == "error"]
    assert not errors, errors[:3]


def _opened(file: Path, *, is_whole: bool) -> None:
    """As the page does it."""
    with closing(OpenedRows(name=file.name, finds_near=False)) as rows:
        deque(rows.read_file(str(file)), maxlen=0)
        rows.finish()
        if is_whole:
            deque(rows.find_near(), maxlen=0)


def _naive(file: Path) -> None:
    """Hermes-FC's `validate_dataset`, its comment on schemas taken at its word."""
    issues = []
    with file.open("rb") as opened:
        for number, line in enumerate(islice(opened, NAIVE_ROWS)):
            row = json.loads(line)
            schemas = {
                tool["function"]["name"]: tool["function"]["parameters"] for tool in json.loads(row["tools"])
            }
            for entry in row["conversations"]:
                if entry["from"] == "gpt":
                    issues += _issues(number, entry["value"], schemas)
    assert not issues


def _issues(number: int, text: str, schemas: dict[str, dict]) -> Iterator[str]:
    for match in HERMES_FC.finditer(text):
        call = json.loads(match[1])
        if call.get("name") not in schemas:
            yield f"row {number}: undeclared tool {call.get('name')!r}"
            continue
        try:
            jsonschema.validate(call["arguments"], schemas[call["name"]])
        except jsonschema.ValidationError as error:
            yield f"row {number}: {error.message}"


def _memory(file: Path, rows: int) -> Iterator[str]:
    """What a check of the whole file holds at its most, against one of its first quarter."""
    quarter = file.with_name("quarter.jsonl")
    with file.open("rb") as opened, quarter.open("wb") as out:
        out.writelines(islice(opened, rows // 4))
    small, large = _peak_bytes(quarter), _peak_bytes(file)
    grown = (large - small) / (rows - rows // 4)
    size_mb = file.stat().st_size / 2**20
    yield f"memory: {large / 2**20:.0f} MB for {size_mb:.0f} MB of rows, {grown:.0f} bytes a row (16 are kept)"


def _peak_bytes(file: Path) -> int:
    code = (
        "import resource, sys; from tests.bench.data import check_file; check_file(sys.argv[1]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024


def check_file(name: str) -> None:
    """A whole check, in a process of its own."""
    _checked(Path(name), CheckOptions())
