"""What a turn without a world costs, beside the same turn with one, on the page and in a suite."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.timing import seconds
from tests.bench.turns import play_turn
from tests.services import services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.services import Services
from workbench.app.turns import begin_session
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case
from workbench.toolspec.tools_text import render_tools

CALL = '<tool_call>\n{"name": "add", "arguments": {"by": 1}}\n</tool_call>'
FUNCTION = "{name: add, parameters: {type: object, properties: {by: {type: integer}}, required: [by]}}"
PLAIN = f"toolset: plain\ntools:\n  - {{function: {FUNCTION}, mocks: [{{result: {{n: 1}}}}]}}\n"
WORLDLY = f"""
toolset: worldly
world: {{n: 0}}
tools:
  - function: {FUNCTION}
    mocks: [{{effects: [{{increment: /n, by: "{{{{ by }}}}"}}], result: {{n: "{{{{ world.n }}}}"}}}}]
"""
CASES = 20


def measure() -> Iterator[str]:
    """Lines: a turn of the page, and the cases of a suite, without and with a world."""
    completions = [CALL, "Done."] * 5_000
    with (
        tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder,
        services_for(Path(folder), *completions) as (opened, _),
    ):
        # One toolset at a time, because both have the same tool.
        both = [_with(opened, "plain", PLAIN), _with(opened, "worldly", WORLDLY)]
        for what, each in (("a turn of the page", _turn), ("a run of a case", _run)):
            plain_s, worldly_s = seconds(*(each(services, name) for services, name in both))
            parts = CASES if each is _run else 1
            yield (
                f"{what} with a call: {plain_s / parts * 1000:.1f} ms without a world, "
                f"{worldly_s / parts * 1000:.1f} ms with one, ratio {plain_s / worldly_s:.2f} (aim: at most 1)"
            )


def _with(services: Services, name: str, toolset: str) -> tuple[Services, str]:
    return replace(services, catalog=services.catalog.with_toolsets({name: toolset})), name


def _turn(services: Services, name: str) -> Callable[[], object]:
    setup = replace(services.setup_for(), tools_text=render_tools(services.tools.select([name])))

    def turn() -> None:
        assert len(play_turn(services, begin_session(services, setup).id, setup, "Add 1.")) == 2

    return turn


def _run(services: Services, name: str) -> Callable[[], object]:
    case = {"prompt": "Add 1.", "tools": [name], "expect": [{"calls": [{"name": "add"}]}]}
    cases = (parse_case({"id": str(number), **case}, suite=name) for number in range(CASES))
    suite, request = Suite(name=name, cases=tuple(cases)), RunRequest(suites=(name,), contracts=("minimal",))

    def run() -> None:
        stored = begin_run(services, plan_run(services, request, [suite]))
        for _ in execute_run(services, stored, is_cancelled=lambda: False):
            pass
        assert all(result.is_passed for result in services.runs.results(stored.id))

    return run
