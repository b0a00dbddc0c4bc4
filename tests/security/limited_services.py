"""Services of an own machine and of a Space with the same store, and setups that exceed a limit of the Space."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.security.gated import GatedEngine, with_engine
from tests.services import CHECKOUT, services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import Sampling, TokenBias
from workbench.suite.plan import RunPlan

LONG = "x" * 250_000
CONTRACT = (CHECKOUT / "prompts" / "contracts" / "minimal.md").read_text(encoding="utf-8")
ANN = Owner(key="browser:ann")
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


def kept_with(services: Services, setup: RunConfig) -> StoredSession:
    """Run a turn with a setup without limits, and return its session."""
    plain = services.setup_for()
    session_id = begin_session(services, plain).id
    spent(run_turn(services, TurnRequest(setup=plain, session_id=session_id, text="Hi")))
    services.sessions.save_setup(session_id, setup)
    path = services.sessions.path(session_id)
    return StoredSession(session_id=session_id, user_id=path[1].id, answer_id=path[2].id)


def plan_with(services: Services, setup: RunConfig) -> RunPlan:
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
