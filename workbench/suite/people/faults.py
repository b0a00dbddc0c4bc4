"""Find mistakes of the person in a conversation. They make it void: it then says nothing about the model.

Published benchmarks counted such conversations as failures of the model. In one of them, up to 30 % of the failures
were the simulated person's. *Source:* https://github.com/sierra-research/tau2-bench/pull/392

The checks find what can be decided from the text: a fact that was said unasked, an identifier that nobody gave the
person, a request for another action, an end while the model waits for an answer. They prefer to miss a mistake over
voiding a valid conversation. Example: "Where is my order W1001?" is a mistake only if the goal does not contain W1001,
and the model neither asked for an order nor named it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.suite.people.person import Person, contains_words
from workbench.toolspec.patterns import is_found


class PersonFault(NamedTuple):
    """A mistake of the person."""

    turn: int
    """The person's message, from 1."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonConversation:
    """What the person and the model said to each other."""

    said: tuple[str, ...]
    """The person's messages. The last one may be empty if it ended the conversation."""
    answers: tuple[str, ...]
    """What the model said after each message. The message that ended the conversation has none."""
    has_ended: bool
    """Whether the person ended the conversation."""
    tools: tuple[str, ...] = ()
    """Names of the tools that the model could call."""


def person_fault(person: Person, conversation: PersonConversation) -> PersonFault | None:
    """Return the person's first mistake, or None if there is none."""
    for index, text in enumerate(conversation.said):
        is_last = conversation.has_ended and index == len(conversation.said) - 1
        heard = conversation.answers[:index]
        problem = next(_problems(person, conversation, text, heard), "") if text or not is_last else ""
        if not text.strip() and not is_last:
            problem = "the person said nothing"
        if problem:
            return PersonFault(index + 1, problem)
    reason = (
        _early_end(person, conversation) if conversation.has_ended else _missing_end(person, conversation)
    )
    return PersonFault(len(conversation.said), reason) if reason else None


_SPEAKS_AS_ASSISTANT: Final = re.compile(
    r"<tool_call>|how (?:can|may) i (?:help|assist) you|\bas an ai\b"
    r"|\bi(?:'m| am) (?:an ai|an assistant|a virtual assistant|a language model)\b"
    r"|is there anything else i can (?:help|assist|do for) ",
    re.IGNORECASE,
)
_SPEAKS_OF_INSTRUCTIONS: Final = re.compile(
    r"\bmy (?:goal|instructions?|scenario|script|role) (?:is|are|was|were|says?|tells?)\b"
    r"|\bi (?:was|am|'m) (?:told|instructed|supposed|simulating|pretending|playing)\b.{0,20}"
    r"\b(?:to play|play|say|act|a (?:user|customer|person)|the (?:user|customer|person))\b"
    r"|\bsimulated (?:user|customer|person)\b",
    re.IGNORECASE,
)
_GIVES_UP: Final = re.compile(r"\bnever ?mind\b|\bforget (?:it|about (?:it|that|this))\b", re.IGNORECASE)


def _problems(
    person: Person, conversation: PersonConversation, text: str, heard: Sequence[str]
) -> Iterator[str]:
    """Yield the mistakes in one message."""
    known = _known_text(person)
    if found := _SPEAKS_AS_ASSISTANT.search(text):
        yield f"the person left the goal: they speak as the assistant ({found[0]!r})"
    if found := _SPEAKS_OF_INSTRUCTIONS.search(text):
        yield f"the person spoke of their instructions ({found[0]!r})"
    for pattern in person.never:
        if is_found(pattern, text):
            yield f"the person said what they must never say (/{pattern}/)"
    for name, fact in person.facts.items():
        is_secret = contains_words(text, fact.value) and not contains_words(known, fact.value)
        if is_secret and not any(
            _asks_for(person, name, answer) or contains_words(answer, fact.value) for answer in heard
        ):
            yield f"the person revealed {name!r} before the model asked for it"
    values = " ".join(value for fact in person.facts.values() for value in (fact.value, fact.wrong))
    if invented := _invented(text, f"{known} {values} {' '.join(heard)}"):
        yield f"the person made up {invented!r}"
    if action := _other_action(text, f"{known} {values} {' '.join(heard)}", conversation.tools):
        yield f"the person left the goal: they asked to {action}"
    if (found := _GIVES_UP.search(text)) and not _GIVES_UP.search(known):
        yield f"the person left the goal: they gave up ({found[0]!r})"


def _known_text(person: Person) -> str:
    """Return everything that the case says about the person, except the facts."""
    rules = [text for rule in person.rules for text in rule.texts]
    return "\n".join((person.goal, person.first, person.change, person.otherwise, *rules))


_OPEN_QUESTION: Final = re.compile(
    r"\b(?:more|further|additional|other|which|what|any|some|your|the) (?:details|information|info|data)\b"
    r"|\btell me (?:more|about)\b|\bverify\b|\bidentify\b|\bdescribe\b|\bprovide\b",
    re.IGNORECASE,
)


def _asks_for(person: Person, name: str, answer: str) -> bool:
    """Return whether a message can be understood as a question for a fact.

    This is wider than what a scripted person answers to: "Which order is it?" asks for the fact `order id`.
    """
    if name in person.asked_facts(answer) or _OPEN_QUESTION.search(answer):
        return True
    return "?" in answer and any(
        contains_words(answer, word) or contains_words(answer, f"{word}s")
        for word in re.findall(r"\w{3,}", name)
    )


_WORD: Final = re.compile(r"[A-Za-z0-9][\w-]*")
_MEASURE: Final = re.compile(r"\d+(?:am|pm|st|nd|rd|th|x|cm|mm|kg|gb|tb|min|h|usd|eur|s)?", re.IGNORECASE)
_LEAST_DIGITS: Final = 5


def _invented(text: str, known: str) -> str:
    """Return an identifier that nobody gave the person: letters mixed with digits, or many digits. Empty if none."""
    known_letters = _letters(known)
    for word in _WORD.findall(text):
        letters = _letters(word)
        digits = sum(letter.isdigit() for letter in letters)
        is_mixed = digits >= 2 and digits < len(letters) >= 4 and not _MEASURE.fullmatch(letters)
        if (is_mixed or digits >= _LEAST_DIGITS) and letters not in known_letters:
            return word
    return ""


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_HARMLESS: Final = frozenset(
    (
        *("add", "ask", "calculate", "check", "compare", "compute", "convert", "count", "create", "describe"),
        *("estimate", "explain", "fetch", "find", "list", "look", "lookup", "make", "open", "read", "search"),
        *("send", "show", "sort", "tell", "think", "transfer", "update", "view"),
    )
)
"""First words of tool names that a person may use without leaving the goal."""
_REQUEST: Final = (
    r"(?:^|[.!?,;]\s*|\b(?:please|also|and|then|can you|could you|i want to|i need to|i would like to|i'd like to"
    r"|want you to|instead|let's|to|just)\s+)(?:please\s+|also\s+|just\s+|instead\s+)?{word}\s+(?!anything)\w+"
)


def _other_action(text: str, known: str, tools: Sequence[str]) -> str:
    """Return the action of a tool that the person asks for although it has nothing to do with the goal."""
    for name in tools:
        action = name.split("_")[0].lower()
        if len(action) < 4 or action in _HARMLESS or re.search(rf"\b{action[:-1]}", known, re.IGNORECASE):
            continue
        if re.search(_REQUEST.format(word=action), text, re.IGNORECASE):
            return action
    return ""


_CONFIRMS: Final = re.compile(
    r"\b(?:shall|should|may|can) i (?:go ahead|proceed|continue|do|cancel|book|return|place|make|change|update|close)"
    r"|\bdo you (?:want|wish|confirm|agree)\b|\bwould you like (?:me )?to (?:go|proceed|confirm|continue)"
    r"|\b(?:please|can you|could you) confirm\b|\bis (?:that|this) (?:correct|right|ok(?:ay)?|fine)\b"
    r"|\(yes/no\)|\byes or no\b",
    re.IGNORECASE,
)
_CLOSES: Final = re.compile(
    r"\banything else\b|\bwelcome\b|\bhave a (?:nice|great|good)\b|\bgood ?bye\b|\bglad\b|\bhappy to\b",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(r"\bno\b|\bnot\b|\bdon't\b|\bno,? thank", re.IGNORECASE)
_MOST_REPEATS: Final = 3


def _early_end(person: Person, conversation: PersonConversation) -> str:
    """Return why the person ended the conversation too early; empty if they did not."""
    if not conversation.answers:
        return "the person ended the conversation before the model answered"
    last, goodbye = conversation.answers[-1], conversation.said[-1]
    if "?" in last:
        for name in person.asked_facts(last):
            value = person.facts[name].value
            if not any(contains_words(text, value) for text in conversation.said) and not contains_words(
                last, value
            ):
                return f"the person ended the conversation too early: the model asked for {name!r}"
            if contains_words(goodbye, value):
                return f"the person ended the conversation too early, with their answer about {name!r}"
    question = ". ".join(part for part in re.split(r"(?<=[.!?])\s+", last) if not _CLOSES.search(part))
    if (found := _CONFIRMS.search(question)) and not _DECLINES.search(goodbye):
        return f"the person ended the conversation too early: the model waits for a yes or no ({found[0]!r})"
    return ""


def _missing_end(person: Person, conversation: PersonConversation) -> str:
    """Return why the person should have ended the conversation; empty if they need not."""
    if len(conversation.said) < person.max_turns:
        return ""
    if not person.is_scripted and len(conversation.said) >= _MOST_REPEATS:
        last = {" ".join(text.lower().split()) for text in conversation.said[-_MOST_REPEATS:]}
        if len(last) == 1 and len(set(conversation.answers[-_MOST_REPEATS:])) > 1:
            return f"the person repeated {conversation.said[-1][:60]!r} and never ended the conversation"
    if len(conversation.answers) > 1 and all(_CLOSES.search(answer) for answer in conversation.answers[-2:]):
        return f"the person never ended the conversation, in {person.max_turns} messages"
    return ""
