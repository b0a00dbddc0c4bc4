"""What is found out about servers that are slow, silent or overloaded: as much as they answer, and the rest later."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any

import pytest

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.probes.server_probes import (
    AGAIN_S,
    REUSED_S,
    STILL_ASKED,
    PlainAnswer,
    ServerProbes,
)
from workbench.engines.remote.server import Server
from workbench.rollout.server_abilities import ServerAbilities

LAB = Server(name="", base_url="http://h/v1", timeout_s=50.0)
SILENCE = PlainAnswer(None, {}, "no data for 50 s")
TEXT = PlainAnswer(200, {"text": "Paris", "message": {"content": "Hello"}})
"""The answer of a server that ignores all fields that it does not know."""


class Lab:
    """A server that answers a request after some seconds, by a clock of its own."""

    def __init__(self, answer: Callable[[int], PlainAnswer], *, seconds: float = 0.0) -> None:
        self.now_s = 0.0
        self.bodies: list[dict[str, Any]] = []
        self.timeouts: list[float] = []
        self._answer, self._seconds = answer, seconds
        self.probes = ServerProbes(send=self._send, clock=lambda: self.now_s)

    def _send(self, server: Server, path: str, body: JsonObject, timeout_s: float) -> PlainAnswer:
        self.bodies.append({**body})
        self.timeouts.append(timeout_s)
        self.now_s += self._seconds
        return self._answer(len(self.bodies))

    def ask(self, model: str = "m") -> ServerAbilities:
        self.probes.ask(LAB, model)
        found = self.probes.known(LAB, model)
        assert found is not None
        return found.abilities


def listed(answers: Sequence[PlainAnswer]) -> Callable[[int], PlainAnswer]:
    """Return the answers in turn, and the last one from then on."""
    return lambda number: answers[min(number, len(answers)) - 1]


def test_a_server_that_needs_long_for_each_answer_is_known_in_the_end() -> None:
    """Every request has the time that any request to the server has."""
    lab = Lab(listed([TEXT]), seconds=40.0)
    abilities = lab.ask()
    assert set(lab.timeouts) == {LAB.timeout_s}
    assert set(abilities.document.values()) == {True, False}
    assert (abilities.open, abilities.problem) == (frozenset(), "")


def test_the_results_count_as_they_come_and_the_rest_is_not_known_yet() -> None:
    goes_on = Event()

    def answer(number: int) -> PlainAnswer:
        assert number == 1 or goes_on.wait(60)
        return TEXT

    lab = Lab(answer)
    lab.probes.ask(LAB, "m", wait_s=0.2)
    while not (found := lab.probes.known(LAB, "m")) or found.abilities.raw_completions is None:
        pass
    assert not lab.probes.was_asked(LAB, "m")
    assert found.abilities.facts == (
        "raw completions",
        "not known yet: logprobs, grammar, JSON Schema, named tool choice, required tool choice, grammar in chats",
        STILL_ASKED,
    )
    goes_on.set()
    assert lab.ask().open == frozenset()
    assert lab.probes.was_asked(LAB, "m")


@pytest.mark.parametrize(
    "answer", [SILENCE, PlainAnswer(401, {}, "status 401"), PlainAnswer(429, {}, "status 429")]
)
def test_after_a_first_request_without_an_answer_no_other_is_sent(answer: PlainAnswer) -> None:
    lab = Lab(listed([answer]))
    abilities = lab.ask()
    assert len(lab.bodies) == 1
    assert abilities.open == set(abilities.document)
    assert abilities.problem == f"{answer.problem}; it will be asked again"


def test_one_request_without_an_answer_does_not_hide_the_others() -> None:
    lab = Lab(listed([TEXT, SILENCE, TEXT]))
    abilities = lab.ask()
    assert (abilities.logprobs, abilities.open) == (None, {"logprobs"})
    assert (abilities.raw_completions, abilities.named_choice) == (True, False)
    assert abilities.facts[-2:] == ("not known yet: logprobs", "no data for 50 s; it will be asked again")


def test_a_server_that_falls_silent_is_not_asked_on() -> None:
    lab = Lab(listed([TEXT, TEXT, SILENCE]))
    abilities = lab.ask()
    assert len(lab.bodies) == 4
    assert {*abilities.open} == {"grammar", "json_schema", "named_choice", "required_choice", "chat_grammar"}


def test_what_is_open_is_asked_again_at_the_next_use_and_nothing_else() -> None:
    lab = Lab(listed([TEXT, SILENCE, TEXT]))
    lab.ask()
    sent = len(lab.bodies)
    lab.now_s += AGAIN_S
    lab.ask()
    assert len(lab.bodies) == sent
    lab.now_s += 1
    abilities = lab.ask()
    assert [body.get("logprobs") for body in lab.bodies[sent:]] == [True]
    assert (abilities.logprobs, abilities.open, abilities.problem) == (False, frozenset(), "")


def test_what_was_found_out_counts_until_it_is_found_out_again() -> None:
    lab = Lab(listed([TEXT] * 10 + [SILENCE]))
    first = lab.ask()
    lab.now_s += REUSED_S + 1
    again = lab.ask()
    assert again.document == first.document
    assert again.facts == first.facts
    assert again.open == set(first.document)


def test_a_result_is_reused_for_the_same_server_and_model() -> None:
    lab = Lab(listed([TEXT]))
    counts = []
    for at_s, model in ((0.0, "a"), (REUSED_S, "a"), (REUSED_S, "b"), (REUSED_S + 1, "a")):
        lab.now_s = at_s
        lab.ask(model)
        counts.append(len(lab.bodies))
    each = counts[0]
    assert counts == [each, each, 2 * each, 3 * each]


def test_nobody_waits_for_the_results_after_a_stop() -> None:
    goes_on = Event()
    lab = Lab(lambda _: TEXT if goes_on.wait(60) else SILENCE)
    lab.probes.ask(LAB, "m", wait_s=3600, is_cancelled=lambda: True)
    assert not lab.probes.was_asked(LAB, "m")
    goes_on.set()
