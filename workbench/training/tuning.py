"""Train weights on examples with TRL."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

import numpy as np
import torch
from datasets import Dataset
from peft import LoraConfig
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PrinterCallback, Trainer, TrainerState
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

from workbench.errors import BadInput
from workbench.training.base_model import (
    Base,
    begin_tokens,
    encode_with,
    facts_of,
    fits_without_recomputing,
    has_gpu,
    load_adapter_into,
    lora_parameters,
)
from workbench.training.examples import IGNORED, Example, encode
from workbench.training.gguf_adapter import Numbers
from workbench.training.heldout import HeldOutCase
from workbench.training.processes import batch_per_process, is_main_process, process_count
from workbench.training.progress import ProgressReporter, TrainingProgress, stopped_by_interrupt
from workbench.training.receipt import TrainOptions, TunedWeights, file_facts
from workbench.training.shared_prompts import (
    ATTENTION,
    SharedText,
    aligned,
    can_share_prompts,
    collated,
    columns_of,
    share_prompts,
    visible_tokens,
)
from workbench.training.validation import ValidationResult, Validator


class ResumableTrainer(Trainer):
    """A trainer that continues from any checkpoint."""

    def made_ready(self, base: Base, options: TrainOptions) -> Self:
        """Load the adapter that the run starts from, and print no logs, which are reported instead."""
        self.remove_callback(PrinterCallback)
        if options.start:
            load_adapter_into(self.model, options.start, facts_of(base, options))
        return self

    def train_from(self, checkpoint: str | None) -> None:
        """Train from a checkpoint to the last step. None starts from the beginning.

        A checkpoint of the last step is only loaded. `train` would take one more step if it ends within an epoch.
        """
        if checkpoint:
            state = TrainerState.load_from_json(f"{checkpoint}/{TRAINER_STATE_NAME}")
            if state.global_step >= state.max_steps:
                self._load_from_checkpoint(checkpoint)
                self.state = state
                self.control = self.callback_handler.on_train_begin(self.args, state, self.control)
                return
        self.train(resume_from_checkpoint=checkpoint)


class AnswerTrainer(ResumableTrainer, SFTTrainer):
    """Computes logits only at positions where a row of the batch is trained.

    Logits are a fifth of a small model's work, and four of five tokens are prompt. On a CPU, TRL's own loss, which is
    made for GPUs, takes longer than all layers of the model.
    """

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,  # noqa: FBT001, FBT002  the trainer's own signature
        num_items_in_batch: Tensor | int | None = None,
    ) -> Tensor | tuple[Tensor, object]:
        """Return the mean loss per trained token."""
        labels = inputs["labels"][:, 1:]
        is_trained = labels.ne(IGNORED)
        positions = is_trained.any(dim=0).nonzero().squeeze(-1)
        model_inputs = {name: value for name, value in inputs.items() if name != "labels"}
        if "span_numbers" in model_inputs:
            # Once for all layers.
            model_inputs["visible"] = visible_tokens(model_inputs.pop("span_numbers"))
        outputs = model(**model_inputs, logits_to_keep=positions, use_cache=False)
        total = cross_entropy(
            outputs.logits.float().flatten(0, 1),
            labels[:, positions].flatten(),
            ignore_index=IGNORED,
            reduction="sum",
        )
        # The number is that of all processes, whose gradients are averaged.
        number = is_trained.sum() if num_items_in_batch is None else num_items_in_batch
        loss = total * (1 if num_items_in_batch is None else process_count()) / number
        return (loss, outputs) if return_outputs else loss


CHECKPOINTS: Final = "checkpoints"
"""Name of the folder with checkpoints, in the folder of a run."""
SETTINGS_FILE: Final = "options.json"
"""Name of the file with the settings of a run, in the folder of checkpoints. A run is only resumed with the same."""
_TARGETS: Final = "all-linear"
_TEXTS: Final = 64
"""Number of texts whose tokens are remembered while examples are tokenized."""
_LOADERS: Final = 2
"""Number of processes that make batches while a GPU trains."""
Report = Callable[[TrainingProgress | ValidationResult], None]
"""Called with the progress of a run, and with its results on validation cases."""


class PreparedExamples(NamedTuple):
    """Examples as tokens."""

    texts: list[SharedText]
    too_long: int
    """Number of examples that were skipped because they are too long."""
    are_shared: bool
    """Whether texts may contain several examples, so that attention must keep them apart."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all tokens, in order."""
        return sha256(json.dumps(self.texts).encode()).hexdigest()


def prepare(examples: Sequence[Example], base: Base, options: TrainOptions) -> PreparedExamples:
    """Tokenize the examples and pack them.

    Raises:
        BadInput: No example is short enough.
    """
    begin = begin_tokens(base.tokenizer)
    # Examples in a row often have the same system text, which is most of their text.
    encoder = lru_cache(_TEXTS)(partial(encode_with, base.tokenizer))
    encoded = [encode(example, encoder, begin=begin) for example in examples]
    fitting = [tokens for tokens in encoded if len(tokens.input_ids) <= options.max_length]
    if not fitting:
        raise BadInput("--max-length", f"none of {len(encoded)} examples is short enough", "raise it")
    are_shared = can_share_prompts(base.model, options.max_length)
    if not are_shared:
        fitting = [tokens._replace(shared=0) for tokens in fitting]
    texts = share_prompts(fitting, options.max_length, options.seed)
    return PreparedExamples(texts, len(encoded) - len(fitting), are_shared)


def tune(
    base: Base,
    prepared: PreparedExamples,
    options: TrainOptions,
    *,
    resumes: bool,
    report: Report,
    validation: Sequence[HeldOutCase] = (),
) -> TunedWeights:
    """Train. Checkpoints are saved in the folder of the run.

    Args:
        base: The model, which is changed in place.
        resumes: True to resume a run with the same settings if there is one.
        report: Called with the progress and with results of the validation cases.
        validation: Cases to measure the adapter with after every `validate_steps` steps. The result has the best
            weights.

    Raises:
        BadInput: The folder has a run with other settings, or `resumes` is False and it has any run.
    """
    if options.threads:
        torch.set_num_threads(options.threads)
    checkpoint = begin_run(options, prepared.fingerprint, resumes=resumes)
    with stopped_by_interrupt() as is_stopped:
        reporter = ProgressReporter(report, is_stopped)
        trainer = _trainer(base, prepared, options, reporter)
        validator = _validator(base, trainer, prepared, options, validation, report)
        if validator:
            trainer.add_callback(validator)
        trainer.train_from(checkpoint)
    state = trainer.state
    return TunedWeights(
        steps=state.global_step,
        steps_planned=state.max_steps,
        tokens=sum(len(text.input_ids) for text in prepared.texts),
        tokens_trained=sum(label != IGNORED for text in prepared.texts for label in text.labels),
        examples=sum(text.examples for text in prepared.texts),
        texts=len(prepared.texts),
        too_long=prepared.too_long,
        curve=logged(state, "loss"),
        validation=[result.as_json() for result in validator.results] if validator else [],
        chosen_step=validator.restore_best() if validator else None,
        weights=save_weights(trainer, options),
    )


def logged(state: TrainerState, name: str) -> list[tuple[int, float]]:
    """Return the values of a figure that the trainer logs, with their steps."""
    return [(int(log["step"]), float(log[name])) for log in state.log_history if name in log]


def begin_run(options: TrainOptions, examples: str, *, resumes: bool) -> str | None:
    """Return the checkpoint to resume from. None to start from the beginning.

    Args:
        examples: Fingerprint of what is trained on.
        resumes: True to resume a run with the same settings if there is one.

    Raises:
        BadInput: The folder has a run with other settings, or `resumes` is False and it has any run.
    """
    folder = options.out / CHECKPOINTS
    settings = json.dumps({**_settings_of(options), "examples": examples}, indent=2)
    path = folder / SETTINGS_FILE
    last = get_last_checkpoint(str(folder)) if folder.is_dir() else None
    if last and not resumes:
        raise BadInput(
            f"--out {options.out}",
            "the folder contains a stopped run",
            "resume it with --resume, or use another folder",
        )
    if last and path.read_text() != settings:
        raise BadInput(f"--resume {options.out}", "the run has other settings", f"see {path}")
    if last is None and is_main_process():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(settings)
    return last


def _settings_of(options: TrainOptions) -> dict[str, object]:
    """Return the settings that change the result."""
    start = {"start": file_facts(options.start)["sha256"]} if options.start else {}
    return {
        **start,
        "base": options.base,
        "lora_rank": options.lora_rank,
        "learning_rate": options.learning_rate,
        "epochs": options.epochs,
        "max_steps": options.max_steps,
        "max_length": options.max_length,
        "batch": options.batch,
        "seed": options.seed,
        "precision": options.precision,
        "validate_steps": options.validate_steps,
        "validate_share": options.validate_share,
        "family": options.family,
        **({"grpo": asdict(options.grpo)} if options.grpo else {}),
    }


def lora_of(options: TrainOptions) -> LoraConfig | None:
    """Return the adapter of a run. None if all weights are trained."""
    if not options.is_lora:
        return None
    return LoraConfig(
        r=options.lora_rank, lora_alpha=options.lora_alpha, target_modules=_TARGETS, task_type="CAUSAL_LM"
    )


def _trainer(
    base: Base, prepared: PreparedExamples, options: TrainOptions, reporter: ProgressReporter
) -> AnswerTrainer:
    if prepared.are_shared:
        base.model.set_attn_implementation(ATTENTION)
    trainer = AnswerTrainer(
        model=base.model,
        args=_arguments(base, options),
        train_dataset=Dataset.from_list([columns_of(text) for text in prepared.texts]),
        data_collator=(aligned if has_gpu() else collated) if prepared.are_shared else None,
        processing_class=base.tokenizer,
        peft_config=lora_of(options),
        callbacks=[reporter],
    )
    return trainer.made_ready(base, options)


def _validator(
    base: Base,
    trainer: AnswerTrainer,
    prepared: PreparedExamples,
    options: TrainOptions,
    cases: Sequence[HeldOutCase],
    report: Report,
) -> Validator | None:
    if not cases or not options.validate_steps or not is_main_process():
        return None
    return Validator(
        trainer.model,
        base.tokenizer,
        cases,
        options.out / CHECKPOINTS,
        steps=options.validate_steps,
        attention=ATTENTION if prepared.are_shared else "sdpa",
        report=report,
    )


def shared_arguments(options: TrainOptions) -> dict[str, Any]:
    """Return the arguments that TRL's trainers share."""
    return {
        "output_dir": str(options.out / CHECKPOINTS),
        "per_device_train_batch_size": batch_per_process(options.batch),
        "learning_rate": options.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": 0.03,
        "num_train_epochs": options.epochs,
        "max_steps": options.max_steps or -1,
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
        "seed": options.seed,
        "data_seed": options.seed,
        "bf16": options.precision == "bf16",
        "use_cpu": not has_gpu(),
        "ddp_backend": None if has_gpu() or process_count() == 1 else "gloo",
        "logging_steps": 1,
        "save_steps": options.save_steps,
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,
    }


def _arguments(base: Base, options: TrainOptions) -> SFTConfig:
    tokens = batch_per_process(options.batch) * options.max_length
    is_recomputed = has_gpu() and not fits_without_recomputing(base.model.config, tokens)
    return SFTConfig(
        **shared_arguments(options),
        max_length=options.max_length,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        activation_checkpointing=is_recomputed,
        # Texts of similar length need little padding.
        train_sampling_strategy="group_by_length" if has_gpu() else "random",
        dataloader_num_workers=_LOADERS if has_gpu() else 0,
    )


def save_weights(trainer: Trainer, options: TrainOptions) -> dict[str, Numbers]:
    """Write the adapter or the model. Return the adapter's weights."""
    trainer.save_model(str(options.out / ("adapter" if options.is_lora else "model")))
    if not options.is_lora:
        return {}
    return {
        name: np.asarray(value.detach().float().cpu().numpy(), dtype=np.float32)
        for name, value in lora_parameters(trainer.model).items()
    }
