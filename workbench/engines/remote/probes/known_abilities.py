"""What the software of servers is known to do, and how each spells a constraint and a forced tool choice.

*Source:* llama.cpp, `tools/server/README.md` and `common_chat_tool_choice_parse_oaicompat`: a tool choice is a text,
and an object is read as `auto`; with a chat template that has no tools, so is `required`; `grammar` is refused together
with tools, unless the choice is `none`. vLLM, "Structured Outputs": `structured_outputs`, before 0.12 `guided_grammar`
and `guided_json`; fields of other versions are ignored. SGLang, "Structured Outputs": `ebnf` and `json_schema`. Ollama,
"OpenAI compatibility": `tool_choice` is not supported. LM Studio, "Tool Use": `tool_choice` is a text.
llama-cpp-python, `server/types.py` and `llama_chat_format.py`: it refuses a `response_format` with a schema, applies a
named tool choice but not `required`, and constrains a chat answer by `grammar`. Its list does not show its software.
"""

import json
from collections.abc import Callable, Mapping
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.server import ServerKind
from workbench.rollout.ports import Constraint
from workbench.rollout.server_abilities import ServerAbilities

_SPELLED_GRAMMAR: Final[Mapping[str, Callable[[str], JsonObject]]] = {
    "grammar": lambda grammar: {"grammar": grammar},
    "structured_outputs": lambda grammar: {"structured_outputs": {"grammar": grammar}},
    "guided": lambda grammar: {"guided_grammar": grammar},
    "ebnf": lambda grammar: {"ebnf": grammar},
}
_SPELLED_SCHEMA: Final[Mapping[str, Callable[[JsonObject], JsonObject]]] = {
    "grammar": lambda schema: {"json_schema": schema},
    "structured_outputs": lambda schema: {"structured_outputs": {"json": schema}},
    "guided": lambda schema: {"guided_json": schema},
    "ebnf": lambda schema: {"json_schema": json.dumps(schema)},
}
SPELLINGS: Final = tuple(_SPELLED_GRAMMAR)
"""All ways to spell the constraint of a raw completion."""
_SPELLINGS_OF: Final[Mapping[ServerKind, tuple[str, ...]]] = {
    ServerKind.LLAMA_SERVER: ("grammar",),
    ServerKind.VLLM: ("structured_outputs", "guided"),
    ServerKind.SGLANG: ("ebnf",),
}
_CONSTRAINING: Final = ServerAbilities(
    grammar=True, json_schema=True, named_choice=True, required_choice=True
)
_DOCUMENTED: Final[Mapping[ServerKind, ServerAbilities]] = {
    # Whether it applies tool choices depends on the model's chat template.
    ServerKind.LLAMA_SERVER: ServerAbilities(grammar=True, json_schema=True),
    ServerKind.VLLM: _CONSTRAINING,
    ServerKind.SGLANG: _CONSTRAINING,
    # It continues a prompt, but adds its own template to it.
    ServerKind.OLLAMA: ServerAbilities(
        raw_completions=False, json_schema=True, named_choice=False, required_choice=False
    ),
    ServerKind.LM_STUDIO: ServerAbilities(json_schema=True, named_choice=True, required_choice=True),
}
CHOICE_IS_TEXT: Final = (ServerKind.LLAMA_SERVER, ServerKind.LM_STUDIO)
"""Software that takes no named tool choice. `required` with that one tool means the same."""
CHAT_GRAMMAR: Final = "grammar"
"""The field with the grammar of a chat answer: llama-server's and llama-cpp-python's."""


def documented(kind: ServerKind) -> ServerAbilities:
    """Return what the documentation of a server's software says."""
    return _DOCUMENTED.get(kind, ServerAbilities())


def spellings_of(kind: ServerKind) -> tuple[str, ...]:
    """Return the ways to spell a constraint that a server's software may accept. Empty for unknown software.

    vLLM has two, which depend on its version. It ignores the other one, so both can be sent.
    """
    return _SPELLINGS_OF.get(kind, ())


def constraint_fields(constraint: Constraint | None, spellings: tuple[str, ...]) -> JsonObject:
    """Return the fields that constrain a raw completion. Empty if there is nothing that can be sent.

    A grammar that only applies after a trigger is not sent: servers apply a grammar from the first token.

    >>> constraint_fields(Constraint(schema={}, closing="", grammar="root ::= [a]"), ("grammar",))
    {'grammar': 'root ::= [a]'}
    """
    if constraint is None or constraint.trigger:
        return {}
    fields: JsonObject = {}
    for spelling in spellings:
        if constraint.grammar:
            fields = {**fields, **_SPELLED_GRAMMAR[spelling](constraint.grammar)}
        elif not constraint.closing:
            fields = {**fields, **_SPELLED_SCHEMA[spelling](constraint.schema)}
    return fields


def json_schema_format(schema: JsonObject, *, name: str) -> JsonObject:
    """Return a schema as the field `response_format` of the protocol."""
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
