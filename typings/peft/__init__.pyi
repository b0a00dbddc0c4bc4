"""As much of peft as the trainer uses."""

class LoraConfig:
    def __init__(self, *, r: int, lora_alpha: int, target_modules: str, task_type: str) -> None: ...
