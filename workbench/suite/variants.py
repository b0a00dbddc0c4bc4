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

TOOLS_PLACE: Final = "{{ tools }}"
"""Where a contract gets the offered tools. The paragraph with it cannot be removed."""
PARAGRAPH_BREAK: Final = "\n\n"
"""Separates the paragraphs of a contract."""
_LONGEST_LABEL: Final = 40


class Part(NamedTuple):
    """A paragraph or an example of a contract."""

    text: str
    label: str
    """The number of the part and its first words. Empty for a part that cannot be removed."""


class AblatedContract(NamedTuple):
    """A contract without one of its parts."""

    left_out: str
    """Label of the part."""
    contract: Contract


class VariedTools(NamedTuple):
    """Tools that are named, ordered or described differently."""

    tools: OfferedTools
    """The tools as the model gets them."""
    originals: Mapping[str, str]
    """New name to original name of each renamed tool."""


def parts_of(contract: Contract) -> Sequence[Part]:
    """Return the paragraphs of the contract. Joined by blank lines, they are its text.

    The paragraph with the tools cannot be removed, nor the only paragraph of a contract.
    """
    texts = contract.text.split(PARAGRAPH_BREAK)
    return [
        Part(text, "" if not text.strip() or TOOLS_PLACE in text or len(texts) == 1 else _label(number, text))
        for number, text in enumerate(texts, start=1)
    ]


def ablate(contract: Contract) -> Iterator[AblatedContract]:
    """Yield the contract without each of its removable parts in turn."""
    parts = parts_of(contract)
    for index, part in enumerate(parts):
        if part.label:
            rest = PARAGRAPH_BREAK.join(other.text for other in (*parts[:index], *parts[index + 1 :]))
            yield AblatedContract(part.label, replace(contract, text=rest))


def vary_tools(tools: OfferedTools, variation: ToolVariation) -> VariedTools:
    """Return the tools with the variation applied. The same tools always give the same result."""
    if variation is ToolVariation.SHUFFLED:
        return VariedTools(_shuffled(tools), {})
    if variation is ToolVariation.PARAPHRASED:
        return VariedTools(OfferedTools(specs=tuple(map(_paraphrased, tools.specs))), {})
    names = {name: _other_name(name) for name in tools.names}
    specs = tuple(_with_name(spec, names[spec.name]) for spec in tools.specs)
    return VariedTools(OfferedTools(specs=specs), {new: old for old, new in names.items()})


def with_original_names(rollout: CaseRollout, originals: Mapping[str, str]) -> CaseRollout:
    """Return the rollout with the original names of the called tools, so that it can be scored."""
    if not originals:
        return rollout
    completions = tuple(
        replace(
            completion,
            reading=replace(
                completion.reading,
                calls=tuple(
                    replace(call, name=originals.get(call.name, call.name))
                    for call in completion.reading.calls
                ),
            ),
        )
        for completion in rollout.completions
    )
    return replace(rollout, completions=completions)


def _label(number: int, text: str) -> str:
    words = " ".join(text.split())
    words = words if len(words) <= _LONGEST_LABEL else words[: _LONGEST_LABEL - 1].rstrip() + "…"
    return f"¶{number} “{words}”"


def _shuffled(tools: OfferedTools) -> OfferedTools:
    """Sort the tools by the hash of their name. If that changes nothing, reverse them."""
    shuffled = sorted(tools.specs, key=lambda spec: sha256(spec.name.encode()).digest())
    if tuple(shuffled) == tools.specs:
        shuffled.reverse()
    return OfferedTools(specs=tuple(shuffled))


def _other_name(name: str) -> str:
    """Return a name with its words in reverse order.

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
    description = as_object(schema).get("description")
    if not isinstance(description, str):
        return schema
    return {**schema, "description": _reworded(description, "Here goes this: {}")}


def _reworded(text: str, frame: str) -> str:
    if not text:
        return text
    starts_with_a_word = len(text) > 1 and text[1].islower()
    return frame.format(text[0].lower() + text[1:] if starts_with_a_word else text)
