"""Ask a trainer's own code which tokens of rows it trains on. Nothing here says it in the trainer's place.

Each trainer gets the rows in a file, as its users do: it loads the file, applies the chat template, and makes the
labels. A label of -100 is a token without loss, for all of them. Values of `settings` are the trainer's own options,
by its own names; everything else is the trainer's default.

*Source:* TRL's `SFTTrainer`; Axolotl's strategy `chat_template`; LLaMA-Factory's `get_dataset`; Unsloth's
`train_on_responses_only`.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from transformers import AutoTokenizer

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.mask import Token, TrainedToken
from workbench.trajectory.mask_proof import TrainerText

_NO_LOSS: Final = -100
"""The label of a token without loss."""
_UNLIMITED: Final = 10**9
"""More tokens than a row has."""


class TrainerJob(NamedTuple):
    """What a trainer gets."""

    rows: Sequence[JsonObject]
    row_format: RowFormat
    tokenizer: Any
    """A tokenizer of transformers, with the chat template to use."""
    settings: Mapping[str, Any]
    """The trainer's own options, by their names."""
    is_uncut: bool
    """Whether to lift the trainer's limit of tokens."""
    folder: Path
    """For files of the trainer."""

    @property
    def file(self) -> Path:
        """A file with the rows, as JSON Lines."""
        path = self.folder / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), encoding="utf-8")
        return path

    def load(self) -> Any:
        """Load the rows with `datasets`, as the trainers do."""
        cache = str(self.folder / "cache")
        return _module("datasets").load_dataset(
            "json", data_files=str(self.file), cache_dir=cache, split="train"
        )


class _Labels(NamedTuple):
    row: int
    """Index of the row: a trainer may leave out rows."""
    ids: Sequence[int]
    labels: Sequence[int]


def load_tokenizer(model: str, template: str) -> Any:
    """Load a tokenizer of transformers.

    Args:
        model: Folder or repository.
        template: The chat template to use. Empty takes that of the tokenizer.

    Raises:
        BadInput: transformers cannot load it.
    """
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(Path(model).expanduser()))
    except (OSError, ValueError) as error:
        raise BadInput(f"--model {model}", str(error).strip().splitlines()[0][:200]) from error
    if template:
        tokenizer.chat_template = template
    return tokenizer


def trainer_texts(
    trainer: str,
    rows: Sequence[JsonObject],
    row_format: RowFormat,
    tokenizer: Any,
    settings: Mapping[str, Any],
    *,
    is_uncut: bool = False,
) -> Sequence[TrainerText | None]:
    """Return each row as the trainer feeds it to the model, in order. None for a row that the trainer leaves out.

    Args:
        trainer: A name in `TRAINERS`.
        row_format: The format of all rows.
        tokenizer: A tokenizer of transformers, with the chat template to use.
        settings: The trainer's own options, by their names.
        is_uncut: Whether to lift the trainer's limit of tokens.

    Raises:
        BadInput: The trainer is not installed, or it refuses the rows or the settings.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    with TemporaryDirectory() as folder:
        job = TrainerJob(rows, row_format, tokenizer, settings, is_uncut, Path(folder))
        try:
            # LLaMA-Factory prints its first row.
            with redirect_stdout(sys.stderr):
                labelled = TRAINERS[trainer](job)
        except ImportError as error:
            is_missing = isinstance(error, ModuleNotFoundError)
            problem = (
                f"{error.name} is not installed" if is_missing else f"cannot be imported: {str(error)[:200]}"
            )
            raise BadInput(
                f"--trainer {trainer}",
                f"{problem}; its masks are not known",
                "run the command in the environment of the trainer, or choose another one",
            ) from error
        except Exception as error:
            # Whatever the trainer raises is its answer.
            text = str(error).strip().splitlines() or [type(error).__name__]
            raise BadInput(f"--trainer {trainer}", f"it refuses the rows: {text[0][:300]}") from error
    by_row = {found.row: _text_of(found, tokenizer) for found in labelled}
    return [by_row.get(row) for row in range(len(rows))]


def _module(name: str) -> Any:
    """Import a module of a trainer, which may not be installed.

    Raises:
        ImportError: It is not installed, or refuses this machine: older versions of Unsloth need a GPU.
    """
    try:
        return import_module(name)
    except NotImplementedError as error:
        raise ImportError(str(error), name=name) from error


def _trl(job: TrainerJob) -> Sequence[_Labels]:
    transformers, trl = _module("transformers"), _module("trl")
    options = {
        "output_dir": str(job.folder / "out"), "report_to": "none", "use_cpu": True, "bf16": False,
        **job.settings, **({"max_length": None} if job.is_uncut else {}),
    }  # fmt: skip
    # The smallest model: the labels do not depend on it.
    size = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = transformers.LlamaConfig(vocab_size=len(job.tokenizer), **size)
    rows = job.load()
    trainer = trl.SFTTrainer(
        model=transformers.LlamaForCausalLM(config),
        args=trl.SFTConfig(**options),
        train_dataset=rows.add_column(_PLACE, list(range(len(rows)))),
        processing_class=job.tokenizer,
    )
    found: list[_Labels] = []
    # TRL leaves out rows without a token to train on.
    for row in trainer.train_dataset:
        batch = trainer.data_collator([{name: row[name] for name in _FED if name in row}])
        found.append(_Labels(row[_PLACE], batch["input_ids"][0].tolist(), batch["labels"][0].tolist()))
    return found


_PLACE: Final = "workbench_place"
"""A column with the index of the row, which TRL keeps as it keeps other columns."""
_FED: Final = ("input_ids", "labels")
"""The columns that TRL's collator uses."""


def _axolotl(job: TrainerJob) -> Sequence[_Labels]:
    chat_template = _module("axolotl.prompt_strategies.chat_template")
    settings = dict(job.settings)
    sequence_len = settings.pop("sequence_len", 2048)
    sequence_len = _UNLIMITED if job.is_uncut else sequence_len
    own = {"sequence_len": sequence_len, "train_on_inputs": False, "chat_template": "tokenizer_default"}
    config = _module("axolotl.utils.dict").DictDefault(
        {name: settings.pop(name, value) for name, value in own.items()}
    )
    rows = job.load()
    dataset: dict[str, Any] = {"type": "chat_template", **settings}
    if "conversations" in rows.column_names and "field_messages" not in dataset:
        dataset["field_messages"] = "conversations"
        dataset.setdefault("message_property_mappings", {"role": "from", "content": "value"})
    strategy = chat_template.load(job.tokenizer, config, dataset)
    rows_of_tokens: list[dict[str, list[int]]] = [strategy.tokenize_prompt(row) for row in rows]
    return [
        _Labels(place, found["input_ids"][:sequence_len], found["labels"][:sequence_len])
        for place, found in enumerate(rows_of_tokens)
    ]


def _llamafactory(job: TrainerJob) -> Sequence[_Labels]:
    factory, options = _module("llamafactory.data"), _module("llamafactory.hparams")
    if job.row_format.dataset_info is None:
        raise ValueError(f"its loader does not know the format {job.row_format.name}; convert the rows first")
    info = {"rows": {"file_name": job.file.name, **job.row_format.dataset_info}}
    (job.folder / "dataset_info.json").write_text(json.dumps(info), encoding="utf-8")
    limit = {"cutoff_len": _UNLIMITED} if job.is_uncut else {}
    data = options.DataArguments(dataset="rows", dataset_dir=str(job.folder), **{**job.settings, **limit})
    arguments = _module("transformers").Seq2SeqTrainingArguments(
        output_dir=str(job.folder / "out"), use_cpu=True
    )
    model = options.ModelArguments(model_name_or_path=str(job.folder), cache_dir=str(job.folder / "cache"))
    template = factory.get_template_and_fix_tokenizer(job.tokenizer, data)
    module = factory.get_dataset(template, model, data, arguments, stage="sft", tokenizer=job.tokenizer)
    found = module["train_dataset"]
    if len(found) != len(job.rows):
        raise ValueError(f"it keeps only {len(found)} of {len(job.rows)} rows; name one with --row")
    return [_Labels(place, row["input_ids"], row["labels"]) for place, row in enumerate(found)]


def _unsloth(job: TrainerJob) -> Sequence[_Labels]:
    # Its other package refuses to be imported before it.
    _module("unsloth")
    utilities = _module("unsloth_zoo.dataset_utils")
    read = utilities.train_on_responses_only(
        None, tokenizer=job.tokenizer, return_function=True, **job.settings
    )
    rows = _trl(job._replace(settings={}))
    return [row._replace(labels=read({"input_ids": [row.ids]})["labels"][0]) for row in rows]


TRAINERS: Final[Mapping[str, Callable[[TrainerJob], Sequence[_Labels]]]] = {
    "trl": _trl,
    "axolotl": _axolotl,
    "llamafactory": _llamafactory,
    "unsloth": _unsloth,
}
"""What asks each trainer."""


def _text_of(found: _Labels, tokenizer: Any) -> TrainerText:
    ids = list(map(int, found.ids))
    text = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    tokens = tuple(
        TrainedToken(Token(token_id, span), int(label) != _NO_LOSS)
        for token_id, span, label in zip(ids, _spans(ids, text, tokenizer), found.labels, strict=True)
    )
    return TrainerText(text=text, tokens=tokens)


def _spans(ids: list[int], text: str, tokenizer: Any) -> Sequence[Span]:
    """Return where each token is in the decoded text."""
    if tokenizer.is_fast:
        again = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        if again["input_ids"] == ids:
            return [Span(*offsets) for offsets in again["offset_mapping"]]
    # The tokenizer would split the text otherwise, so each beginning is decoded.
    ends = [
        len(tokenizer.decode(ids[:count], skip_special_tokens=False, clean_up_tokenization_spaces=False))
        for count in range(1, len(ids) + 1)
    ]
    return [Span(start, max(start, end)) for start, end in zip([0, *ends], ends, strict=False)]
