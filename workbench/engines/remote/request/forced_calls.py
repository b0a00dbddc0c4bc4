"""How a server is made to call a tool, with mode `chat`.

`required` and a tool's name must mean the same on every server, but servers differ: some ignore a tool choice, some
read a named one as `auto`, llama-cpp-python's reads `required` as `auto`, and llama-server does so if the model's chat
template has no tools. So the first of these ways is taken that the server is known to apply:

1. the tool choice itself, in the form that the server applies: `required` with one tool means the same as its name;
2. the grammar of the call, as `grammar`: as for a local model, the JSON contains no spaces that nobody needs;
3. the JSON Schema of the call, as `response_format`.

With 2 and 3, the answer is the bare JSON of a call (see `call_wrapping`). If nothing is known, the tool choice is sent
as the protocol says. An answer without that call is then a finding.
"""

from enum import StrEnum

from workbench.engines.remote.probes.known_abilities import CHOICE_IS_TEXT
from workbench.engines.remote.probes.server_probes import ProbedServer
from workbench.engines.remote.server import Mode, Server
from workbench.rollout.ports import ChoiceKind, GenerationRequest, ToolChoice
from workbench.rollout.server_abilities import ServerAbilities
from workbench.toolspec.spec import OfferedTools


class ForcedBy(StrEnum):
    """What makes the server call a tool."""

    TOOL_CHOICE = "tool_choice"
    GRAMMAR = "grammar"
    SCHEMA = "schema"


def forced_by(request: GenerationRequest, server: Server, probed: ProbedServer | None) -> ForcedBy | None:
    """Return what makes the server call a tool. None if no call is forced, or with mode `raw`.

    Args:
        probed: What was found out about the server. None uses what the documentation of its software says.
    """
    if server.mode is Mode.RAW or not request.tool_choice.is_forced or not chosen_tools(request).specs:
        return None
    abilities = (probed or ProbedServer()).resolved(server.kind)
    if server.writes_tools and _applies(request, abilities) is not False:
        return ForcedBy.TOOL_CHOICE
    if abilities.chat_grammar is True:
        return ForcedBy.GRAMMAR
    return ForcedBy.SCHEMA if abilities.json_schema is True else ForcedBy.TOOL_CHOICE


def is_way_known(request: GenerationRequest, server: Server, probed: ProbedServer | None) -> bool:
    """Return whether it is known how to force the call of a request. True if it forces none, or with mode `raw`."""
    if forced_by(request, server, probed) is not ForcedBy.TOOL_CHOICE:
        return True
    abilities = (probed or ProbedServer()).resolved(server.kind)
    return server.writes_tools and _applies(request, abilities) is not None


def chosen_tools(request: GenerationRequest) -> OfferedTools:
    """Return the tools that the tool choice allows."""
    tool = request.tool_choice.tool
    return request.tools.only(frozenset({tool})) if tool else request.tools


def sent_choice(
    request: GenerationRequest, server: Server, abilities: ServerAbilities
) -> tuple[OfferedTools, ToolChoice]:
    """Return the tools and the tool choice to send, in the form that the server applies."""
    choice, tools = request.tool_choice, request.tools
    required = ToolChoice(kind=ChoiceKind.REQUIRED)
    if choice.kind is ChoiceKind.NAMED:
        is_text = server.kind in CHOICE_IS_TEXT
        if is_text or (abilities.named_choice is False and abilities.required_choice is True):
            return chosen_tools(request), required
    elif choice.kind is ChoiceKind.REQUIRED and server.kind not in CHOICE_IS_TEXT:
        is_named = abilities.named_choice is True and abilities.required_choice is not True
        if is_named and len(tools.specs) == 1:
            return tools, ToolChoice(kind=ChoiceKind.NAMED, tool=tools.specs[0].name)
    return tools, choice


def _applies(request: GenerationRequest, abilities: ServerAbilities) -> bool | None:
    """Return whether a tool choice makes the server call a tool. None if it is not known.

    A server that ignores a named choice probably ignores `required` as well, unless it is known to apply that.
    """
    named, required = abilities.named_choice, abilities.required_choice
    is_one = len(chosen_tools(request).specs) == 1
    if request.tool_choice.kind is ChoiceKind.NAMED:
        return True if required is True else named
    if required is not True and is_one and named is True:
        return True
    return required if required is not None else (False if named is False else None)
