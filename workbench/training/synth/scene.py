"""Where an exchange takes place, and the messages that it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.chat.message import Role
from workbench.training.synth.dice import Dice
from workbench.training.synth.forms import GIVEN, PREFACES
from workbench.training.synth.phrasing import arguments_of, dressed, kept, typed
from workbench.training.synth.results import Told
from workbench.training.synth.tools import Param, Tool
from workbench.training.synth.values import Said
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
        return user_message(dressed(self.dice, self.words, text))


def user_message(text: str) -> RowMessage:
    return RowMessage(role=Role.USER, parts=(Prose(text=text),))


def answer_message(text: str) -> RowMessage:
    return RowMessage(role=Role.ASSISTANT, parts=(Prose(text=text),))


def answers_message(scene: Scene, told: Sequence[Told]) -> RowMessage:
    joint = scene.dice.pick((" ", " ", "\n"))
    return answer_message(joint.join(one.answer for one in told))


def result_message(told: Told) -> RowMessage:
    return RowMessage(role=Role.TOOL, parts=(Result(text=told.text),))


def calls_message(scene: Scene, calls: Sequence[Call]) -> RowMessage:
    preface: tuple[Part, ...] = ()
    if scene.dice.chance(0.05):
        preface = (Prose(text=scene.dice.pick(scene.words.of(PREFACES))),)
    return RowMessage(role=Role.ASSISTANT, parts=(*preface, *calls))


def call_of(tool: Tool, values: Sequence[tuple[Param, Said]]) -> Call:
    return Call(name=tool.name, arguments=arguments_of(values))


def key_of(tool: Tool, values: Sequence[tuple[Param, Said]]) -> str:
    return f"{tool.name} {arguments_of(values)}"


def quotable(said: Said) -> Said:
    return Said(said.value, said.text.removeprefix(": "))


def given_later(scene: Scene, given: Sequence[tuple[Param, Said]]) -> str:
    """The missing values, as one gives them when asked."""
    if len(given) == 1:
        param, said = given[0]
        form = scene.dice.pick(scene.words.of(GIVEN))
        return typed(scene.dice, form.format(l=param.label, v=kept(said.text)))
    parts = [f"{param.label} {kept(said.text)}" for param, said in given]
    return typed(scene.dice, scene.dice.pick((" and ", ", ")).join(parts))
