"""Notes taken on one block while it is parsed: edits by code, findings, and rewrites that replace edits."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from workbench.chat.finding import Edit, Finding, Fix, Severity, Span
from workbench.hermes.codes import is_guess, meaning_of

REFUSING: Final = frozenset({"non-finite-number", "leading-zero", "lone-surrogate"})
"""Findings after which a JSON body gives no call."""


class _Rewrite(NamedTuple):
    code: str
    start: int
    end: int
    after: str
    unwraps: int
    """Where the container begins whose end this deletes; -1 where it deletes none."""


class _Noted(NamedTuple):
    start: int
    end: int
    after: str
    opener: int = -1
    """Of what is missing, a bracket or a comma: where that begins which it belongs to; -1 of other edits."""


class _NotedRange(NamedTuple):
    start: int
    end: int
    message: str


def finding_of(code: str, start: int, end: int, message: str = "") -> Finding:
    """The finding of this code at `[start, end)`."""
    severity = Severity.WARNING if code in _WARNINGS else Severity.ERROR
    return Finding(code=code, message=message or meaning_of(code), severity=severity, span=Span(start, end))


class BlockNotes:
    """The notes of one block (or of one stray tag, fence or cut); spans are of `text`."""

    __slots__ = ("_edits", "_places", "_refusals", "_rewrites", "_told", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._told: dict[str, _NotedRange] = {}
        self._edits: dict[str, list[_Noted]] = {}
        self._places: dict[str, list[Span]] = {}
        self._rewrites: list[_Rewrite] = []
        self._refusals: list[Span] = []

    def edit(self, code: str, start: int, end: int, after: str) -> None:
        """Note that `[start, end)` should read `after`."""
        known = self._edits.get(code)
        if known is None:
            known = self._edits[code] = []
        known.append(_Noted(start, end, after))

    def close(self, code: str, opener: int, position: int, after: str) -> None:
        """Note that `after` is missing at `position` from what begins at `opener`: its bracket, or a comma."""
        self._edits.setdefault(code, []).append(_Noted(position, position, after, opener))

    def edit_once(self, code: str, start: int, end: int, after: str) -> None:
        """As `edit`, unless this or a later place of the code was noted already: a place may be passed
        twice."""
        known = self._edits.get(code)
        if not known or known[-1].start < start:
            self.edit(code, start, end, after)

    def place(self, code: str, start: int, end: int) -> None:
        """Note a fix at a place where another one carries the edit."""
        self._places.setdefault(code, []).append(Span(start, end))

    def rewrite(self, code: str, start: int, end: int, after: str, *, unwraps: int = -1) -> None:
        """Note that the whole of `[start, end)` is written anew; edits of others inside it are dropped.

        Where it deletes the end of a container, `unwraps` says where that begins: a bracket missing there
        is not wanted either.
        """
        self._rewrites.append(_Rewrite(code, start, end, after, unwraps))

    def tell(self, code: str, start: int, end: int, message: str = "") -> None:
        """Tell a finding; the same code again only widens the span of the first."""
        if code in REFUSING:
            self._refusals.append(Span(start, end))
        known = self._told.get(code)
        if known:
            start, end, message = min(known.start, start), max(known.end, end), known.message
        self._told[code] = _NotedRange(start, end, message)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One finding a code, in the order in which they were first told."""
        return tuple(finding_of(code, *told) for code, told in self._told.items())

    def absorb(self, inner: "BlockNotes", start: int, end: int) -> None:
        """Take over the codes of a decoded text, all at `[start, end)` where it stood encoded."""
        for code in inner.fix_codes:
            self.place(code, start, end)
        for code, told in inner._told.items():
            self.tell(code, start, end, told.message)

    def extend(self, other: "BlockNotes") -> None:
        """Take over all of `other`, which are notes of the same text."""
        for code, edits in other._edits.items():
            self._edits.setdefault(code, []).extend(edits)
        for code, places in other._places.items():
            self._places.setdefault(code, []).extend(places)
        self._rewrites.extend(other._rewrites)
        for code, told in other._told.items():
            self.tell(code, *told)

    def has_refused(self, start: int, end: int) -> bool:
        """Whether something inside `[start, end)` makes a JSON body no call."""
        return any(start <= span.start and span.end <= end for span in self._refusals)

    @property
    def fix_codes(self) -> frozenset[str]:
        """The codes of all fixes noted so far."""
        return frozenset(self._edits) | frozenset(self._places) | {rewrite.code for rewrite in self._rewrites}

    def has_told(self, codes: Iterable[str]) -> bool:
        """Whether a finding of one of `codes` was told."""
        return not self._told.keys().isdisjoint(codes)

    def all_edits(self) -> list[Edit]:
        """All edits and rewrites, in order of place, none overlapping."""
        return sorted((edit for fix in self.fixes() for edit in fix.edits), key=lambda edit: edit.span)

    def fixes(self) -> tuple[Fix, ...]:
        """One fix a code, in order of place."""
        if not (self._edits or self._places or self._rewrites):
            return ()
        regions = _outermost(self._rewrites)
        spans: dict[str, list[Span]] = {code: list(places) for code, places in self._places.items()}
        edits: dict[str, list[Edit]] = {code: [] for code in spans}
        for code, found in self._edits.items():
            own = edits.setdefault(code, [])
            places = spans.setdefault(code, [])
            for noted in found:
                region = _region_around(noted, regions) if regions else None
                places.append(region or Span(noted.start, noted.end))
                if region is None:
                    own.append(self._edit_of(noted))
        for rewrite in self._rewrites:
            span = Span(rewrite.start, rewrite.end)
            around = next((region for region in regions if _is_inside(span, region)), rewrite)
            spans.setdefault(rewrite.code, []).append(Span(around.start, around.end))
            if rewrite in regions:
                edits.setdefault(rewrite.code, []).append(self._edit_of(rewrite))
        fixes = [_fix(code, spans[code], edits.get(code, [])) for code in spans]
        return tuple(sorted(fixes, key=lambda fix: fix.span))

    def _edit_of(self, noted: _Noted | _Rewrite) -> Edit:
        before = self.text[noted.start : noted.end]
        return Edit(span=Span(noted.start, noted.end), before=before, after=noted.after)


_WARNINGS: Final = frozenset(
    {"duplicate-key", "duplicate-parameter", "ambiguous-escape", "ambiguous-parameter", "format-mismatch"}
    | {"call-in-reasoning", "untagged-call"}
)


def _fix(code: str, spans: list[Span], edits: list[Edit]) -> Fix:
    span = Span(min(span.start for span in spans), max(span.end for span in spans))
    ordered = tuple(sorted(edits, key=lambda edit: edit.span))
    assert all(left.span.end <= right.span.start for left, right in pairwise(ordered)), code
    return Fix(code=code, span=span, edits=ordered, is_guess=is_guess(code))


def _outermost(rewrites: list[_Rewrite]) -> list[_Rewrite]:
    kept: list[_Rewrite] = []
    newest_first = reversed(rewrites)  # of two of the same place, the later one was made around the earlier
    for rewrite in sorted(newest_first, key=lambda rewrite: (rewrite.start, -rewrite.end)):
        if not kept or rewrite.start >= kept[-1].end:
            kept.append(rewrite)
    return kept


def _region_around(noted: _Noted, regions: list[_Rewrite]) -> Span | None:
    """The region whose rewrite takes the edit over; None where the edit stands for itself."""
    for region in regions:
        if _takes_over(region, noted):
            return Span(region.start, region.end)
    return None


def _takes_over(region: _Rewrite, noted: _Noted) -> bool:
    span = Span(noted.start, noted.end)
    if noted.opener < 0 or not region.start <= span.start <= region.end:
        return _is_inside(span, region)
    return region.start <= noted.opener or region.unwraps == noted.opener


def _is_inside(span: Span, region: _Rewrite) -> bool:
    if span.start == span.end:  # an insertion at the rim stands beside the region
        return region.start < span.start < region.end
    return region.start <= span.start and span.end <= region.end
