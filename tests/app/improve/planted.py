"""A scripted model whose behaviour depends on known sentences of the contract, and searches over it."""

import json
from contextlib import suppress
from dataclasses import replace
from random import Random

from tests.suite.rollouts import CALL, rollout
from workbench.app.improve.running import execute_any
from workbench.app.improve.starting import SearchRequest, begin_search, plan_search
from workbench.app.runs.planning import RunRequest
from workbench.app.runs.running import find_run
from workbench.records.versions import NewVersion, VersionKind
from workbench.suite.improve.outcome import outcome_of
from workbench.suite.read_suite import parse_suite
from workbench.suite.search_plan import SearchMode, SearchSettings

USEFUL = (
    "Call a tool when one fits the request.",
    "Use the values that the user wrote.",
    "Ask for a value that is missing.",
)
HARMFUL = ("Always answer from memory.", "Never use a tool twice.")
BALLAST = (
    "You are a friendly and capable assistant who enjoys helping people with everything they need.",
    "Think about the world, its wonders and its many languages before you write.",
    "Remember that quality matters. Every answer should be a good answer that people like.",
)
HEAD = "---\ntitle: Planted\nfamily: hermes-lines\n---\n"
TOOLS = "<tools>\n{{ tools }}\n</tools>"
PLANTED = "\n\n".join(
    (
        f"{BALLAST[0]} {USEFUL[0]}",
        TOOLS,
        f"{USEFUL[1]} {HARMFUL[0]}",
        BALLAST[1],
        f"{HARMFUL[1]} {USEFUL[2]} {BALLAST[2]}",
    )
)
SHORTEST = "\n\n".join((USEFUL[0], TOOLS, USEFUL[1], USEFUL[2]))
SKILLS = 5
CASES = 60


class PlantedModel:
    """Case `i` needs skill `i % 5`: one of the three useful sentences, or the absence of a harmful one."""

    def __init__(self, chance=None, stop_after=None, *, reports_tokens=True):
        self._rollouts = {True: rollout(CALL), False: rollout("No.")}
        self._reports_tokens = reports_tokens
        self.runs, self.stop_after, self._chance = 0, stop_after, chance

    def group_of(self, arm):
        return arm.label

    def at_once(self, arm):
        return 1

    def run(self, job, *, is_cancelled):
        self.runs += 1
        if self.stop_after is not None and self.runs > self.stop_after:
            raise KeyboardInterrupt
        if self._chance is not None:
            seed = f"{self._chance} {job.arm.contract_text} {job.case.id} {job.repetition}"
            return self._rollout(job, is_able=Random(seed).random() < 0.5)
        text, skill = job.arm.contract_text, int(job.case.id) % SKILLS
        is_able = USEFUL[skill] in text if skill < 3 else HARMFUL[skill - 3] not in text
        return self._rollout(job, is_able=is_able)

    def _rollout(self, job, *, is_able):
        """Return a rollout whose prompt is as long as the contract."""
        made = self._rollouts[is_able]
        completion = made.completions[0]
        length = len(job.arm.contract_text) // 4
        counts = (
            {"prompt_tokens": length}
            if self._reports_tokens
            else {"prompt_tokens": None, "completion_tokens": None}
        )
        timing = replace(completion.generation.timing, **counts)
        generation = replace(completion.generation, timing=timing)
        return replace(made, completions=(replace(completion, generation=generation),))


def suite_of(count=CASES):
    cases = [
        {
            "id": str(number),
            "prompt": f"Request {number}",
            "tags": [f"skill {number % SKILLS}"],
            "expect": [{"call_count": 1}],
        }
        for number in range(count)
    ]
    return parse_suite(
        json.dumps({"suite": "s", "defaults": {"tools": ["weather"]}, "cases": cases}), name="s"
    )


def begin(services, *, text=PLANTED, count=CASES, mode="improve", tag="", token=None, **settings):
    """Store a search for a better contract than `text`, with examples from the sessions with a tag."""
    services.versions.save(NewVersion(kind=VersionKind.CONTRACT, name="planted", text=HEAD + text + "\n"))
    request = SearchRequest(
        run=RunRequest(suites=("s",), contracts=("planted",)),
        settings=SearchSettings(mode=SearchMode(mode), **settings),
        examples_tag=tag,
    )
    return begin_search(services, plan_search(services, request, [suite_of(count)]), token=token)


def search(services, run_id, model):
    """Search until the end, or until the model is killed, and return the stored run and its outcome."""
    stored = find_run(services, run_id)
    with suppress(KeyboardInterrupt):
        for _ in execute_any(services, stored, is_cancelled=lambda: False, executor=model):
            pass
    stored = find_run(services, run_id)
    outcome = outcome_of(stored.plan, stored.plan.search, services.runs.results(run_id))
    return stored, outcome


def chosen_text(stored):
    """Return the text of the chosen contract without its front matter."""
    label = stored.plan.search.chosen
    text = next(arm.contract_text for arm in stored.plan.arms if arm.label == label)
    return text.partition("---\n")[2].partition("---\n")[2].strip()
