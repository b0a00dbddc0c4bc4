"""A person who follows rules. The same messages of the model always get the same answers."""

from collections import Counter
from typing import Final, NamedTuple

from workbench.suite.people.person import Manner, Person, PersonRule
from workbench.toolspec.patterns import is_found


class PersonMessage(NamedTuple):
    """What a person says."""

    text: str
    """May be empty only if it ends the conversation."""
    ends: bool = False
    """Whether the person ends the conversation with it."""


_END: Final = PersonMessage("", ends=True)


class ScriptedPerson:
    """Answers the messages of the model in one conversation.

    Of several possible answers, the first of these is given: a correction of what was wrong at first; the change of
    mind; an answer of a rule that does not end the conversation; the facts that were asked for; an ending; `otherwise`.
    A question comes before an ending, so that "Done. What is your order number?" is answered.
    """

    def __init__(self, person: Person) -> None:
        self._person = person
        self._uses: Counter[int] = Counter()
        self._said = 1
        self._to_correct: list[str] = []
        self._corrected: set[str] = set()
        self._has_changed = person.manner is not Manner.CHANGES_MIND

    def first(self) -> PersonMessage:
        """Return the first message."""
        return PersonMessage(self._person.first_message)

    def reply(self, message: str) -> PersonMessage:
        """Return the answer to a message of the model."""
        if self._person.script:
            self._said += 1
            return (
                PersonMessage(self._person.script[self._said - 1])
                if self._said <= len(self._person.script)
                else _END
            )
        if self._to_correct:
            names, self._to_correct = self._to_correct, []
            self._corrected.update(names)
            return PersonMessage("Sorry, I was wrong. " + self._facts(names))
        if not self._has_changed:
            self._has_changed = True
            return PersonMessage(self._person.change)
        rules = [rule for rule in enumerate(self._person.rules) if is_found(rule[1].when, message)]
        for index, rule in rules:
            if not rule.ends:
                return PersonMessage(self._text(index, rule))
        if asked := self._person.asked_facts(message):
            return PersonMessage(self._facts(list(asked)))
        for index, rule in rules:
            return PersonMessage(self._text(index, rule), ends=True)
        return PersonMessage(self._person.otherwise)

    def _text(self, index: int, rule: PersonRule) -> str:
        self._uses[index] += 1
        return rule.texts[min(self._uses[index], len(rule.texts)) - 1]

    def _facts(self, names: list[str]) -> str:
        return _in_manner(self._person.manner, [(name, self._value(name)) for name in names])

    def _value(self, name: str) -> str:
        fact = self._person.facts[name]
        is_wrong = self._person.manner is Manner.WRONG_AT_FIRST and fact.wrong and name not in self._corrected
        if is_wrong:
            self._to_correct.append(name)
        return fact.wrong if is_wrong else fact.value


def _in_manner(manner: Manner, facts: list[tuple[str, str]]) -> str:
    if manner is Manner.TERSE:
        return ", ".join(value for _, value in facts)
    said = " ".join(f"The {name} is {value}." for name, value in facts)
    return f"Oh, let me have a look. {said} I hope that helps!" if manner is Manner.CHATTY else said
