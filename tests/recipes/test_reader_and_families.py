"""The recipes for a fix of the reader and for a render family, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.slow, pytest.mark.long]

CODE = """            "semicolon": "a semicolon between two members or items",
"""
CODE_ROW = """| `semicolon` | fix | a semicolon between two members or items |
"""
CODE_SECTION = """### `semicolon`

```diff
-<tool_call>{"name": "now", "arguments": {"a": 1; "b": 2}}</tool_call>
+<tool_call>{"name": "now", "arguments": {"a": 1, "b": 2}}</tool_call>
```

- **Why:** Many programming languages separate statements by semicolons.
- **Prevent:** Show a call with two arguments.

"""
# {"name": "f", "arguments": {"a": 1; "b": 2}}: languages with semicolons between statements leak into JSON.
READER = """        if text.startswith(";", position, source.end):
            source.notes.edit("semicolon", position, position + 1, ",")
            return source.skip(position + 1)
"""
TABLE = """    "semicolon": Table(
        noop=(
            '<tool_call>\\n{"name": "f", "arguments": {"q": "a; b"}}\\n</tool_call>',
            '<tool_call>\\n{"name": "f", "arguments": {"q": "a"}}\\n</tool_call>;',
        ),
        rows=(
            (
                '<tool_call>\\n{"name": "f", "arguments": {"a": 1; "b": 2}}\\n</tool_call>',
                '<tool_call>\\n{"name": "f", "arguments": {"a": 1, "b": 2}}\\n</tool_call>',
            ),
            (
                '<tool_call>\\n{"name": "f", "arguments": {"l": [1; 2]}}\\n</tool_call>',
                '<tool_call>\\n{"name": "f", "arguments": {"l": [1, 2]}}\\n</tool_call>',
            ),
        ),
    ),
"""
CORPUS_ROW = (
    '{"id": "X-semicolon", "text": "<tool_call>\\n{\\"name\\": \\"g\\", \\"arguments\\": {\\"k\\": 4; \\"n\\": 1}}\\n'
    '</tool_call>", "calls": [["g", {"k": 4, "n": 1}]], "fixes": ["semicolon"], "findings": [], "note": ""}\n'
)
FAMILY = """_HERMES_TOOL_TURN: Final = replace(
    _HERMES_LINES,
    name="hermes-tool-turn",
    title="JSON lines, results in a tool turn",
    results=replace(_USER_RESULTS, open_turn=f"{TURN_OPEN}tool"),
)

"""
FAMILY_ROW = "| `hermes-tool-turn` | JSON, one line per tool | JSON, name first | a `tool` turn | written |\n"


def test_a_fix(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A fix")
    copy.insert("workbench/hermes/codes.py", CODE, before='            "unquoted-key"')
    copy.insert(
        "workbench/hermes/json_text/reader.py",
        READER,
        before="        if position >= source.end or not self._begins_member",
    )
    copy.insert("docs/reference/codes.md", CODE_ROW, before="| `unquoted-key`")
    copy.insert("docs/reference/codes.md", CODE_SECTION, before="### `unquoted-key`")
    copy.insert("tests/hermes/fixes/json_structure.py", TABLE, before='    "missing-comma": Table(')
    selection = "semicolon or page or table or section"
    assert copy.run_tests("tests/hermes/fixes", "tests/hermes/test_codes.py", "-k", selection) >= 9


def test_a_family(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A family")
    families = "workbench/hermes/spelling/families.py"
    copy.insert(families, FAMILY, before="FAMILIES: Final")
    copy.insert(families, "            _HERMES_TOOL_TURN,\n", before="            _HERMES_LINES,\n        )")
    copy.insert("docs/reference/families.md", FAMILY_ROW, before="| `hermes-lines` | JSON")
    copy.insert(
        "tests/hermes/test_render_golden.py",
        '"hermes-tool-turn", ',
        before='"hermes-3-sane", "qwen2.5-sane")',
    )
    copy.rewrite("tests/golden/prompts/", "tests/hermes/test_render_golden.py", "-k", "hermes-tool-turn")
    written = (copy.root / "tests/golden/prompts/hermes-tool-turn/call_result_answer.txt").read_text(
        encoding="utf-8"
    )
    assert "<|im_start|>tool\n<tool_response>" in written
    tests = ("test_render_golden", "test_codes_of_prompts", "test_render_marks", "test_render_then_parse")
    copy.run_tests("tests/hermes/spelling", *(f"tests/hermes/{name}.py" for name in tests))
