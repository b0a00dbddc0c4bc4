"""Find where the value of a `<parameter=…>` ends.

Idea. The form has no escapes, so a value may contain its tags. Tags inside a value usually come in pairs: a value that
documents the format contains a whole call, and all of it belongs to the value. So the search keeps a list of what was
opened inside the value. A `</parameter>` that closes nothing opened there ends the value if what follows fits.

Tags that do not pair up are compared with the other readings of the text. `first` is the place where the value ends if
tags inside of it open nothing: in `Write <parameter=name> first.</parameter></function>` the opening tag is a mere
word, and `</function>`, which also closes nothing inside the value, proves it. If the text ends before anything is
proved, `first` is a guess, and the value is reported as `ambiguous-end`. If calls follow that may be examples inside
the value, or if the text was cut off, there is no end: the call counts as truncated, and so nothing in it is run.

This call made the rule necessary. Its value is all of the lines between the outer `<parameter=…>` and its closing tag:

    <function=write_file>
    <parameter=content>
    <tool_call>
    <function=bash>
    <parameter=command>
    ls
    </parameter>
    </function>
    </tool_call>
    </parameter>
    </function>
"""

import re
from typing import Final, NamedTuple

from workbench.hermes.marks import DRIFTED_CLOSE, FUNCTION_OPEN, VALUE_EVENT
from workbench.hermes.text.completion import BodyText, Completion, UnreadableBody

_RESTART: Final = re.compile(r"\s*+<(?i:tool_call)>\s*+(?:[{\[]|<function)")
_TAG_AFTER_TEXT: Final = re.compile(r"[^<]*+(?:(?P<closes></function>)|<parameter=(?P<parameter>[^<>\n]*)>)")
"""Text outside of parameters and the tag after it."""
_AFTER_FUNCTION: Final = re.compile(r"\s*+(?:\Z|</?(?i:tool_call)>|<function=|<\||```)")
"""What may follow the closing tag of a function."""
_LONGEST_INDENT: Final = 200


class ValueEnd(NamedTuple):
    """Where a value ends."""

    start: int
    """Position of the closing tag, or where it should be."""
    end: int
    """Position after the closing tag."""
    code: str = ""
    """Code of the fix or finding, or empty if the closing tag is correct."""
    holds_tag: bool = False
    """Whether the value contains tags of the form."""
    is_doubtful: bool = False
    """Whether the value may as well end somewhere else, because the tags inside do not pair up."""
    meets_end: bool = False
    """Whether the search went to the end of the text."""


class _Opened:
    """Elements that were opened inside a value and not closed yet."""

    __slots__ = ("functions", "is_untidy", "kinds", "parameters", "tool_calls", "tools")

    def __init__(self) -> None:
        self.kinds: list[str] = []
        """From the outside in."""
        self.tools: list[str] = []
        """Name of the tool of each function, from the outside in."""
        self.parameters = self.functions = self.tool_calls = 0
        self.is_untidy = False
        """Whether an element had no closing tag of its own, but an outer one did."""

    def close(self, kind: str) -> None:
        """Close the innermost element of this kind, which must be open, and all inside of it."""
        while True:
            closed = self.kinds.pop()
            if closed == "parameter":
                self.parameters -= 1
            elif closed == "function":
                self.functions -= 1
                self.tools.pop()
            else:
                self.tool_calls -= 1
            if closed == kind:
                return
            self.is_untidy = True


def value_end(
    source: BodyText, start: int, tool: str, completion: Completion, *, looks_far: bool = True
) -> ValueEnd:
    """Find the end of the value that starts at `start`, after its opening tag.

    Args:
        source: Where the value may end.
        start: Position after the opening tag.
        tool: Name of the tool whose parameter it is.
        completion: Says which parameters a tool declares, and notes whether more text may change the result.
        looks_far: False takes the first place where the value may end, so that a call with thousands of values that do
            not end for certain is not read to its end for each of them.

    Raises:
        UnreadableBody: The text ends before the value, or a new call starts.
    """
    event = VALUE_EVENT.search(source.text, start, source.end)
    if event and event.lastgroup == "ends":
        return ValueEnd(event.start(), event.end())
    first_tag = event.start() if event else source.end  # so that a long text before it is searched once
    opened = _Opened()
    first: ValueEnd | None = None
    loose: ValueEnd | None = None  # at a `</function>` with text after it
    holds_tag = is_closed = is_sibling = has_call_after = False
    for event in VALUE_EVENT.finditer(source.text, first_tag, source.end):
        kind, place = event.lastgroup, event.start()
        if kind in ("parameter", "line"):
            name = event["parameter"]
            if opened.functions:
                is_sibling |= first is not None and _belongs(completion, name, tool, opened.tools[-1])
            elif kind == "line" and first is None and _declares(completion, tool, name):
                line_start = _line_start(source.text, start, place)
                if line_start >= 0:
                    first = _sooner_end(source, start, line_start, "ambiguous-parameter", holds_tag)
            opened.kinds.append("parameter")
            opened.parameters += 1
        elif kind == "ends" or kind is None:
            fits = kind == "ends" or _is_text_after(source, event.end(), tool, completion)
            if fits and not opened.parameters:
                is_doubtful = opened.is_untidy or opened.functions > 0
                is_doubtful |= is_closed or loose is not None or bool(first and first.code)
                return ValueEnd(place, event.end(), "", holds_tag, is_doubtful)
            if fits and first is None:
                first = ValueEnd(place, event.end(), "", holds_tag, opened.functions > 0)
                if not looks_far:
                    return first._replace(is_doubtful=True)
            if opened.parameters:
                opened.close("parameter")
        elif kind == "opens":
            opened.kinds.append("function")
            opened.tools.append(_name_at(source, place))
            opened.functions += 1
            has_call_after |= first is not None
        elif kind == "closes" and opened.functions:
            opened.close("function")
        elif kind == "closes":
            if _AFTER_FUNCTION.match(source.text, event.end(), source.end):
                return first or _sooner_end(source, start, place, "missing-close-parameter", holds_tag)
            loose = loose or _sooner_end(source, start, place, "missing-close-parameter", holds_tag)
        elif not event["tag"].startswith("/"):
            opened.kinds.append("tool_call")
            opened.tool_calls += 1
            has_call_after |= first is not None
        elif opened.tool_calls:
            opened.close("tool_call")
        else:
            if not (first and first.is_doubtful) and _RESTART.match(source.text, event.end(), source.end):
                if end := first or loose:
                    return end
                raise UnreadableBody(place)
            is_closed |= first is not None
        holds_tag = True
    completion.has_met_end = True
    may_be_example = completion.is_cut or (has_call_after and not is_sibling)
    if first and first.is_doubtful and not is_closed and may_be_example:
        first = None
    end = first or loose
    if end is None:
        raise UnreadableBody(source.end, is_over=True, is_in_string=True)
    completion.spend(source.end - start)
    return end._replace(is_doubtful=end.is_doubtful or end is loose, meets_end=True)


def _declares(completion: Completion, tool: str, written: str) -> bool:
    return completion.declares(tool, written.strip("\"'"))


def _belongs(completion: Completion, written: str, tool: str, inner: str) -> bool:
    """Return whether a parameter is one of `tool`, and not of a function `inner` inside its value."""
    return _declares(completion, tool, written) and not _declares(completion, inner, written)


def _name_at(source: BodyText, position: int) -> str:
    tag = FUNCTION_OPEN.match(source.text, position, source.end)
    return tag.group(1).strip("\"' ") if tag else ""


def _is_text_after(source: BodyText, position: int, tool: str, completion: Completion) -> bool:
    """Return whether the text after a `</parameter>` is outside of parameters, and not the rest of the value.

    It is if the next tag of the form is not another `</parameter>`: in `a </parameter> b </parameter>` the first tag
    belongs to the value.
    """
    tag = _TAG_AFTER_TEXT.match(source.text, position, source.end)
    return tag is not None and (tag["closes"] is not None or _declares(completion, tool, tag["parameter"]))


def _line_start(text: str, start: int, position: int) -> int:
    """Return the start of the line if only white space comes before `position` on it, otherwise -1."""
    line = text.rfind("\n", max(start, position - _LONGEST_INDENT), position) + 1
    return line if line and not text[line:position].strip() else -1


def _sooner_end(source: BodyText, start: int, end: int, code: str, holds_tag: bool) -> ValueEnd:  # noqa: FBT001
    drifted = DRIFTED_CLOSE.search(source.text, start, end)
    if drifted:
        return ValueEnd(drifted.start(), end, "drifted-close-parameter", holds_tag)
    return ValueEnd(end, end, code, holds_tag)
