"""Give the tools of a family other names and shapes, so that a model reads the specs instead of remembering them.

The idea: a family has two to four variants. Trained on thousands of requests, a small model learns by heart which names
and parameters belong to which words, and writes them for unknown tools, too. A disguise changes what a spec can say in
another way, and with it the calls:

    get_balance(account, date?)     ->  fetchBalance(asOf?, accountName)
                                    ->  balance_tool(query: {account})

What it changes, by chance: the style of all names, words of tool names, parameters to the names that other variants use
or to invented words (then the description says what they are), their order, forms of values such as another date
format, which optional parameters exist or are required, and objects around parameters. A change is made only if enough
of the family's requests still fit.

The same family, variant and number give the same disguise, and no two disguises have the same tool name. So a name is
declared in one way only.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.training.everyday.drawing import is_complete
from workbench.training.everyday.family import Family
from workbench.training.everyday.tools import EverydayParam, EverydayTool, object_schema, spec_of
from workbench.training.synth.words import Dice, WordList

DISGUISES: Final = 16
"""Number of disguises of a variant."""
_FEWEST_REQUESTS: Final = 4
"""A change that leaves fewer complete requests is not made."""
_AFFIXES: Final = (
    *("{}_tool", "{}_api", "my_{}", "{}_v2", "{}_service", "user_{}", "{}_action", "call_{}"),
    *("do_{}", "{}_now", "app_{}", "{}_function", "quick_{}", "{}_helper", "smart_{}", "{}_request"),
)
"""What makes the name of a disguise its own. Together with four styles, each disguise has another name."""
_OBJECTS: Final = ("details", "options", "data", "request", "params", "input", "query", "settings")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
Style = Callable[[Sequence[str]], str]


def _snake(words: Sequence[str]) -> str:
    return "_".join(words)


def _camel(words: Sequence[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _kebab(words: Sequence[str]) -> str:
    return "-".join(words)


def _pascal(words: Sequence[str]) -> str:
    return "".join(word.capitalize() for word in words)


_TOOL_STYLES: Final[tuple[Style, ...]] = (_snake, _camel, _kebab, _pascal)
_PARAM_STYLES: Final[tuple[tuple[Style, float], ...]] = ((_snake, 5.0), (_camel, 4.0), (_kebab, 1.0))


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case.

    >>> words_of("getBalance_v2")
    ['get', 'balance', 'v', '2']
    """
    return [word.lower() for word in _WORD.findall(name)] or [name]


def disguised(family: Family, place: int, number: int, words: WordList) -> tuple[EverydayTool, ...]:
    """Return a disguise of a variant.

    Args:
        place: Index of the variant.
        number: Number of the disguise, from 0 to `DISGUISES` - 1.
        words: Words of the split.
    """
    variant = family.variants[place]
    dice = Dice("disguise", family.name, place, number)
    names = _names_by_slot(family)
    style = dice.weighted(_PARAM_STYLES)
    tools: list[EverydayTool] = []
    for tool in variant:
        shaped = _reshaped(dice, family, tool)
        params = _renamed(dice, shaped.params, names, style, words)
        spec = spec_of(_tool_name(tool.name, place, number), tool.spec.description, params)
        tools.append(replace(shaped, spec=spec, params=params))
    return tuple(tools)


def masked(dice: Dice, variant: tuple[EverydayTool, ...], words: WordList) -> tuple[EverydayTool, ...]:
    """Give the tools of a variant names without a meaning, so that only descriptions say what they do.

    A tool without a description keeps its name. A name has two words, because among a hundred thousand tools some would
    share one, and each name is declared in one way only.

    *Source:* the function masking of Hammer, https://arxiv.org/abs/2410.04587
    """
    return tuple(
        replace(tool, spec=spec_of(_snake([words.made_up(dice), words.made_up(dice)]), about, tool.params))
        if about
        else tool
        for tool in variant
        for about in (tool.spec.description,)
    )


def _tool_name(name: str, place: int, number: int) -> str:
    """Return the name of a disguised tool. Variants have other affixes, since their names may be the same words."""
    affixes = DISGUISES // len(_TOOL_STYLES)
    affix = _AFFIXES[(number // len(_TOOL_STYLES) + affixes * place) % len(_AFFIXES)]
    style = _TOOL_STYLES[number % len(_TOOL_STYLES)]
    return style(words_of(affix.format(_snake(words_of(name)))))


def _reshaped(dice: Dice, family: Family, tool: EverydayTool) -> EverydayTool:
    """Change which parameters exist, what they take, and their order and nesting."""
    enough = _count_requests(family, tool)
    params = [_in_other_form(dice, param, family) for param in tool.params]
    for change in (_without_an_option, _with_a_duty):
        for _ in range(dice.between(0, 2)):
            changed = change(dice, params)
            if changed and _count_requests(family, replace(tool, params=tuple(changed))) >= enough:
                params = changed
    if dice.chance(0.5):
        params = dice.some(params, len(params))
    if dice.chance(0.15):
        params = _nested(dice, params)
    return replace(tool, params=tuple(params))


def _count_requests(family: Family, tool: EverydayTool) -> int:
    """Count the requests that are complete for a tool, up to as many as are enough."""
    complete = (request for request in family.requests if is_complete(tool, request))
    return sum(1 for _ in islice(complete, _FEWEST_REQUESTS))


def _without_an_option(dice: Dice, params: list[EverydayParam]) -> list[EverydayParam]:
    options = [param for param in params if not param.is_required]
    dropped = dice.pick(options) if options else None
    return [param for param in params if param is not dropped]


def _with_a_duty(dice: Dice, params: list[EverydayParam]) -> list[EverydayParam]:
    options = [param for param in params if not param.is_required and param.slot]
    changed = dice.pick(options) if options and dice.chance(0.4) else None
    return [replace(param, is_required=True) if param is changed else param for param in params]


def _in_other_form(dice: Dice, param: EverydayParam, family: Family) -> EverydayParam:
    """Take the value in another form, unless the parameter says more about it than its form does."""
    if not param.slot or param.members:
        return param
    schemas = family.slots[param.slot].schemas
    about, hint = param.schema.get("description", ""), schemas[param.form].get("description", "")
    is_plain = _bare(param.schema) == _bare(schemas[param.form]) and str(about).endswith(str(hint))
    if not is_plain or not dice.chance(0.3):
        return param
    form = dice.pick(sorted(schemas))
    own = str(about).removesuffix(str(hint)).removesuffix(", ")
    text = ", ".join(part for part in (own, str(schemas[form].get("description", ""))) if part)
    schema = {**_bare(schemas[form]), **({"description": text} if text else {})}
    return replace(param, form=form, schema=schema)


def _bare(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in schema.items() if key != "description"}


def _nested(dice: Dice, params: list[EverydayParam]) -> list[EverydayParam]:
    """Put some parameters into an object, in the place of the first of them."""
    flat = [param for param in params if not param.members]
    inner = dice.some(flat, dice.between(1, 3))
    if not inner:
        return params
    members = tuple(param for param in params if any(param is one for one in inner))
    taken = {param.name for param in params}
    name = next((name for name in dice.some(_OBJECTS, len(_OBJECTS)) if name not in taken), "")
    if not name:
        return params
    is_required = any(member.is_required for member in members)
    outer = EverydayParam(name=name, is_required=is_required, schema=object_schema(members), members=members)
    nested: list[EverydayParam] = []
    for param in params:
        if param is members[0]:
            nested.append(outer)
        elif not any(param is member for member in members):
            nested.append(param)
    return nested


def _names_by_slot(family: Family) -> dict[str, list[str]]:
    """Return the names that the variants give to the value of each slot."""
    names: dict[str, list[str]] = {}
    for variant in family.variants:
        for tool in variant:
            for param in _flat(tool.params):
                if param.slot:
                    names.setdefault(param.slot, []).append(param.name)
    return names


def _flat(params: Iterable[EverydayParam]) -> Iterable[EverydayParam]:
    for param in params:
        yield param
        yield from _flat(param.members if not param.slot else ())


def _renamed(
    dice: Dice,
    params: Sequence[EverydayParam],
    names: Mapping[str, Sequence[str]],
    style: Style,
    words: WordList,
) -> tuple[EverydayParam, ...]:
    renamed: list[EverydayParam] = []
    taken: set[str] = set()
    for param in params:
        members = _renamed(dice, param.members, names if not param.slot else {}, style, words)
        name, schema = param.name, dict(param.schema)
        if dice.chance(0.4):
            name = dice.pick(names.get(param.slot, [name]))
        name = style(words_of(name))
        if name in taken:
            name = style(words_of(param.name))
        if name in taken or dice.chance(0.1):
            schema.setdefault("description", " ".join(words_of(param.name)).capitalize())
            name = words.made_up(dice)
        taken.add(name)
        if members and param.slot:
            schema["items"] = object_schema(members)
        elif members:
            schema |= object_schema(members)
        renamed.append(replace(param, name=name, schema=schema, members=members))
    return tuple(renamed)
