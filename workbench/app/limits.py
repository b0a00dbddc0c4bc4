"""Limits on what one person may use: every limit is declared here and checked in one function each."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from workbench.errors import BadInput
from workbench.records.comparisons import Comparison
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import Sampling
from workbench.settings import Settings
from workbench.suite.plan import Arm, RunPlan

MEGABYTE: Final = 1_000_000
_SEEDS: Final = range(-(2**31), 2**32)
"""Seeds that every engine takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLimits:
    """What one person may ask for; None sets no limit."""

    max_tokens: int | None = None
    """Longest completion, in tokens."""
    max_rounds: int | None = None
    text_chars: int | None = None
    """Longest text: a message, a contract, a list of tools, a suite, what is parsed or checked."""
    stop_texts: int | None = None
    """Stop texts of a setup, and entries of its logit bias."""
    samples: int | None = None
    """Answers to one message that are asked for at once."""
    run_jobs: int | None = None
    """Plays of one run of suites: cases × repetitions × what is compared."""
    case_seconds: float | None = None
    compared_answers: int | None = None
    """Answers of one comparison: turns × columns."""
    import_bytes: int | None = None
    """Largest file of rows, as it is uploaded."""
    import_rows: int | None = None
    """Rows of a file that become sessions."""
    sessions: int | None = None
    """Sessions that a visitor keeps."""
    messages: int | None = None
    """Messages of one session, all branches."""
    versions: int | None = None
    """Versions of one contract, toolset, suite or preset."""
    own_names: int | None = None
    """Contracts that a visitor keeps; the same for toolsets, suites and presets."""
    runs: int | None = None
    """Runs that a visitor keeps; the same for comparisons and for label projects."""
    turns_at_once: int | None = None
    """Turns, runs and comparisons of a visitor that are under way or waiting."""
    turns_of_address: int | None = None
    """The same for all visitors of one address together, those left out who have signed in."""
    requests_at_once: int | None = None
    """Requests of one address that the page works on or has waiting."""
    remote_at_once: int | None = None
    """Completions at the same time of a model that takes several askers, all visitors together."""

    def check_setup(self, setup: RunConfig) -> None:
        """Whether turns may be played with a setup.

        Raises:
            BadInput: It asks for too much.
        """
        self.check_sampling(setup.sampling)
        _check("max rounds", setup.max_rounds, self.max_rounds, "completions in a turn", "ask for fewer")
        self.check_text("contract", setup.contract_text)
        self.check_text("tools", setup.tools_text)
        self.check_text("ephemeral part", setup.ephemeral)
        self.check_texts("variables", (text for pair in setup.variables.items() for text in pair))
        names = (setup.contract_name, setup.model, setup.tool_choice, *setup.disabled_tools)
        self.check_texts("names", names)

    def check_turn(self, setup: RunConfig, said: str) -> None:
        """Whether a turn may be played.

        Raises:
            BadInput: Its setup or its text asks for too much.
        """
        self.check_text("message", said)
        self.check_setup(setup)

    def check_sampling(self, sampling: Sampling) -> None:
        """Whether tokens may be chosen so.

        Raises:
            BadInput: It asks for too much.
        """
        _check("max tokens", sampling.max_tokens, self.max_tokens, "tokens in a completion", "ask for fewer")
        count = max(len(sampling.stop), len(sampling.logit_bias))
        _check("sampling", count, self.stop_texts, "stop texts or token biases", "give fewer")
        pushed = (str(one.token) for one in sampling.logit_bias)
        self.check_texts("sampling", (*sampling.stop, *pushed))
        if self.max_tokens is not None and sampling.seed not in _SEEDS:
            raise BadInput("seed", "it is out of range", f"use {_SEEDS.start:,} to {_SEEDS.stop - 1:,}")

    def check_text(self, what: str, text: str) -> None:
        """Whether a text may be as long as it is.

        Raises:
            BadInput: It is too long.
        """
        _check(what, len(text), self.text_chars, "characters", "send less at a time")

    def check_texts(self, what: str, texts: Iterable[str]) -> None:
        """The same for several texts together.

        Raises:
            BadInput: They are too long.
        """
        if self.text_chars is not None:
            _check(what, sum(map(len, texts)), self.text_chars, "characters", "send less at a time")

    def check_value(self, what: str, value: object) -> None:
        """The same for a value that came as JSON, by the text that it takes.

        Raises:
            BadInput: It is too long.
        """
        if self.text_chars is not None:
            self.check_text(what, str(value))

    def check_samples(self, count: int) -> None:
        """Whether so many answers to one message may be asked for.

        Raises:
            BadInput: They are too many.
        """
        _check("samples", count, self.samples, "answers at once", "ask for fewer")

    def check_arms(self, count: int) -> None:
        """Whether so many ways may be compared, before they are worked out.

        Raises:
            BadInput: They are too many.
        """
        _check("run", count, self.run_jobs, "plays", "compare less at a time")

    def check_plan(self, plan: RunPlan) -> None:
        """Whether a run may be played.

        Raises:
            BadInput: It has too many plays, or one of them asks for too much.
        """
        repetitions = sum(max(plan.repeat, case.repeat) for case in plan.cases)
        plays = len(plan.arms) * repetitions
        _check("run", plays, self.run_jobs, "plays", "choose fewer cases or repetitions")
        _check("run", plan.timeout_s, self.case_seconds, "seconds for a case", "ask for less")
        for arm in plan.arms:
            self._check_arm(arm)
        for name, text in plan.tools.items():
            self.check_texts("tools of a case", (name, text))
        for rounds in (plan.max_rounds, *(case.max_rounds or 0 for case in plan.cases)):
            _check("max rounds", rounds, self.max_rounds, "completions in a turn", "ask for fewer")
        for case in plan.cases:
            self.check_value(f"case {case.key[:60]!r}", case.document)

    def check_comparison(self, comparison: Comparison) -> None:
        """Whether a comparison may be played.

        Raises:
            BadInput: It has too many answers, or a column asks for too much.
        """
        answers = len(comparison.turns) * len(comparison.columns)
        _check("comparison", answers, self.compared_answers, "answers", "choose fewer turns or columns")
        for column in comparison.columns:
            self.check_setup(column.setup)

    def check_import(self, size_bytes: int, *, file: str) -> None:
        """Whether a file of rows may be imported.

        Raises:
            BadInput: It is too large.
        """
        most = self.import_bytes
        if most is not None and size_bytes > most:
            raise BadInput(file, f"a file has {most // MEGABYTE} MB here at most", "bring it in parts")

    def check_kept(self, what: str, count: int, most: int | None) -> None:
        """Whether one more may be kept beside `count` others.

        Raises:
            BadInput: There are as many as may be.
        """
        _check(what, count + 1, most, what, "delete some, or duplicate the Space")

    def check_activity(self, own: int, of_address: int) -> None:
        """Whether somebody with so much under way may begin more.

        Args:
            own: What they have under way or waiting.
            of_address: What all who come from their address have.

        Raises:
            BadInput: That is as much as may be.
        """
        remedy = "wait until one ends, or stop one"
        if self.turns_at_once is not None and own >= self.turns_at_once:
            raise BadInput(
                "turn", f"you have {own} turns under way or waiting, as many as are allowed", remedy
            )
        if self.turns_of_address is not None and of_address >= self.turns_of_address:
            problem = f"your network has {of_address} turns under way or waiting, as many as are allowed"
            raise BadInput("turn", problem, "wait, or sign in to have a place of your own")

    def _check_arm(self, arm: Arm) -> None:
        self.check_sampling(arm.sampling)
        self.check_text("contract", arm.contract_text)
        self.check_texts("names", (arm.contract_name, arm.model, arm.tool_choice))


LAPTOP: Final = PersonLimits()
"""One person, on a machine of their own."""
TEAM: Final = PersonLimits(turns_at_once=16, remote_at_once=32)
"""People with accounts, who share a machine."""
SPACE: Final = PersonLimits(
    max_tokens=2_048,
    text_chars=200_000,
    stop_texts=32,
    samples=8,
    run_jobs=200,
    case_seconds=300,
    compared_answers=40,
    import_bytes=20 * MEGABYTE,
    import_rows=2_000,
    sessions=5_000,
    messages=2_000,
    versions=200,
    own_names=100,
    runs=200,
    turns_at_once=4,
    turns_of_address=16,
    requests_at_once=96,
    remote_at_once=8,
)
"""Strangers; `max_rounds` comes from the settings."""


def limits_of(settings: Settings) -> PersonLimits:
    """The limits of a deployment."""
    if settings.is_on_space:
        return replace(SPACE, max_rounds=settings.max_rounds)
    return TEAM if settings.accounts else LAPTOP


def _check(where: str, given: float, most: float | None, unit: str, remedy: str) -> None:
    if most is not None and given > most:
        raise BadInput(where, f"{given:,} {unit}; at most {most:,} are allowed here", remedy)
