"""Numbers that a person writes: what each may be, for the field that shows it and for whoever reads it."""

import math
from dataclasses import dataclass
from typing import Final

from workbench.app.samples import MOST_SAMPLES
from workbench.errors import BadInput


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A number by its name, from the least to the most, both of them allowed."""

    label: str
    """As a person reads it above the field."""
    least: float
    most: float
    step: float | None = None
    """Of the field's arrows; None: only whole numbers are allowed."""

    def read(self, value: object, where: str = "") -> float:
        """The number.

        Args:
            value: What stands in the field; None where nothing does.
            where: Says more of the place, such as `"column B, "`.

        Raises:
            BadInput: There is none, or it is none of the range.

        >>> NumberRange("Top p", 0, 1, 0.05).read(2)
        Traceback (most recent call last):
        workbench.errors.BadInput: field 'top p': 2 is more than 1 (write a number from 0 to 1)
        """
        place = f"{where}field {self.label[:1].lower() + self.label[1:]!r}"
        kind = "number" if self.step else "whole number"
        remedy = f"write a {kind} from {self.least:,g} to {self.most:,}"
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise BadInput(place, "it is empty", remedy)
        if not self.least <= value <= self.most:
            limit = f"less than {self.least:g}" if value < self.least else f"more than {self.most:,}"
            raise BadInput(place, f"{value} is {limit}", remedy)
        if self.step is None and value != int(value):
            raise BadInput(place, f"{value} is not whole", remedy)
        return value

    def whole(self, value: object, where: str = "") -> int:
        """The same of whole numbers."""
        return int(self.read(value, where))


TEMPERATURE: Final = NumberRange("Temperature", 0, 5, 0.1)
TOP_P: Final = NumberRange("Top p", 0, 1, 0.05)
TOP_K: Final = NumberRange("Top k", 0, 1000)
SEED: Final = NumberRange("Seed", 0, 2**31 - 1)
MAX_TOKENS: Final = NumberRange("Max tokens", 1, 32_768)
MAX_ROUNDS: Final = NumberRange("Max rounds", 1, 100)
SAMPLES: Final = NumberRange("Samples", 1, MOST_SAMPLES)
CALL_NUMBER: Final = NumberRange("Call number", 1, 1000)
MIN_P: Final = NumberRange("Min p", 0, 1, 0.01)
TYPICAL_P: Final = NumberRange("Typical p", 0, 1, 0.05)
REPEAT_PENALTY: Final = NumberRange("Repeat penalty", 0.1, 3, 0.05)
PRESENCE_PENALTY: Final = NumberRange("Presence penalty", -2, 2, 0.1)
FREQUENCY_PENALTY: Final = NumberRange("Frequency penalty", -2, 2, 0.1)
PENALTY_LAST_TOKENS: Final = NumberRange("Penalties look back", -1, 32_768)
MIROSTAT_TAU: Final = NumberRange("Mirostat tau", 0, 20, 0.5)
MIROSTAT_ETA: Final = NumberRange("Mirostat eta", 0, 1, 0.05)
