"""What the parts of a larger installation take: a visitor, a kept session, checked rows, a case of a run.

Times are processor time of the process that does the work, not of a browser. They hardly depend on what else the
machine does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.bench.data_rows import lines
from tests.bench.page import new_page, open_address
from tests.bench.ray_runs import readings
from tests.bench.store_data import MESSAGES, write_sessions
from tests.e2e.conftest import CHROMIUM, FLAGS
from tests.served import Server, served, write_script
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.settings import read_settings
from workbench.wiring import open_services

VISITORS = 10
TURNS = 3
IDLE_S = 30
ANSWER = "word " * 300
CASES = 200
ROW_COUNTS = (20_000, 60_000)
"""The first fills the caches of compiled schemas, so that the difference is what each further row takes."""
SESSION_COUNTS = (500, 2_000)
CHECKOUT = Path(__file__).parents[2]
_TICKS = os.sysconf("SC_CLK_TCK")


class Used(NamedTuple):
    """What a process has used."""

    processor_s: float
    memory_mb: float
    """The memory that it has now."""
    most_mb: float
    """The most memory that it had."""

    @classmethod
    def by(cls, pid: int) -> "Used":
        """Return what a process has used so far."""
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
        sizes = dict(line.split(":") for line in status if line.startswith(("VmRSS:", "VmHWM:")))
        memory_mb, most_mb = (int(sizes[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        return cls((int(fields[11]) + int(fields[12])) / _TICKS, memory_mb, most_mb)


def measure() -> Iterator[str]:
    """Memory and processor time per visitor, session, 1,000 rows and case."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        yield from _visitors(Path(folder))
        yield _sessions(Path(folder))
        yield from _rows(Path(folder))
        yield _cases(Path(folder))


def _visitors(folder: Path) -> Iterator[str]:
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        yield "visitors skipped: no browser (Debian: apt-get install chromium)"
        return
    script = write_script(folder / "script.yaml", {"text": ANSWER, "seconds_per_token": 0.02})
    space = {"SPACE_ID": "someone/workbench", "WORKBENCH_HOST": "127.0.0.1"}
    with sync_playwright() as playwright:
        for server in served(folder, f"scripted:{script}", **space):
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
            try:
                yield from _visited(browser, server)
            finally:
                browser.close()


def _visited(browser: Browser, server: Server) -> Iterator[str]:
    with new_page(browser) as page:
        open_address(page, server.url)
    empty = Used.by(server.pid)
    with ExitStack() as open_pages:
        pages = [open_pages.enter_context(new_page(browser)) for _ in range(VISITORS)]
        for page in pages:
            open_address(page, server.url)
        opened = Used.by(server.pid)
        time.sleep(IDLE_S)
        idle = Used.by(server.pid)
        for page in pages:
            for _ in range(TURNS):
                _ask(page)
        asked = Used.by(server.pid)
    yield (
        f"server: {empty.memory_mb:.0f} MB after the first visitor, and "
        f"{(opened.memory_mb - empty.memory_mb) / VISITORS:.1f} MB for each open page more, "
        f"{(asked.memory_mb - empty.memory_mb) / VISITORS:.1f} MB after {TURNS} turns"
    )
    yield (
        f"processor of the server: {1000 * (opened.processor_s - empty.processor_s) / VISITORS:.0f} ms to open the "
        f"page, {1000 * (asked.processor_s - idle.processor_s) / VISITORS / TURNS:.0f} ms for a turn of 300 tokens, "
        f"{1000 * (idle.processor_s - opened.processor_s) / VISITORS * 60 / IDLE_S:.0f} ms for a minute at rest"
    )


def _ask(page: Page) -> None:
    answers = page.locator("#play-transcript li.hw-entry")
    before = answers.count()
    page.get_by_role("textbox", name="Message").fill("Count.")
    page.get_by_role("textbox", name="Message").press("Control+Enter")
    page.wait_for_function(
        "(count) => document.querySelectorAll('#play-transcript li.hw-entry').length >= count", arg=before + 2
    )
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def _sessions(folder: Path) -> str:
    sizes: list[int] = []
    for count in SESSION_COUNTS:
        file = folder / f"{count}.sqlite3"
        write_sessions(file, count)
        sizes.append(file.stat().st_size)
    less, more = SESSION_COUNTS
    bytes_each = (sizes[1] - sizes[0]) / (more - less)
    return f"kept session of {MESSAGES} messages: {bytes_each / 1024:.1f} KB, {bytes_each / MESSAGES:.0f} bytes a message"


def _rows(folder: Path) -> Iterator[str]:
    used: list[Used] = []
    sizes: list[int] = []
    for count in ROW_COUNTS:
        file = folder / f"{count}.jsonl"
        with file.open("wb") as out:
            out.writelines(lines(count, own_tools=True))
        sizes.append(file.stat().st_size)
        used.append(_checked(file))
    (less, more), (few, many) = ROW_COUNTS, used
    thousands = (more - less) / 1000
    yield (
        f"1,000 checked rows with tools of their own ({sizes[1] / more / 1024:.1f} KB each): "
        f"{(many.processor_s - few.processor_s) / thousands:.2f} s of processor time, "
        f"{(many.most_mb - few.most_mb) / thousands:.2f} MB in addition to {few.most_mb:.0f} MB"
    )


def _checked(file: Path) -> Used:
    """Check a file in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "check", str(file), "--json"], stdout=subprocess.DEVNULL
    )
    used = Used(0.0, 0.0, 0.0)
    while process.poll() is None:
        # A process that has ended and was not waited for has no memory any more.
        with suppress(KeyError):
            used = Used.by(process.pid)
        time.sleep(0.05)
    assert process.returncode == 0
    return used


def _cases(folder: Path) -> str:
    script = write_script(folder / "cases.yaml", "The reading is 31.")
    variables = {"WORKBENCH_DATA": str(folder / "cases"), "WORKBENCH_HOME": str(CHECKOUT)}
    with open_services(read_settings(variables)) as services:
        request = RunRequest(suites=("bench",), contracts=("minimal",), models=(f"scripted:{script}",))
        stored = begin_run(services, plan_run(services, request, [readings(CASES)]))
        file = folder / "cases" / "workbench.sqlite3"
        before, began = _size(file), getrusage(RUSAGE_SELF)
        for _ in execute_run(services, stored, is_cancelled=lambda: False):
            pass
        ended, after = getrusage(RUSAGE_SELF), _size(file)
    processor_s = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    return (
        f"case of a run: {1000 * processor_s / CASES:.0f} ms of processor time besides the model, "
        f"{(after - before) / CASES / 1024:.1f} KB in the database"
    )


def _size(file: Path) -> int:
    return sum(one.stat().st_size for one in file.parent.glob(f"{file.name}*"))
