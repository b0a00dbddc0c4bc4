"""Train with TRL, from examples to weights."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import numpy as np
import torch
from datasets import Dataset
from peft import LoraConfig
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PrinterCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

from workbench.errors import BadInput
from workbench.training.base_model import (
    Base,
    begin_tokens,
    encode_with,
    facts_of,
    load_adapter_into,
    lora_parameters,
)
from workbench.training.examples import IGNORED, Example, encode
from workbench.training.gguf_adapter import Numbers, TunedWeights
from workbench.training.progress import ProgressReporter, TrainingProgress, stopped_by_interrupt
from workbench.training.receipt import TrainOptions, file_facts
from workbench.training.shared_prompts import (
    ATTENTION,
    SharedText,
    can_share_prompts,
    collated,
    columns_of,
    share_prompts,
)


class AnswerTrainer(SFTTrainer):
    """Works out logits behind those places alone that some row of the batch is trained at.

    The vocabulary's logits are a fifth of a small model's work, and four tokens of five are prompt: TRL's own
    loss, made for GPUs, takes longer over them on a CPU than the model takes for all its layers.
    """

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Tensor],
        return_outputs: bool = False,  # noqa: FBT001, FBT002  the trainer's own signature
        num_items_in_batch: Tensor | int | None = None,
    ) -> Tensor | tuple[Tensor, object]:
        """The mean loss a trained token."""
        labels = inputs["labels"][:, 1:]
        counted = labels.ne(IGNORED)
        places = counted.any(dim=0).nonzero().squeeze(-1)
        given = {name: value for name, value in inputs.items() if name != "labels"}
        outputs = model(**given, logits_to_keep=places, use_cache=False)
        total = cross_entropy(
            outputs.logits.float().flatten(0, 1),
            labels[:, places].flatten(),
            ignore_index=IGNORED,
            reduction="sum",
        )
        loss = total / (counted.sum() if num_items_in_batch is None else num_items_in_batch)
        return (loss, outputs) if return_outputs else loss


CHECKPOINTS: Final = "checkpoints"
"""Folder of checkpoints, in the folder of a run."""
TERMS: Final = "terms.json"
"""What a run was begun with, beside its checkpoints: only the same is gone on with."""
_TARGETS: Final = "all-linear"


class PreparedExamples(NamedTuple):
    """Examples as numbers, and what became of the others."""

    texts: list[SharedText]
    too_long: int
    """Examples that were left out for their length."""
    are_shared: bool
    """Whether texts hold several examples, and so need an attention that keeps these apart."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all numbers, in order."""
        return sha256(json.dumps(self.texts).encode()).hexdigest()


def prepare(examples: Sequence[Example], base: Base, terms: TrainOptions) -> PreparedExamples:
    """The examples as numbers.

    Raises:
        BadInput: None is short enough.
    """
    begin = begin_tokens(base.tokenizer)
    made = [
        encode(example, lambda text: encode_with(base.tokenizer, text), begin=begin) for example in examples
    ]
    fitting = [tokens for tokens in made if len(tokens.input_ids) <= terms.max_length]
    if not fitting:
        raise BadInput("--max-length", f"none of {len(made)} examples is so short", "raise it")
    are_shared = can_share_prompts(base.model, terms.max_length)
    if not are_shared:
        fitting = [tokens._replace(shared=0) for tokens in fitting]
    texts = share_prompts(fitting, terms.max_length, terms.seed)
    return PreparedExamples(texts, len(made) - len(fitting), are_shared)


def tune(
    base: Base,
    prepared: PreparedExamples,
    terms: TrainOptions,
    *,
    resumes: bool,
    report: Callable[[TrainingProgress], None],
) -> TunedWeights:
    """Trains; what was saved on the way is in the run's folder.

    Args:
        base: Trained in place.
        prepared: What is learned.
        resumes: Whether a run of the same terms is gone on with, where one stopped.
        tell: Is told how it goes.

    Raises:
        BadInput: The folder holds a run of other terms.
    """
    if terms.threads:
        torch.set_num_threads(terms.threads)
    checkpoint = _begin(terms, prepared, resumes=resumes)
    with stopped_by_interrupt() as is_stopped:
        teller = ProgressReporter(report, is_stopped)
        trainer = _trainer(base, prepared, terms, teller)
        trainer.train(resume_from_checkpoint=checkpoint)
    state = trainer.state
    curve = [(int(log["step"]), float(log["loss"])) for log in state.log_history if "loss" in log]
    return TunedWeights(
        steps=state.global_step,
        steps_planned=state.max_steps,
        tokens=sum(len(text.input_ids) for text in prepared.texts),
        tokens_trained=sum(label != IGNORED for text in prepared.texts for label in text.labels),
        examples=sum(text.examples for text in prepared.texts),
        texts=len(prepared.texts),
        too_long=prepared.too_long,
        curve=curve,
        weights=_save(trainer, terms),
    )


def _begin(terms: TrainOptions, prepared: PreparedExamples, *, resumes: bool) -> str | None:
    """The checkpoint to go on from; None to begin."""
    folder = terms.out / CHECKPOINTS
    told = json.dumps({**_binding(terms), "examples": prepared.fingerprint}, indent=2)
    path = folder / TERMS
    last = get_last_checkpoint(str(folder)) if folder.is_dir() else None
    if last and not resumes:
        raise BadInput(
            f"--out {terms.out}", "a run stopped here", "go on by --resume, or name another folder"
        )
    if last and path.read_text() != told:
        raise BadInput(f"--resume {terms.out}", "it was begun with other settings", f"see {path}")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(told)
    return last


def _binding(terms: TrainOptions) -> dict[str, object]:
    """Those of the terms that change the result."""
    begun = {"start": file_facts(terms.start)["sha256"]} if terms.start else {}
    return {
        **begun,
        "base": terms.base,
        "lora_rank": terms.lora_rank,
        "learning_rate": terms.learning_rate,
        "epochs": terms.epochs,
        "max_steps": terms.max_steps,
        "max_length": terms.max_length,
        "batch": terms.batch,
        "seed": terms.seed,
        "precision": terms.precision,
        "family": terms.family,
    }


def _trainer(
    base: Base, prepared: PreparedExamples, terms: TrainOptions, teller: ProgressReporter
) -> AnswerTrainer:
    if prepared.are_shared:
        base.model.set_attn_implementation(ATTENTION)
    lora = LoraConfig(
        r=terms.lora_rank, lora_alpha=terms.lora_alpha, target_modules=_TARGETS, task_type="CAUSAL_LM"
    )
    trainer = AnswerTrainer(
        model=base.model,
        args=_arguments(terms),
        train_dataset=Dataset.from_list([columns_of(text) for text in prepared.texts]),
        data_collator=collated if prepared.are_shared else None,
        processing_class=base.tokenizer,
        peft_config=lora if terms.is_lora else None,
        callbacks=[teller],
    )
    trainer.remove_callback(PrinterCallback)
    if terms.start:
        load_adapter_into(trainer.model, terms.start, facts_of(base, terms))
    return trainer


def _arguments(terms: TrainOptions) -> SFTConfig:
    return SFTConfig(
        output_dir=str(terms.out / CHECKPOINTS),
        per_device_train_batch_size=terms.batch,
        learning_rate=terms.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        num_train_epochs=terms.epochs,
        max_steps=terms.max_steps or -1,
        max_length=terms.max_length,
        remove_unused_columns=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        weight_decay=0.0,
        max_grad_norm=1.0,
        seed=terms.seed,
        data_seed=terms.seed,
        bf16=terms.precision == "bf16",
        use_cpu=not torch.cuda.is_available(),
        activation_checkpointing=torch.cuda.is_available(),
        logging_steps=1,
        save_steps=terms.save_steps,
        save_total_limit=2,
        report_to="none",
        disable_tqdm=True,
    )


def _save(trainer: AnswerTrainer, terms: TrainOptions) -> dict[str, Numbers]:
    """Writes adapter or model; the adapter's numbers."""
    trainer.save_model(str(terms.out / ("adapter" if terms.is_lora else "model")))
    if not terms.is_lora:
        return {}
    return {
        name: np.asarray(value.detach().float().cpu().numpy(), dtype=np.float32)
        for name, value in lora_parameters(trainer.model).items()
    }
