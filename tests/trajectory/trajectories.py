"""Hypothesis strategies for trajectories."""

import string

from hypothesis import strategies as st

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Thought, Trajectory

PLAIN = st.text(string.ascii_letters + string.digits + " .,:;{}[]\"'\\/#\n\r\té漢😀|>&`", max_size=30)
"""Texts without special tokens and tags."""
MARKS = [
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "<tool_response>",
    "</tool_response>",
    "<|im_end|>",
    "<|im_start|>",
    "<tools>",
    "</tools>",
    "```",
    "a",
    '{"name":"f","arguments":{}}',
]
MARKED = st.lists(st.sampled_from([*MARKS, "\n", " ", "\ud800"]), max_size=6).map("".join)
"""Texts with special tokens and tags."""
NAMES = st.sampled_from(["f", "get_weather", "a.b", "étage"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**63, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN, inner, max_size=3),
    max_leaves=5,
)
TOOLS = st.lists(NAMES, unique=True, max_size=3).map(
    lambda names: OfferedTools(
        specs=tuple(
            ToolSpec.of_function({"name": name, "description": "d", "parameters": {"type": "object"}})
            for name in names
        )
    )
)


@st.composite
def trajectories(draw, texts=PLAIN):
    """Draw a conversation of user, model and tools that ends with the model."""
    messages = []
    if system := draw(st.none() | texts):
        messages.append(RowMessage(role=Role.SYSTEM, parts=(Prose(text=system),)))
    for _ in range(draw(st.integers(1, 3))):
        text = draw(texts)
        messages.append(RowMessage(role=Role.USER, parts=(Prose(text=text),) if text else ()))
        for _ in range(draw(st.integers(0, 2))):
            messages.extend(draw(rounds(texts)))
        messages.append(RowMessage(role=Role.ASSISTANT, parts=tuple(draw(words(texts)))))
    return Trajectory(
        messages=tuple(messages),
        tools=draw(TOOLS),
        columns=draw(
            st.dictionaries(st.sampled_from(["id", "source", "score"]), PLAIN | st.integers(), max_size=2)
        ),
    )


@st.composite
def words(draw, texts):
    """Draw an optional thought and an optional text."""
    found = []
    thought, prose = draw(st.none() | texts), draw(texts)
    if thought:
        found.append(Thought(text=thought))
    if prose:
        found.append(Prose(text=prose))
    return found


@st.composite
def rounds(draw, texts):
    """Draw a message with calls, followed by their results in order."""
    has_ids = draw(st.booleans())
    calls = [
        Call(
            name=draw(NAMES),
            arguments=draw(st.dictionaries(NAMES | PLAIN, VALUES, max_size=3)),
            id=f"id{draw(st.integers(0, 10**6))}-{number}" if has_ids else None,
        )
        for number in range(draw(st.integers(1, 3)))
    ]
    found = [RowMessage(role=Role.ASSISTANT, parts=(*draw(words(texts)), *calls))]
    for call in calls:
        result = Result(text=draw(texts), id=call.id, name=call.name)
        found.append(RowMessage(role=Role.TOOL, parts=(result,)))
    return found
