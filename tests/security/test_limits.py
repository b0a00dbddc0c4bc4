"""The settings decide which limits apply, the docs list them, and no module uses a model without them."""

import ast
from collections.abc import Generator, Mapping
from dataclasses import fields, replace

import pytest

from tests.services import CHECKOUT
from workbench.errors import BadInput
from workbench.records.limits import LAPTOP, SPACE, TEAM, UserLimits, limits_of
from workbench.settings import read_settings

pytestmark = pytest.mark.slow

LIMITS: Mapping[str, str] = {
    "max_tokens": "Longest completion, in tokens",
    "max_rounds": "Completions of a turn",
    "text_chars": "Longest text (message, contract, tools, suite, completion to parse), in characters",
    "stop_texts": "Stop texts, token biases",
    "samples": "Samples of one answer",
    "run_jobs": "Case runs of a suite run",
    "case_seconds": "Time limit of a case, in seconds",
    "compared_answers": "Answers of a comparison (turns × columns)",
    "import_bytes": "Imported file, in bytes",
    "import_rows": "Rows read from a file, to import them or to look at them",
    "sessions": "Sessions of a user",
    "messages": "Messages of a session",
    "versions": "Versions of one name",
    "own_names": "Contracts of a user; also toolsets, suites, presets; also deleted ones of each",
    "runs": "Runs of a user; also deleted runs, comparisons, labelling projects, members of a project",
    "turns_at_once": "Running and waiting turns, runs and comparisons of a user",
    "turns_of_address": "The same for all users at one address who have not signed in",
    "check_seconds": "Computing time for checking texts of one address in a minute, in seconds",
    "requests_at_once": "Running and waiting requests of one address",
    "remote_at_once": "Simultaneous completions of a model that supports several, all users together",
}
"""Fields of `UserLimits` in the order of the table in `docs/reference/limits.md`, with their names there."""


def test_the_settings_decide_which_limits_apply() -> None:
    here = read_settings({})
    assert limits_of(here) is LAPTOP
    assert limits_of(replace(here, accounts={"ann": "x"})) is TEAM
    space = limits_of(read_settings({"SPACE_ID": "a/b", "WORKBENCH_MAX_ROUNDS": "5"}))
    assert space == replace(SPACE, max_rounds=5)
    # A limit that is named is set: a field that somebody adds needs a number for a Space.
    assert all(getattr(space, one.name) is not None for one in fields(UserLimits))


def test_the_table_of_the_docs_is_the_code_s() -> None:
    page = (CHECKOUT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8").splitlines()
    deployments = (limits_of(read_settings({"SPACE_ID": "a/b"})), TEAM, LAPTOP)

    def cell(limit: float | None) -> str:
        return "none" if limit is None else f"{limit:,}"

    assert set(LIMITS) == {one.name for one in fields(UserLimits)}
    assert [line for line in page if line.startswith("| ") and "Own machine" not in line] == [
        f"| {name} | {' | '.join(cell(getattr(one, field)) for one in deployments)} |"
        for field, name in LIMITS.items()
    ]


def _calls(module: ast.Module) -> Generator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


LOOKING = {
    "workbench/app/services.py",  # adds the queue to it
    "workbench/app/as_code.py",  # reads which server an engine asks, and shows the request as text
    "workbench/app/token_sheet.py",
    "workbench/app/other_prompts.py",
    "workbench/ui/tabs/play/setup_events.py",
    "workbench/ui/tabs/data/look_events.py",  # counts tokens
    "workbench/ui/tabs/contracts_tab.py",
    "workbench/ui/tabs/tools/edit_events.py",
}
"""Modules that use an engine only for its tokens, its template or its server, never for a completion."""
TURNS = {
    "workbench/app/turns.py",
    "workbench/app/prepare.py",  # sets up a turn for the others
    "workbench/app/regenerate.py",
    "workbench/app/comparisons/column_runner.py",  # within a comparison, which is counted
    "workbench/app/runs/running.py",  # within a run, which is counted
    "workbench/app/runs/conversations.py",  # the same
    "workbench/app/loop_tools.py",  # within a turn
    "workbench/app/improve/reflection.py",  # within a search, which is counted
}
"""Modules that run a turn."""


def test_no_other_module_uses_a_model() -> None:
    """A new caller must use the queue and the limits, or be listed above with a reason."""
    for path in sorted((CHECKOUT / "workbench").rglob("*.py")):
        name = path.relative_to(CHECKOUT).as_posix()
        if not name.startswith(("workbench/app/", "workbench/ui/", "workbench/label/")):
            continue
        calls = set(_calls(ast.parse(path.read_text(encoding="utf-8"))))
        if any(one.endswith("models.engine") for one in calls):
            assert name in LOOKING, f"{name}: ask `services.engine`"
            assert not any(one.endswith("generate") for one in calls), f"{name}: it may only look"
        if {"Turn", "prepare_turn"} & calls:
            assert name in TURNS, f"{name}: begin the turn in `workbench.app.turns` or within `at_work`"
        assert not any(one.endswith("store.of") for one in calls) or name in (
            "workbench/app/services.py",
            "workbench/app/runs/reports.py",  # reads a report by its link
            "workbench/app/runs/suites.py",  # takes a file as the shared library's version
        ), f"{name}: go through `services`, which has the limits"


def test_each_refusal_says_what_is_too_much_the_limit_and_what_to_do() -> None:
    limits = limits_of(read_settings({"SPACE_ID": "a/b"}))
    with pytest.raises(BadInput) as refused:
        limits.check_text("contract", "x" * 200_001)
    assert (refused.value.where, refused.value.problem, refused.value.remedy) == (
        "contract", "200,001 characters; at most 200,000 are allowed here", "shorten it",
    )  # fmt: skip
