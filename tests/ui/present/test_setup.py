"""The Setup column: run configuration to fields and back."""

from dataclasses import fields, replace

import pytest

from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.rollout.models import ModelStatus
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling
from workbench.rollout.setting_field import settings_of
from workbench.ui.present.sampling_form import FORM_FIELDS, SamplingView, declared_fields
from workbench.ui.present.setup import (
    SETUP_FIELDS,
    Activity,
    first_choice,
    model_advice,
    parse_setup,
    show_header,
    show_setup,
    show_system_text,
    tool_choices,
    valid_choice,
)

SETUP = RunConfig(
    contract_name="minimal",
    contract_text="text",
    tools_text="[]",
    disabled_tools=frozenset({"a"}),
    model="embedded",
    tool_choice="required",
    sampling=Sampling(temperature=0.5, seed=7, min_p=0.2),
    max_rounds=3,
    wants_logprobs=True,
    is_constrained=False,
    ephemeral="The user is Ada.",
    variables={"city": "Cairo = hot", "empty": ""},
)


def changed(**values):
    """Return the values of the column, with other values in the sampling form."""
    shown = show_setup(SETUP)
    return shown | {"sampling": SamplingView(values={**shown["sampling"].values, **values})}


def test_a_setup_survives_the_fields():
    assert parse_setup(show_setup(SETUP).values()) == SETUP


def test_every_part_of_a_setup_has_a_field():
    assert {*SETUP_FIELDS, *FORM_FIELDS} - {"sampling"} == {*settings_of(RunConfig), *SAMPLING_FIELDS}
    assert set(settings_of(RunConfig)) | {"sampling"} == {part.name for part in fields(RunConfig)}
    assert set(SAMPLING_FIELDS) == {part.name for part in fields(Sampling)}


def test_an_empty_number_is_reported():
    with pytest.raises(BadInput, match="max tokens"):
        parse_setup(changed(max_tokens=None).values())


def test_a_form_without_values_is_reported():
    with pytest.raises(BadInput, match="max rounds"):
        parse_setup((show_setup(SETUP) | {"sampling": SamplingView(values={})}).values())


def test_the_browser_gets_the_declaration_of_every_field_of_the_form():
    declared = {field["name"]: field for field in declared_fields()}
    assert tuple(declared) == FORM_FIELDS == tuple(show_setup(SETUP)["sampling"].values)
    assert [name for name, field in declared.items() if field["row"] == 0] == [
        "temperature", "top_p", "top_k", "seed", "max_tokens", "max_rounds"
    ]  # fmt: skip
    assert declared["top_p"] == {
        "name": "top_p", "id": "play-top-p", "label": "Top p", "row": 0, "kind": "number",
        "least": 0, "most": 1, "step": 0.05,
    }  # fmt: skip
    assert {field["kind"] for field in declared.values()} == {"number", "choice", "lines", "switch"}


def test_tool_choices_follow_the_tools():
    assert tool_choices(["f"]) == ["auto", "required", "none", "f"]
    assert valid_choice("f", ["f"]) == "f"
    assert valid_choice("f", []) == "auto"


def test_without_its_adapter_the_embedded_model_starts_with_required_calls():
    bare = ModelStatus(name="embedded+bare", device="", is_loaded=False, calls_freely=False)
    with_adapter = ModelStatus(name="embedded", device="", is_loaded=False)
    assert first_choice(bare) == "required"
    assert first_choice(with_adapter) == "auto"
    assert "required" in model_advice(bare, "required")
    assert "rarely calls" in model_advice(bare, "auto")
    assert model_advice(with_adapter, "auto") == ""


def test_the_system_text_shows_its_size():
    assert show_system_text("a" * 1200, tokens=300).size == "1,200 characters · 300 tokens"
    assert show_system_text("a", tokens=None).size == "1 character"


def test_the_header_shows_the_state_of_the_model():
    loaded, cold = (ModelStatus(name="m", device="CPU", is_loaded=is_loaded) for is_loaded in (True, False))
    assert show_header(loaded).text == "m · CPU · ready"
    assert show_header(loaded, Activity.WRITING).text == "m · CPU · writing"
    assert show_header(loaded, Activity.WAITING).text == "m · CPU · waiting for you"
    assert show_header(replace(cold, device="")).text == "m · not loaded"


def test_a_model_on_a_server_is_ready_once_it_was_contacted():
    remote = ModelStatus(name="m", device="http://gpu/v1", is_loaded=False, is_remote=True)
    assert show_header(remote).text == "m · http://gpu/v1 · not contacted"
    assert show_header(replace(remote, is_loaded=True)).text == "m · http://gpu/v1 · ready"
