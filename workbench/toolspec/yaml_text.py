"""Read and write YAML that a person writes: bounded, and limited to JSON's values."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

MAX_TEXT_CHARS: Final = 1_000_000
"""A longer text is refused rather than read at each keystroke."""
DEEPEST: Final = 100
"""Collections inside each other; libyaml calls itself at each of them, and ends the process when its stack is full."""
MOST_NODES: Final = 60_000
"""Values in a text: reading them takes some 15 µs each."""
MOST_DIGITS: Final = 4_300
"""Digits of a number: more take the square of their count to read. It is Python's own bound for `int`."""

_LARGE_CHARS: Final = 50_000
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DIGITS: Final = "+-.0123456789"
_OPENS: Final = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSES: Final = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


if TYPE_CHECKING:
    _FastLoader, _FastDumper = yaml.SafeLoader, yaml.SafeDumper
else:
    # libyaml is up to ten times as fast; PyYAML has it in all its wheels.
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    _FastDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _JsonLoader(_FastLoader):
    """Reads no dates: `2026-11-23` is a text, as it would be in JSON."""


_JsonLoader.yaml_implicit_resolvers = {
    sign: [one for one in resolvers if one[0] != "tag:yaml.org,2002:timestamp"]
    for sign, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(text: str) -> Any:
    """The value of a YAML text.

    Aliases are refused: a few lines of them stand for gigabytes.

    Raises:
        yaml.YAMLError: It is not YAML, too long, nested too deep, holds too many values or too long a number, or uses
            an alias; with its line where there is one.
    """
    _refuse_unbounded(text)
    try:
        with _placed(text):
            return yaml.load(text, Loader=_JsonLoader)
    except (RecursionError, ValueError, ArithmeticError, TypeError, LookupError, AttributeError) as error:
        # A tag such as !!int or !!timestamp on a text that is none, or a key that cannot be one.
        raise yaml.YAMLError(f"it cannot be read: {error}") from error


def compose_yaml(text: str) -> yaml.Node | None:
    """The nodes of a YAML text with their lines, under the same limits; None for an empty one.

    Raises:
        yaml.YAMLError: As `load_yaml`.
    """
    _refuse_unbounded(text)
    with _placed(text):
        return yaml.compose(text, Loader=_JsonLoader)


def dump_yaml(value: object) -> str:
    """A JSON value as YAML that `load_yaml` reads: keys in order, what stands in several places written out."""
    text = json.dumps(value)
    # libyaml's writer would spell an emoji as an escape: it is for what takes the other one seconds.
    dumper = _FastDumper if len(text) > _LARGE_CHARS else yaml.SafeDumper
    return yaml.dump(json.loads(text), Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)


def _refuse_unbounded(text: str) -> None:
    if len(text) > MAX_TEXT_CHARS:
        raise yaml.YAMLError(f"over {MAX_TEXT_CHARS:,} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise yaml.YAMLError(f"half of a surrogate pair at character {error.start + 1:,}") from error
    with _placed(text):
        _refuse_events(text)


def _refuse_events(text: str) -> None:
    depth = nodes = 0
    for event in yaml.parse(text, Loader=_JsonLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _refusal("an alias (*name): write it out", event)
        if isinstance(event, _CLOSES):
            depth -= 1
            continue
        if isinstance(event, _OPENS):
            depth += 1
        elif isinstance(event, yaml.ScalarEvent) and len(event.value) > MOST_DIGITS and _is_number(event):
            raise _refusal(f"a number of over {MOST_DIGITS:,} digits", event)
        nodes += 1
        if depth > DEEPEST:
            raise _refusal(f"nested over {DEEPEST} deep", event)
        if nodes > MOST_NODES:
            raise _refusal(f"over {MOST_NODES:,} values", event)


def _is_number(event: yaml.ScalarEvent) -> bool:
    """Whether a long text is read as a number: by its tag, or because it has no quotes and only their characters."""
    if event.tag is not None and event.tag != "!":
        return event.tag in _NUMBERS
    return (
        event.implicit[0]
        and event.value[0] in _DIGITS
        and not event.value.strip(_DIGITS + "_:abcdefxABCDEFX")
    )


def _refusal(problem: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, problem, cast(Any, event.start_mark))


@contextmanager
def _placed(text: str) -> Generator[None]:
    """Puts a fault at the end of the text into its last line: libyaml names the one after it, which is not there."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark, last = error.problem_mark, text.rstrip().count("\n")
        if mark is not None and mark.line > last:
            error.problem_mark = yaml.Mark(mark.name, mark.index, last, 0, None, 0)
        raise
