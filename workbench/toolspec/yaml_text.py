"""YAML as a person writes tools in it: bounded, and with JSON's values."""

import json
from typing import Any, Final

import yaml

MAX_TEXT_CHARS: Final = 1_000_000
"""A longer text is refused rather than read at each keystroke."""
DEEPEST: Final = 100
"""Collections inside each other; PyYAML's time grows with the square of their number."""

_OPENS: Final = (
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
)
_CLOSES: Final = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)


class _JsonLoader(yaml.SafeLoader):
    """Reads no dates: `2026-11-23` is a text, as it would be in JSON."""


_JsonLoader.yaml_implicit_resolvers = {
    sign: [one for one in resolvers if one[0] != "tag:yaml.org,2002:timestamp"]
    for sign, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(text: str) -> Any:
    """The value of a YAML text.

    Aliases are refused: a few lines of them stand for gigabytes.

    Raises:
        yaml.YAMLError: It is no YAML, too long, nested too deep, or uses an alias; with its line where there is one.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise yaml.YAMLError(f"over {MAX_TEXT_CHARS:,} characters")
    try:
        _refuse_unbounded(text)
        return yaml.load(text, Loader=_JsonLoader)
    except (RecursionError, ValueError) as error:
        raise yaml.YAMLError(f"it cannot be read: {error}") from error


def dump_yaml(value: object) -> str:
    """A JSON value as YAML that `load_yaml` reads: keys in order, what stands in several places written out."""
    apart = json.loads(json.dumps(value))
    return yaml.safe_dump(apart, sort_keys=False, allow_unicode=True, width=110)


def _refuse_unbounded(text: str) -> None:
    depth = 0
    for token in yaml.scan(text, Loader=_JsonLoader):
        depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
        if isinstance(token, yaml.AliasToken):
            raise yaml.MarkedYAMLError(None, None, "an alias (*name): write it out", token.start_mark)
        if depth > DEEPEST:
            raise yaml.MarkedYAMLError(None, None, f"nested over {DEEPEST} deep", token.start_mark)
