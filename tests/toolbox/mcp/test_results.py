"""Results of MCP tools as values for the model."""

import base64
import struct

import pytest

from workbench.toolbox.mcp.results import result_value

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 20, 30) + bytes(276)
).decode()


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"content": [{"type": "text", "text": "plain"}]}, "plain"),
        ({"content": []}, {"content": []}),
        ({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [{"type": "text", "text": "no"}], "isError": True}, {"error": "no"}),
        ({"content": [], "isError": True}, {"error": "the tool failed"}),
        (
            {"content": [{"type": "image", "mimeType": "image/png", "data": PNG}]},
            "[image: image/png, 20 × 30 pixels, 300 bytes; not shown to you]",
        ),
        (
            {"content": [{"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}]},
            "[audio: audio/wav, 3 bytes; not shown to you]",
        ),
        (
            {"content": [{"type": "text", "text": "Here"}, {"type": "image", "mimeType": "image/jpeg", "data": "AA=="}]},
            {"content": ["Here", "[image: image/jpeg, 1 bytes; not shown to you]"]},
        ),
        (
            {
                "content": [{"type": "image", "mimeType": "image/png", "data": PNG}],
                "structuredContent": {"seen": True},
            },
            {
                "result": {"seen": True},
                "attachments": ["[image: image/png, 20 × 30 pixels, 300 bytes; not shown to you]"],
            },
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "a://b", "text": "inside"}}]},
            "[resource a://b]\ninside",
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "a://b", "mimeType": "x/y", "blob": "AAA="}}]},
            "[resource a://b: x/y, 2 bytes; not shown to you]",
        ),
        (
            {"content": [{"type": "resource_link", "uri": "a://b", "name": "B", "mimeType": "text/plain"}]},
            "[link to a resource: a://b (B, text/plain)]",
        ),
        ({"content": [{"type": "hologram"}]}, "[hologram; not shown to you]"),
        (
            {"content": [{"type": "text", "text": f"see data:image/png;base64,{PNG}!"}]},
            "see [data: image/png, 20 × 30 pixels, 300 bytes; not shown to you]!",
        ),
    ],
)  # fmt: skip
def test_the_value_of_a_result(result, expected):
    assert result_value(result) == expected
