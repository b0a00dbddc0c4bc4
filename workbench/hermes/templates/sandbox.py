"""The Jinja environment of chat templates: Hugging Face's, with bounds on work and size.

Jinja's sandbox keeps a template from code; it does not keep it from running away. So each round of a loop and
each call of a macro is counted, and texts and numbers cannot be multiplied or joined beyond a limit. What one
call of a filter, a method or a format makes is not bounded: a padding can ask for much memory.

*Source:* `chat_template_utils.py` of transformers: trim_blocks, lstrip_blocks, loop controls,
a `tojson` that escapes nothing, the `generation` tag.
"""

import json
from collections.abc import Sized
from typing import Any, Final, cast

from jinja2 import Template, TemplateError, nodes, pass_context
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MAX_STEPS: Final = 200_000
"""Rounds of loops and calls of macros that one rendering may take."""
MAX_TEXT_CHARS: Final = 4_000_000
"""A text that is multiplied or joined may not grow beyond this."""
MAX_NUMBER_BITS: Final = 4_096
"""A number that is multiplied or raised may not grow beyond this."""
STEPS_KEY: Final = "steps taken"
"""Where the count of a rendering stands in its context; no template can spell a name with a blank."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Compiles and renders a template of unknown origin."""

    intercepted_binops = frozenset({"+", "*", "**"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _GenerationTag])
        self.filters["tojson"] = _tojson

    def compiled(self, source: str) -> Template:
        """`source` as a template whose loops are counted.

        Raises:
            TemplateSyntaxError: It is no Jinja.
        """
        tree = cast(nodes.Template, _Bounding().visit(self.parse(source)))
        return Template.from_code(self, self.compile(tree), self.make_globals(None))

    @pass_context
    def step(self, context: Context) -> None:
        """Count one round of a loop, or one call of a macro."""
        taken = cast(list[None], context.parent[STEPS_KEY])
        taken.append(None)
        if len(taken) > MAX_STEPS:
            raise TemplateError(f"stopped after {MAX_STEPS:,} steps")

    def joined(self, *pieces: object) -> str:
        """What `~` gives."""
        texts = [str(piece) for piece in pieces]
        _check_length(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """What `+`, `*` and `**` give, where that is not too big."""
        if operator == "+":
            _check_length(_length(left) + _length(right))
        elif isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > MAX_NUMBER_BITS:
                raise TemplateError(f"a number of more than {MAX_NUMBER_BITS:,} bits")
        elif operator == "*":
            _check_length(_length(left) * right if isinstance(right, int) else 0)
            _check_length(_length(right) * left if isinstance(left, int) else 0)
        return super().call_binop(context, operator, left, right)


class _Bounding(NodeTransformer):
    """Puts a count into each loop and macro, and a limit on each `~`."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        return self._counted(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        return self._counted(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("joined", node.nodes, node.lineno)

    def _counted(self, node: nodes.For | nodes.Macro) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_call("step", [], node.lineno), lineno=node.lineno))
        return node


class _GenerationTag(Extension):
    """`{% generation %}…{% endgeneration %}` marks what a trainer learns from; rendered, it is its body."""

    tags = {"generation"}  # noqa: RUF012 - Jinja declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The body's own nodes."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _call(method: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    function = nodes.EnvironmentAttribute(method, lineno=line)
    return nodes.Call(function, arguments, [], None, None, lineno=line)


def _length(value: object) -> int:
    return len(cast(Sized, value)) if isinstance(value, str | list | tuple) else 0


def _check_length(length: int) -> None:
    if length > MAX_TEXT_CHARS:
        raise TemplateError(f"a text of more than {MAX_TEXT_CHARS:,} characters")


def _tojson(
    value: Any,
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - templates call it so
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
