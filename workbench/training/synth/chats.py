"""What needs no call: questions that anyone can answer, with true answers, and talk about the tools themselves."""

from collections.abc import Callable, Sequence
from typing import Final

from workbench.training.synth import words as vocabulary
from workbench.training.synth.tools import Tool
from workbench.training.synth.values import listed
from workbench.training.synth.words import Dice, WordList, belongs

_GREETINGS: Final = (
    "Hello!", "Hi there", "Hey, how is it going?", "Good day to you", "Good morning!", "Hello, are you there?", "Hi, I'm new here.",
    "Greetings", "hey", "Howdy, what's up?", "Nice to meet you.", "hi, how do you feel?", "Hello again", "Hey you", "Good afternoon",
)  # fmt: skip
_REPLIES: Final = (
    "Hello! How can I help you?", "Hi! What can I do for you?", "Hello, I'm doing well, thank you. What would you like to do?",
    "Good to hear from you. How may I help?", "Hi there! I'm here and ready to help.", "Hello! It's nice to meet you. What do you need?",
)  # fmt: skip
_FACTS: Final = (
    ("the capital of France", "Paris"), ("the capital of Japan", "Tokyo"), ("the capital of Italy", "Rome"),
    ("the capital of Canada", "Ottawa"), ("the capital of Egypt", "Cairo"), ("the capital of Spain", "Madrid"),
    ("the capital of Greece", "Athens"), ("the capital of Kenya", "Nairobi"), ("the capital of Norway", "Oslo"),
    ("the capital of Peru", "Lima"), ("the largest ocean", "the Pacific Ocean"), ("the largest planet", "Jupiter"),
    ("the planet nearest to the sun", "Mercury"), ("the chemical symbol of gold", "Au"), ("the chemical symbol of iron", "Fe"),
    ("the chemical formula of water", "H2O"), ("the opposite of hot", "cold"), ("the opposite of early", "late"),
    ("the opposite of heavy", "light"), ("the plural of mouse", "mice"), ("the plural of leaf", "leaves"),
    ("the past tense of go", "went"), ("the past tense of bring", "brought"), ("the first month of the year", "January"),
    ("the shortest month", "February"), ("the freezing point of water in Celsius", "0 degrees"),
    ("the number of days in a leap year", "366"), ("the number of minutes in an hour", "60"),
    ("the number of legs of a spider", "eight"), ("the color of ripe bananas", "yellow"), ("the young of a cow", "a calf"),
    ("the young of a sheep", "a lamb"), ("the largest animal", "the blue whale"), ("the tallest animal", "the giraffe"),
    ("the author of Hamlet", "William Shakespeare"), ("the painter of the Mona Lisa", "Leonardo da Vinci"),
    ("the language of Brazil", "Portuguese"), ("the currency of Japan", "the yen"), ("the star nearest to Earth", "the sun"),
    ("the gas that plants take in", "carbon dioxide"),
)  # fmt: skip
_THOUGHTS: Final = (
    ("why the sky is blue", "Air scatters blue light from the sun more than red light, so blue reaches us from all over the sky."),
    ("why leaves are green", "Leaves hold chlorophyll, which takes in red and blue light and sends green light back."),
    ("what a rainbow is", "A rainbow is sunlight that raindrops bend and split into its colors."),
    ("how bread rises", "Yeast eats the sugars of the flour and gives off gas, and the gas makes the dough rise."),
    ("what gravity is", "Gravity is the pull between things that have mass. It keeps us on the ground and the moon near the Earth."),
    ("how a vaccine works", "A vaccine shows the body a harmless part of a germ, so that the body learns to fight the germ itself."),
    ("what a prime number is", "A prime number is a whole number above one that only one and itself divide."),
    ("how birds fly", "Birds flap their wings to push air down and back, and the shape of the wings gives them lift."),
    ("what a tool call is", "A tool call is a message in which a model asks a program to do something for it."),
    ("what a noun is", "A noun is a word for a person, a place, a thing or an idea."),
    ("how rain forms", "Water rises from seas and lakes as vapor, cools into clouds, and falls as rain when the drops grow heavy."),
    ("why we sleep", "Sleep lets the body repair itself and the brain sort what it learned during the day."),
    ("what a contract is", "A contract is an agreement that two or more people are bound to keep."),
    ("how a bicycle stays up", "A rolling bicycle steers a little into each fall, which brings the wheels back under the rider."),
    ("what inflation is", "Inflation is a rise of prices over time, so that the same money buys less."),
    ("how to make tea", "Boil fresh water, pour it over the tea, let it stand for three to five minutes, and take the leaves out."),
    ("what a haiku is", "A haiku is a short poem from Japan, with lines of five, seven and five syllables."),
    ("how to stay calm", "Breathe slowly, look at one thing at a time, and give yourself a short break."),
    ("what friendship means", "Friendship means that two people like and trust each other and help each other when it counts."),
    ("how to write a good letter", "Say at once why you write, keep to short sentences, and close with what you hope for."),
)  # fmt: skip
_ASK_FACT: Final = (
    "What is {q}?", "Do you know {q}?", "Tell me {q}.", "{q}?", "Can you tell me {q}?", "I forgot {q}. What is it?",
    "Quiz: {q}", "What was {q} again?",
)  # fmt: skip
_ASK_THOUGHT: Final = (
    "Explain {q}.", "Can you tell me {q}?", "I wonder {q}.", "Do you know {q}?", "Please explain {q} to me.",
    "In a few words, {q}?", "My son asks {q}.", "Tell me {q}",
)  # fmt: skip

ABOUT: Final = (
    ("What can you do?", "I can answer questions, and I have these tools: {all}."),
    ("Which tools do you have?", "I have {all}."),
    ("What do you need to {v} a {n}?", "I need the following: {needs}."),
    ("What is {t} for?", "It lets me {v} the {n}."),
    ("Could you {v} a {n} if I asked you to?", "Yes, with {t}."),
    ("Would you be able to {v} a {n}?", "Yes, {t} does that."),
    ("Are you able to {v} a {n} at all?", "Yes, I have {t} for that."),
    ("If I wanted to {v} a {n}, could you help?", "Yes, {t} does that. Tell me when you want it."),
    ("Don't {v} the {n} yet.", "All right, I will wait."),
    ("I like the word {n}.", "It has a nice sound."),
    ("The word {n} sounds funny.", "It does, a little."),
    ("I love the name {t}.", "It is a clear name."),
    ("How do you spell {n}?", "It is spelled {n}."),
    ("What does the word {n} mean to you?", "It is what {t} is about."),
    ("Please do not {v} any {n} today.", "All right, I will leave it."),
    ("Never {v} a {n} without asking me.", "Understood, I will ask first."),
    ("Wait, do not use {t} now.", "All right, I will wait."),
    ("I already have the {n}, no need to {v} it.", "Good, then I leave it."),
    ("Someone else will {v} the {n}, thanks.", "Good, then I leave it."),
    ("I have changed my mind about the {n}, leave it.", "All right, I will leave it."),
    ("How do you {v} the {n}?", "I call {t}. It takes {needs}."),
    ("What does {t} take?", "It takes {needs}."),
    ("Which values does {t} need?", "It needs {needs}."),
    ("Explain to me how {t} works.", "It lets me {v} the {n}. It takes {needs}."),
    ("What would you have to know to {v} a {n}?", "I need the following: {needs}."),
    ("Is the {n} something you know by heart?", "No, I would have to use {t} for that."),
    ("Tomorrow I may ask you for the {n}.", "Good, ask me when you are ready."),
    ("Later I will want to {v} a {n}.", "Good, tell me when it is time."),
    ("Next week we will talk about the {n}.", "Good, I will be here."),
    ("Maybe I will ask you to {v} a {n} later on.", "Good, ask me when you are ready."),
    ("My sister is good with any {n}.", "That is a fine thing to be good at."),
    ("I read about a {n} in the paper.", "What did it say?"),
    ("I dreamt of a {n}.", "What a dream!"),
    ("Do you like {t}?", "I have no likes, but it does its work."),
    ("We had trouble with the {n} last year.", "I hope that it goes better this time."),
    ("List your tools.", "I have {all}."),
    ("How many tools do you have?", "I have these: {all}."),
    ("Do you have a tool called {t}?", "Yes, it lets me {v} the {n}."),
    ("What are your functions?", "I have {all}."),
    ("Tell me what {t} does.", "It lets me {v} the {n}."),
)
"""Remarks on tools and what they are about, and answers: nothing of it is to be run."""


def draw_chat(dice: Dice, words: WordList) -> tuple[str, str]:
    """A question or remark that needs no tool, and its answer."""
    return dice.weighted(_CHATS)(dice, words)


def draw_about(dice: Dice, words: WordList, tool: Tool, tools: Sequence[Tool]) -> tuple[str, str]:
    """A question or remark about `tool`, one of `tools`, or about all of them, and its answer."""
    said = {
        "n": tool.noun,
        "v": tool.verb,
        "t": tool.name,
        "all": listed(dice, [one.name for one in tools]),
        "needs": listed(dice, [one.label for one in tool.required]) if tool.required else "nothing",
    }
    asked, answer = dice.pick(words.of(ABOUT))
    return asked.format_map(said), answer.format_map(said)


def _greeting(dice: Dice, words: WordList) -> tuple[str, str]:
    name = f" I'm {dice.pick(words.people)}." if dice.chance(0.4) else ""
    return dice.pick(words.of(_GREETINGS)) + name, dice.pick(words.of(_REPLIES))


def _fact(dice: Dice, words: WordList) -> tuple[str, str]:
    thing, answer = dice.pick(words.of(_FACTS))
    asked = dice.pick(words.of(_ASK_FACT)).format(q=thing)
    plain = answer[:1].upper() + answer[1:]
    return asked[:1].upper() + asked[1:], dice.pick((f"{plain}.", f"{plain} is {thing}.", f"It is {answer}."))


def _thought(dice: Dice, words: WordList) -> tuple[str, str]:
    thing, answer = dice.pick(words.of(_THOUGHTS))
    return dice.pick(words.of(_ASK_THOUGHT)).format(q=thing), answer


def _sum(dice: Dice, words: WordList) -> tuple[str, str]:
    first, second = dice.between(1, 40), dice.between(1, 40)
    while not belongs(f"{first},{second}", words.split):
        second += 1
    sign, word, result = dice.pick((("+", "plus", first + second), ("-", "minus", first - second)))
    asked = words.of(
        (
            f"What is {first} {sign} {second}?",
            f"What's {first} {word} {second}?",
            f"{first} {sign} {second}",
            f"How much is {first} {word} {second}?",
            f"Can you do {first} {sign} {second} in your head?",
        )
    )
    return dice.pick(asked), dice.pick(
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
