"""Assign rows to splits, reproducibly, with all rows of a group in the same split."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.trajectory import Trajectory

_WHOLE = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSplit:
    """How rows are dealt out."""

    shares: Mapping[str, float] = field(hash=False)
    """Share of each split by name, in order; together 1."""
    seed: int = 0
    """Another seed deals otherwise."""
    column: str = ""
    """The column whose equal values keep rows together; empty to go by what the conversation begins with."""

    def name_of(self, trajectory: Trajectory) -> str:
        """The split of a row: it depends on seed and group alone, not on other rows.

        Rows without the column go by their beginning: system texts and the first message of a person, so that
        several answers to one question stay together.
        """
        key = trajectory.columns.get(self.column) if self.column else None
        group = ["column", key] if key is not None else ["beginning", *_beginning(trajectory)]
        digest = sha256(spelled_json([self.seed, group]).encode(errors="surrogatepass")).digest()
        place = int.from_bytes(digest[:8], "big") / _WHOLE
        reached = 0.0
        for name, share in self.shares.items():
            reached += share
            if place < reached:
                return name
        return list(self.shares)[-1]


def parse_shares(text: str) -> Mapping[str, float]:
    """The shares of `train=0.9,test=0.1`.

    Raises:
        BadInput: Not of this form, or they do not add up to 1.

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
                f"split {text!r}", f"{piece!r} is no name with a share", "write train=0.9,test=0.1"
            )
    if abs(sum(shares.values()) - 1) > 1e-9:
        raise BadInput(f"split {text!r}", f"the shares add up to {sum(shares.values()):g}, not to 1")
    return shares


def _beginning(trajectory: Trajectory) -> list[JsonValue]:
    texts: list[JsonValue] = []
    for message in trajectory.messages:
        texts.extend(part.text for part in message.prose)
        if message.role is Role.USER:
            break
    return texts
