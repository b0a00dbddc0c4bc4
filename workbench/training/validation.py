"""Measure a model on validation cases while it is trained, and keep the best weights of its adapter.

The cases are those of `workbench heldout --generator everyday --split validation`: tools and sentences that are neither
in the training rows nor in the test. They are completed in batches with transformers, which takes a GPU seconds; a CPU
would need longer than for the training in between. llama.cpp computes with quantized weights, so single cases may come
out differently there.

The best weights are those with the highest mean of the rates of all kinds of cases, so that a kind with few cases
counts as much as one with many.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from workbench.chat.json_value import JsonObject
from workbench.hermes.marks import TURN_CLOSE
from workbench.training.base_model import begin_tokens, encode_with
from workbench.training.heldout import HeldOutCase, HeldOutResult, result_of

_MOST_TOKENS: Final = 160
"""Maximum length of a completion. The longest expected one of an everyday case is shorter."""


class KindResult(NamedTuple):
    """The results of a kind of cases."""

    right: int
    of: int
    reactions: dict[str, int]
    """What the model did, as in `Reaction`, with numbers of cases."""


class ValidationResult(NamedTuple):
    """The results of all cases after a step."""

    step: int
    kinds: dict[str, KindResult]

    @property
    def mean(self) -> float:
        """Mean of the rates of all kinds, from 0 to 1."""
        return sum(kind.right / kind.of for kind in self.kinds.values()) / len(self.kinds)

    def as_json(self) -> JsonObject:
        """Return the results for the receipt."""
        kinds: JsonObject = {
            name: {"right": kind.right, "of": kind.of, "reactions": dict(kind.reactions)}
            for name, kind in self.kinds.items()
        }
        return {"step": self.step, "kinds": kinds}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read what `as_json` returned."""
        return cls(stored["step"], {name: KindResult(**kind) for name, kind in stored["kinds"].items()})


class Validator(TrainerCallback):
    """Measures the model after every `steps` steps and after the last one.

    Results and best weights are kept in a folder, so that a run that was stopped continues with them.

    Args:
        model: The model with its adapter.
        folder: Existing folder.
        steps: Steps between two measurements.
        attention: Name of the attention that the model is trained with.
        report: Called with each result.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        cases: Sequence[HeldOutCase],
        folder: Path,
        *,
        steps: int,
        attention: str,
        report: Callable[[ValidationResult], None],
    ) -> None:
        self._model, self._tokenizer, self._cases = model, tokenizer, cases
        self._results_path, self._best_path = folder / "validation.json", folder / "best.safetensors"
        self._steps = steps
        self._attention = attention
        self._report = report
        self.results: list[ValidationResult] = []
        self._best_step = 0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Load the results of the steps before."""
        if state.global_step and self._results_path.is_file():
            stored = json.loads(self._results_path.read_text(encoding="utf-8"))
            results = [ValidationResult.from_json(result) for result in stored["results"]]
            self.results = [result for result in results if result.step <= state.global_step]
            self._best_step = stored["best_step"] if stored["best_step"] <= state.global_step else 0

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Measure, and keep the weights if they are the best so far."""
        is_last = state.global_step >= state.max_steps or control.should_training_stop
        if state.global_step % self._steps and not is_last:
            return
        result = ValidationResult(state.global_step, self._measured())
        best = next((known.mean for known in self.results if known.step == self._best_step), -1.0)
        self.results.append(result)
        if result.mean >= best:
            self._best_step = result.step
            trained = {name: value.detach().cpu() for name, value in self._trained_parameters()}
            save_file(trained, self._best_path)
        stored = {"best_step": self._best_step, "results": [known.as_json() for known in self.results]}
        self._results_path.write_text(json.dumps(stored), encoding="utf-8")
        self._report(result)

    def restore_best(self) -> int | None:
        """Copy the best weights into the model. Return their step, or None if nothing was measured."""
        if not self._best_step:
            return None
        own = dict(self._trained_parameters())
        for name, value in load_file(self._best_path).items():
            own[name].detach().copy_(value)
        return self._best_step

    def _trained_parameters(self) -> Iterator[tuple[str, Tensor]]:
        return ((name, value) for name, value in self._model.named_parameters() if value.requires_grad)

    def _measured(self) -> dict[str, KindResult]:
        self._model.set_attn_implementation("sdpa")
        self._model.eval()
        try:
            prompts = [case.prompt for case in self._cases]
            texts = complete(self._model, self._tokenizer, prompts)
        finally:
            self._model.train()
            self._model.set_attn_implementation(self._attention)
        results = [
            result_of(case, text, is_finished=is_finished)
            for case, (text, is_finished) in zip(self._cases, texts, strict=True)
        ]
        return kind_results(results)


def kind_results(results: Sequence[HeldOutResult]) -> dict[str, KindResult]:
    """Count the results by the names of their kinds."""
    kinds: dict[str, KindResult] = {}
    for name in dict.fromkeys(result.case.kind for result in results):
        of_kind = [result for result in results if result.case.kind == name]
        reactions = Counter(result.reaction.value for result in of_kind)
        kinds[name] = KindResult(sum(result.is_right for result in of_kind), len(of_kind), dict(reactions))
    return kinds


def complete(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, prompts: Sequence[str]
) -> list[tuple[str, bool]]:
    """Complete prompts with the most likely tokens, all in one batch.

    Returns:
        Each completion without the end of the turn, and whether it ends within 160 tokens.
    """
    begin = begin_tokens(tokenizer)
    encoded = [[*begin, *encode_with(tokenizer, prompt)] for prompt in prompts]
    longest = max(map(len, encoded))
    ids = torch.tensor([[0] * (longest - len(tokens)) + tokens for tokens in encoded])
    mask = torch.tensor([[0] * (longest - len(tokens)) + [1] * len(tokens) for tokens in encoded])
    (end,) = encode_with(tokenizer, TURN_CLOSE)
    with torch.no_grad():
        generated = model.generate(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            max_new_tokens=_MOST_TOKENS,
            do_sample=False,
            use_cache=True,
            eos_token_id=end,
            pad_token_id=end,
        )
    completions: list[tuple[str, bool]] = []
    for row in generated[:, longest:].tolist():
        is_finished = end in row
        tokens = row[: row.index(end)] if is_finished else row
        completions.append((tokenizer.decode(tokens, clean_up_tokenization_spaces=False), is_finished))
    return completions
