"""Train weights on the rewards of a suite with TRL's GRPO."""

import json
from hashlib import sha256

import torch
from trl import GRPOConfig, GRPOTrainer

from workbench.errors import BadInput
from workbench.hermes.marks import TURN_CLOSE
from workbench.training.base_model import Base
from workbench.training.progress import ProgressReporter, stopped_by_interrupt
from workbench.training.receipt import GrpoOptions, TrainOptions, TunedWeights
from workbench.training.suite_episodes import SuiteCases, SuiteEpisodes
from workbench.training.tuning import (
    Report,
    ResumableTrainer,
    begin_run,
    logged,
    lora_of,
    save_weights,
    shared_arguments,
)


class EpisodeTrainer(ResumableTrainer, GRPOTrainer):
    """Trains on episodes of a suite."""


def tune_on_suite(
    base: Base, suite: SuiteCases, options: TrainOptions, grpo: GrpoOptions, *, resumes: bool, report: Report
) -> TunedWeights:
    """Train on the episodes of a suite. Checkpoints are saved in the folder of the run.

    Args:
        base: The model, which is changed in place.
        suite: The exported suite.
        resumes: True to resume a run with the same settings if there is one.
        report: Called with the progress.

    Raises:
        BadInput: The folder has a run with other settings, or `resumes` is False and it has any run; or the samples do
            not divide the batch; or the tokenizer of the base does not know the end of a turn.
    """
    if options.batch % grpo.samples:
        raise BadInput("--batch", f"{grpo.samples} samples do not divide {options.batch}", "use a multiple")
    if base.tokenizer.convert_tokens_to_ids(TURN_CLOSE) != base.tokenizer.eos_token_id:
        raise BadInput(f"--base {base.name}", f"{TURN_CLOSE} does not end its answers", "use a ChatML model")
    if options.threads:
        torch.set_num_threads(options.threads)
    fingerprint = sha256(json.dumps([suite.rows]).encode()).hexdigest()
    checkpoint = begin_run(options, fingerprint, resumes=resumes)
    with stopped_by_interrupt() as is_stopped:
        trainer = _trainer(base, suite, options, grpo, ProgressReporter(report, is_stopped))
        trainer.train_from(checkpoint)
    state = trainer.state
    episodes = state.global_step * options.batch
    return TunedWeights(
        steps=state.global_step,
        steps_planned=state.max_steps,
        tokens=int(state.num_input_tokens_seen),
        tokens_trained=round(sum(length for _, length in logged(state, "completions/mean_length")))
        * options.batch,
        examples=episodes,
        texts=episodes,
        too_long=0,
        curve=logged(state, "loss"),
        validation=[],
        chosen_step=None,
        weights=save_weights(trainer, options),
        rewards=logged(state, "reward"),
    )


def _trainer(
    base: Base, suite: SuiteCases, options: TrainOptions, grpo: GrpoOptions, reporter: ProgressReporter
) -> EpisodeTrainer:
    episodes = SuiteEpisodes(suite)
    trainer = EpisodeTrainer(
        model=base.model,
        args=GRPOConfig(
            **shared_arguments(options),
            num_generations=grpo.samples,
            max_completion_length=grpo.completion_tokens,
            temperature=grpo.temperature,
        ),
        reward_funcs=episodes.suite_score,
        rollout_func=episodes.rollout,
        train_dataset=episodes.episodes(),
        processing_class=base.tokenizer,
        peft_config=lora_of(options),
        callbacks=[reporter],
    )
    return trainer.made_ready(base, options)
