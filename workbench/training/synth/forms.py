"""Forms of all that is said around a value: requests, questions back, refusals, politeness."""

from typing import Final

from workbench.training.synth.tools import Purpose

FORMS: Final[dict[Purpose, tuple[str, ...]]] = {
    "read": (
        "What is the {n} {a}?",
        "What's the {n} {a}?",
        "Get the {n} {a}.",
        "{V} the {n} {a}.",
        "I'd love to know the {n} {a}.",
        "Tell me the {n} {a}.",
        "Show me the {n} {a}",
        "I need the {n} {a}.",
        "Can you {v} the {n} {a}?",
        "Mind telling me the {n} {a}?",
        "{n} {a}",
        "Could you {v} the {n} {a}?",
        "{v} {n} {a}",
        "I am looking for the {n} {a}.",
        "{n} {a} - what does it say?",
        "Do you know the {n} {a}?",
        "Please {v} the {n} {a}.",
        "Which {n} do we have {a}?",
        "How is the {n} {a}?",
        "Someone wants the {n} {a}, so {v} it.",
        "I want to {v} the {n} {a}",
        "Give me the {n} {a}.",
        "Look at the {n} {a} for me",
        "Is there a {n} {a}?",
        "Have a look at the {n} {a}.",
        "Let me see the {n} {a}.",
        "Find out the {n} {a}.",
        "{a}, what is the {n}?",
        "Need {n} {a}",
        "Would you read me the {n} {a}?",
        "Use {t} {a}.",
        "Call {t} {a}",
        "Run {t} {a} and tell me the {n}.",
        "I need {t} {a}.",
        "Please use {t} {a}.",
    ),
    "act": (
        "{V} a {n} {a}.",
        "Please {v} a {n} {a}.",
        "Can you {v} the {n} {a}?",
        "{V} the {n} {a}",
        "Go ahead and {v} a {n} {a}.",
        "I need you to {v} a {n} {a}.",
        "I'd like to {v} a {n} {a}.",
        "Could you {v} a {n} {a}?",
        "{v} {n} {a}",
        "It would help to {v} the {n} {a}.",
        "We need to {v} a {n} {a}.",
        "Let's {v} the {n} {a}.",
        "Help me {v} a {n} {a}.",
        "I have to {v} the {n} {a}, can you do it?",
        "Kindly {v} one {n} {a}.",
        "Make sure to {v} the {n} {a}.",
        "I want to {v} a {n} {a}",
        "Time to {v} a {n} {a}.",
        "{V} another {n} {a}, will you?",
        "Do me a favour, {v} a {n} {a}.",
        "Now {v} the {n} {a}.",
        "Can we {v} a {n} {a}?",
        "You should {v} the {n} {a}.",
        "{a}: {v} a {n}.",
        "{V} a {n} for me {a}.",
        "Use {t} {a}.",
        "Call {t} {a}",
        "Run {t} {a}, please.",
        "I'd like you to use {t} {a}.",
        "Please call {t} {a}.",
    ),
    "sum": (
        "{V} the {n} {a}.",
        "What is the {n} {a}?",
        "Please {v} the {n} {a}.",
        "How much is the {n} {a}?",
        "Run the numbers: {n} {a}.",
        "I need the {n} {a}.",
        "Can you {v} the {n} {a}?",
        "{v} {n} {a}",
        "What do I get for the {n} {a}?",
        "Let us {v} the {n} {a}.",
        "{n} {a}?",
        "Could you {v} the {n} {a}?",
        "I'd like you to {v} the {n} {a}.",
        "Help me {v} a {n} {a}",
        "Do the {n} {a}.",
        "Tell me the {n} {a}.",
        "Work with this: {a}. What is the {n}?",
        "What would the {n} be {a}?",
        "Find the {n} {a}.",
        "Give me the {n} {a}.",
        "Use {t} {a}.",
        "Call {t} {a}",
        "Run {t} {a} and tell me the {n}.",
        "Show me the {n} {a}.",
        "Please use {t} {a}.",
    ),
}
"""Whole requests; `{n}` is the noun, `{v}` the verb, `{t}` the tool's name, `{a}` the arguments."""
NAMED: Final = (
    "{l} {v}",
    "with {l} {v}",
    "{l}: {v}",
    "with the {l} {v}",
    "with {v} as its {l}",
    "{v} as the {l}",
    "{l} = {v}",
    "using {v} as {l}",
    "the {l} is {v}",
    "whose {l} is {v}",
    "{l} set to {v}",
    "with a {l} of {v}",
    "using {l} {v}",
    "where the {l} is {v}",
    "with the {l} set to {v}",
    "with {v} for {l}",
    "taking {v} as {l}",
    "({l} {v})",
    "for {l} {v}",
    "({l}: {v})",
    "the {l} being {v}",
    "using {v} for the {l}",
    "with {v} as {l}",
    "where {l} is {v}",
    "that has {l} {v}",
)
"""A value by its parameter; `{l}` is the label, `{v}` the value."""
BARE: Final = ("{v} {l}", "with {v} {l}")
"""A value before its label."""
ON: Final = ("with {l}", "{l}", "{l} on", "make it {l}", "turn {l} on", "{l} please", "and {l}")
"""A flag that is set."""
OFF: Final = ("without {l}", "no {l}", "{l} off", "not {l}", "turn {l} off", "but not {l}")
"""A flag that is not."""
BEGINNINGS: Final = (
    "",
    "Hi! ",
    "Hey, ",
    "Hello there. ",
    "Good evening. ",
    "Quick question: ",
    "OK, ",
    "I am in a hurry. ",
    "My colleague asked for this. ",
    "So, let's begin. ",
    "Thanks for your help so far. ",
    "Sorry to bother you. ",
    "We are planning our week. ",
    "Please help me. ",
    "Next up: ",
    "I just got home. ",
    "Right. ",
    "It is for a friend. ",
    "Before I forget: ",
    "Listen, ",
    "I'm writing a report. ",
    "Alright, ",
)
"""What people say first."""
ENDINGS: Final = (
    "",
    " please",
    " Thanks!",
    " Thank you.",
    " Cheers!",
    " It's urgent.",
    " asap",
    " if you can",
    " I'm waiting.",
    " Much appreciated.",
    " That's all.",
    " for me",
    " right now",
    " Take your time.",
    " No rush.",
)
"""What people say last."""
JOINTS: Final = (" ", ", ", ", ", " and ", ", and ")
"""Between two arguments."""
ASK_ONE: Final = (
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
"""A question back for one value."""
ASK_MORE: Final = (
    "I need the {l}. What are they?",
    "Which {l} should I use?",
    "Please tell me the {l}.",
    "What are the {l}?",
    "The {l} are missing. Could you give me them?",
    "Could you tell me the {l}?",
)
"""A question back for several; `{l}` are their labels."""
AGAIN: Final = (
    "And {v}?",
    "What about {v}?",
    "The same with {v}, please.",
    "Now with {l} {v}.",
    "And with {v} instead?",
    "And now {v}",
    "Again, but {l} {v}.",
    "How about {l} {v}?",
)
"""The same again with another value."""
LINKS: Final = (" and ", ". Also, ", ", and ", "; ", ". Then ", " and also ", ". And ", ". After that ")
"""Between two requests in one message."""
UNCOVERED: Final = (
    "I have no tool for that.",
    "None of my tools can do that.",
    "That is not something that my tools can do.",
    "I can't do that with what I have.",
    "I have nothing that could {v} the {n}.",
    "My tools don't cover that, sorry.",
)
"""What a model says where no tool fits."""
THANKS: Final = (
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
"""Thanks, and the answer to them."""
PREFACES: Final = (
    "Let me see.",
    "One moment.",
    "I will look.",
    "On it.",
    "Sure, I'll do that.",
    "Let me check that for you.",
    "Working on it.",
    "Of course.",
)
"""Words before a call."""
GIVEN: Final = (
    "{v}",
    "It's {v}",
    "{l}: {v}",
    "{v}, please",
    "The {l} is {v}",
    "Take {v}",
    "{l} {v}",
    "Use {v}.",
)
"""A value that was asked for."""
