"""Ranges of the page's numbers that several tabs show."""

from typing import Final

from workbench.app.samples import MOST_SAMPLES
from workbench.rollout.sampling import number_range
from workbench.rollout.setting_field import NumberRange

TEMPERATURE: Final = number_range("temperature")
TOP_P: Final = number_range("top_p")
SEED: Final = number_range("seed")
MAX_TOKENS: Final = number_range("max_tokens")
SAMPLES: Final = NumberRange("Samples", 1, MOST_SAMPLES)
CALL_NUMBER: Final = NumberRange("Call number", 1, 1000)
