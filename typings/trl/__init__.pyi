"""As much of TRL as the trainer uses."""

from collections.abc import Callable, Mapping, Sequence

from peft import LoraConfig
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer, TrainerCallback, TrainingArguments

class SFTConfig(TrainingArguments):
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

class SFTTrainer(Trainer):
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

class GRPOConfig(TrainingArguments):
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
        weight_decay: float,
        max_grad_norm: float,
        seed: int,
        data_seed: int,
        bf16: bool,
        use_cpu: bool,
        ddp_backend: str | None,
        logging_steps: int,
        save_steps: int,
        save_total_limit: int,
        report_to: str,
        disable_tqdm: bool,
        num_generations: int,
        max_completion_length: int,
        temperature: float,
    ) -> None: ...

class GRPOTrainer(Trainer):
    def __init__(
        self,
        *,
        model: PreTrainedModel,
        args: GRPOConfig,
        reward_funcs: Callable[..., list[float]],
        rollout_func: Callable[..., Mapping[str, object]],
        train_dataset: object,
        processing_class: PreTrainedTokenizerBase,
        peft_config: LoraConfig | None,
        callbacks: Sequence[TrainerCallback],
    ) -> None: ...
