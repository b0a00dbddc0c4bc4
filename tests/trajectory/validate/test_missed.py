"""Problems that the validator used to miss, and texts that it must not report."""

import json

import pytest

from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.secrets import may_have_secrets, secrets_in

SPEC = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "d",
        "parameters": {
            "type": "object",
            "properties": {
                "x": {"type": "integer"},
                "day": {"type": "string", "format": "date"},
                "at": {"type": "array", "items": {"type": "string", "format": "date-time"}},
            },
        },
    },
}
OTHER = {"type": "function", "function": {"name": "g", "description": "d", "parameters": {}}}


def call(arguments, id_="a", name="f"):
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def row(*calls, results=None, question="q", answer="done"):
    results = results or [{"role": "tool", "tool_call_id": given["id"], "content": "1"} for given in calls]
    return {
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": list(calls)},
            *results,
            {"role": "assistant", "content": answer},
        ],
        "tools": [SPEC, OTHER],
    }


def found(fields, form="openai"):
    return [
        (item.code, item.pointer, item.call) for item in check_completely(FORMATS[form].read(fields)).findings
    ]


def test_a_schema_finding_says_which_of_parallel_calls_it_is_about():
    fields = row(call({"x": 1}, "a"), call({"x": "2"}, "b"), call({"x": "3"}, "c"))
    findings = check_completely(FORMATS["openai"].read(fields)).findings
    assert [(item.pointer, item.call, item.call_pointer) for item in findings] == [
        ("/x", 1, "/messages/1/tool_calls/1"),
        ("/x", 2, "/messages/1/tool_calls/2"),
    ]
    assert findings[0].message.startswith("call 2: 'f': /x")


def test_two_calls_with_the_same_id_are_found():
    assert ("duplicate-call-id", "/messages/1/tool_calls/1", 1) in found(
        row(
            call({"x": 1}),
            call({"x": 2}),
            results=[{"role": "tool", "tool_call_id": "a", "content": "1"}] * 2,
        )
    )


def test_a_result_with_the_right_id_and_another_tool_s_name_is_found():
    result = {"role": "tool", "tool_call_id": "a", "name": "g", "content": "1"}
    assert found(row(call({"x": 1}), results=[result])) == [
        ("result-name-mismatch", "/messages/2/content", None)
    ]
    assert found(row(call({"x": 1}), results=[{**result, "name": "f"}])) == []


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"day": "tomorrow"}, "/day"),
        ({"day": "2026-02-30"}, "/day"),
        ({"at": ["2026-01-01T10:00:00Z", "10 o'clock"]}, "/at/1"),
        ({"day": "2026-02-28", "at": ["2026-01-01 10:00", "2026-01-01T10:00:00+02:00"]}, None),
        ({"at": ["2026-01-01t10:00:00z"]}, None),
    ],
)
def test_formats_of_schemas_are_checked(arguments, pointer):
    expected = [] if pointer is None else [("schema-format", pointer, 0)]
    assert found(row(call(arguments))) == expected


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("Call me at +44 20 7946 0958.", True),
        ("Call (415) 867-5309!", True),
        ("212-736-5000 is the number", True),
        ("+14158675309", True),
        ("+1 555 010 9999 is for films", False),
        ("555-123-4567", False),
        ("+1234567890", False),
        ("order 123-456-7890", False),
        ("pi is 3.14159265358979", False),
        ("from 2026-11-22 to 2026-11-24, 10+20", False),
        ("isbn 978-3-16-148410-0", False),
        ("a+12345678901", False),
    ],
)
def test_phone_numbers_are_personal_data(text, is_found):
    assert [match.what for match in secrets_in(text)] == (["a phone number"] if is_found else [])
    assert may_have_secrets(f"Hello.\n{text}\nBye.") >= is_found


@pytest.mark.parametrize(
    "kind", ["ghp_" + "a1" * 20, "ann@corp.com", "4111 1111 1111 1111", "password = hunter2hunter2"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_secret_in_any_text_of_a_row_is_found(kind, place):
    texts = ["Hi.", "Hello.", "Bye."]
    texts[place] += f" {kind}"
    roles = ["user", "assistant", "user"]
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
    row = {"messages": [*messages, {"role": "assistant", "content": "Done."}]}
    findings = check_completely(detect_format(row).read(row)).findings
    assert [finding.entry for finding in findings if finding.code in ("secret", "personal-data")] == [place]


@pytest.mark.parametrize(
    ("role", "text", "is_found"),
    [
        ("user", "What time is it in {{ city }}?", True),
        ("user", "How do I print {{ value }} in Jinja?", False),
        ("user", "What does `{{ value }}` mean?", False),
        ("user", "The sign says [YOUR NAME BADGE] here", False),
        ("user", "Dear [YOUR NAME], hello", True),
        ("user", "<YOUR_API_KEY> goes here", True),
        ("user", "[INSERT CITY HERE]", True),
        ("system", "You are a template. {{ tools }}", True),
        ("assistant", "Write {{ name }} in the template.", False),
    ],
)
def test_placeholders_are_found_where_nobody_talks_about_templates(role, text, is_found):
    entries = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    if role == "system":
        entries.insert(0, {"role": "system", "content": text})
    else:
        entries[role == "assistant"]["content"] = text
    assert [code for code, *_ in found({"messages": entries})] == (["placeholder"] if is_found else [])


def pair(chosen, rejected):
    return {"prompt": [{"role": "user", "content": "q"}], "chosen": chosen, "rejected": rejected}


def said(text):
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        (pair(said("a"), said("b")), []),
        (pair(said("a"), said("a")), ["same-answers"]),
        (pair(said("a"), said(" ")), ["no-answer"]),
        (pair(said("a"), []), ["no-answer"]),
        (pair("a", "a"), ["same-answers"]),
    ],
)
def test_answers_that_are_the_same_or_empty_are_found(fields, codes):
    assert [item.code for item in check_completely(detect_format(fields).read(fields)).findings] == codes


@pytest.mark.parametrize(("label", "codes"), [(True, ["schema-type"]), (False, [])])
def test_a_bad_example_may_have_wrong_arguments(label, codes):
    wrong = {"role": "assistant", "tool_calls": [
        {"type": "function", "function": {"name": "f", "arguments": {"x": "one"}}}
    ]}  # fmt: skip
    fields = {
        "prompt": [{"role": "user", "content": "q"}],
        "completion": [wrong],
        "label": label,
        "tools": [SPEC],
    }
    assert [item.code for item in check_completely(FORMATS["kto"].read(fields)).findings] == codes
