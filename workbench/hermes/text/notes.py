"""Fixes and findings of one block, collected while it is parsed.

A fix consists of small edits, or of a rewrite that replaces a whole region. Edits inside a rewritten region are
dropped, because the rewrite already contains their effect, but their codes stay.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from workbench.chat.finding import Edit, Finding, Fix, Severity, Span
from workbench.hermes.codes import is_guess, meaning_of

REFUSING: Final = frozenset({"non-finite-number", "leading-zero", "lone-surrogate"})
"""Findings that prevent a JSON body from giving a call."""


class _Rewrite(NamedTuple):
    code: str
    start: int
    end: int
    after: str
    unwraps: int
    """Start of the container whose end this rewrite deletes, or -1."""


class _Noted(NamedTuple):
    start: int
    end: int
    after: str
    opener: int = -1
    """For a missing bracket, comma or tag: start of the container that it belongs to. -1 for other edits."""


class _NotedRange(NamedTuple):
    start: int
    end: int
    message: str


def finding_of(code: str, start: int, end: int, message: str = "") -> Finding:
    """Return a finding at `[start, end)`. Without a message, it gets the code's meaning."""
    severity = Severity.WARNING if code in _WARNINGS else Severity.ERROR
    return Finding(code=code, message=message or meaning_of(code), severity=severity, span=Span(start, end))


class BlockNotes:
    """The fixes and findings of one block, stray tag or fence. Spans refer to `text`."""

    __slots__ = ("_edits", "_guesses", "_places", "_refusals", "_reported", "_rewrites", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._reported: dict[str, _NotedRange] = {}
        self._edits: dict[str, list[_Noted]] = {}
        self._guesses: set[str] = set()
        self._places: dict[str, list[Span]] = {}
        self._rewrites: list[_Rewrite] = []
        self._refusals: list[Span] = []

    def edit(self, code: str, start: int, end: int, after: str) -> None:
        """Record an edit that replaces `[start, end)` by `after`."""
        known = self._edits.get(code)
        if known is None:
            known = self._edits[code] = []
        known.append(_Noted(start, end, after))

    def insert(self, code: str, opener: int, position: int, after: str) -> None:
        """Record that `after` is missing at `position`.

        Args:
            opener: Start of the container that the missing bracket, comma or tag belongs to.
        """
        self._edits.setdefault(code, []).append(_Noted(position, position, after, opener))

    def edit_once(self, code: str, start: int, end: int, after: str) -> None:
        """Record an edit, unless one with this code was recorded at or after `start`. A text may be read twice."""
        known = self._edits.get(code)
        if not known or known[-1].start < start:
            self.edit(code, start, end, after)

    def mark(self, code: str, start: int, end: int, *, is_guess: bool = False) -> None:
        """Record a fix without an edit of its own, because the edit of another fix contains it.

        Args:
            is_guess: Whether the fix is a guess although others with its code are not.
        """
        self._places.setdefault(code, []).append(Span(start, end))
        if is_guess:
            self._guesses.add(code)

    def rewrite(self, code: str, start: int, end: int, after: str, *, unwraps: int = -1) -> None:
        """Record that all of `[start, end)` is replaced by `after`. Other edits inside are dropped.

        Args:
            unwraps: If the rewrite deletes the end of a container, the start of that container. An edit that adds its
                missing bracket is dropped as well.
        """
        self._rewrites.append(_Rewrite(code, start, end, after, unwraps))

    def report(self, code: str, start: int, end: int, message: str = "") -> None:
        """Record a finding. If the code was recorded before, only its span is extended."""
        if code in REFUSING:
            self._refusals.append(Span(start, end))
        known = self._reported.get(code)
        if known:
            start, end, message = min(known.start, start), max(known.end, end), known.message
        self._reported[code] = _NotedRange(start, end, message)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One finding per code, in the order in which they were first recorded."""
        return tuple(finding_of(code, *noted) for code, noted in self._reported.items())

    def absorb(self, inner: "BlockNotes", start: int, end: int) -> None:
        """Add the codes of a decoded text, all at `[start, end)`, the position of the encoded text."""
        for code in inner.fix_codes:
            self.mark(code, start, end)
        for code, noted in inner._reported.items():
            self.report(code, start, end, noted.message)

    def extend(self, other: "BlockNotes") -> None:
        """Add all notes of `other`, which refer to the same text."""
        for code, edits in other._edits.items():
            self._edits.setdefault(code, []).extend(edits)
        for code, places in other._places.items():
            self._places.setdefault(code, []).extend(places)
        self._rewrites.extend(other._rewrites)
        self._guesses |= other._guesses
        for code, noted in other._reported.items():
            self.report(code, *noted)

    def has_refused(self, start: int, end: int) -> bool:
        """Return whether a finding inside `[start, end)` prevents a JSON body from giving a call."""
        return any(start <= span.start and span.end <= end for span in self._refusals)

    @property
    def fix_codes(self) -> frozenset[str]:
        """The codes of all fixes so far."""
        return frozenset(self._edits) | frozenset(self._places) | {rewrite.code for rewrite in self._rewrites}

    def has_reported(self, codes: Iterable[str]) -> bool:
        """Return whether a finding with one of `codes` was recorded."""
        return not self._reported.keys().isdisjoint(codes)

    def all_edits(self) -> list[Edit]:
        """Return all edits and rewrites, sorted by position. They do not overlap."""
        return sorted((edit for fix in self.fixes() for edit in fix.edits), key=lambda edit: edit.span)

    def fixes(self) -> tuple[Fix, ...]:
        """Return one fix per code, sorted by position."""
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
        fixes = [_fix(code, spans[code], edits.get(code, []), self._guesses) for code in spans]
        return tuple(sorted(fixes, key=lambda fix: fix.span))

    def _edit_of(self, noted: _Noted | _Rewrite) -> Edit:
        before = self.text[noted.start : noted.end]
        return Edit(span=Span(noted.start, noted.end), before=before, after=noted.after)


_WARNINGS: Final = frozenset(
    {"duplicate-key", "duplicate-parameter", "ambiguous-escape", "ambiguous-parameter", "format-mismatch"}
    | {"call-in-reasoning", "untagged-call", "unknown-member", "partial-list"}
    | {"ambiguous-end", "ambiguous-value"}
)


def _fix(code: str, spans: list[Span], edits: list[Edit], guesses: set[str]) -> Fix:
    span = Span(min(span.start for span in spans), max(span.end for span in spans))
    ordered = tuple(sorted(edits, key=lambda edit: edit.span))
    assert all(left.span.end <= right.span.start for left, right in pairwise(ordered)), code
    return Fix(code=code, span=span, edits=ordered, is_guess=is_guess(code) or code in guesses)


def _outermost(rewrites: list[_Rewrite]) -> list[_Rewrite]:
    outermost: list[_Rewrite] = []
    newest_first = reversed(
        rewrites
    )  # of two rewrites of the same region, the later one contains the earlier
    for rewrite in sorted(newest_first, key=lambda rewrite: (rewrite.start, -rewrite.end)):
        if not outermost or rewrite.start >= outermost[-1].end:
            outermost.append(rewrite)
    return outermost


def _region_around(noted: _Noted, regions: list[_Rewrite]) -> Span | None:
    """Return the rewritten region that contains the edit, or None if the edit is applied itself."""
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
    if span.start == span.end:  # an insertion at the edge of the region is outside of it
        return region.start < span.start < region.end
    return region.start <= span.start and span.end <= region.end
