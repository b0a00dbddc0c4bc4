"""Conversations without calls: general questions, and questions about the tools."""

from collections.abc import Callable, Sequence
from typing import Final

from workbench.training.synth import vocabulary
from workbench.training.synth.tools import Tool
from workbench.training.synth.values import listed
from workbench.training.synth.vocabulary import entries, pairs
from workbench.training.synth.words import Dice, WordList, belongs

_GREETINGS: Final = entries("chats", "greetings")
_REPLIES: Final = entries("chats", "replies")
_FACTS: Final = pairs("chats", "facts")
_THOUGHTS: Final = pairs("chats", "thoughts")
_ASK_FACT: Final = entries("chats", "ask_fact")
_ASK_THOUGHT: Final = entries("chats", "ask_thought")

SMALL_TALK: Final = pairs("chats", "small_talk")
"""Pairs of a general question or remark and its answer in one sentence."""
ABOUT: Final = pairs("chats", "about")
"""Pairs of a remark about tools and its answer. No tool should run for them."""


def draw_chat(dice: Dice, words: WordList) -> tuple[str, str]:
    """Draw a question or remark that needs no tool, and its answer."""
    return dice.weighted(_CHATS)(dice, words)


def draw_about(dice: Dice, words: WordList, tool: Tool, tools: Sequence[Tool]) -> tuple[str, str]:
    """Draw a question or remark about `tool` or all `tools`, and its answer."""
    values = {
        "n": tool.noun,
        "v": tool.verb,
        "t": tool.name,
        "all": listed(dice, [other.name for other in tools]),
        "needs": listed(dice, [param.label for param in tool.required]) if tool.required else "nothing",
    }
    question, answer = dice.pick(words.of(ABOUT))
    return question.format_map(values), answer.format_map(values)


def _greeting(dice: Dice, words: WordList) -> tuple[str, str]:
    name = f" I'm {dice.pick(words.people)}." if dice.chance(0.4) else ""
    return dice.pick(words.of(_GREETINGS)) + name, dice.pick(words.of(_REPLIES))


def _fact(dice: Dice, words: WordList) -> tuple[str, str]:
    thing, answer = dice.pick(words.of(_FACTS))
    question = dice.pick(words.of(_ASK_FACT)).format(q=thing)
    capitalized = answer[:1].upper() + answer[1:]
    return question[:1].upper() + question[1:], dice.pick(
        (f"{capitalized}.", f"{capitalized} is {thing}.", f"It is {answer}.")
    )


def _thought(dice: Dice, words: WordList) -> tuple[str, str]:
    thing, answer = dice.pick(words.of(_THOUGHTS))
    return dice.pick(words.of(_ASK_THOUGHT)).format(q=thing), answer


def _sum(dice: Dice, words: WordList) -> tuple[str, str]:
    first, second = dice.between(1, 40), dice.between(1, 40)
    while not belongs(f"{first},{second}", words.split):
        second += 1
    sign, word, result = dice.pick((("+", "plus", first + second), ("-", "minus", first - second)))
    questions = words.of(
        (
            f"What is {first} {sign} {second}?",
            f"What's {first} {word} {second}?",
            f"{first} {sign} {second}",
            f"How much is {first} {word} {second}?",
            f"Can you do {first} {sign} {second} in your head?",
        )
    )
    return dice.pick(questions), dice.pick(
        (f"{result}.", f"{first} {word} {second} is {result}.", f"That makes {result}.")
    )


def _day(dice: Dice, words: WordList) -> tuple[str, str]:
    place = dice.between(0, 6)
    today, after, before = (vocabulary.DAYS[(place + step) % 7] for step in (0, 1, -1))
    forms = words.of(
        (
            (f"What day comes after {today}?", f"After {today} comes {after}."),
            (f"If today is {today}, what was yesterday?", f"Yesterday was {before}."),
            (f"Tomorrow is {today}, so what is today?", f"Today is {before}."),
            (f"Which day is before {today}?", f"Before {today} comes {before}."),
            (f"It's {today}. What day is tomorrow?", f"Tomorrow is {after}."),
        )
    )
    return dice.pick(forms)


def _remark(dice: Dice, words: WordList) -> tuple[str, str]:
    topic, place = dice.pick(words.topics), dice.pick(words.places)
    thing, name = dice.pick(words.things), dice.pick(words.people)
    forms = words.of(
        (
            (f"I am reading about {topic}.", f"That sounds interesting. What do you like about {topic}?"),
            (f"I went to {place} last week.", f"How nice! What did you like best in {place}?"),
            (f"{name} gave me a {thing}.", f"That was kind of {name}."),
            (f"My {thing} broke today.", f"I'm sorry to hear that about your {thing}."),
            (f"Do you like {topic}?", f"I don't have likes of my own, but many people enjoy {topic}."),
            (f"I feel tired after {topic}.", "Then a short rest may do you good."),
            (
                f"Write one sentence about a {thing}.",
                f"The {thing} stood by the window and waited for the morning.",
            ),
            (f"Give me two words that rhyme with cat, {name} wants them.", "Hat and mat."),
            (f"Say hello to {name} for me.", f"Hello, {name}!"),
            (
                f"Who are you? {name} told me about you.",
                "I'm an assistant. I answer questions and use tools when they help.",
            ),
            (f"Name a use for a {thing}.", f"A {thing} can make a fine present for a friend."),
            (f"Is {topic} hard to learn?", f"It takes time, but with practice {topic} gets easier."),
            (
                f"Tell me a joke about a {thing}.",
                f"Why did the {thing} go to school? It wanted to be a little brighter.",
            ),
            (f"I moved from {place}.", f"A move is a big step. Do you miss {place}?"),
        )
    )
    return dice.pick(forms)


def _letters(dice: Dice, words: WordList) -> tuple[str, str]:
    word = dice.pick((dice.pick(words.things), dice.pick(words.people), words.made_up(dice))).split()[0]
    forms = words.of(
        (
            (f"Spell the word {word}.", "-".join(word.upper())),
            (f"How many letters has {word}?", f"{word} has {len(word)} letters."),
            (f"What is the first letter of {word}?", f"The first letter of {word} is {word[0].upper()}."),
            (f"Write {word} in capitals.", word.upper()),
            (f"What is the last letter of {word}?", f"The last letter of {word} is {word[-1].upper()}."),
        )
    )
    return dice.pick(forms)


_CHATS: Final[tuple[tuple[Callable[[Dice, WordList], tuple[str, str]], float], ...]] = (
    (_greeting, 1.6),
    (_fact, 2.0),
    (_thought, 2.0),
    (_sum, 1.5),
    (_day, 0.7),
    (_remark, 2.5),
    (_letters, 1.0),
)
