"""How many examples property tests draw: few in `make test`, many in `make soak`."""

from typing import Final

from hypothesis import settings

SOAK: Final = "soak"
FEW: Final = 100


def examples(many: int) -> int:
    """Return `many` if Hypothesis runs with the profile `soak`, else at most 100."""
    return many if settings.get_current_profile_name() == SOAK else min(many, FEW)
