"""What happens between a request and its answer: one function a kind of exchange."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.message import Role
from workbench.training.synth.chats import draw_chat
from workbench.training.synth.dice import Dice
from workbench.training.synth.phrasing import arguments_of, chosen, dressed, kept, request, typed
from workbench.training.synth.results import Told, draw_error, draw_result
from workbench.training.synth.tools import Param, Tool, draw_tool
from workbench.training.synth.values import Said, listed
from workbench.training.synth.words import Words
from workbench.trajectory.trajectory import Call, Part, Prose, Result, RowMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where an exchange takes place."""

    dice: Dice
    """Its chance."""
    words: Words
    """The split's words."""
    tools: tuple[Tool, ...]
    """What the conversation offers; the first is what it is about."""

    @property
    def tool(self) -> Tool:
        """One of them."""
        return self.dice.pick(self.tools)

    def say(self, text: str) -> RowMessage:
        """A user's message, dressed as people write."""
        return _user(dressed(self.dice, self.words, text))


Exchange = Callable[[Scene], list[RowMessage]]
_PREFACES: Final = (
    "Let me see.",
    "One moment.",
    "I will look.",
    "On it.",
    "Sure, I'll do that.",
    "Let me check that for you.",
    "Working on it.",
    "Of course.",
)
_ASK_ONE: Final = (
    "Which {l} should I use?",
    "What is the {l}?",
    "Please tell me the {l}.",
    "For which {l}?",
    "What {l} would you like?",
    "I need the {l} first. What is it?",
    "Could you give me the {l}?",
    "The {l} is missing. Which one do you mean?",
    "I can {v} the {n} once I know the {l}. What is it?",
    "What should the {l} be?",
)
_ASK_MORE: Final = (
    "I need the {l}. What are they?",
    "Which {l} should I use?",
    "Please tell me the {l}.",
    "What are the {l}?",
    "The {l} are missing. Could you give me them?",
    "Could you tell me the {l}?",
)
_GIVEN: Final = (
    "{v}",
    "It's {v}",
    "{l}: {v}",
    "{v}, please",
    "The {l} is {v}",
    "Take {v}",
    "{l} {v}",
    "Use {v}.",
)
_AGAIN: Final = (
    "And {v}?",
    "What about {v}?",
    "The same with {v}, please.",
    "Now with {l} {v}.",
    "And with {v} instead?",
    "And now {v}",
    "Again, but {l} {v}.",
    "How about {l} {v}?",
)
_LINKS: Final = (" and ", ". Also, ", ", and ", "; ", ". Then ", " and also ", ". And ", ". After that ")
_UNCOVERED: Final = (
    "I have no tool for that.",
    "None of my tools can do that.",
    "That is not something that my tools can do.",
    "I can't do that with what I have.",
    "I have nothing that could {v} the {n}.",
    "My tools don't cover that, sorry.",
)
_THANKS: Final = (
    ("Thanks!", "You're welcome!"),
    ("Thank you, that helps.", "Glad that it helps."),
    ("Great, thanks a lot.", "Any time."),
    ("Perfect.", "Good to hear. Is there anything else?"),
    ("ok thx", "You're welcome."),
    ("Super, that's all for today.", "Then have a nice day!"),
    ("Good.", "Let me know if you need anything else."),
    ("Thank you!", "My pleasure."),
    ("Cheers, bye.", "Goodbye!"),
    ("Wonderful, many thanks.", "Happy to help."),
)


def single(scene: Scene) -> list[RowMessage]:
    """One call, its result, an answer."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    said = scene.say(request(scene.dice, scene.words, tool, values))
    told = draw_result(scene.dice, scene.words, tool, values)
    return [said, _calls(scene, [_call(tool, values)]), _result(told), _answer(told.answer)]


def follow_up(scene: Scene) -> list[RowMessage]:
    """A call, and then the same with one other value, named by no more than that value."""
    dice, tool = scene.dice, scene.tool
    if not tool.required or tool.required[0].kind in ("sentence", "record", "flag"):
        return single(scene)
    first = tool.required[0]
    values = chosen(dice, tool)
    begun = scene.say(request(dice, scene.words, tool, values))
    other = first.slot.draw(dice)
    again = [(param, other if param is first else said) for param, said in values]
    told = draw_result(dice, scene.words, tool, values), draw_result(dice, scene.words, tool, again)
    asked = dice.pick(scene.words.of(_AGAIN)).format(l=first.label, v=kept(other.text))
    return [
        *(begun, _calls(scene, [_call(tool, values)]), _result(told[0]), _answer(told[0].answer)),
        *(_user(typed(dice, asked)), _calls(scene, [_call(tool, again)]), _result(told[1])),
        _answer(told[1].answer),
    ]


def parallel_same(scene: Scene) -> list[RowMessage]:
    """The same tool several times, with one argument that differs."""
    dice, tool = scene.dice, scene.tool
    if not tool.required or tool.required[0].kind in ("sentence", "list", "range", "record", "flag"):
        return parallel_two(scene)
    first = tool.required[0]
    values = chosen(dice, tool)
    others = {
        str(said.value): said
        for said in (first.slot.draw(dice) for _ in range(dice.pick((2, 2, 2, 3, 3, 4))))
    }
    if len(others) < 2:
        return parallel_two(scene)
    spoken = Said(None, listed(dice, [said.text for said in others.values()]))
    asked = [(param, spoken if param is first else said) for param, said in values]
    each = [[(param, one if param is first else said) for param, said in values] for one in others.values()]
    told = [draw_result(dice, scene.words, tool, values) for values in each]
    said = scene.say(request(dice, scene.words, tool, asked))
    return [
        said,
        _calls(scene, [_call(tool, values) for values in each]),
        *map(_result, told),
        _answers(scene, told),
    ]


def parallel_two(scene: Scene) -> list[RowMessage]:
    """Two or three requests in one, each its own call."""
    dice, words = scene.dice, scene.words
    tools = dice.some(scene.tools, dice.pick((2, 2, 2, 3)))
    while len(tools) < 2:
        tools.append(scene.tool)
    each = [(tool, chosen(dice, tool)) for tool in tools]
    if len({_key(tool, values) for tool, values in each}) < len(each):
        return single(scene)
    text = ""
    for tool, values in each:
        one = request(dice, words, tool, values, is_part=True)
        if text:
            link = dice.pick(words.of(_LINKS))
            one = one if link.startswith(".") else one[:1].lower() + one[1:]
            text = text.rstrip(".?!") + link + one
        else:
            text = one
    told = [draw_result(dice, words, tool, values) for tool, values in each]
    calls = [_call(tool, values) for tool, values in each]
    return [scene.say(text), _calls(scene, calls), *map(_result, told), _answers(scene, told)]


def chat(scene: Scene) -> list[RowMessage]:
    """A question that needs no tool."""
    asked, answer = draw_chat(scene.dice, scene.words)
    return [_user(typed(scene.dice, asked)), _answer(answer)]


def about_tools(scene: Scene) -> list[RowMessage]:
    """A question about the tools themselves, in their words, and no wish to have one run."""
    dice, tool = scene.dice, scene.tool
    names = listed(dice, [one.name for one in scene.tools])
    needs = listed(dice, [one.label for one in tool.required]) if tool.required else "nothing"
    forms = scene.words.of(
        (
            ("What can you do?", f"I can answer questions, and I have these tools: {names}."),
            ("Which tools do you have?", f"I have {names}."),
            (f"What do you need to {tool.verb} a {tool.noun}?", f"I need the following: {needs}."),
            (f"What is {tool.name} for?", f"It lets me {tool.verb} the {tool.noun}."),
            (f"Could you {tool.verb} a {tool.noun} if I asked you to?", f"Yes, with {tool.name}."),
            (f"Don't {tool.verb} the {tool.noun} yet.", "All right, I will wait."),
            (f"I already have the {tool.noun}, no need to {tool.verb} it.", "Good, then I leave it."),
            (f"How do you {tool.verb} the {tool.noun}?", f"I call {tool.name}. It takes {needs}."),
            (
                f"Is the {tool.noun} something you know by heart?",
                f"No, I would have to use {tool.name} for that.",
            ),
            (f"I like the word {tool.noun}.", "It has a nice sound."),
            (f"Tomorrow I may ask you for the {tool.noun}.", "Good, ask me when you are ready."),
        )
    )
    asked, answer = dice.pick(forms)
    return [_user(typed(dice, asked)), _answer(answer)]


def uncovered(scene: Scene) -> list[RowMessage]:
    """A wish that none of the tools can fulfil."""
    dice, words = scene.dice, scene.words
    nouns = {tool.noun for tool in scene.tools}
    other = draw_tool(dice, words)
    while other.noun in nouns:
        other = draw_tool(dice, words)
    said = scene.say(request(dice, words, other, chosen(dice, other)))
    return [said, _answer(dice.pick(words.of(_UNCOVERED)).format(v=other.verb, n=other.noun))]


def missing(scene: Scene) -> list[RowMessage]:
    """Something required is not said: it is asked for, often given, and then the call is made."""
    dice, words = scene.dice, scene.words
    able = [tool for tool in scene.tools if tool.required]
    if not able:
        return chat(scene)
    tool = dice.pick(able)
    lacking = dice.some(tool.required, 1 if dice.chance(0.75) else 2)
    lacking = [param for param in tool.required if param in lacking]
    values = chosen(dice, tool, without=lacking)
    said = scene.say(request(dice, words, tool, values))
    labels = " and ".join(param.label for param in lacking)
    form = dice.pick(words.of(_ASK_ONE if len(lacking) == 1 else _ASK_MORE))
    begun = [said, _answer(form.format(l=labels, n=tool.noun, v=tool.verb))]
    if dice.chance(0.4):
        return begun
    given = [(param, _quotable(param.slot.draw(dice))) for param in lacking]
    whole = {param.name: (param, one) for param, one in [*values, *given]}
    ordered = [whole[param.name] for param in tool.params if param.name in whole]
    told = draw_result(dice, words, tool, ordered)
    calls = _calls(scene, [_call(tool, ordered)])
    return [*begun, _user(_given(scene, given)), calls, _result(told), _answer(told.answer)]


def error(scene: Scene) -> list[RowMessage]:
    """A call whose result is an error, which the answer tells."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    said = scene.say(request(scene.dice, scene.words, tool, values))
    told = draw_error(scene.dice, scene.words, tool)
    return [said, _calls(scene, [_call(tool, values)]), _result(told), _answer(told.answer)]


def retried(scene: Scene) -> list[RowMessage]:
    """A call that fails for the moment, and is made once more."""
    tool = scene.tool
    values = chosen(scene.dice, tool)
    said = scene.say(request(scene.dice, scene.words, tool, values))
    failed = draw_error(scene.dice, scene.words, tool, is_brief=True)
    told = draw_result(scene.dice, scene.words, tool, values)
    call = _call(tool, values)
    return [
        said,
        _calls(scene, [call]),
        _result(failed),
        _calls(scene, [call]),
        _result(told),
        _answer(told.answer),
    ]


def two_rounds(scene: Scene) -> list[RowMessage]:
    """The second call takes what the first one found."""
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
    second = [(param, found if param is taken else one) for param, one in chosen(dice, taker)]
    rest = [one for one in second if one[0] is not taken]
    asked = request(dice, words, finder, first, is_part=True).rstrip(".?!")
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
    said = scene.say(f"{asked}{link.format(l=taken.label)}{then[:1].lower()}{then[1:]}.")
    between = Told(f'{{"{taken.name}": "{found.value}"}}', "")
    told = draw_result(dice, words, taker, second)
    calls = [_call(finder, first)], [_call(taker, second)]
    return [
        said,
        _calls(scene, calls[0]),
        _result(between),
        _calls(scene, calls[1]),
        _result(told),
        _answer(told.answer),
    ]


def thanks(scene: Scene) -> list[RowMessage]:
    """A word of thanks after something was done."""
    asked, answer = scene.dice.pick(scene.words.of(_THANKS))
    return [_user(asked), _answer(answer)]


EXCHANGES: Final[Mapping[str, Exchange]] = {
    one.__name__: one
    for one in (
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
"""Every kind of exchange, by name."""
SHARES: Final = (
    ("single", 34.0),
    ("follow_up", 4.0),
    ("parallel_same", 8.0),
    ("parallel_two", 8.0),
    ("chat", 10.0),
    ("about_tools", 5.0),
    ("uncovered", 7.0),
    ("missing", 14.0),
    ("error", 4.0),
    ("retried", 2.0),
    ("two_rounds", 5.0),
)
"""How often each kind begins or goes on a conversation."""


def _user(text: str) -> RowMessage:
    return RowMessage(role=Role.USER, parts=(Prose(text=text),))


def _answer(text: str) -> RowMessage:
    return RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),))


def _answers(scene: Scene, told: Sequence[Told]) -> RowMessage:
    joint = scene.dice.pick((" ", " ", "\n"))
    return _answer(joint.join(one.answer for one in told))


def _result(told: Told) -> RowMessage:
    return RowMessage(role=Role.TOOL, parts=(Result(text=told.text),))


def _calls(scene: Scene, calls: Sequence[Call]) -> RowMessage:
    preface: tuple[Part, ...] = ()
    if scene.dice.chance(0.05):
        preface = (Prose(text=scene.dice.pick(scene.words.of(_PREFACES))),)
    return RowMessage(role=Role.ASSISTANT, parts=(*preface, *calls))


def _call(tool: Tool, values: Sequence[tuple[Param, Said]]) -> Call:
    return Call(name=tool.name, arguments=arguments_of(values))


def _key(tool: Tool, values: Sequence[tuple[Param, Said]]) -> str:
    return f"{tool.name} {arguments_of(values)}"


def _quotable(said: Said) -> Said:
    return Said(said.value, said.text.removeprefix(": "))


def _given(scene: Scene, given: Sequence[tuple[Param, Said]]) -> str:
    """The missing values, as one gives them when asked."""
    if len(given) == 1:
        param, said = given[0]
        form = scene.dice.pick(scene.words.of(_GIVEN))
        return typed(scene.dice, form.format(l=param.label, v=kept(said.text)))
    parts = [f"{param.label} {kept(said.text)}" for param, said in given]
    return typed(scene.dice, scene.dice.pick((" and ", ", ")).join(parts))
