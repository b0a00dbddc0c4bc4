"""TRL's trainer with a loss that looks at no more than what it counts."""

from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel
from trl import SFTTrainer

from workbench.training.examples import IGNORED


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
