"""Invent tools. The name decides everything else, so that no two rows declare a tool differently."""

from dataclasses import dataclass, field
from typing import Final, Literal

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import ToolSpec
from workbench.training.synth import vocabulary
from workbench.training.synth.kinds import KINDS, SHARES
from workbench.training.synth.values import ParameterSlot
from workbench.training.synth.words import Dice, WordList, WordSplit, belongs, share_of, with_articles

Purpose = Literal["read", "act", "sum"]
"""What a tool does: look something up, change something, or calculate something."""
Style = Literal["snake", "camel", "kebab"]
"""How names with several words are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """A parameter of a tool."""

    name: str
    label: str
    kind: str
    """Key of `KINDS`."""
    slot: ParameterSlot
    is_required: bool
    """Whether a call must have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool and the words that it was made from."""

    spec: ToolSpec = field(hash=False)
    noun: str
    verb: str
    purpose: Purpose
    params: tuple[Param, ...]
    """The parameters in the order of the schema."""

    @property
    def name(self) -> str:
        """The name in calls."""
        return self.spec.name

    @property
    def required(self) -> tuple[Param, ...]:
        """The required parameters."""
        return tuple(param for param in self.params if param.is_required)


_DESCRIPTIONS: Final = vocabulary.entries("descriptions", "tools")
_PARAM_DESCRIPTIONS: Final = vocabulary.entries("descriptions", "parameters")


def draw_tool(dice: Dice, words: WordList) -> Tool:
    """Draw a tool with a real or an invented noun."""
    made_up = words.made_up(dice) if dice.chance(0.45) else ""
    # The purpose follows from the invented word, so that a name always means the same tool.
    chance = Dice("purpose", made_up) if made_up else dice
    purpose: Purpose = chance.weighted((("read", 4.0), ("act", 3.5), ("sum", 2.5)))
    noun = made_up or dice.pick(words.of(vocabulary.NOUNS[purpose]))
    return tool_of(noun, dice.pick(_verbs(purpose, words.split)), purpose, words)


def draw_neighbour(dice: Dice, words: WordList, tool: Tool) -> Tool:
    """Draw a tool that is easily confused with `tool`: with the same noun or verb, or a similar noun.

    Only tools that change something get another verb for the same noun. Reading and viewing a menu would be the same.
    """
    match dice.pick(("noun", "verb", "both") if tool.purpose == "act" else ("verb", "both")):
        case "noun":
            return tool_of(tool.noun, dice.pick(_verbs("act", words.split)), tool.purpose, words)
        case "verb":
            return tool_of(
                dice.pick(words.of(vocabulary.NOUNS[tool.purpose])), tool.verb, tool.purpose, words
            )
        case _:
            addition = dice.pick(
                words.of(("history", "list", "details", "summary", "group", "draft", "plan", "stats"))
            )
            return tool_of(f"{tool.noun} {addition}", tool.verb, tool.purpose, words)


def tool_of(noun: str, verb: str, purpose: Purpose, words: WordList) -> Tool:
    """Return the tool for a noun and verb. The same arguments always give the same tool."""
    dice = Dice("name", words.split, noun, verb)
    style: Style = dice.weighted((("snake", 8.0), ("camel", 2.0), ("kebab", 0.5)))
    order = dice.weighted(((f"{verb} {noun}", 7.0), (f"{noun} {verb}", 1.0), (noun, 1.0)))
    name = spelled(order, style)
    tool_dice = Dice("tool", words.split, name)
    style = "snake" if name == name.lower() else "camel"
    params = _params(tool_dice, words, purpose, style, noun)
    function: dict[str, JsonValue] = {"name": name}
    if tool_dice.chance(0.95):
        form = tool_dice.pick(words.of(_DESCRIPTIONS))
        function["description"] = with_articles(_filled(form, noun, verb, _aim(params)))
    function["parameters"] = _parameters(tool_dice, words, noun, params)
    return Tool(spec=ToolSpec.of_function(function), noun=noun, verb=verb, purpose=purpose, params=params)


def spelled(text: str, style: Style) -> str:
    """Write words as one name.

    >>> spelled("look up tide-table", "camel")
    'lookUpTideTable'
    """
    parts = text.lower().replace("-", " ").split()
    if style == "camel":
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return ("_" if style == "snake" else "-").join(parts)


def _verbs(purpose: Purpose, split: WordSplit) -> tuple[str, ...]:
    return share_of(vocabulary.VERBS[purpose], split)


def _params(dice: Dice, words: WordList, purpose: Purpose, style: Style, noun: str) -> tuple[Param, ...]:
    count = dice.weighted(((0, 0.4), (1, 4.0), (2, 4.5), (3, 2.5), (4, 0.8)))
    kinds = [dice.weighted(SHARES) for _ in range(count)]
    if purpose == "sum" and count:
        kinds[: min(2, count)] = [dice.pick(("number", "integer"))] * min(2, count)
    least = 1 if count and dice.chance(0.94) else 0
    required = dice.between(least, min(count, 3)) if count else 0
    taken: dict[str, Param] = {}
    for kind in kinds:
        label = _label(dice, words, kind, noun)
        if label not in taken:
            taken[label] = Param(
                name=spelled(label, style),
                label=label,
                kind=kind,
                slot=KINDS[kind].make(dice, words),
                is_required=len(taken) < required,
            )
    return tuple(taken.values())


def _label(dice: Dice, words: WordList, kind: str, noun: str) -> str:
    if dice.chance(0.3):
        return _piece(dice, words, noun) or words.made_up(dice)
    label = dice.pick(words.of(KINDS[kind].names))
    return f"{dice.pick(('first', 'second', 'new', 'main'))} {label}" if dice.chance(0.06) else label


def _piece(dice: Dice, words: WordList, noun: str) -> str:
    """Draw the beginning or the end of a noun, or an empty text.

    A parameter with such a name teaches the model to copy names exactly: after the first training, it wrote
    `get_flumb` for `get_flumbuster`, whose parameter is `flumb`. Used in training only, so that measurements stay
    comparable.
    """
    if words.split is not WordSplit.TRAIN or not noun.isalpha() or len(noun) < 7 or not dice.chance(0.6):
        return ""
    place = dice.between(3, len(noun) - 3)
    piece = dice.pick((noun[:place], noun[place:]))
    return piece if belongs(piece, words.split) else ""


def _parameters(dice: Dice, words: WordList, noun: str, params: tuple[Param, ...]) -> JsonObject:
    properties: dict[str, JsonValue] = {}
    is_described = dice.chance(0.85)
    for param in params:
        schema = dict(param.slot.schema)
        if is_described or param.slot.hint:
            text = dice.pick(words.of(_PARAM_DESCRIPTIONS)).format(
                l=param.label, L=param.label.capitalize(), n=noun
            )
            schema["description"] = f"{text}, {param.slot.hint}" if param.slot.hint else text
        properties[param.name] = schema
    required: list[JsonValue] = [param.name for param in params if param.is_required]
    document: dict[str, JsonValue] = {"type": "object", "properties": properties}
    if required or dice.chance(0.5):
        document["required"] = required
    if dice.chance(0.4):
        document["additionalProperties"] = False
    return document


def _aim(params: tuple[Param, ...]) -> str:
    return params[0].label if params else "name"


def _filled(form: str, noun: str, verb: str, aim: str) -> str:
    return form.format(n=noun, N=noun.capitalize(), v=verb, V=verb.capitalize(), p=aim)
