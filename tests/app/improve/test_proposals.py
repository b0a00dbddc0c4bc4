"""What a search tries that does not come from its contract: a model's rewriting, and examples from sessions."""

import pytest

from tests.app.improve.planted import (
    HARMFUL,
    PLANTED,
    TOOLS,
    USEFUL,
    PlantedModel,
    begin,
    chosen_text,
    search,
)
from tests.app.test_session_suite import call_of, label, record
from tests.exchanges import said
from tests.services import services_for
from workbench.records.label import Verdict
from workbench.suite.improve.outcome import Verdict as SearchVerdict

REWRITTEN = "\n\n".join((*USEFUL, TOOLS))
UNUSABLE = "Call tools."


class NeedyModel(PlantedModel):
    """A model that needs an example of Oslo in its contract."""

    def run(self, job, *, is_cancelled):
        return self._rollout(job, is_able="weather in Oslo?" in job.arm.contract_text)


def proposed_by(model, stored):
    return [step for step in stored.plan.search.steps if step.change == f"rewritten by {model}"]


@pytest.mark.slow
def test_a_model_proposes_contracts_and_what_is_not_usable_is_listed_with_its_reason(tmp_path):
    answers = ["I cannot.", f"Shorter:\n```\n{UNUSABLE}\n```", f"Better:\n```text\n{REWRITTEN}\n```\nDone."]
    with services_for(tmp_path, *answers) as (services, _):
        reflect = services.settings.model
        run_id = begin(services, reflect=reflect, runs=400).id
        search(services, run_id, PlantedModel(stop_after=150))
        stored, outcome = search(services, run_id, PlantedModel())
    unusable, rewritten = proposed_by(reflect, stored)
    assert unusable.problem == "the paragraph with the tools was changed"
    assert not rewritten.problem
    text = chosen_text(stored)
    assert all(sentence in text for sentence in USEFUL) and not any(sentence in text for sentence in HARMFUL)
    assert len(text) < len(PLANTED) and outcome.verdict is SearchVerdict.BETTER
    # Each answer is stored, so the resumed search read those before the kill.
    assert set(stored.plan.search.reflections.values()) >= {"", UNUSABLE, REWRITTEN}


@pytest.mark.slow
def test_examples_are_chosen_from_labelled_sessions(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        for city, verdict in (
            ("Rome", Verdict.GOOD),
            ("Oslo", Verdict.GOOD),
            ("Lima", Verdict.BAD_ARGUMENTS),
        ):
            (message_id,) = record(services, (said(f"How is the weather in {city}?"), call_of(city)))
            label(services, message_id, None if verdict is Verdict.GOOD else 0, verdict=verdict)
        run_id = begin(services, mode="examples", tag="agent", examples=2, runs=1000).id
        stored, outcome = search(services, run_id, NeedyModel())
    pool = stored.plan.search.pool
    assert len(pool) == 2 and not any("Lima" in example for example in pool)
    text = chosen_text(stored)
    assert text.count("<tool_call>") == 1
    assert text.endswith("User: How is the weather in Oslo?\nAssistant: " + call_of("Oslo"))
    assert outcome.verdict is SearchVerdict.BETTER
