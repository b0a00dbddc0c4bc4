"""Edits as a person reads them: without what stays the same at both ends."""

from typing import Final, NamedTuple

SHORT_SIZE_CHARS: Final = 24
"""An edit up to here is shown whole: `True` becomes `true`, not `T` becomes `t`."""


class NarrowedEdit(NamedTuple):
    """An edit, cut into what stays and what changes."""

    prefix: str
    """Stays, before the change."""
    before: str
    """Goes."""
    after: str
    """Comes."""
    suffix: str
    """Stays, behind the change."""


def narrow(before: str, after: str) -> NarrowedEdit:
    """A long edit without its common ends; a short one whole.

    >>> narrow("True", "true")
    NarrowedEdit(prefix='', before='True', after='true', suffix='')
    >>> narrow("{'a': 1, 'b': 2} {'c': 3}", "{'a': 1, 'b': 2} <> {'c': 3}").after
    '<> '
    """
    if min(len(before), len(after)) < SHORT_SIZE_CHARS:
        return NarrowedEdit("", before, after, "")
    start = common_size_chars(before, after)
    end = common_size_chars(before[start:][::-1], after[start:][::-1])
    return NarrowedEdit(
        before[:start],
        before[start : len(before) - end],
        after[start : len(after) - end],
        before[len(before) - end :],
    )


def common_size_chars(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))
