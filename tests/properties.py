"""How many examples property tests draw: few in `make test`, many in `make soak`."""

from typing import Final

from hypothesis import settings

SOAK: Final = "soak"
FEW: Final = 100


def examples(many: int, few: int = FEW) -> int:
    """Return `many` if Hypothesis runs with the profile `soak`, else at most `few`.

    A test that runs for each of thirty formats has enough with a few for each.
    """
    return many if settings.get_current_profile_name() == SOAK else min(many, few)
