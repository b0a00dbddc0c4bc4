"""As much of TRL as the trainer uses."""

from collections.abc import Callable, Mapping, Sequence

from peft import LoraConfig
from torch import Tensor
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
    TrainerControl,
    TrainerState,
)

class SFTConfig:
    def __init__(
        self,
        *,
        output_dir: str,
        per_device_train_batch_size: int,
        learning_rate: float,
        lr_scheduler_type: str,
        warmup_steps: float,
        num_train_epochs: float,
        max_steps: int,
        max_length: int,
        remove_unused_columns: bool,
        dataset_kwargs: Mapping[str, bool],
        weight_decay: float,
        max_grad_norm: float,
        seed: int,
        data_seed: int,
        bf16: bool,
        use_cpu: bool,
        ddp_backend: str | None,
        activation_checkpointing: bool,
        train_sampling_strategy: str,
        dataloader_num_workers: int,
        logging_steps: int,
        save_steps: int,
        save_total_limit: int,
        report_to: str,
        disable_tqdm: bool,
    ) -> None: ...

class _CallbackHandler:
    def on_train_begin(
        self, args: SFTConfig, state: TrainerState, control: TrainerControl
    ) -> TrainerControl: ...

class SFTTrainer:
    model: PreTrainedModel
    args: SFTConfig
    state: TrainerState
    control: TrainerControl
    callback_handler: _CallbackHandler
    def __init__(
        self,
        *,
        model: PreTrainedModel,
        args: SFTConfig,
        train_dataset: object,
        data_collator: Callable[[Sequence[dict[str, list[int]]]], Mapping[str, Tensor]] | None,
        processing_class: PreTrainedTokenizerBase,
        peft_config: LoraConfig | None,
        callbacks: Sequence[TrainerCallback],
    ) -> None: ...
    def train(self, *, resume_from_checkpoint: str | None) -> object: ...
    def _load_from_checkpoint(self, resume_from_checkpoint: str) -> None: ...
    def save_model(self, output_dir: str) -> None: ...
    def add_callback(self, callback: TrainerCallback) -> None: ...
    def remove_callback(self, callback: type[TrainerCallback]) -> None: ...
