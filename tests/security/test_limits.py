"""Limits of a Space: every request for too much is refused, and nothing of it is stored."""

import ast
import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.security.gated import GatedEngine, with_engine
from tests.services import CHECKOUT, services_for
from workbench.app.comparisons.planning import ColumnRequest, Turns, compare_question, compare_turns
from workbench.app.comparisons.running import run_comparison
from workbench.app.regenerate import regenerate_message
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.app.token_sheet import message_logprobs
from workbench.app.turn_request import ResumePoint, TurnRequest
from workbench.app.turns import begin_session, draw_samples, run_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.label.records.action import ActionId, FieldChange, LabelAction
from workbench.label.records.project import Project
from workbench.library.datasets.row_import import ImportOptions, import_rows
from workbench.records.label import LabelContent, LabelTarget, NewLabel
from workbench.records.label_words import ActionKind
from workbench.records.limits import LAPTOP, SPACE, TEAM, UserLimits, limits_of
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.records.versions import NewVersion, VersionKind
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling, TokenBias
from workbench.settings import read_settings
from workbench.suite.plan import RunPlan
from workbench.suite.read_suite import parse_suite
from workbench.ui.api import ApiFunctions
from workbench.ui.owners import caller_of
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.data.form import Jobs
from workbench.ui.tabs.data.import_events import ImportEvents
from workbench.ui.tabs.tab_work import TabWork

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
LONG = "x" * 250_000
CONTRACT = (CHECKOUT / "prompts" / "contracts" / "minimal.md").read_text(encoding="utf-8")
ANN = Owner(key="browser:ann")
REQUEST = cast(
    gr.Request, SimpleNamespace(headers={"x-workbench-key": "a" * 32}, session_hash="t", username=None)
)
TOOLS = json.dumps([{"name": "f", "description": LONG, "parameters": {"type": "object", "properties": {}}}])

TOO_MUCH: Mapping[str, dict[str, object]] = {
    "tokens": {"sampling": Sampling(max_tokens=32_768)},
    "tokens-just-over": {"sampling": Sampling(max_tokens=2_049)},
    "rounds": {"max_rounds": 9},
    "contract": {"contract_text": CONTRACT + LONG},
    "tools": {"tools_text": TOOLS},
    "tools-just-over": {"tools_text": "[" + " " * 200_000 + "]"},
    "ephemeral": {"ephemeral": LONG},
    "variables": {"variables": {"city": LONG}},
    "variable-names": {"variables": {f"{number}" * 50: "" for number in range(10_000)}},
    "names": {"disabled_tools": frozenset({LONG})},
    "tool-choice": {"tool_choice": LONG},
    "model": {"model": LONG},
    "stop-count": {"sampling": Sampling(stop=tuple(map(str, range(33))))},
    "stop-length": {"sampling": Sampling(stop=(LONG,))},
    "bias": {"sampling": Sampling(logit_bias=tuple(TokenBias(token=one, bias=1.0) for one in range(33)))},
    "bias-length": {"sampling": Sampling(logit_bias=(TokenBias(token=LONG, bias=1.0),))},
    "seed": {"sampling": Sampling(seed=10**30)},
}
"""Setups that exceed a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session that was created without limits and can be continued."""

    session_id: str
    user_id: str
    answer_id: str


def as_space(services: Services) -> Services:
    """Return services for a visitor of a Space with the same store."""
    return replace(services, settings=replace(services.settings, is_on_space=True)).of(ANN)


def spent(events: Iterator[object]) -> None:
    for _ in events:
        pass


@contextmanager
def opened(folder: Path) -> Generator[Services]:
    with services_for(folder, "Hello.") as (services, _):
        engine = GatedEngine()
        engine.gate.set()
        yield with_engine(services, engine).of(ANN)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Services of an own machine, shared by the tests."""
    with opened(tmp_path_factory.mktemp("own")) as services:
        yield services


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Services]:
    """Services with an empty store."""
    with opened(tmp_path) as services:
        yield services


def kept_with(services: Services, setup: RunConfig) -> StoredSession:
    """Run a turn with a setup without limits, and return its session."""
    plain = services.setup_for()
    session_id = begin_session(services, plain).id
    spent(run_turn(services, TurnRequest(setup=plain, session_id=session_id, text="Hi")))
    services.sessions.save_setup(session_id, setup)
    path = services.sessions.path(session_id)
    return StoredSession(session_id=session_id, user_id=path[1].id, answer_id=path[2].id)


def _again(services: Services, setup: RunConfig, kept: StoredSession) -> None:
    bench = open_for_labelling(services, kept.session_id, LabellingRole())
    assert bench is not None
    assert bench.session.setup == setup
    spent(regenerate_message(services, bench, kept.answer_id, {}, is_cancelled=lambda: False))


def _weigh(services: Services, setup: RunConfig, kept: StoredSession) -> None:
    answer = services.sessions.path(kept.session_id)[2]
    message_logprobs(services, setup, answer, is_cancelled=lambda: False)


def _plan(services: Services, setup: RunConfig) -> RunPlan:
    """Return a run with one arm and one case that use the setup."""
    plan = plan_run(services, RunRequest(suites=("nonsense",), limit=1), [load_suite(services, "nonsense")])
    arm = replace(
        plan.arms[0],
        contract_text=setup.contract_text,
        model=setup.model,
        tool_choice=setup.tool_choice,
        sampling=setup.sampling,
    )
    tools = dict.fromkeys(plan.tools, setup.tools_text)
    return replace(plan, arms=(arm,), tools=tools, max_rounds=setup.max_rounds)


def _resumed(setup: RunConfig, kept: StoredSession, **point: Any) -> TurnRequest:
    """Return a turn that answers the user's message again."""
    resume = ResumePoint(message_id=kept.user_id, **point)
    return TurnRequest(setup=setup, session_id=kept.session_id, resume=resume)


WAYS: Mapping[str, Callable[[Services, RunConfig, StoredSession], object]] = {
    "begin a session": lambda own, setup, kept: begin_session(own, setup),
    "say": lambda own, setup, kept: spent(
        run_turn(own, TurnRequest(setup=setup, session_id=kept.session_id, text="Hi"))
    ),
    "answer again": lambda own, setup, kept: spent(run_turn(own, _resumed(setup, kept, is_answer=True))),
    "continue": lambda own, setup, kept: spent(run_turn(own, _resumed(setup, kept, prefix="He"))),
    "more samples": lambda own, setup, kept: spent(
        draw_samples(own, replace(_resumed(setup, kept), samples=2), ResumePoint(message_id=kept.user_id))
    ),
    "regenerate after a correction": _again,
    "weigh": _weigh,
    "create": lambda own, setup, kept: own.sessions.create_session(setup),
    "save the setup": lambda own, setup, kept: own.sessions.save_setup(kept.session_id, setup),
}
"""Every way in which a setup reaches a model or the store, except runs and comparisons."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_setup_over_a_limit_is_refused_everywhere(own: Services, way: str, what: str) -> None:
    setup = replace(own.setup_for(), **cast(Any, TOO_MUCH[what]))
    kept = kept_with(own, setup)
    before = own.sessions.tree(kept.session_id)
    engine = cast(Any, own.models).one
    asked = len(engine.asked)
    with pytest.raises(BadInput, match=r"\(") as refused:
        WAYS[way](as_space(own), setup, kept)
    assert len(str(refused.value)) < 300
    assert own.sessions.tree(kept.session_id) == before
    assert len(engine.asked) == asked


@pytest.mark.parametrize(
    "what", sorted(set(TOO_MUCH) - {"ephemeral", "variables", "variable-names", "names"})
)
def test_comparisons_and_runs_have_the_same_limits(own: Services, what: str) -> None:
    setup = replace(own.setup_for(), **cast(Any, TOO_MUCH[what]))
    space = as_space(own)
    with pytest.raises(BadInput):
        begin_run(space, _plan(own, setup))
    with pytest.raises(BadInput):
        space.runs.create_run("title", _plan(own, setup))
    old = own.runs.create_run("title", _plan(own, setup))
    with pytest.raises(BadInput):
        spent(execute_run(space, old, is_cancelled=lambda: False))
    assert space.runs.list_runs() == own.runs.list_runs()


@pytest.mark.parametrize("what", ["tokens", "contract", "seed", "stop-count", "model"])
def test_a_column_of_a_comparison_has_the_limits_of_a_turn(own: Services, what: str) -> None:
    setup = replace(own.setup_for(), **cast(Any, TOO_MUCH[what]))
    wanted = [ColumnRequest(model=setup.model, sampling=setup.sampling)] * 2
    space, kept = as_space(own), kept_with(own, setup)
    with pytest.raises(BadInput):
        compare_question(space, "Cairo?", (), setup, wanted)
    with pytest.raises(BadInput):
        compare_turns(space, Turns(session_id=kept.session_id), wanted)
    old = compare_turns(own, Turns(session_id=kept.session_id), wanted)
    with pytest.raises(BadInput):
        spent(run_comparison(space, old, is_cancelled=lambda: False))
    assert space.comparisons.list_comparisons() == own.comparisons.list_comparisons()
    assert space.comparisons.list_comparisons()[0].id == old.id


def test_the_answers_of_a_comparison_are_limited(own: Services) -> None:
    setup = own.setup_for()
    session_id = begin_session(own, setup).id
    for _ in range(11):
        spent(run_turn(own, TurnRequest(setup=setup, session_id=session_id, text="Hi")))
    turns = Turns(session_id=session_id, is_whole=True)
    with pytest.raises(BadInput, match="44 answers; at most 40 are allowed"):
        compare_turns(as_space(own), turns, [ColumnRequest(model="m")] * 4)
    assert compare_turns(as_space(own), turns, [ColumnRequest(model="m")] * 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": 1000},
        {"repeat": 10**12},
        {"tool_choices": tuple(f"t{number}" for number in range(201))},
        {"samplings": tuple(Sampling(seed=number) for number in range(10**4))},
        {"timeout_s": 10**6},
        {"max_rounds": 100},
    ],
    ids=str,
)
def test_a_run_that_is_too_large_is_refused_before_it_is_planned(
    own: Services, changes: dict[str, Any]
) -> None:
    space = as_space(own)
    suite = load_suite(space, "nonsense")
    with pytest.raises(BadInput, match="are allowed here"):
        begin_run(space, plan_run(space, replace(RunRequest(suites=("nonsense",)), **changes), [suite]))


@pytest.mark.parametrize(
    "case",
    [
        {"repeat": 201},
        {"max_rounds": 100},
        {"prompt": LONG[:200_001]},
        {"tool_specs": [{"name": "f", "description": LONG[:200_001], "parameters": {"type": "object"}}]},
        {"system": LONG[:200_001]},
    ],
    ids=lambda case: next(iter(case)),
)
def test_the_settings_of_a_suite_are_limited_too(own: Services, case: dict[str, object]) -> None:
    document = {"id": "a", "prompt": "Hi", "expect": [{"no_call": True}], **case}
    suite = parse_suite(json.dumps({"suite": "s", "cases": [document]}), name="s")
    with pytest.raises(BadInput):
        begin_run(as_space(own), plan_run(own, RunRequest(suites=("s",)), [suite]))


TEXT_CALLS: Mapping[str, Callable[[ApiFunctions], object]] = {
    "parse": lambda functions: functions.parse(LONG, REQUEST),
    "parse-tools": lambda functions: functions.parse("", REQUEST, tools=[{"name": LONG}]),
    "parse-options": lambda functions: functions.parse("", REQUEST, finish_reason=LONG),
    "render": lambda functions: functions.render([{"role": "user", "content": LONG}], REQUEST),
    "render-tools": lambda functions: functions.render([], REQUEST, tools=[{"name": LONG}]),
    "check": lambda functions: functions.check(LONG, REQUEST),
    "chat": lambda functions: functions.chat(LONG, REQUEST),
    "chat-tools": lambda functions: functions.chat("Hi", REQUEST, tools=[{"name": "f", "description": LONG}]),
    "chat-tokens": lambda functions: functions.chat("Hi", REQUEST, max_tokens=32_768),
    "chat-rounds": lambda functions: functions.chat("Hi", REQUEST, max_rounds=100),
    "chat-seed": lambda functions: functions.chat("Hi", REQUEST, seed=10**40),
    "chat-contract": lambda functions: functions.chat("Hi", REQUEST, contract=LONG),
    "chat-session": lambda functions: functions.chat("Hi", REQUEST, session=LONG),
    "run": lambda functions: functions.run(["nonsense"], REQUEST, repeat=1000),
    "run-names": lambda functions: functions.run([LONG], REQUEST),
    "run-models": lambda functions: functions.run(
        ["nonsense"], REQUEST, models=[f"m{one}" for one in range(201)]
    ),
    "export": lambda functions: functions.export(REQUEST, sessions=[LONG]),
    "export-format": lambda functions: functions.export(REQUEST, format=LONG),
}


@pytest.mark.parametrize("function", TEXT_CALLS)
def test_the_api_refuses_too_much_and_stores_nothing(own: Services, function: str) -> None:
    space = as_space(own)
    asked = len(cast(Any, own.models).one.asked)
    caller = space.of(caller_of(space.settings, REQUEST))
    with pytest.raises(gr.Error) as refused:
        TEXT_CALLS[function](ApiFunctions(space, TabWork()))
    assert len(str(refused.value)) < 500
    assert len(cast(Any, own.models).one.asked) == asked
    assert not caller.sessions.list_sessions() and not caller.runs.list_runs()


KEEPING: Mapping[str, Callable[[Services, StoredSession], object]] = {
    **{
        f"a {kind.value}": lambda own, kept, kind=kind: own.versions.save(
            NewVersion(kind=kind, name="mine", text=LONG)
        )
        for kind in VersionKind
    },
    "a version's message": lambda own, kept: own.versions.save(
        NewVersion(kind=VersionKind.SUITE, name="mine", text="", message=LONG)
    ),
    "a message": lambda own, kept: own.sessions.append(
        kept.session_id,
        NewMessage(message=Message(role=Role.USER, text=LONG), origin=MessageOrigin.PERSON),
        parent_id=kept.answer_id,
    ),
    "messages": lambda own, kept: own.sessions.append_all(
        kept.session_id,
        [NewMessage(message=Message(role=Role.USER, text="x"), origin=MessageOrigin.PERSON)] * 2_001,
        parent_id=kept.answer_id,
    ),
    "a title": lambda own, kept: own.sessions.rename_session(kept.session_id, LONG),
    "tags": lambda own, kept: own.sessions.tag_session(kept.session_id, [LONG]),
    "a label": lambda own, kept: own.labels.save(
        NewLabel(target=LabelTarget(session_id=kept.session_id, message_id=kept.answer_id), content=LabelContent(comment=LONG))
    ),
    "a correction": lambda own, kept: own.labels.save(
        NewLabel(
            target=LabelTarget(session_id=kept.session_id, message_id=kept.answer_id), content=LabelContent(correction=LONG)
        )
    ),
    "an annotator's action": lambda own, kept: own.labels.apply(
        LabelAction(
            id=ActionId("page", 1),
            session_id=kept.session_id,
            kind=ActionKind.LABEL,
            changes=(FieldChange(message_id=kept.answer_id, field="comment", value=LONG),),
        )
    ),
    "a label project": lambda own, kept: own.label_projects.save_project(Project(name=LONG)),
    "a preset": lambda own, kept: own.presets.save_preset("mine", replace(own.setup_for(), ephemeral=LONG)),
}  # fmt: skip


@pytest.mark.parametrize("what", KEEPING)
def test_the_size_of_stored_texts_is_limited(own: Services, what: str) -> None:
    kept = kept_with(own, own.setup_for())
    with pytest.raises(BadInput, match="are allowed here"):
        KEEPING[what](as_space(own), kept)


def test_the_number_of_stored_objects_is_limited(fresh: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    tight = replace(SPACE, sessions=2, own_names=1, versions=2, runs=1, messages=5)
    monkeypatch.setattr("workbench.records.limits.SPACE", tight)
    space = as_space(fresh)
    setup = space.setup_for()
    for _ in range(2):
        kept_with(space, setup)
    with pytest.raises(BadInput, match="sessions"):
        space.sessions.create_session(setup)
    first = space.sessions.list_sessions()[0].id
    with pytest.raises(BadInput, match="sessions"):
        space.sessions.copy_session(first)
    spent(run_turn(space, TurnRequest(setup=setup, session_id=first, text="Hi")))
    with pytest.raises(BadInput, match="messages of a session"):
        spent(run_turn(space, TurnRequest(setup=setup, session_id=first, text="Hi")))
    for number in range(2):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="mine", text=f"{number}"))
    with pytest.raises(BadInput, match="versions of 'mine'"):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="mine", text="new"))
    with pytest.raises(BadInput, match="versions of 'mine'"):
        space.versions.restore(space.versions.history(VersionKind.SUITE, "mine")[-1].id)
    with pytest.raises(BadInput, match="suites of your own"):
        space.versions.save(NewVersion(kind=VersionKind.SUITE, name="other", text="new"))
    preset = space.presets.save_preset("mine", setup).preset
    space.presets.save_preset("mine", setup, replaces=True)
    with pytest.raises(BadInput, match="presets"):
        space.presets.save_preset("other", setup)
    with pytest.raises(BadInput, match="presets"):
        space.presets.restore_preset(preset.id)
    begin_run(space, _plan(space, setup))
    with pytest.raises(BadInput, match="runs"):
        begin_run(space, _plan(space, setup))
    rows = space.datasets.read(_rows(Path(space.settings.data)), "auto")
    [imported] = import_rows(space.corpus, rows, setup, ImportOptions(file="rows"))
    assert "sessions" in imported.problem


def _rows(folder: Path, count: int = 1) -> str:
    file = folder / "rows.jsonl"
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]
    lines = [
        json.dumps({"conversations": [*turns, {"from": "human", "value": f"{one}"}]}) for one in range(count)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def test_the_size_and_the_rows_of_an_import_are_limited(
    fresh: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.records.limits.SPACE", replace(SPACE, import_bytes=1_000_000, import_rows=3)
    )
    space, state = as_space(fresh), TabState(browser_key="browser:ann")
    events = ImportEvents(space, Jobs())

    def imported(file: str) -> str:
        screens = list(events.on_import(state, file, "", False, "auto", REQUEST))
        return str(screens[-1])

    large = tmp_path / "large.jsonl"
    large.write_bytes(b" " * 1_000_001)
    assert "at most 1 MB are allowed here" in imported(str(large))
    assert "3 sessions created" in imported(_rows(tmp_path, 9))


def test_samples_are_limited(own: Services) -> None:
    kept = kept_with(own, own.setup_for())
    with pytest.raises(BadInput, match="16 answers at once; at most 8 are allowed"):
        spent(
            draw_samples(as_space(own), replace(_resumed(own.setup_for(), kept), samples=16), ResumePoint(message_id=kept.user_id))
        )  # fmt: skip


def test_the_engine_itself_refuses_too_many_tokens(own: Services) -> None:
    engine = as_space(own).engine("any")
    asked = GenerationRequest(prompt="Hi", sampling=Sampling(max_tokens=2_049))
    with pytest.raises(BadInput, match="2,049 tokens in a completion; at most 2,048 are allowed here"):
        spent(engine.generate(asked, is_cancelled=lambda: False))


@pytest.mark.parametrize("what", sorted(set(TOO_MUCH) - {"model", "tool-choice", "bias-length", "seed"}))
def test_there_are_no_limits_on_an_own_machine_or_in_a_team(own: Services, what: str) -> None:
    team = replace(own, settings=replace(own.settings, accounts={"ann": "x"}))
    for services in (own, team):
        setup = replace(services.setup_for(), **cast(Any, TOO_MUCH[what]))
        services.limits.check_turn(setup, LONG)


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
