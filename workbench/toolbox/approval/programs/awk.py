"""Check of `awk`: a grammar of the part of the language that neither writes, nor runs, nor opens anything."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from workbench.toolbox.approval.programs.rule import Check, ProgramCall
from workbench.toolbox.approval.reason import ApprovalReason

# Everything outside of this grammar needs approval: redirections (`print > "f"`), pipes, `getline`, `system`, `close`,
# `@load`, `@include` and calls by name (`@f()`). `>` is a comparison only where no awk takes it for a redirection:
# outside of `print`, or in parentheses. What awks read differently is not part of it either: a backslash
# at the end of a line, `/` in a bracket expression, and a regular expression after `)`.

_LONGEST: Final = 4_000
_DEEPEST: Final = 60
_FUNCTION_NAMES: Final = (
    "length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper gensub strftime systime "
    "mktime patsplit asort asorti strtonum and or xor lshift rshift compl isarray typeof"
)
_HIDDEN_NAMES: Final = (
    "getline system close fflush ENVIRON PROCINFO ARGV ARGC ARGIND SYMTAB FUNCTAB extension printf print function func switch case default "
    "include load namespace awk"
)
_FUNCTIONS: Final = frozenset(_FUNCTION_NAMES.split())
_HIDDEN: Final = frozenset(_HIDDEN_NAMES.split())
"""Names that no expression may contain. They run or open something, or contain keys or the names of files to open."""
_TOKEN: Final = re.compile(
    r"(?P<blank>[ \t]+|#[^\n]*)|(?P<end>[;\n])|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w.])"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*")|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\*=|\*\*|&&|\|\||\+\+|--|==|!=|<=|>=|!~|[-+*/%^]=|[-+*/%^!<>~?:,=$(){}\[\]])'
)
_REGEX: Final = re.compile(r"/(?:[^/\\\n\[]|\\[^\n]|\[\^?+\]?+(?:[^\]/\\\n\[]|\\[^/\n]|\[:\w+:\])*\])+/")
_BEFORE_REGEX: Final = frozenset({
    "(", ",", "{", "}", ";", "\n", "!", "~", "!~", "&&", "||", "?", ":", "=", "==", "!=", "<", ">", "<=", ">=", "[",
})  # fmt: skip
_BINARY: Final = (
    ("||",), ("&&",), ("in",), ("~", "!~"), ("<", "<=", "==", "!=", ">", ">="), (), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
"""Operators by precedence, the weakest first. The empty level is the concatenation, which has no sign."""
_ASSIGNMENTS: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "^=", "**="})
_STARTS: Final = frozenset({"$", "!", "-", "+", "++", "--"})


class _Token(NamedTuple):
    kind: str
    """`end`, `number`, `string`, `regex`, `name`, `sign`, or `stop` after the last one."""
    text: str


class _RefusedError(Exception):
    """The program is outside of the grammar."""


def is_plain_awk(program: str) -> bool:
    """Whether an awk program only computes, prints and changes its own variables.

    >>> is_plain_awk("$3 > 10 {print $1}")
    True
    >>> is_plain_awk('BEGIN{print "a;" > "f"}')
    False
    """
    if len(program) > _LONGEST:
        return False
    try:
        _Parser(_tokens(program)).program()
    except _RefusedError:
        return False
    return True


def _tokens(program: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while place < len(program):
        before = tokens[-1].text if tokens else "\n"
        if program[place] == "/" and before in _BEFORE_REGEX:
            kind, match = "regex", _REGEX.match(program, place)
        else:
            match = _TOKEN.match(program, place)
            kind = match.lastgroup or "" if match else ""
        if match is None:
            raise _RefusedError
        if kind != "blank":
            tokens.append(_Token(kind, match.group()))
        place = match.end()
    return [*tokens, _Token("stop", "")]


class _Parser:
    """Reads a program by recursive descent."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0
        self._own = {
            right.text
            for left, right in pairwise(tokens)
            if left.text in ("function", "func") and left.kind == "name"
        } - _HIDDEN
        self._in_print = False

    def program(self) -> None:
        """Read all rules and functions."""
        self._skip_ends()
        while not self._at("stop"):
            if self._takes("function") or self._takes("func"):
                self._function()
            elif self._takes("BEGIN") or self._takes("END") or self._is("{"):
                self._block()
            else:
                self._expression()
                if self._takes(","):
                    self._skip_ends()
                    self._expression()
                if self._is("{"):
                    self._block()
                elif not self._at("end") and not self._at("stop"):
                    raise _RefusedError
            self._skip_ends()

    def _function(self) -> None:
        self._name()
        self._expect("(")
        while not self._takes(")"):
            self._name()
            self._takes(",")
            self._skip_ends()
        self._skip_ends()
        self._block()

    def _block(self) -> None:
        self._expect("{")
        self._skip_ends()
        while not self._takes("}"):
            self._statement()
            self._skip_ends()

    def _statement(self) -> None:
        self._enter()
        if self._is("{"):
            self._block()
        elif self._takes("if"):
            self._condition()
            self._statement()
            place = self._place
            self._skip_ends()
            if self._takes("else"):
                self._skip_ends()
                self._statement()
            else:
                self._place = place
        elif self._takes("while"):
            self._condition()
            if not self._takes(";"):
                self._statement()
        elif self._takes("do"):
            self._skip_ends()
            self._statement()
            self._skip_ends()
            self._expect("while")
            self._condition()
        elif self._takes("for"):
            self._for()
        else:
            self._simple()
            if not (self._at("end") or self._is("}") or self._at("stop")):
                raise _RefusedError
        self._depth -= 1

    def _condition(self) -> None:
        self._expect("(")
        self._expression()
        self._expect(")")
        self._skip_lines()

    def _for(self) -> None:
        self._expect("(")
        for end in (";", ";", ")"):
            if not self._is(end):
                self._simple()
            if end == ";" and self._is(")"):  # for (name in array)
                break
            if end == ";":
                self._expect(";")
                self._skip_lines()
        self._expect(")")
        self._skip_lines()
        if not self._takes(";"):
            self._statement()

    def _simple(self) -> None:
        if self._takes("print") or self._takes("printf"):
            self._in_print = True
            if not (self._at("end") or self._is("}") or self._at("stop")):
                self._list()
            self._in_print = False
        elif any(map(self._takes, ("next", "nextfile", "break", "continue"))):
            return
        elif self._takes("exit") or self._takes("return"):
            if not (self._at("end") or self._is("}") or self._at("stop")):
                self._expression()
        elif self._takes("delete"):
            self._primary()
        else:
            self._expression()

    def _list(self) -> None:
        self._expression()
        while self._takes(","):
            self._skip_lines()
            self._expression()

    def _expression(self) -> None:
        """Read an assignment or a condition. Whether its left side can be assigned is left to awk."""
        self._enter()
        self._binary(0)
        if self._takes("?"):
            self._skip_lines()
            self._expression()
            self._expect(":")
            self._skip_lines()
            self._expression()
        elif self._tokens[self._place].text in _ASSIGNMENTS:
            self._place += 1
            self._skip_lines()
            self._expression()
        self._depth -= 1

    def _binary(self, level: int) -> None:
        if level == len(_BINARY):
            self._unary()
            return
        self._binary(level + 1)
        operators = _BINARY[level]
        while True:
            text = self._tokens[self._place].text
            if not operators and self._starts_operand():
                self._binary(level + 1)
            elif text in operators and self._tokens[self._place].kind in ("sign", "name"):
                if text == ">" and self._in_print:
                    raise _RefusedError
                self._place += 1
                self._skip_lines()
                self._binary(level + 1)
            else:
                return

    def _starts_operand(self) -> bool:
        token = self._tokens[self._place]
        is_word = token.kind == "name" and token.text not in ("in", "else", "while")
        return token.kind in ("number", "string") or is_word or token.text in ("(", "$", "++", "--")

    def _unary(self) -> None:
        self._enter()
        while self._tokens[self._place].text in _STARTS and self._at("sign"):
            self._place += 1
        self._primary()
        while self._takes("++") or self._takes("--"):
            pass
        if self._takes("^") or self._takes("**"):
            self._unary()
        self._depth -= 1

    def _primary(self) -> None:
        token = self._tokens[self._place]
        self._place += 1
        if token.kind in ("number", "string", "regex"):
            return
        if token.text == "(" and token.kind == "sign":
            self._group()
        elif token.kind == "name" and token.text not in _HIDDEN:
            if self._is("(") and token.text not in _FUNCTIONS | self._own:
                # `x (y)` is a concatenation, but a call of an unknown function looks nearly the same.
                raise _RefusedError
            if self._takes("("):
                if not self._is(")"):
                    self._group()
                else:
                    self._expect(")")
            elif self._takes("["):
                self._list()
                self._expect("]")
        else:
            raise _RefusedError

    def _group(self) -> None:
        was_in_print, self._in_print = self._in_print, False
        self._skip_lines()
        self._list()
        self._skip_lines()
        self._in_print = was_in_print
        self._expect(")")

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError

    def _at(self, kind: str) -> bool:
        return self._tokens[self._place].kind == kind

    def _is(self, text: str) -> bool:
        token = self._tokens[self._place]
        return token.text == text and token.kind not in ("string", "regex")

    def _takes(self, text: str) -> bool:
        is_here = self._is(text)
        self._place += is_here
        return is_here

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise _RefusedError

    def _name(self) -> None:
        if not self._at("name") or self._tokens[self._place].text in _HIDDEN | _FUNCTIONS:
            raise _RefusedError
        self._place += 1

    def _skip_ends(self) -> None:
        while self._at("end"):
            self._place += 1

    def _skip_lines(self) -> None:
        while self._is("\n"):
            self._place += 1


def check_awk(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `awk` with a program of the grammar above, `-F` and `-v`, and files that may be read."""
    words = list(call.words)
    if not all(word.is_known for word in words):
        return [call.unknown()]
    while words and words[0].text.startswith("-"):
        option = words.pop(0).text
        if option in ("-F", "-v") and words and words[0].is_fixed:
            option += words.pop(0).text
        is_separator = re.fullmatch(r"-F.{1,20}", option)
        if not (is_separator or re.fullmatch(r"-v[a-z]\w*=[\w.,:;/ -]*", option)):
            return [call.unknown()]
    if not words or not words[0].is_fixed or not is_plain_awk(words[0].text):
        return [call.unknown()]
    doubts = [call.unknown(word) for word in words[1:] if word.may_be_option]
    return [*doubts, *(doubt for word in words[1:] if (doubt := call.paths.reading(word)))]


CHECKS: Final[Mapping[str, Check]] = dict.fromkeys(("awk", "gawk", "mawk", "nawk"), check_awk)
