"""Read and write YAML with JSON's values only, with limits on size and depth."""

import json
import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

MAX_TEXT_CHARS: Final = 1_000_000
"""Longer texts are rejected, because the editor parses the text at each keystroke."""
MAX_DEPTH: Final = 100
"""How deep collections may be nested. libyaml recurses once per level, and a stack overflow ends the process."""
MAX_NODES: Final = 60_000
"""Limit on the values in a text. Reading one takes about 15 µs."""
MAX_DIGITS: Final = 4_300
"""Limit on the digits of a number, because reading them takes quadratic time. It is Python's own limit for `int`."""

_LARGE_CHARS: Final = 50_000
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DIGITS: Final = "+-.0123456789"
_OPENS: Final = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSES: Final = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


if TYPE_CHECKING:
    _FastLoader, _FastDumper = yaml.SafeLoader, yaml.SafeDumper
else:
    # libyaml is up to ten times as fast. All wheels of PyYAML include it.
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    _FastDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _JsonLoader(_FastLoader):
    """A loader without dates: `2026-11-23` is a string, as in JSON."""


_JsonLoader.yaml_implicit_resolvers = {
    sign: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
    for sign, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


_UNFOLDABLE: Final = ("\x85", "\u2028", "\u2029", "\ufeff")
"""Line breaks that YAML turns into others, and a mark that it drops, unless a text is in double quotes."""


def _represent_text(dumper: Any, text: str) -> Any:
    style = '"' if any(sign in text for sign in _UNFOLDABLE) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


class _ShortDumper(yaml.SafeDumper):
    """Writes short texts."""


class _LongDumper(_FastDumper):
    """Writes long texts."""


_ShortDumper.add_representer(str, _represent_text)
_LongDumper.add_representer(str, _represent_text)


def load_yaml(text: str) -> Any:
    """Parse a YAML text.

    Aliases are rejected, because a few lines of them can expand to gigabytes.

    Raises:
        yaml.YAMLError: It is not YAML, too long or nested too deeply, has too many values or too long a number, or uses
            an alias. The error has the line, if there is one.
    """
    _refuse_unbounded(text)
    try:
        with _placed(text):
            return yaml.load(text, Loader=_JsonLoader)
    except (RecursionError, ValueError, ArithmeticError, TypeError, LookupError, AttributeError) as error:
        # A tag such as !!int on a text that is not an integer, or a key that cannot be hashed.
        raise yaml.YAMLError(f"it cannot be read: {error}") from error


def compose_yaml(text: str) -> yaml.Node | None:
    """Return the nodes of a YAML text with their lines, or None for an empty text.

    Raises:
        yaml.YAMLError: The same as for `load_yaml`.
    """
    _refuse_unbounded(text)
    with _placed(text):
        return yaml.compose(text, Loader=_JsonLoader)


def dump_yaml(value: object) -> str:
    """Write a JSON value as YAML that `load_yaml` can read. Keys keep their order, and no aliases are used."""
    text = json.dumps(value)
    # libyaml writes emoji as escapes, so it is only used for long texts, where the other writer takes seconds.
    dumper = _LongDumper if len(text) > _LARGE_CHARS else _ShortDumper
    return yaml.dump(json.loads(text), Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)


def flow_yaml(value: object) -> str:
    """Write a JSON value as YAML on one line.

    >>> flow_yaml({"city": "Oslo", "days": [1, "2"]})
    "{city: Oslo, days: [1, '2']}"
    """
    value = json.loads(json.dumps(value))
    return yaml.dump(
        value,
        Dumper=_ShortDumper,
        default_flow_style=True,
        sort_keys=False,
        allow_unicode=True,
        width=math.inf,
    ).removesuffix("\n")


def _refuse_unbounded(text: str) -> None:
    if len(text) > MAX_TEXT_CHARS:
        raise yaml.YAMLError(f"the text has over {MAX_TEXT_CHARS:,} characters")
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
            raise _refusal("aliases (*name) are not allowed; repeat the value", event)
        if isinstance(event, _CLOSES):
            depth -= 1
            continue
        if isinstance(event, _OPENS):
            depth += 1
        elif isinstance(event, yaml.ScalarEvent) and len(event.value) > MAX_DIGITS and _is_number(event):
            raise _refusal(f"a number of over {MAX_DIGITS:,} digits", event)
        nodes += 1
        if depth > MAX_DEPTH:
            raise _refusal(f"nested over {MAX_DEPTH} levels deep", event)
        if nodes > MAX_NODES:
            raise _refusal(f"over {MAX_NODES:,} values", event)


def _is_number(event: yaml.ScalarEvent) -> bool:
    """Return whether a long text is read as a number: by its tag, or because it is unquoted and looks like one."""
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
    """Move errors at the end of the text to its last line. libyaml reports the line after it, which does not exist."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        mark, last = error.problem_mark, text.rstrip().count("\n")
        if mark is not None and mark.line > last:
            error.problem_mark = yaml.Mark(mark.name, mark.index, last, 0, None, 0)
        raise
