"""What a person wants of compression, read from the YAML that hermes-agent's compressor takes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, cast

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput

NOTICE: Final = "\n\nSome of your previous tool responses may be summarized to preserve context."
"""*Source:* `datagen-config-examples/trajectory_compression.yaml` of hermes-agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionSettings:
    """How far, and what must stay. *Source:* as `NOTICE`; the defaults are its defaults."""

    target_max_tokens: int = 15250
    """A row of at most so many tokens is left alone."""
    summary_target_tokens: int = 750
    """How long the summary should be, in tokens."""
    first_system: bool = True
    """Whether the first system text stays."""
    first_human: bool = True
    """Whether the first message of a person stays."""
    first_gpt: bool = True
    """Whether the model's first message stays."""
    first_tool: bool = True
    """Whether the first results stay."""
    last_n_turns: int = 4
    """How many entries at the end stay."""
    temperature: float = 0.3
    """Of the model that summarises."""
    max_retries: int = 3
    """How often a model is asked for one summary before it is extracted instead."""
    add_summary_notice: bool = True
    """Whether the system text says that something was summarised."""
    summary_notice_text: str = NOTICE
    """In which words."""
    output_suffix: str = "_compressed"
    """Behind the name of the file, where no other was named."""
    save_over_limit: bool = True
    """Whether rows that are still too long are written."""
    per_trajectory: bool = True
    """Whether a compressed row has its figures in a column `compression_metrics`."""
    output_file: str = "compression_metrics.json"
    """File of the figures of all rows, beside the rows."""
    enabled: bool = True
    """Whether that file is written."""


_SECTIONS: Final[Mapping[str, frozenset[str]]] = {
    "compression": frozenset({"target_max_tokens", "summary_target_tokens"}),
    "protected_turns": frozenset({"first_system", "first_human", "first_gpt", "first_tool", "last_n_turns"}),
    "summarization": frozenset({"temperature", "max_retries"}),
    "output": frozenset({"add_summary_notice", "summary_notice_text", "output_suffix"}),
    "processing": frozenset({"save_over_limit"}),
    "metrics": frozenset({"enabled", "per_trajectory", "output_file"}),
}
_WITHOUT_EFFECT: Final[Mapping[str, frozenset[str]]] = {
    "tokenizer": frozenset({"name", "trust_remote_code"}),
    "summarization": frozenset({"model", "base_url", "api_key_env", "retry_delay"}),
    "processing": frozenset(
        {"num_workers", "max_concurrent_requests", "skip_under_target", "per_trajectory_timeout"}
    ),
}
"""Keys of the original for which options of the verb stand here, or which a single process does not need."""


def read_settings(document: JsonValue) -> CompressionSettings:
    """The settings of a YAML document, already loaded; what it leaves out is as the original has it.

    Raises:
        BadInput: It is no mapping, or has a key or a kind of value that the original does not know.
    """
    if document is None:
        return CompressionSettings()
    if not isinstance(document, Mapping):
        raise BadInput("compression settings", "no mapping", "write compression: {target_max_tokens: 15250}")
    given: dict[str, JsonValue] = {}
    for section, values in document.items():
        if section not in _SECTIONS and section not in _WITHOUT_EFFECT:
            raise BadInput(f"compression settings, {section}", "there is no such section")
        if not isinstance(values, Mapping | None):
            raise BadInput(f"compression settings, {section}", "no mapping")
        for key, value in cast(Mapping[str, JsonValue], values or {}).items():
            if key in _SECTIONS.get(section, ()):
                given[key] = value
            elif key not in _WITHOUT_EFFECT.get(section, ()):
                raise BadInput(f"compression settings, {section}.{key}", "there is no such key")
    return _checked(given)


def _checked(given: Mapping[str, JsonValue]) -> CompressionSettings:
    for field in fields(CompressionSettings):
        if field.name in given:
            value, default = given[field.name], field.default
            is_number = type(default) is float and type(value) is int
            if type(value) is not type(default) and not is_number:
                wanted = type(default).__name__
                raise BadInput(f"compression settings, {field.name}", f"{value!r} is no {wanted}")
    return CompressionSettings(**cast("dict[str, int]", given))  # pyright: ignore[reportArgumentType]  checked above
