"""The sampling's fields in the left column: the usual ones, the others folded away."""

from dataclasses import dataclass

import gradio as gr

from workbench.ui.components.number_field import NumberField, number_field
from workbench.ui.components.text_field import TextField
from workbench.ui.present.numbers import (
    FREQUENCY_PENALTY,
    MAX_ROUNDS,
    MAX_TOKENS,
    MIN_P,
    MIROSTAT_ETA,
    MIROSTAT_TAU,
    PENALTY_LAST_TOKENS,
    PRESENCE_PENALTY,
    REPEAT_PENALTY,
    SEED,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    TYPICAL_P,
    NumberRange,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParts:
    """Fields by the names of `SamplingFields`, and what is kept of tokens."""

    temperature: NumberField
    top_p: NumberField
    top_k: NumberField
    seed: NumberField
    max_tokens: NumberField
    max_rounds: NumberField
    min_p: NumberField
    typical_p: NumberField
    repeat_penalty: NumberField
    presence_penalty: NumberField
    frequency_penalty: NumberField
    penalty_last_tokens: NumberField
    mirostat: gr.Dropdown
    mirostat_tau: NumberField
    mirostat_eta: NumberField
    stop: TextField
    logit_bias: TextField
    wants_logprobs: gr.Checkbox


def build_sampling() -> SamplingParts:
    """Builds the fields."""
    with gr.Row(elem_id="play-sampling"):
        temperature = _number(TEMPERATURE, "play-temperature")
        top_p = _number(TOP_P, "play-top-p")
        top_k = _number(TOP_K, "play-top-k")
        seed = _number(SEED, "play-seed")
        max_tokens = _number(MAX_TOKENS, "play-max-tokens")
        max_rounds = _number(MAX_ROUNDS, "play-max-rounds")
    with gr.Accordion("More sampling", open=False, elem_id="play-more-sampling"):
        with gr.Row(elem_classes=["hw-numbers"]):
            min_p = _number(MIN_P, "play-min-p")
            typical_p = _number(TYPICAL_P, "play-typical-p")
            repeat_penalty = _number(REPEAT_PENALTY, "play-repeat-penalty")
            presence_penalty = _number(PRESENCE_PENALTY, "play-presence-penalty")
            frequency_penalty = _number(FREQUENCY_PENALTY, "play-frequency-penalty")
            penalty_last_tokens = _number(PENALTY_LAST_TOKENS, "play-penalty-last-tokens")
            mirostat = gr.Dropdown(
                [("off", 0), ("version 1", 1), ("version 2", 2)],
                label="Mirostat", elem_id="play-mirostat", min_width=0,
            )  # fmt: skip
            mirostat_tau = _number(MIROSTAT_TAU, "play-mirostat-tau")
            mirostat_eta = _number(MIROSTAT_ETA, "play-mirostat-eta")
        stop = TextField(
            label="Stop texts, one a line", lines=1, max_lines=6, elem_id="play-stop-texts",
            placeholder="\\n\\n",
        )  # fmt: skip
        logit_bias = TextField(
            label="Logit bias: token and bias, one a line", lines=1, max_lines=6, elem_id="play-logit-bias",
            placeholder='"Hello" -5',
        )  # fmt: skip
        wants_logprobs = gr.Checkbox(
            label="Keep each token's probability", container=False, elem_id="play-wants-logprobs"
        )
    return SamplingParts(
        temperature=temperature, top_p=top_p, top_k=top_k, seed=seed, max_tokens=max_tokens,
        max_rounds=max_rounds, min_p=min_p, typical_p=typical_p, repeat_penalty=repeat_penalty,
        presence_penalty=presence_penalty, frequency_penalty=frequency_penalty,
        penalty_last_tokens=penalty_last_tokens, mirostat=mirostat, mirostat_tau=mirostat_tau,
        mirostat_eta=mirostat_eta, stop=stop, logit_bias=logit_bias, wants_logprobs=wants_logprobs,
    )  # fmt: skip


def _number(numbers: NumberRange, elem_id: str) -> NumberField:
    """Begins with a number that it allows; the page's opening fills it."""
    return number_field(numbers, elem_id, max(numbers.least, 0))
