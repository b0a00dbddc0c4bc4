"""A turn, a run and a comparison that exceed a limit of a Space are refused, and nothing of them is stored."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.security.limited_services import (
    LONG,
    TOO_MUCH,
    StoredSession,
    as_space,
    kept_with,
    plan_with,
    spent,
)
from tests.security.limited_services import own as own  # a fixture
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
from workbench.errors import BadInput
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.records.run_config import RunConfig
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.suite.read_suite import parse_suite

pytestmark = pytest.mark.slow


def _again(services: Services, setup: RunConfig, kept: StoredSession) -> None:
    bench = open_for_labelling(services, kept.session_id, LabellingRole())
    assert bench is not None
    assert bench.session.setup == setup
    spent(regenerate_message(services, bench, kept.answer_id, {}, is_cancelled=lambda: False))


def _weigh(services: Services, setup: RunConfig, kept: StoredSession) -> None:
    answer = services.sessions.path(kept.session_id)[2]
    message_logprobs(services, setup, answer, is_cancelled=lambda: False)


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
        begin_run(space, plan_with(own, setup))
    with pytest.raises(BadInput):
        space.runs.create_run("title", plan_with(own, setup))
    old = own.runs.create_run("title", plan_with(own, setup))
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
