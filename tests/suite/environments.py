"""200 recorded completions of twenty cases, and their scores by a run of the suite."""

import json

from tests.suite.rollouts import CALL, NOTE_CALL, TOOLS, called
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.suite.read_suite import parse_suite

COMPLETIONS = (
    CALL,
    NOTE_CALL,
    called("get_weather", city="Oslo"),
    called("get_weather", town="Rome"),
    called("get_wether", city="Rome"),
    CALL + "\n" + CALL,
    CALL.replace('"Rome"}}', '"Rome"},}'),
    "For which city?",
    "It is 21 degrees.",
    "<think>Rome.</think>\n" + CALL,
)
EXPECTATIONS = (
    [{"calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}],
    [{"no_call": True}],
    [{"asks": True}],
    [{"calls": [{"name": "get_weather"}], "weight": 3}, {"valid_calls": True}],
    [{"not": {"call_count": 2}}],
)


def suite():
    """Return twenty cases, each of which is asked ten times."""
    cases = [
        {"id": f"{number:02}", "prompt": f"Weather in Rome? ({number})", "expect": EXPECTATIONS[number % 5]}
        for number in range(20)
    ]
    specs = [spec.document for spec in TOOLS.specs]
    defaults = {"tool_specs": specs, "max_rounds": 1, "repeat": len(COMPLETIONS)}
    return parse_suite(json.dumps({"suite": "s", "defaults": defaults, "cases": cases}), name="s")


def scored_by_a_run(services):
    """Return (key of the case, completion, share, whether it passed) of each run of a case.

    The scripted model writes the completions in turn, so repetition `n` gets the one with that number.
    """
    stored = begin_run(
        services, plan_run(services, RunRequest(suites=("s",), contracts=("minimal",)), [suite()])
    )
    for _ in execute_run(services, stored, is_cancelled=lambda: False):
        pass
    return [
        (result.case_key, COMPLETIONS[result.repetition], result.share, result.is_passed)
        for result in services.runs.results(stored.id)
    ]


def exported(target, shape):
    """Return the files of the suite as an environment."""
    from workbench.suite.exchange.environments import export_environment

    def prompt_of(case):
        user = {"role": "user", "content": case.messages[0].text}
        return [{"role": "system", "content": "Call tools."}, user]

    made = export_environment(
        suite(),
        target,
        prompt_of=prompt_of,
        tools_of=lambda case: TOOLS,
        toolsets_of=lambda case: None,
        family="hermes-lines",
        shape=shape,
        most_rounds=8,
    )
    assert made.left_out == ()
    return made.files
