"""As much of transformers as the trainer uses."""

from collections.abc import Callable, Iterator, Mapping

from torch import Tensor, device, dtype

class PretrainedConfig:
    model_type: str
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    quantization_config: object

class CausalLMOutput:
    logits: Tensor

class PreTrainedModel:
    def __call__(self, *, logits_to_keep: Tensor, use_cache: bool, **inputs: Tensor) -> CausalLMOutput: ...
    config: PretrainedConfig
    device: device
    def eval(self) -> object: ...
    def train(self) -> object: ...
    def generate(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        max_new_tokens: int,
        do_sample: bool,
        use_cache: bool,
        eos_token_id: int,
        pad_token_id: int,
    ) -> Tensor: ...
    def named_parameters(self) -> Iterator[tuple[str, Tensor]]: ...
    def set_attn_implementation(self, name: str) -> None: ...
    def state_dict(self) -> Mapping[str, Tensor]: ...
    def load_state_dict(self, state_dict: Mapping[str, Tensor]) -> object: ...

class PreTrainedTokenizerBase:
    bos_token_id: int | None
    eos_token_id: int | None
    def convert_tokens_to_ids(self, tokens: str) -> int | None: ...
    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]: ...
    def decode(self, tokens: list[int], *, clean_up_tokenization_spaces: bool) -> str: ...

class AutoModelForCausalLM:
    @staticmethod
    def from_pretrained(name: str, *, dtype: dtype, gguf_file: str | None = None) -> PreTrainedModel: ...
    @staticmethod
    def from_config(config: PretrainedConfig, *, dtype: dtype) -> PreTrainedModel: ...

class AutoTokenizer:
    @staticmethod
    def from_pretrained(name: str, *, gguf_file: str | None = None) -> PreTrainedTokenizerBase: ...

class AttentionInterface:
    @staticmethod
    def register(name: str, attend: Callable[..., tuple[Tensor, None]]) -> None: ...

class TrainingArguments: ...

class TrainerState:
    global_step: int
    max_steps: int
    num_input_tokens_seen: int
    log_history: list[dict[str, float]]
    @staticmethod
    def load_from_json(json_path: str) -> TrainerState: ...

class TrainerControl:
    should_save: bool
    should_training_stop: bool

class TrainerCallback: ...
class PrinterCallback(TrainerCallback): ...

class _CallbackHandler:
    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl
    ) -> TrainerControl: ...

class Trainer:
    model: PreTrainedModel
    args: TrainingArguments
    state: TrainerState
    control: TrainerControl
    callback_handler: _CallbackHandler
    def train(self, *, resume_from_checkpoint: str | None) -> object: ...
    def _load_from_checkpoint(self, resume_from_checkpoint: str) -> None: ...
    def save_model(self, output_dir: str) -> None: ...
    def add_callback(self, callback: TrainerCallback) -> None: ...
    def remove_callback(self, callback: type[TrainerCallback]) -> None: ...
