"""Each scenario of the tables, with each server's way of writing the protocol."""

from collections import Counter

import pytest

from tests.peers.outcome import run_scenario
from tests.peers.scenario import Scenario
from tests.peers.scenario_answers import ANSWERS
from tests.peers.scenario_calls import CALLS
from tests.peers.scenario_failures import FAILURES
from tests.peers.wire import WIRES, Wire

SCENARIOS = (*CALLS, *ANSWERS, *FAILURES)


def test_every_scenario_has_a_name_of_its_own_and_there_are_enough() -> None:
    names = Counter(scenario.name for scenario in SCENARIOS)
    assert [name for name, count in names.items() if count > 1] == []
    assert len(names) >= 40


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_turn_with_a_server_ends_as_the_table_says(scenario: Scenario, wire: Wire) -> None:
    found = run_scenario(wire, scenario)
    assert found.outcome == scenario.outcome_for(wire)
    if scenario.requests is not None:
        assert found.requests == scenario.requests
