"""Assign rows to splits reproducibly, with all rows of a group in the same split."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.trajectory import Trajectory

_WHOLE = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSplit:
    """How rows are assigned to splits."""

    shares: Mapping[str, float] = field(hash=False)
    """Share of each split by name, in order; the shares add up to 1."""
    seed: int = 0
    """A different seed assigns rows differently."""
    column: str = ""
    """Rows with equal values in this column stay together; empty to group by the conversation's beginning."""

    def name_of(self, trajectory: Trajectory) -> str:
        """Return the split of a row. It depends only on the seed and the row's group, not on other rows.

        Rows without the column are grouped by their system texts and first user message, so that several
        answers to the same question stay together.
        """
        key = trajectory.columns.get(self.column) if self.column else None
        group = ["column", key] if key is not None else ["beginning", *_beginning(trajectory)]
        digest = sha256(template_json([self.seed, group]).encode(errors="surrogatepass")).digest()
        place = int.from_bytes(digest[:8], "big") / _WHOLE
        reached = 0.0
        for name, share in self.shares.items():
            reached += share
            if place < reached:
                return name
        return list(self.shares)[-1]


def parse_shares(text: str) -> Mapping[str, float]:
    """Parse shares such as `train=0.9,test=0.1`.

    Raises:
        BadInput: The text does not have this form, or the shares do not add up to 1.

    >>> parse_shares("train=0.9,test=0.1")
    {'train': 0.9, 'test': 0.1}
    """
    shares: dict[str, float] = {}
    for piece in text.split(","):
        name, _, share = piece.strip().partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise BadInput(f"split {text!r}", f"{piece!r} has no share", "write train=0.9,test=0.1") from None
        if not name.isidentifier() or not 0 < shares[name] <= 1:
            raise BadInput(
                f"split {text!r}", f"{piece!r} is not a name with a share", "write train=0.9,test=0.1"
            )
    if abs(sum(shares.values()) - 1) > 1e-9:
        total = sum(shares.values())
        raise BadInput(f"split {text!r}", f"the shares add up to {total:g}", "change them to add up to 1")
    return shares


def _beginning(trajectory: Trajectory) -> list[JsonValue]:
    texts: list[JsonValue] = []
    for message in trajectory.messages:
        texts.extend(part.text for part in message.prose)
        if message.role is Role.USER:
            break
    return texts
