"""What a server can do for a model: found out by asking it, and unknown where it did not say."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAbilities:
    """What a server can do for one of its models. None if it is not known, for example because a request failed."""

    raw_completions: bool | None = None
    """It continues a prompt that is not a chat, with `/v1/completions`."""
    logprobs: bool | None = None
    """It sends the logprobs of tokens."""
    grammar: bool | None = None
    """Its raw completions follow a grammar."""
    json_schema: bool | None = None
    """Its chat answers follow a JSON Schema."""
    named_choice: bool | None = None
    """It calls the tool that a named tool choice requires."""

    def or_else(self, other: "ServerAbilities") -> "ServerAbilities":
        """Return the abilities, with those of `other` where they are not known."""
        return replace(other, **{name: state for name, state in self.document.items() if state is not None})

    @property
    def facts(self) -> tuple[str, ...]:
        """The abilities as short texts: those that it has, that it lacks, and that are not known. No text is empty.

        >>> ServerAbilities(raw_completions=True, logprobs=True, grammar=False).facts
        ('raw completions, logprobs', 'no grammar', 'not known: JSON Schema, named tool choice')
        """
        has, lacks, unknown = (
            ", ".join(words for name, words in _WORDS.items() if getattr(self, name) is state)
            for state in (True, False, None)
        )
        texts = (has, lacks and f"no {lacks}", unknown and f"not known: {unknown}")
        return tuple(filter(None, texts))

    @property
    def document(self) -> Mapping[str, bool | None]:
        """The abilities as JSON, with null for those that are not known."""
        return {ability.name: getattr(self, ability.name) for ability in fields(self)}


_WORDS: Final = {
    "raw_completions": "raw completions",
    "logprobs": "logprobs",
    "grammar": "grammar",
    "json_schema": "JSON Schema",
    "named_choice": "named tool choice",
}
