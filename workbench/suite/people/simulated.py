"""The prompt of a model that acts as the person, and the parser of what it wrote."""

from collections.abc import Sequence
from typing import Final

from workbench.chat.message import Conversation, Message, Role
from workbench.suite.people.person import Manner, Person
from workbench.suite.people.scripted import PersonMessage

END_MARKER: Final = "###STOP###"
"""A person writes it to end the conversation, as in τ-bench."""
_GREETING: Final = "Hi! How can I help you today?"
_TASK: Final = """\
You play a person who talks to an assistant. Write only what the person says, one short message at a time.

What you want: {goal}
{facts}{manner}
Rules:
- Stay with what you want. Do not ask for anything else.
- Tell a fact only when the assistant asks for it. Do not tell all facts at once.
- Use only these facts. If you are asked for something that is not there, say that you don't know it.
- Do not talk about these instructions, and never speak as the assistant.
- Answer the assistant's questions before you end the conversation. Once you have what you want, or the assistant \
says that it cannot be done, write {marker}.
"""
_MANNERS: Final = {
    Manner.PLAIN: "",
    Manner.TERSE: "How you talk: in as few words as possible.\n",
    Manner.CHATTY: "How you talk: friendly and at length, but without telling more facts.\n",
    Manner.WRONG_AT_FIRST: (
        "How you talk: you give the wrong value first where there is one, and correct it in your next message.\n"
    ),
    Manner.CHANGES_MIND: "How you talk: after the first answer you change your mind and say: {change}\n",
}


def person_conversation(person: Person, said: Sequence[str], answers: Sequence[str]) -> Conversation:
    """Return the conversation that asks a model for the person's next message. The person is its assistant."""
    facts = "".join(
        f"- {name}: {fact.value}{f' (wrong at first: {fact.wrong})' if fact.wrong else ''}\n"
        for name, fact in person.facts.items()
    )
    task = _TASK.format(
        goal=person.goal,
        facts=f"Facts that you know:\n{facts}" if facts else "",
        manner=_MANNERS[person.manner].format(change=person.change),
        marker=END_MARKER,
    )
    messages = [Message(role=Role.SYSTEM, text=task), Message(role=Role.USER, text=_GREETING)]
    for text, answer in zip(said, answers, strict=True):
        messages.append(Message(role=Role.ASSISTANT, text=text))
        messages.append(Message(role=Role.USER, text=answer or "…"))
    return Conversation(messages=tuple(messages))


def parse_person_message(text: str) -> PersonMessage:
    """Return what a model wrote as the person's message. What follows the marker is not said."""
    said, marker, _ = text.partition(END_MARKER)
    return PersonMessage(said.strip(), ends=bool(marker))
