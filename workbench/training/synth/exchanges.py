"""Draw exchanges, from a request to its answer: one function for each kind."""

from collections.abc import Callable, Mapping
from typing import Final

from workbench.training.synth.chats import draw_about, draw_chat
from workbench.training.synth.phrasing import (
    Scene,
    answer_message,
    answers_message,
    call_of,
    calls_message,
    chosen,
    given_later,
    key_of,
    protected,
    quotable,
    request,
    result_message,
    typed,
    user_message,
)
from workbench.training.synth.results import SynthResult, draw_error, draw_result
from workbench.training.synth.tools import draw_tool
from workbench.training.synth.values import SpokenValue, listed
from workbench.training.synth.vocabulary import AGAIN, ASK_MORE, ASK_ONE, LINKS, THANKS, UNCOVERED
from workbench.trajectory.trajectory import RowMessage

Exchange = Callable[[Scene], list[RowMessage]]


def single(scene: Scene) -> list[RowMessage]:
    """One call, its result and an answer."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    user_turn = scene.say(request(scene.dice, scene.words, tool, values))
    result = draw_result(scene.dice, scene.words, tool, values)
    return [
        user_turn,
        calls_message(scene, [call_of(tool, values)]),
        result_message(result),
        answer_message(result.answer),
    ]


def follow_up(scene: Scene) -> list[RowMessage]:
    """A call, then a request that only names another value, and the call with that value."""
    dice, tool = scene.dice, scene.tool
    if not tool.required or tool.required[0].kind in ("sentence", "record", "flag"):
        return single(scene)
    first = tool.required[0]
    values = chosen(dice, tool)
    first_request = scene.say(request(dice, scene.words, tool, values))
    other = first.slot.draw(dice)
    again = [(param, other if param is first else value) for param, value in values]
    results = draw_result(dice, scene.words, tool, values), draw_result(dice, scene.words, tool, again)
    second_request = dice.pick(scene.words.of(AGAIN)).format(l=first.label, v=protected(other.text))
    return [
        *(
            first_request,
            calls_message(scene, [call_of(tool, values)]),
            result_message(results[0]),
            answer_message(results[0].answer),
        ),
        *(
            user_message(typed(dice, second_request)),
            calls_message(scene, [call_of(tool, again)]),
            result_message(results[1]),
        ),
        answer_message(results[1].answer),
    ]


def parallel_same(scene: Scene) -> list[RowMessage]:
    """Several calls of one tool that differ in one argument."""
    dice, tool = scene.dice, scene.tool
    if not tool.required or tool.required[0].kind in ("sentence", "list", "range", "record", "flag"):
        return parallel_two(scene)
    first = tool.required[0]
    values = chosen(dice, tool)
    others = {
        str(value.value): value
        for value in (first.slot.draw(dice) for _ in range(dice.pick((2, 2, 2, 2, 3))))
    }
    if len(others) < 2:
        return parallel_two(scene)
    spoken = SpokenValue(None, listed(dice, [value.text for value in others.values()]))
    spoken_values = [(param, spoken if param is first else value) for param, value in values]
    each = [
        [(param, other if param is first else value) for param, value in values] for other in others.values()
    ]
    results = [draw_result(dice, scene.words, tool, values) for values in each]
    user_turn = scene.say(request(dice, scene.words, tool, spoken_values))
    return [
        user_turn,
        calls_message(scene, [call_of(tool, values) for values in each]),
        *map(result_message, results),
        answers_message(scene, results),
    ]


def parallel_two(scene: Scene) -> list[RowMessage]:
    """Two or three requests in one message, each with its own call."""
    dice, words = scene.dice, scene.words
    tools = dice.some(scene.tools, dice.pick((2, 2, 2, 2, 3)))
    while len(tools) < 2:
        tools.append(scene.tool)
    each = [(tool, chosen(dice, tool)) for tool in tools]
    if len({key_of(tool, values) for tool, values in each}) < len(each):
        return single(scene)
    text = ""
    for tool, values in each:
        part = request(dice, words, tool, values, is_part=True)
        if text:
            link = dice.pick(words.of(LINKS))
            part = part if link.startswith(".") else part[:1].lower() + part[1:]
            text = text.rstrip(".?!") + link + part
        else:
            text = part
    results = [draw_result(dice, words, tool, values) for tool, values in each]
    calls = [call_of(tool, values) for tool, values in each]
    return [
        scene.say(text),
        calls_message(scene, calls),
        *map(result_message, results),
        answers_message(scene, results),
    ]


def chat(scene: Scene) -> list[RowMessage]:
    """A question that needs no tool."""
    question, answer = draw_chat(scene.dice, scene.words)
    return [user_message(typed(scene.dice, question)), answer_message(answer)]


def about_tools(scene: Scene) -> list[RowMessage]:
    """A question about the tools that asks for no call."""
    question, answer = draw_about(scene.dice, scene.words, scene.tool, scene.tools)
    return [user_message(typed(scene.dice, question)), answer_message(answer)]


def uncovered(scene: Scene) -> list[RowMessage]:
    """A request that no tool can fulfil."""
    dice, words = scene.dice, scene.words
    nouns = {tool.noun for tool in scene.tools}
    other = draw_tool(dice, words)
    while any(other.noun in noun or noun in other.noun for noun in nouns):
        other = draw_tool(dice, words)
    user_turn = scene.say(request(dice, words, other, chosen(dice, other)))
    return [user_turn, answer_message(dice.pick(words.of(UNCOVERED)).format(v=other.verb, n=other.noun))]


def missing(scene: Scene) -> list[RowMessage]:
    """A request without a required value. The model asks, and often the user answers and the call follows."""
    dice, words = scene.dice, scene.words
    able = [tool for tool in scene.tools if tool.required]
    if not able:
        return chat(scene)
    tool = dice.pick(able)
    lacking = dice.some(tool.required, 1 if dice.chance(0.75) else 2)
    lacking = [param for param in tool.required if param in lacking]
    values = chosen(dice, tool, without=lacking)
    user_turn = scene.say(request(dice, words, tool, values))
    labels = " and ".join(param.label for param in lacking)
    form = dice.pick(words.of(ASK_ONE if len(lacking) == 1 else ASK_MORE))
    opening = [user_turn, answer_message(form.format(l=labels, n=tool.noun, v=tool.verb))]
    if dice.chance(0.4):
        return opening
    answered = [(param, quotable(param.slot.draw(dice))) for param in lacking]
    by_name = {param.name: (param, value) for param, value in [*values, *answered]}
    ordered = [by_name[param.name] for param in tool.params if param.name in by_name]
    result = draw_result(dice, words, tool, ordered)
    calls = calls_message(scene, [call_of(tool, ordered)])
    return [
        *opening,
        user_message(given_later(scene, answered)),
        calls,
        result_message(result),
        answer_message(result.answer),
    ]


def error(scene: Scene) -> list[RowMessage]:
    """A call whose result is an error, which the answer reports."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    user_turn = scene.say(request(scene.dice, scene.words, tool, values))
    result = draw_error(scene.dice, scene.words, tool)
    return [
        user_turn,
        calls_message(scene, [call_of(tool, values)]),
        result_message(result),
        answer_message(result.answer),
    ]


def retried(scene: Scene) -> list[RowMessage]:
    """A call that fails temporarily and is repeated."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    user_turn = scene.say(request(scene.dice, scene.words, tool, values))
    failed = draw_error(scene.dice, scene.words, tool, is_brief=True)
    result = draw_result(scene.dice, scene.words, tool, values)
    call = call_of(tool, values)
    return [
        user_turn,
        calls_message(scene, [call]),
        result_message(failed),
        calls_message(scene, [call]),
        result_message(result),
        answer_message(result.answer),
    ]


def two_rounds(scene: Scene) -> list[RowMessage]:
    """Two calls, of which the second uses the result of the first."""
    dice, words = scene.dice, scene.words
    takers = [
        tool for tool in scene.tools for param in tool.required if param.kind in ("code", "place", "person")
    ]
    if not takers or len(scene.tools) < 2:
        return single(scene)
    taker = dice.pick(takers)
    taken = next(param for param in taker.required if param.kind in ("code", "place", "person"))
    finder = dice.pick([tool for tool in scene.tools if tool is not taker])
    first, found = chosen(dice, finder), taken.slot.draw(dice)
    second = [(param, found if param is taken else value) for param, value in chosen(dice, taker)]
    rest = [(param, value) for param, value in second if param is not taken]
    first_part = request(dice, words, finder, first, is_part=True).rstrip(".?!")
    then = request(dice, words, taker, rest, is_part=True).rstrip(".?!")
    link = dice.pick(
        words.of(
            (
                ", then use its {l} and ",
                ". With the {l} from there: ",
                ". Take the {l} that it gives you, and ",
                " - and with that {l}, ",
                ". Then use the {l} that comes back to ",
            )
        )
    )
    user_turn = scene.say(f"{first_part}{link.format(l=taken.label)}{then[:1].lower()}{then[1:]}.")
    between = SynthResult(f'{{"{taken.name}": "{found.value}"}}', "")
    result = draw_result(dice, words, taker, second)
    calls = [call_of(finder, first)], [call_of(taker, second)]
    return [
        user_turn,
        calls_message(scene, calls[0]),
        result_message(between),
        calls_message(scene, calls[1]),
        result_message(result),
        answer_message(result.answer),
    ]


def thanks(scene: Scene) -> list[RowMessage]:
    """Thanks after a request was fulfilled."""
    text, answer = scene.dice.pick(scene.words.of(THANKS))
    return [user_message(text), answer_message(answer)]


EXCHANGES: Final[Mapping[str, Exchange]] = {
    exchange.__name__: exchange
    for exchange in (
        single,
        follow_up,
        parallel_same,
        parallel_two,
        chat,
        about_tools,
        uncovered,
        missing,
        error,
        retried,
        two_rounds,
        thanks,
    )
}
"""The kinds of exchanges, by name."""
SHARES: Final = (
    ("single", 34.0),
    ("follow_up", 3.0),
    ("parallel_same", 10.0),
    ("parallel_two", 11.0),
    ("chat", 8.0),
    ("about_tools", 8.0),
    ("uncovered", 8.0),
    ("missing", 18.0),
    ("error", 3.0),
    ("retried", 1.0),
    ("two_rounds", 3.0),
)
"""Kinds of exchanges with their shares."""
