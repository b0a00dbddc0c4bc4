"""What a server can do for a model: found out by asking it, and unknown where it did not say."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    required_choice: bool | None = None
    """It calls one of several tools if the tool choice is `required`."""
    chat_grammar: bool | None = None
    """Its chat answers follow a grammar. Asked only of servers that ignore a tool choice, or get none."""
    open: frozenset[str] = frozenset()
    """Names of the abilities for which there is no answer yet. What an earlier answer showed still counts."""
    problem: str = ""
    """Why abilities are open. Empty if none are."""

    def or_else(self, other: "ServerAbilities") -> "ServerAbilities":
        """Return the abilities, with those of `other` where they are not known."""
        return replace(other, **{name: state for name, state in self.document.items() if state is not None})

    @property
    def facts(self) -> tuple[str, ...]:
        """The abilities as short texts: those that it has, that it lacks, and that are not known. No text is empty.

        >>> ServerAbilities(raw_completions=True, logprobs=True, grammar=False, named_choice=True).facts
        ('raw completions, logprobs, named tool choice', 'no grammar', 'not known: JSON Schema, required tool choice')
        >>> asked = dict.fromkeys(("raw_completions", "logprobs", "grammar", "json_schema", "named_choice"), True)
        >>> ServerAbilities(**asked, open=frozenset({"required_choice"}), problem="no data for 30 s").facts[1:]
        ('not known yet: required tool choice', 'no data for 30 s')
        """
        has, lacks, unknown = (
            {name: words for name, words in _WORDS.items() if getattr(self, name) is state}
            for state in (True, False, None)
        )
        waiting = [words for name, words in unknown.items() if name in self.open]
        silent = [words for name, words in unknown.items() if name not in self.open and name != _RARE]
        texts = (
            ", ".join(has.values()),
            lacks and f"no {', '.join(lacks.values())}",
            silent and f"not known: {', '.join(silent)}",
            waiting and f"not known yet: {', '.join(waiting)}",
            waiting and self.problem,
        )
        return tuple(text for text in texts if isinstance(text, str) and text)

    @property
    def named(self) -> Mapping[str, tuple[str, bool | None]]:
        """The words and the state of each ability, by its name, in the order in which they are found out."""
        return {name: (words, getattr(self, name)) for name, words in _WORDS.items()}

    @property
    def document(self) -> Mapping[str, bool | None]:
        """The abilities as JSON, with null for those that are not known."""
        return {name: getattr(self, name) for name in _WORDS}


_RARE: Final = "chat_grammar"
_WORDS: Final = {
    "raw_completions": "raw completions",
    "logprobs": "logprobs",
    "grammar": "grammar",
    "json_schema": "JSON Schema",
    "named_choice": "named tool choice",
    "required_choice": "required tool choice",
    _RARE: "grammar in chats",
}
"""The abilities as people call them, in the order in which they are found out."""
