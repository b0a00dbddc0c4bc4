"""The sampling form of Play: one value for all fields."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.ui.present.test_setup import SETUP
from tests.ui.scripts.component import Component
from workbench.rollout.sampling import Sampling, TokenBias
from workbench.ui.present.sampling_form import FORM_FIELDS, SamplingView
from workbench.ui.present.setup import show_setup

pytestmark = pytest.mark.browser

SAMPLING = Sampling(
    temperature=0.5, min_p=0.2, mirostat=2, stop=("one", "two"), logit_bias=(TokenBias(token=7, bias=-1),)
)


def form(**changes: object) -> SamplingView:
    view: SamplingView = show_setup(replace(SETUP, sampling=SAMPLING))["sampling"]
    return SamplingView(values={**view.values, **changes})


def test_every_value_is_shown_and_stays_as_it_is(component: Component) -> None:
    shown = component.mount("sampling", form())
    expect(shown.get_by_label("Temperature", exact=True)).to_have_value("0.5")
    expect(shown.get_by_label("Max rounds")).to_have_value("3")
    expect(shown.get_by_label("Min p")).to_be_hidden()
    shown.get_by_role("button", name="More sampling").click()
    expect(shown.get_by_label("Min p")).to_have_value("0.2")
    expect(shown.get_by_label("Mirostat", exact=True)).to_have_value("2")
    expect(shown.get_by_label("Stop texts, one per line")).to_have_value("one\ntwo")
    expect(shown.get_by_label("Store token probabilities")).to_be_checked()
    shown.get_by_label("Temperature", exact=True).fill("0.7")
    assert component.value == {"values": {**form().values, "temperature": 0.7}}
    assert tuple(component.value["values"]) == FORM_FIELDS


def test_each_kind_of_field_changes_the_value(component: Component) -> None:
    shown = component.mount("sampling", form())
    more = shown.get_by_role("button", name="More sampling")
    more.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    shown.get_by_label("Mirostat", exact=True).select_option("version 1")
    shown.get_by_label("Stop texts, one per line").fill("end")
    shown.get_by_label("Store token probabilities").uncheck()
    shown.get_by_label("Top k").fill("")
    changed = form(mirostat=1, stop="end", wants_logprobs=False, top_k=None)
    assert component.value == {"values": dict(changed.values)}
    more.press("Space")
    expect(shown.get_by_label("Min p")).to_be_hidden()
    assert component.value == {"values": dict(changed.values)}


def test_a_new_value_fills_all_fields(component: Component) -> None:
    shown = component.mount("sampling", form())
    shown.get_by_label("Temperature", exact=True).fill("0.7")
    component.update(form(temperature=1, max_tokens=8))
    expect(shown.get_by_label("Temperature", exact=True)).to_have_value("1")
    expect(shown.get_by_label("Max tokens")).to_have_value("8")
