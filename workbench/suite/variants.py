"""Variants of a case: a contract without one of its parts, or tools described differently."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.contract.contract import Contract
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.plan import ToolVariation
from workbench.toolspec.spec import OfferedTools, ToolSpec

_TOOLS: Final = "{{ tools }}"
_PARAGRAPH: Final = "\n\n"
_LONGEST_LABEL: Final = 40


class Part(NamedTuple):
    """A paragraph or an example of a contract."""

    text: str
    label: str
    """Tells it to a person: its number and its first words. Empty for a part that cannot be left out."""


class AblatedContract(NamedTuple):
    """A contract without one of its parts."""

    left_out: str
    contract: Contract


class VariedTools(NamedTuple):
    """Tools that are told of differently."""

    tools: OfferedTools
    """As the model is told of them."""
    originals: Mapping[str, str]
    """New name to the tool's own, of those that are renamed."""


def parts_of(contract: Contract) -> Sequence[Part]:
    """The contract's paragraphs, which are what blank lines part; joined by blank lines they are its text.

    The one that holds the tools, and the only one of a contract, cannot be left out.
    """
    texts = contract.text.split(_PARAGRAPH)
    return [
        Part(text, "" if not text.strip() or _TOOLS in text or len(texts) == 1 else _label(number, text))
        for number, text in enumerate(texts, start=1)
    ]


def ablations(contract: Contract) -> Iterator[AblatedContract]:
    """The contract without each of its parts in turn."""
    parts = parts_of(contract)
    for place, part in enumerate(parts):
        if part.label:
            rest = _PARAGRAPH.join(one.text for one in (*parts[:place], *parts[place + 1 :]))
            yield AblatedContract(part.label, replace(contract, text=rest))


def vary_tools(tools: OfferedTools, variation: ToolVariation) -> VariedTools:
    """The tools as that variation tells of them; the same tools give the same."""
    if variation is ToolVariation.SHUFFLED:
        return VariedTools(_shuffled(tools), {})
    if variation is ToolVariation.PARAPHRASED:
        return VariedTools(OfferedTools(specs=tuple(map(_paraphrased, tools.specs))), {})
    names = {name: _other_name(name) for name in tools.names}
    specs = tuple(_with_name(spec, names[spec.name]) for spec in tools.specs)
    return VariedTools(OfferedTools(specs=specs), {new: old for old, new in names.items()})


def with_own_names(played: CaseRollout, originals: Mapping[str, str]) -> CaseRollout:
    """The rollout as if the tools had been called by their own names, to be scored."""
    if not originals:
        return played
    completions = tuple(
        replace(
            one,
            reading=replace(
                one.reading,
                calls=tuple(
                    replace(call, name=originals.get(call.name, call.name)) for call in one.reading.calls
                ),
            ),
        )
        for one in played.completions
    )
    return replace(played, completions=completions)


def _label(number: int, text: str) -> str:
    words = " ".join(text.split())
    words = words if len(words) <= _LONGEST_LABEL else words[: _LONGEST_LABEL - 1].rstrip() + "…"
    return f"¶{number} “{words}”"


def _shuffled(tools: OfferedTools) -> OfferedTools:
    """In the order of their names' hashes; two that would stay as they are change places."""
    shuffled = sorted(tools.specs, key=lambda spec: sha256(spec.name.encode()).digest())
    if tuple(shuffled) == tools.specs:
        shuffled.reverse()
    return OfferedTools(specs=tuple(shuffled))


def _other_name(name: str) -> str:
    """The words of a name in the other order.

    >>> _other_name("get_weather"), _other_name("now")
    ('weather_get', 'do_now')
    """
    words = name.split("_")
    return "_".join(reversed(words)) if len(words) > 1 else f"do_{name}"


def _with_name(spec: ToolSpec, name: str) -> ToolSpec:
    return ToolSpec(document={**spec.document, "function": {**spec.function, "name": name}})


def _paraphrased(spec: ToolSpec) -> ToolSpec:
    function: dict[str, JsonValue] = {
        **spec.function,
        "description": _reworded(spec.description, "Use this whenever someone wants the following done: {}"),
    }
    if spec.parameters:
        function["parameters"] = {
            **spec.parameters,
            "properties": {name: _described(schema) for name, schema in spec.properties.items()},
        }
    return ToolSpec(document={**spec.document, "function": function})


def _described(schema: JsonObject) -> JsonObject:
    told = as_object(schema).get("description")
    return (
        {**schema, "description": _reworded(told, "Here goes this: {}")} if isinstance(told, str) else schema
    )


def _reworded(text: str, frame: str) -> str:
    if not text:
        return text
    starts_with_a_word = len(text) > 1 and text[1].islower()
    return frame.format(text[0].lower() + text[1:] if starts_with_a_word else text)
