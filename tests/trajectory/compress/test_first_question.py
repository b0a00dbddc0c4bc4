"""The first question joins a summary that follows it, because a trainer cannot use two user messages in a row."""

from workbench.chat.message import Role
from workbench.trajectory.compress import (
    TITLE,
    CompressionSettings,
    compress_trajectory,
    estimate_tokens,
    extract_summary,
)
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory


def test_a_question_before_the_summary_joins_it() -> None:
    """Without the protection of its answer, the first question is directly before the summary."""
    messages = [RowMessage(role=Role.USER, parts=(Prose(text="Do it."),))]
    for number in range(30):
        call, result = Call(name="f", arguments={"n": number}), Result(text="x" * 400, name="f")
        messages.append(RowMessage(role=Role.ASSISTANT, parts=(call,)))
        messages.append(RowMessage(role=Role.TOOL, parts=(result,)))
    settings = CompressionSettings(
        target_max_tokens=1500, summary_target_tokens=100, first_gpt=False, first_tool=False
    )
    done = compress_trajectory(
        Trajectory(messages=tuple(messages)),
        settings,
        estimate_tokens,
        lambda entries: extract_summary(entries, estimate_tokens, settings.summary_target_tokens),
    )
    first, second = done.trajectory.messages[:2]
    assert (first.role, second.role) == (Role.USER, Role.ASSISTANT)
    assert first.prose[0].text.startswith(f"Do it.\n\n{TITLE}")
