"""The sampling's fields in the left column: the usual ones, the others folded away."""

from dataclasses import dataclass

import gradio as gr


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParts:
    """Fields by the names of `SamplingFields`, and what is kept of tokens."""

    temperature: gr.Number
    top_p: gr.Number
    top_k: gr.Number
    seed: gr.Number
    max_tokens: gr.Number
    max_rounds: gr.Number
    min_p: gr.Number
    typical_p: gr.Number
    repeat_penalty: gr.Number
    presence_penalty: gr.Number
    frequency_penalty: gr.Number
    penalty_last_tokens: gr.Number
    mirostat: gr.Dropdown
    mirostat_tau: gr.Number
    mirostat_eta: gr.Number
    stop: gr.Textbox
    logit_bias: gr.Textbox
    wants_logprobs: gr.Checkbox


def build_sampling() -> SamplingParts:
    """Builds the fields."""
    with gr.Row(elem_id="play-sampling"):
        temperature = _number("Temperature", "play-temperature", 0, 5, step=0.1)
        top_p = _number("Top p", "play-top-p", 0, 1, step=0.05)
        top_k = _number("Top k", "play-top-k", 0, 1000)
        seed = _number("Seed", "play-seed", 0, 2**31 - 1)
        max_tokens = _number("Max tokens", "play-max-tokens", 1, 32_768)
        max_rounds = _number("Max rounds", "play-max-rounds", 1, 100)
    with gr.Accordion("More sampling", open=False, elem_id="play-more-sampling"):
        with gr.Row(elem_classes=["hw-numbers"]):
            min_p = _number("Min p", "play-min-p", 0, 1, step=0.01)
            typical_p = _number("Typical p", "play-typical-p", 0, 1, step=0.05)
            repeat_penalty = _number("Repeat penalty", "play-repeat-penalty", 0.1, 3, step=0.05)
            presence_penalty = _number("Presence penalty", "play-presence-penalty", -2, 2, step=0.1)
            frequency_penalty = _number("Frequency penalty", "play-frequency-penalty", -2, 2, step=0.1)
            penalty_last_tokens = _number("Penalties look back", "play-penalty-last-tokens", -1, 32_768)
            mirostat = gr.Dropdown(
                [("off", 0), ("version 1", 1), ("version 2", 2)],
                label="Mirostat", elem_id="play-mirostat", min_width=0,
            )  # fmt: skip
            mirostat_tau = _number("Mirostat tau", "play-mirostat-tau", 0, 20, step=0.5)
            mirostat_eta = _number("Mirostat eta", "play-mirostat-eta", 0, 1, step=0.05)
        stop = gr.Textbox(
            label="Stop texts, one a line", lines=1, max_lines=6, elem_id="play-stop-texts",
            placeholder="\\n\\n",
        )  # fmt: skip
        logit_bias = gr.Textbox(
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


def _number(label: str, elem_id: str, least: float, most: float, *, step: float | None = None) -> gr.Number:
    """A number between two others; a whole one where there is no step.

    It begins with a number that it allows: until the page is filled, what is empty is sent as 0.
    """
    return gr.Number(
        max(least, 0),
        label=label,
        minimum=least,
        maximum=most,
        step=step or 1,
        precision=None if step else 0,
        min_width=0,
        elem_id=elem_id,
    )
