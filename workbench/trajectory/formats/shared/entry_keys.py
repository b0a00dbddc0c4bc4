"""Read the members of an entry that its format does not use."""

from collections.abc import Collection
from typing import Final

from workbench.chat.json_value import JsonObject

MASK_KEYS: Final = ("weight", "train", "training")
"""Members that say whether the loss counts an entry."""


def others_of(fields: JsonObject, used: Collection[str]) -> JsonObject:
    """Return the members that are neither used nor null, in order.

    Args:
        fields: The entry.
        used: Names of the members that the format's reader uses.

    >>> others_of({"from": "human", "value": "Hi", "rating": 5, "name": None}, {"from", "value"})
    {'rating': 5}
    """
    return {key: value for key, value in fields.items() if key not in used and value is not None}
