"""A sampling as the page's fields hold it, and in a line of words."""

from collections.abc import Mapping
from typing import Any

from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling
from workbench.ui.present.words import count


def show_sampling(sampling: Sampling) -> dict[str, Any]:
    """What the fields hold, by name, in the order of the page."""
    return {name: declared.editor.show(getattr(sampling, name)) for name, declared in SAMPLING_FIELDS.items()}


def parse_sampling(shown: Mapping[str, object], where: str = "") -> Sampling:
    """The sampling of what fields hold.

    Args:
        shown: By name. A field that is left out has its default.
        where: Says more about the place, such as `"column B, "`.

    Raises:
        BadInput: A number is missing or out of its range, or a line of the biases cannot be read.
    """
    values = {name: SAMPLING_FIELDS[name].editor.parse(held, where) for name, held in shown.items()}
    return Sampling(**values)


def sampling_words(sampling: Sampling) -> str:
    """A sampling in a line: the fields that are always visible, and each other one that is not the default.

    >>> sampling_words(Sampling(min_p=0.2))
    'temperature 0, top_p 0.95, top_k 40, seed 0, at most 256 tokens, min_p 0.2'
    """
    shown, plain = show_sampling(sampling), show_sampling(Sampling())
    names = [
        name for name, declared in SAMPLING_FIELDS.items() if declared.row == 0 or shown[name] != plain[name]
    ]
    return ", ".join(_words(name, shown[name]) for name in names)


def _words(name: str, value: object) -> str:
    if name == "max_tokens" and isinstance(value, int):
        return f"at most {count(value, 'token')}"
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
