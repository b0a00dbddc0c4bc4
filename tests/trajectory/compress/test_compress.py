"""A long conversation is compressed, and no call is separated from its result."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.compress import (
    NOTICE,
    TITLE,
    CompressionSettings,
    compress_trajectory,
    estimate_tokens,
    extract_summary,
    find_region,
    read_settings,
)
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.formats.shared.text_entries import bare_result, text_entries
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

S, U, A, T = Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL


def long(rounds, size=400):
    """Return a conversation with this many calls, each with a result of this many characters."""
    messages = [
        RowMessage(role=S, parts=(Prose(text="Be brief."),)),
        RowMessage(role=U, parts=(Prose(text="Do it."),)),
    ]
    for number in range(rounds):
        call = Call(name="f", arguments={"n": number})
        messages.append(RowMessage(role=A, parts=(Prose(text=f"Step {number}."), call)))
        messages.append(RowMessage(role=T, parts=(Result(text=f"result {number} " + "x" * size, name="f"),)))
    messages.append(RowMessage(role=A, parts=(Prose(text="Done."),)))
    return Trajectory(messages=tuple(messages), columns={"id": 1})


def compressed(trajectory, **settings):
    wanted = CompressionSettings(**{"summary_target_tokens": 100, **settings})
    return compress_trajectory(
        trajectory,
        wanted,
        estimate_tokens,
        lambda entries: extract_summary(entries, estimate_tokens, wanted.summary_target_tokens),
    )


def test_a_short_row_is_not_compressed():
    trajectory = long(3)
    done = compressed(trajectory)
    assert done.trajectory is trajectory
    assert not done.metrics.was_compressed
    assert done.metrics.compression_ratio == 1


def test_the_middle_becomes_one_user_message_and_the_rest_is_unchanged():
    trajectory = long(30)
    done = compressed(trajectory, target_max_tokens=1500)
    messages = done.trajectory.messages
    place = next(
        index
        for index, message in enumerate(messages)
        if message.prose and message.prose[0].text.startswith(TITLE)
    )
    assert messages[place].role is U
    assert messages[1:place] == trajectory.messages[1:4]
    assert messages[-4:] == trajectory.messages[-4:]
    assert messages[0].prose[0].text == "Be brief." + NOTICE
    assert "called f" in messages[place].prose[0].text
    metrics = done.metrics.to_json()
    assert metrics["was_compressed"] is True
    assert metrics["still_over_limit"] is False
    assert metrics["compressed_tokens"] <= 1500
    assert metrics["compression_region"]["start_idx"] == 4
    assert metrics["tokens_saved"] == metrics["original_tokens"] - metrics["compressed_tokens"]
    assert done == compressed(trajectory, target_max_tokens=1500)


def test_the_notice_can_be_turned_off():
    done = compressed(long(30), target_max_tokens=1500, add_summary_notice=False)
    assert done.trajectory.messages[0].prose[0].text == "Be brief."


@given(
    rounds=st.integers(1, 25),
    size=st.integers(0, 900),
    target=st.integers(0, 3000),
    last=st.integers(0, 8),
    firsts=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_a_call_is_never_separated_from_its_result(rounds, size, target, last, firsts):
    names = ("first_system", "first_human", "first_gpt", "first_tool")
    done = compressed(
        long(rounds, size),
        target_max_tokens=target,
        last_n_turns=last,
        **dict(zip(names, firsts, strict=True)),
    )
    messages = done.trajectory.messages
    for index, message in enumerate(messages):
        if message.calls:
            assert messages[index + 1].result.text.startswith(f"result {message.calls[0].arguments['n']} ")
        if message.result:
            assert messages[index - 1].calls
    assert done.metrics.compressed_tokens <= done.metrics.original_tokens or done.metrics.was_compressed


@pytest.mark.parametrize(
    ("roles", "tokens", "region"),
    [
        ([S, U, A, T, A, T, A, T, A, T, A], [1] * 11, None),
        ([S, U, A, T, A, T, A, T, A, T, A], [10] * 11, (4, 8)),
        ([U, A, U, A, U, A, U, A, U, A], [10] * 10, (2, 7)),
        ([S, U, A], [1000] * 3, None),
        ([], [], None),
    ],
)
def test_the_region_is_between_the_protected_entries(roles, tokens, region):
    settings = CompressionSettings(target_max_tokens=5, summary_target_tokens=5, last_n_turns=3)
    found = find_region(roles, tokens, settings)
    assert (tuple(found) if found else None) == region


def test_an_extracted_summary_is_not_longer_than_its_target():
    entries = list(text_entries(long(200).messages, bare_result))
    for most in (60, 200, 1000, 5000):
        text = extract_summary(entries, estimate_tokens, most)
        assert text.startswith(TITLE)
        assert estimate_tokens(text) <= most
    assert "more steps" in extract_summary(entries, estimate_tokens, 60)


def test_all_keys_of_hermes_agent_s_file_are_read():
    settings = read_settings(
        {
            "tokenizer": {"name": "moonshotai/Kimi-K2-Thinking", "trust_remote_code": True},
            "compression": {"target_max_tokens": 100, "summary_target_tokens": 10},
            "protected_turns": {"first_tool": False, "last_n_turns": 2},
            "summarization": {"model": "m", "temperature": 1, "base_url": "u", "retry_delay": 2},
            "output": {"add_summary_notice": False},
            "processing": {"num_workers": 4, "save_over_limit": False},
            "metrics": {"per_trajectory": False},
        }
    )
    assert settings == CompressionSettings(
        target_max_tokens=100,
        summary_target_tokens=10,
        first_tool=False,
        last_n_turns=2,
        temperature=1,
        add_summary_notice=False,
        save_over_limit=False,
        per_trajectory=False,
    )
    assert read_settings(None) == CompressionSettings()


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ([], "settings: not a mapping"),
        ({"kompression": {}}, "kompression: unknown section"),
        ({"compression": 3}, "compression: not a mapping"),
        ({"compression": {"target": 3}}, "compression.target: unknown key"),
        ({"compression": {"target_max_tokens": "many"}}, "target_max_tokens: 'many' is not of type int"),
        ({"protected_turns": {"first_gpt": 1}}, "first_gpt: 1 is not of type bool"),
    ],
)
def test_invalid_settings_are_refused_in_one_line(document, where):
    with pytest.raises(BadInput, match=where):
        read_settings(document)


@pytest.mark.parametrize("form", ["sharegpt", "hermes-agent", "openai", "trl"])
def test_compressed_rows_have_no_findings(form):
    """An agent's loop is replaced between results and the next call; a chat between two questions."""
    spec = ToolSpec.of_function({"name": "f", "description": "d", "parameters": {}})
    chat = long(2).messages
    for number in range(12):
        chat += (
            RowMessage(role=U, parts=(Prose(text=f"And {number}? " + "why " * 90),)),
            RowMessage(role=A, parts=(Prose(text=f"Because {number}. " + "so " * 90),)),
        )
    for messages in (long(30).messages, chat):
        done = compressed(
            Trajectory(messages=messages, tools=OfferedTools(specs=(spec,))), target_max_tokens=1500
        )
        assert done.metrics.was_compressed
        written = write_row(done.trajectory, FORMATS[form], RowOptions())
        assert written.problems == ()
        assert [finding.code for finding in check_completely(FORMATS[form].read(written.row)).findings] == []


def test_a_question_next_to_the_summary_joins_it():
    messages = [*long(1).messages]
    for number in range(9):
        messages += [
            RowMessage(role=U, parts=(Prose(text=f"And {number}? " + "why " * 90),)),
            RowMessage(role=A, parts=(Prose(text=f"Because {number}. " + "so " * 90),)),
        ]
    done = compressed(Trajectory(messages=tuple(messages)), target_max_tokens=900)
    roles = [message.role for message in done.trajectory.messages]
    assert (U, U) not in list(itertools.pairwise(roles))
    assert sum(TITLE in message.prose[0].text for message in done.trajectory.messages if message.prose) == 1
