"""JSON objects and arrays that cannot be changed, for results that several callers share.

They equal plain ones, and `json.dumps` writes them. `copy.deepcopy` returns a plain copy that can be changed.
"""

from copy import deepcopy
from typing import Any, Final, NoReturn

from workbench.chat.json_value import JsonValue

_CHANGEABLE: Final = frozenset({dict, list})


def frozen(value: Any) -> Any:
    """Return a value whose objects and arrays cannot be changed, at any depth. Other values are returned as they are.

    >>> frozen({"days": [1, 2]}) == {"days": [1, 2]}
    True
    >>> frozen({"days": [1, 2]})["days"].append(3)
    Traceback (most recent call last):
    TypeError: a result cannot be changed; copy.deepcopy returns a copy that can
    """
    kind: type = value.__class__
    if kind is dict:
        made = FrozenObject(value)
        # Most arguments are flat, and a copy of them costs a fraction of a loop that makes one.
        for name, member in made.items():
            if member.__class__ in _CHANGEABLE:
                super(FrozenObject, made).__setitem__(name, frozen(member))
        return made
    return FrozenArray(map(frozen, value)) if kind is list else value


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("a result cannot be changed; copy.deepcopy returns a copy that can")


class FrozenObject(dict[str, JsonValue]):
    """A JSON object that cannot be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, JsonValue]:
        return {name: deepcopy(member, memo) for name, member in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would fill an empty object.
        return type(self), (dict(self),)


class FrozenArray(list[JsonValue]):
    """A JSON array that cannot be changed."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> list[JsonValue]:
        return [deepcopy(member, memo) for member in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)
