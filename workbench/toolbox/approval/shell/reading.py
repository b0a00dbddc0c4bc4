"""Parse shell text with the grammar of tree-sitter-bash, and accept only what every shell reads the same way.

The tree alone proves nothing: the grammar is tolerant and describes Bash, but dash may run the text. In `ls &> out -la`
dash ends the command at `&`. In `ls > out -la` the grammar takes `-la` for another file. Bytes that the grammar skips
belong to no node. So each leaf must match a strict pattern, only blanks may be between two leaves, and a node of a kind
that is not handled here is a problem, which means that a person is asked.

The invariant: in a script without a problem, every byte belongs to a command that is returned.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from workbench.toolbox.approval.shell.words import (
    COMPOUND,
    Command,
    RawWord,
    Redirection,
    ShellScript,
    VariableAssignment,
    WordPiece,
    character_problem,
    is_plain_name,
    plain_pieces,
    unescaped,
)

_AMBIGUOUS: Final = "shell syntax that not every shell reads the same way"
_DEEPEST: Final = 40
_MOST_COMMANDS: Final = 300
_PLAIN: Final = re.compile(r"(?!#)(?:[\w@%+=:,./^~*?!#\[\]{}-]|\\[^\n])+")
_QUOTED: Final = re.compile(r'(?:[^"\\$`]|\\.)*', re.DOTALL)
_BETWEEN: Final = re.compile(r"(?:[ \t\n]|(?<=[ \t\n])\\\n)*")
_WITHIN_LINE: Final = re.compile(r"(?:[ \t]|(?<=[ \t])\\\n)*")
_HEREDOC_WORD: Final = re.compile(r"'(\w+)'|\"(\w+)\"|(\w+)")
_PARAMETER: Final = re.compile(r"\$\{[A-Za-z_]\w*(?:(?:%%?|##?)[\w.*/?-]+)?\}|\$\{#[A-Za-z_]\w*\}")
_ARITHMETIC: Final = re.compile(r"\$\(\([0-9 +*/%()-]+\)\)")
_OPERATORS: Final = frozenset({"&&", "||", "|", ";"})
_WORDS: Final = frozenset({
    "word", "number", "raw_string", "string", "concatenation", "simple_expansion", "expansion", "command_substitution",
    "arithmetic_expansion",
})  # fmt: skip
_TESTS: Final = frozenset(
    {"unary_expression", "binary_expression", "negation_expression", "test_operator", "!", "=", "==", "!="}
)


def read_script(text: str) -> ShellScript:
    """Parse shell text into its commands. If anything is uncertain, return only the problem.

    >>> [command.words[0][0].text for command in read_script("ls | wc -l").commands]
    ['ls', 'wc']
    >>> read_script("f() { ls; }").problem
    'unsupported shell syntax: function_definition'
    """
    if problem := character_problem(text):
        return ShellScript(problem=problem)
    source = text.encode()
    tree = _parser().parse(source)
    if tree.root_node.has_error:
        return ShellScript(problem="shell syntax that cannot be parsed")
    reader = _Reader(source)
    try:
        reader.read(tree.root_node)
    except _UnreadableError as error:
        return ShellScript(problem=str(error))
    return ShellScript(commands=tuple(reader.commands), bindings=reader.bindings)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _UnreadableError(Exception):
    """The text is outside of the accepted subset of the shell language."""


class _Reader:
    """Walks the syntax tree of one script.

    Args:
        source: The text as bytes, because the positions of nodes count bytes.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.commands: list[Command] = []
        self.bindings: dict[str, Sequence[RawWord]] = {}

    def read(self, root: Node) -> None:
        """Collect all commands.

        Raises:
            _UnreadableError: Something is outside of the accepted subset.
        """
        self._check_gaps(root)
        self._statement(root, 0)

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode()

    def _between(self, left: Node, right: Node) -> str:
        return self._source[left.end_byte : right.start_byte].decode()

    def _check_gaps(self, root: Node) -> None:
        """Check that only blanks, and text inside of double quotes, are outside of the leaves."""
        end, was_in_string = 0, False
        for leaf, is_in_string in _leaves(root):
            pattern = _QUOTED if was_in_string and is_in_string else _BETWEEN
            if not self._is_gap(end, leaf.start_byte, pattern):
                raise _UnreadableError(_AMBIGUOUS)
            end, was_in_string = leaf.end_byte, is_in_string
        if self._source[end:].strip(b" \t\n"):
            raise _UnreadableError("shell syntax that cannot be parsed")

    def _statement(self, node: Node, depth: int) -> None:
        if depth > _DEEPEST or len(self.commands) > _MOST_COMMANDS:
            raise _UnreadableError("too many or too deeply nested commands")
        if node.type in COMPOUND:
            self._compound(node, depth)
        elif node.type == "comment":
            self._comment(node)
        elif node.type == "command":
            self._command(node, (), depth)
        elif node.type == "redirected_statement":
            self._redirected(node, depth)
        elif node.type == "for_statement":
            self._for(node, depth)
        elif node.type == "test_command":
            self.commands.append(Command(words=tuple(self._test_words(node, depth))))
        elif node.type == "variable_assignment":
            assignment = self._assignment(node, depth)
            self._bind(assignment.name, [assignment.value])
        elif node.type == "declaration_command":
            self._export(node, depth)
        else:
            raise _unsupported(node)

    def _compound(self, node: Node, depth: int) -> None:
        for before, child in zip((None, *node.children), node.children, strict=False):
            if before is not None and child.type in _OPERATORS and "\n" in self._between(before, child):
                raise _unsupported(child)
            if child.is_named:
                self._statement(child, depth + 1)
            elif child.type not in COMPOUND[node.type]:
                raise _unsupported(child)

    def _comment(self, node: Node) -> None:
        before = self._source[node.start_byte - 1 : node.start_byte] if node.start_byte else b"\n"
        if before not in (b" ", b"\t", b"\n", b";") or self._source[
            node.end_byte : node.end_byte + 1
        ] not in (b"", b"\n"):
            raise _unsupported(node)

    def _command(self, node: Node, redirections: Sequence[Redirection], depth: int) -> None:
        words: list[RawWord] = []
        assignments: list[VariableAssignment] = []
        redirects = list(redirections)
        index = len(self.commands)  # before the commands of substitutions, which are added with the words
        self._check_line(node.children)
        for child in node.children:
            if child.type == "command_name":
                words.append(self._word(child.children[0], depth))
            elif child.type == "variable_assignment":
                assignments.append(self._assignment(child, depth))
            elif child.type == "file_redirect":
                redirects.append(self._redirection(child, depth))
            else:
                words.append(self._word(child, depth))
        command = Command(words=tuple(words), redirections=tuple(redirects), assignments=tuple(assignments))
        self.commands.insert(index, command)

    def _check_line(self, children: Sequence[Node]) -> None:
        """Check that the words of a command are on one line, with blanks between them."""
        for left, right in pairwise(children):
            is_joined = left.end_byte == right.start_byte
            if is_joined and "redirect" not in left.type and "redirect" not in right.type:
                raise _UnreadableError(_AMBIGUOUS)
            if not self._is_gap(left.end_byte, right.start_byte, _WITHIN_LINE):
                raise _UnreadableError(_AMBIGUOUS)

    def _is_gap(self, start: int, end: int, pattern: re.Pattern[str]) -> bool:
        """Whether the text between two positions matches a pattern for blanks, which may look at the byte before it."""
        if start == end:
            return True
        text = self._source[max(start - 1, 0) : end].decode("utf-8", "replace")
        return pattern.fullmatch(text, min(start, 1)) is not None

    def _redirected(self, node: Node, depth: int) -> None:
        body, *redirects = node.children
        self._check_line([body, *redirects])
        redirections = [self._redirection(child, depth) for child in redirects]
        if body.type == "command":
            self._command(body, redirections, depth)
        else:
            if body.type.endswith("redirect"):
                redirections.insert(0, self._redirection(body, depth))
            else:
                self._statement(body, depth + 1)
            self.commands.append(Command(words=(), redirections=tuple(redirections)))

    def _redirection(self, node: Node, depth: int) -> Redirection:
        if node.type == "heredoc_redirect":
            return self._heredoc(node, depth)
        if node.type == "herestring_redirect" and [child.type for child in node.children[:-1]] == ["<<<"]:
            self._check_line([*node.children[1:]])
            self._word(node.children[-1], depth)
            return Redirection("<<", ())
        if node.type != "file_redirect":
            raise _unsupported(node)
        parts = [child for child in node.children if child.type != "file_descriptor"]
        if len(parts) != 2 or parts[0].is_named:
            # `ls > file -la`: the grammar takes `-la` for another file.
            raise _UnreadableError("arguments after a redirection")
        operator, target = parts
        if operator.type == ">&" and self._text(target) in ("1", "2"):
            return Redirection(">", (WordPiece("quoted", "/dev/null"),))
        if operator.type not in (">", ">>", "<", "&>") or "\n" in self._between(operator, target):
            raise _unsupported(operator)
        following = self._source[node.end_byte :].lstrip(b" \t")[:1]
        if operator.type == "&>" and following not in (b"", b"\n", b";", b"|"):
            # `ls &> file -la`: dash ends the command at `&`, so the rest would be a command of its own.
            raise _unsupported(operator)
        return Redirection(operator.type, self._word(target, depth))

    def _heredoc(self, node: Node, depth: int) -> Redirection:
        """Read a here-document without expansions, whose end is where a plain search for the end word finds it."""
        kinds = [child.type for child in node.children]
        if kinds[:2] != ["<<", "heredoc_start"] or kinds[-1] != "heredoc_end":
            raise _unsupported(node)
        start, end = node.children[1], node.children[-1]
        match = _HEREDOC_WORD.fullmatch(self._text(start))
        between = node.children[2:-1]
        redirect = next((child for child in between if child.type == "file_redirect"), None)
        if match is None or any(child.type not in ("file_redirect", "heredoc_body") for child in between):
            raise _unsupported(node)
        line_end = redirect.end_byte if redirect else start.end_byte
        blanks, newline, rest = self._source[line_end:].partition(b"\n")
        body_start = line_end + len(blanks) + 1
        word = next(group for group in match.groups() if group).encode()
        end_match = re.search(rb"^" + word + rb"$", rest, re.MULTILINE)
        if (
            blanks.strip(b" \t")
            or not newline
            or end_match is None
            or body_start + end_match.start() != end.start_byte
        ):
            raise _unsupported(node)
        if match.group(3) and re.search(rb"[$`\\]", rest[: end_match.start()]):
            raise _UnreadableError("a here-document with expansions")
        if redirect:
            self.commands.append(Command(words=(), redirections=(self._redirection(redirect, depth),)))
        return Redirection("<<", ())

    def _for(self, node: Node, depth: int) -> None:
        if [child.type for child in node.children[:3]] != ["for", "variable_name", "in"]:
            raise _unsupported(node)
        *values, group = node.children[3:]
        while values and values[-1].type in (";", "\n"):
            values.pop()
        self._check_line([*node.children[:3], *values])
        self._bind(self._text(node.children[1]), [self._word(value, depth) for value in values])
        self._statement(group, depth + 1)

    def _bind(self, name: str, values: Sequence[RawWord]) -> None:
        if not is_plain_name(name):
            raise _UnreadableError(f"an assignment to {name[:40]}")
        self.bindings[name] = (*self.bindings.get(name, ()), *values)

    def _export(self, node: Node, depth: int) -> None:
        """Read `export NAME=value`, which is checked like a variable that is set for a command."""
        first, *rest = node.children
        if first.type != "export" or not rest or any(child.type != "variable_assignment" for child in rest):
            raise _unsupported(node)
        self._check_line(node.children)
        assignments = tuple(self._assignment(child, depth) for child in rest)
        self.commands.append(Command(words=(), assignments=assignments))

    def _assignment(self, node: Node, depth: int) -> VariableAssignment:
        kinds = [child.type for child in node.children]
        if kinds[:2] != ["variable_name", "="] or len(kinds) > 3:
            raise _unsupported(node)
        value = self._word(node.children[2], depth) if len(kinds) == 3 else ()
        return VariableAssignment(self._text(node.children[0]), value)

    def _test_words(self, node: Node, depth: int) -> Iterator[RawWord]:
        """Yield the words of `[ … ]`, and of `[[ … ]]` if it means the same to a shell where `[[` is a program."""
        for child in node.children:
            if child.type in _TESTS and child.child_count:
                yield from self._test_words(child, depth)
            elif (
                child.type in _TESTS
                or child.type in ("[", "]", "[[", "]]")
                or (child.type == "extglob_pattern" and re.fullmatch(r"[\w.*/-]+", self._text(child)))
            ):
                yield (WordPiece("quoted", self._text(child)),)
            else:
                yield self._word(child, depth)

    def _word(self, node: Node, depth: int) -> RawWord:
        return tuple(self._pieces(node, depth + 1))

    def _pieces(self, node: Node, depth: int) -> Iterator[WordPiece]:
        if depth > _DEEPEST:
            raise _UnreadableError("too many or too deeply nested commands")
        text = self._text(node)
        if node.type in ("word", "number") and not node.child_count:
            if not _PLAIN.fullmatch(text):
                raise _UnreadableError(f"unsupported shell syntax in {text[:40]!r}")
            yield from plain_pieces(text)
        elif node.type == "raw_string":
            if text.count("'") != 2 or not text.startswith("'") or not text.endswith("'"):
                raise _unsupported(node)
            yield WordPiece("quoted", text[1:-1])
        elif node.type == "concatenation":
            for left, right in pairwise(node.children):
                if left.end_byte != right.start_byte:
                    raise _unsupported(node)
            for child in node.children:
                yield from self._pieces(child, depth + 1)
        elif node.type == "string":
            yield from self._string(node, depth)
        else:
            yield self._expansion(node, depth, is_quoted=False)

    def _string(self, node: Node, depth: int) -> Iterator[WordPiece]:
        first, *children, last = node.children
        if self._text(first) != '"' or self._text(last) != '"':
            raise _unsupported(node)
        place = first.end_byte
        for child in children:
            yield WordPiece("quoted", unescaped(self._source[place : child.start_byte].decode()))
            if child.type == "string_content":
                if not _QUOTED.fullmatch(self._text(child)):
                    raise _unsupported(child)
                yield WordPiece("quoted", unescaped(self._text(child)))
            else:
                yield self._expansion(child, depth, is_quoted=True)
            place = child.end_byte
        yield WordPiece("quoted", unescaped(self._source[place : last.start_byte].decode()))

    def _expansion(self, node: Node, depth: int, *, is_quoted: bool) -> WordPiece:
        text = self._text(node)
        if node.type == "command_substitution":
            return self._substitution(node, depth)
        if node.type == "simple_expansion" and re.fullmatch(r"\$(?:[A-Za-z_]\w*|[0-9?#$!@*])", text):
            return WordPiece("quoted variable" if is_quoted else "variable", text[1:])
        if node.type == "expansion" and _PARAMETER.fullmatch(text):
            if re.fullmatch(r"\$\{[A-Za-z_]\w*\}", text):
                return WordPiece("quoted variable" if is_quoted else "variable", text[2:-1])
            return WordPiece("unknown", text)
        if node.type == "process_substitution" and node.children[0].type == "<(" and not is_quoted:
            self._inside(node.children[1:-1], depth)
            return WordPiece("quoted", "/dev/fd/9")
        if node.type == "arithmetic_expansion" and _ARITHMETIC.fullmatch(text):
            return WordPiece("unknown", text)
        raise _unsupported(node)

    def _substitution(self, node: Node, depth: int) -> WordPiece:
        opening, *inside, closing = node.children
        signs = (self._text(opening), self._text(closing))
        if signs not in (("$(", ")"), ("`", "`")) or (signs[0] == "`" and "\\" in self._text(node)):
            raise _unsupported(node)
        self._inside(inside, depth)
        return WordPiece("unknown", self._text(node))

    def _inside(self, children: Sequence[Node], depth: int) -> None:
        """Read the commands of a substitution. `$(< file)` has only a redirection."""
        for child in children:
            if child.type == "file_redirect":
                self.commands.append(Command(words=(), redirections=(self._redirection(child, depth),)))
            elif child.is_named:
                self._statement(child, depth + 1)
            elif child.type not in (";", "\n"):
                raise _unsupported(child)


def _unsupported(node: Node) -> _UnreadableError:
    return _UnreadableError(f"unsupported shell syntax: {node.type.strip() or 'line break'}"[:80])


def _leaves(root: Node) -> Iterator[tuple[Node, bool]]:
    """Yield all leaves in order, each with whether it is inside of double quotes but not in a substitution there."""
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, is_in_string = pending.pop()
        if not node.child_count:
            yield node, is_in_string
            continue
        inner = node.type == "string" or (is_in_string and node.type != "command_substitution")
        pending.extend((child, inner) for child in reversed(node.children))
