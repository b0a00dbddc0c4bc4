"""Limits on what one person may use. Each limit is declared here and checked by one method."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.message import Message
from workbench.errors import BadInput
from workbench.records.comparisons import Comparison
from workbench.records.run_config import RunConfig
from workbench.rollout.sampling import Sampling
from workbench.settings import Settings
from workbench.suite.plan import Arm, RunPlan

MEGABYTE: Final = 1_000_000
_SEEDS: Final = range(-(2**31), 2**32)
"""Seeds that every engine accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserLimits:
    """The limits of one person. None means no limit."""

    max_tokens: int | None = None
    """The longest completion, in tokens."""
    max_rounds: int | None = None
    """The most completions in a turn."""
    text_chars: int | None = None
    """The longest text: a message, a contract, a list of tools, a suite, or a text to parse or check."""
    stop_texts: int | None = None
    """The most stop texts of a setup, and also the most entries of its logit bias."""
    samples: int | None = None
    """The most answers to one message that can be requested together."""
    run_jobs: int | None = None
    """The most case runs of a suite run: arms × cases × repetitions."""
    case_seconds: float | None = None
    """The longest time limit of a case."""
    compared_answers: int | None = None
    """Maximum number of answers of a comparison: turns × columns."""
    import_bytes: int | None = None
    """The largest uploaded file of rows."""
    import_rows: int | None = None
    """The most rows of a file that become sessions."""
    sessions: int | None = None
    """The most sessions of a user."""
    messages: int | None = None
    """The most messages of a session, in all branches."""
    versions: int | None = None
    """The most versions of a contract, toolset, suite or preset."""
    own_names: int | None = None
    """The most contracts of a user, and also the most toolsets, suites and presets."""
    runs: int | None = None
    """The most suite runs of a user, and also the most comparisons and labelling projects."""
    turns_at_once: int | None = None
    """The most turns, suite runs and comparisons of a user that are running or waiting."""
    turns_of_address: int | None = None
    """The same for all users at one address together, without those who have signed in."""
    check_seconds: int | None = None
    """How long the texts of one address may be checked in a minute, in seconds of computing time."""
    requests_at_once: int | None = None
    """The most requests from one address that are running or waiting."""
    remote_at_once: int | None = None
    """The most simultaneous completions of a model that can serve several, for all users together."""

    def check_setup(self, setup: RunConfig) -> None:
        """Check a setup before turns run with it.

        Raises:
            BadInput: The setup exceeds a limit.
        """
        if self.max_tokens is None and self.max_rounds is None and self.text_chars is None:
            return
        self.check_sampling(setup.sampling)
        _check("max rounds", setup.max_rounds, self.max_rounds, "completions in a turn", "lower it")
        self.check_text("contract", setup.contract_text)
        self.check_text("tools", setup.tools_text)
        self.check_text("ephemeral part", setup.ephemeral)
        self.check_texts("variables", (text for pair in setup.variables.items() for text in pair))
        names = (setup.contract_name, setup.model, setup.tool_choice, *setup.disabled_tools)
        self.check_texts("names", names)

    def check_turn(self, setup: RunConfig, user_text: str) -> None:
        """Check a turn's setup and text before it runs.

        Raises:
            BadInput: The setup or the text exceeds a limit.
        """
        self.check_text("message", user_text)
        self.check_setup(setup)

    def check_sampling(self, sampling: Sampling) -> None:
        """Check sampling settings.

        Raises:
            BadInput: A setting exceeds a limit.
        """
        _check("max tokens", sampling.max_tokens, self.max_tokens, "tokens in a completion", "lower it")
        count = max(len(sampling.stop), len(sampling.logit_bias))
        _check("sampling", count, self.stop_texts, "stop texts or token biases", "remove some")
        tokens = (str(bias.token) for bias in sampling.logit_bias)
        self.check_texts("sampling", (*sampling.stop, *tokens))
        if self.max_tokens is not None and sampling.seed not in _SEEDS:
            raise BadInput("seed", "it is out of range", f"use {_SEEDS.start:,} to {_SEEDS.stop - 1:,}")

    def check_text(self, label: str, text: str) -> None:
        """Check the length of a text.

        Raises:
            BadInput: The text is too long.
        """
        _check(label, len(text), self.text_chars, "characters", "shorten it")

    def check_texts(self, label: str, texts: Iterable[str]) -> None:
        """Check the total length of several texts.

        Raises:
            BadInput: The texts are too long.
        """
        if self.text_chars is not None:
            _check(label, sum(map(len, texts)), self.text_chars, "characters", "shorten it")

    def check_value(self, label: str, value: object) -> None:
        """Check the size of a JSON value, by the length of its text.

        Raises:
            BadInput: The value is too large.
        """
        if self.text_chars is not None:
            self.check_text(label, str(value))

    def check_message(self, message: Message) -> None:
        """Check a message that somebody sends.

        Raises:
            BadInput: Its text, or the arguments of its calls, are too long.
        """
        if self.text_chars is None:
            return
        self.check_text("message", message.text)
        self.check_value("message", [call.arguments for call in message.calls])

    def check_samples(self, count: int) -> None:
        """Check how many answers to one message are requested.

        Raises:
            BadInput: They are too many.
        """
        _check("samples", count, self.samples, "answers at once", "request fewer")

    def check_arms(self, count: int) -> None:
        """Check the number of a run's arms before they are created.

        Raises:
            BadInput: They are too many.
        """
        _check("run", count, self.run_jobs, "case runs", "compare fewer combinations")

    def check_plan(self, plan: RunPlan) -> None:
        """Check a suite run before it starts.

        Raises:
            BadInput: It has too many case runs, or one of them exceeds a limit.
        """
        repetitions = sum(max(plan.repeat, case.repeat) for case in plan.cases)
        jobs = plan.search.settings.runs if plan.search else len(plan.arms) * repetitions
        _check("run", jobs, self.run_jobs, "case runs", "choose fewer cases or repetitions")
        _check("run", plan.timeout_s, self.case_seconds, "seconds for a case", "lower the time limit")
        for arm in plan.arms:
            self._check_arm(arm)
        for name, text in plan.tools.items():
            self.check_texts("tools of a case", (name, text))
        for rounds in (plan.max_rounds, *(case.max_rounds or 0 for case in plan.cases)):
            _check("max rounds", rounds, self.max_rounds, "completions in a turn", "lower it")
        for case in plan.cases:
            self.check_value(f"case {case.key[:60]!r}", case.document)

    def check_comparison(self, comparison: Comparison) -> None:
        """Check a comparison before it starts.

        Raises:
            BadInput: It has too many answers, or a column exceeds a limit.
        """
        answers = len(comparison.turns) * len(comparison.columns)
        _check("comparison", answers, self.compared_answers, "answers", "choose fewer turns or columns")
        for column in comparison.columns:
            self.check_setup(column.setup)

    def check_import(self, size_bytes: int, *, file: str) -> None:
        """Check the size of a file of rows before it is imported.

        Raises:
            BadInput: The file is too large.
        """
        limit = self.import_bytes
        if limit is not None and size_bytes > limit:
            raise BadInput(
                file,
                f"the file is too large; at most {limit // MEGABYTE} MB are allowed here",
                "split it and import the parts",
            )

    def check_stored(self, label: str, count: int, limit: int | None) -> None:
        """Check that one more item can be stored in addition to `count` existing ones.

        Raises:
            BadInput: The limit is reached.
        """
        _check(label, count + 1, limit, label, "delete some, or duplicate the Space")

    def check_activity(self, own: int, of_address: int) -> None:
        """Check that a visitor can start one more turn, run or comparison.

        Args:
            own: How many of the user are running or waiting.
            of_address: How many of all users at the same address are running or waiting.

        Raises:
            BadInput: One of the limits is reached.
        """
        remedy = "wait until one ends, or stop one"
        if self.turns_at_once is not None and own >= self.turns_at_once:
            raise BadInput("turn", f"you have {own} turns running or waiting, which is the maximum", remedy)
        if self.turns_of_address is not None and of_address >= self.turns_of_address:
            problem = f"your network has {of_address} turns running or waiting, which is the maximum"
            raise BadInput("turn", problem, "wait, or sign in to be counted separately")

    def _check_arm(self, arm: Arm) -> None:
        self.check_sampling(arm.sampling)
        self.check_text("contract", arm.contract_text)
        self.check_text("ephemeral part", arm.ephemeral)
        self.check_texts("variables", (text for pair in arm.variables.items() for text in pair))
        self.check_texts("names", (arm.contract_name, arm.model, arm.tool_choice))


LAPTOP: Final = UserLimits()
"""For one person on their own machine."""
TEAM: Final = UserLimits(turns_at_once=16, remote_at_once=32)
"""For people with accounts who share a server."""
SPACE: Final = UserLimits(
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
    check_seconds=15,
    requests_at_once=96,
    remote_at_once=8,
)
"""For the visitors of a public Space. `max_rounds` comes from the settings."""


def limits_of(settings: Settings) -> UserLimits:
    """Return the limits of a deployment."""
    if settings.is_on_space:
        return replace(SPACE, max_rounds=settings.max_rounds)
    return TEAM if settings.accounts else LAPTOP


def _check(where: str, count: float, limit: float | None, unit: str, remedy: str) -> None:
    if limit is not None and count > limit:
        raise BadInput(where, f"{count:,} {unit}; at most {limit:,} are allowed here", remedy)
