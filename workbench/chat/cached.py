"""A cached property that takes no lock."""

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

_Value = TypeVar("_Value")


class lockless_cached_property(cached_property[_Value]):
    """`functools.cached_property` as it is from Python 3.12 on: several threads may compute the value at once.

    In Python 3.11, it takes a lock, which costs three times as much as looking up a name in a JSON object.
    """

    if not TYPE_CHECKING:

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
