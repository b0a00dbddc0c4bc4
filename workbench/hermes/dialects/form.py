"""What a foreign form is: the tokens around its calls, and how a call is written."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

NOTHING: Final = r"(?!)"
"""Matches nowhere."""
_SPACE: Final = r"\s*+"
_OBJECT: Final = r'\{\s*+"name"\s*+:\s*+"'
"""The start of a JSON call."""
_PYTHON_CALL: Final = r"[\n,;][^\S\n]*+[A-Za-z_][\w.-]*\((?:[A-Za-z_]\w*[^\S\n]*+=[^=]|\))"
"""The start of a Python call after another one."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """One form. All fields but `dialect`, `bodies`, `is_plain` and `trims` are regular expressions."""

    dialect: str
    """A key of `DIALECTS`."""
    opens: str
    """A token that begins the form, or one call in it. No group in it captures."""
    bodies: tuple[str, ...] = ()
    """How its calls are written, tried in this order; empty if the form is only named:

    - `objects`: JSON calls, alone, in an array or in a row
    - `entries`: a JSON array of objects whose only key is the name
    - `named`: `call`, then the JSON arguments
    - `tagged`: `call`, then parameters between tags, or as JSON
    - `pythonic`: Python calls
    - `functions`: the XML form of Qwen3-Coder
    """
    call: str = ""
    """What precedes the arguments of each call. The group `name` is the tool's name, and the group `empty` says that
    there are none."""
    parameter: str = ""
    """The opening tag of a parameter, with the group `name`, and the group `json` if the value is JSON."""
    value_end: str = NOTHING
    """The closing tag of a parameter."""
    trims: bool = False
    """Whether a newline on each side of a value belongs to the tags."""
    closes: str = ""
    """The token that ends each call."""
    ends: str = ""
    """The token that ends the form. It may be missing, unless the text was cut off."""
    result: str = NOTHING
    """The start of a tool result. A call after it rests on a result that the model made up, and is not read."""
    quotes: str = NOTHING
    """A part of the text in which a call is a thought or an example."""
    is_plain: bool = False
    """Whether plain answers contain it too. It then counts only if it names an offered tool."""

    @cached_property
    def patterns(self) -> "Patterns":
        """The compiled expressions."""
        return Patterns(self)


class Patterns:
    """The expressions of a form, each compiled when it is first used.

    Args:
        form: The form.
    """

    def __init__(self, form: Form) -> None:
        self._form = form
        self._closers = "|".join(filter(None, (form.closes, form.ends))) or NOTHING
        has_token = bool(form.call) or not form.is_plain
        self._stop = f"{self._closers}|{form.opens}" if has_token else self._closers

    @cached_property
    def opener(self) -> "re.Pattern[str]":
        """The token that begins the form or a call."""
        return re.compile(self._form.opens)

    @cached_property
    def closer(self) -> "re.Pattern[str]":
        """A token that ends a call or the form."""
        return re.compile(self._closers)

    @cached_property
    def stop(self) -> "re.Pattern[str]":
        """A token that no call extends beyond."""
        return re.compile(self._stop)

    @cached_property
    def stop_or_object(self) -> "re.Pattern[str]":
        """What a repaired string in JSON never contains: `stop`, or the start of another call."""
        return re.compile(f"{self._stop}|{_OBJECT}")

    @cached_property
    def stop_or_call(self) -> "re.Pattern[str]":
        """The same in a Python call."""
        return re.compile(f"{self._stop}|{_PYTHON_CALL}")

    @cached_property
    def call(self) -> "re.Pattern[str]":
        """White space, and what precedes the arguments of a call."""
        return self._after_space(self._form.call)

    @cached_property
    def closes(self) -> "re.Pattern[str]":
        """White space, and the token that ends a call."""
        return self._after_space(self._form.closes)

    @cached_property
    def ends(self) -> "re.Pattern[str]":
        """White space, and the token that ends the form."""
        return self._after_space(self._form.ends)

    @cached_property
    def parameter(self) -> "re.Pattern[str]":
        """White space, and the opening tag of a parameter."""
        return self._after_space(self._form.parameter)

    @cached_property
    def value_end(self) -> "re.Pattern[str]":
        """The closing tag of a parameter."""
        return re.compile(self._form.value_end)

    @cached_property
    def result(self) -> "re.Pattern[str]":
        """The start of a tool result."""
        return re.compile(self._form.result)

    @cached_property
    def quotes(self) -> "re.Pattern[str]":
        """A part of the text in which a call is a thought or an example."""
        return re.compile(self._form.quotes)

    def _after_space(self, expression: str) -> "re.Pattern[str]":
        return re.compile(f"{_SPACE}(?:{expression or NOTHING})")
