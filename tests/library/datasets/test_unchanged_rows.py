"""Imported rows that nobody changed are exported byte for byte; changed ones differ only where they were changed."""

import json
from collections import Counter

import pytest

from tests.library.datasets.odd_rows import NINE, READ_ONLY, odd_lines
from tests.library.datasets.test_exporting import bring, export, lines_of
from tests.records.corpus.sessions import label
from tests.services import services_for
from tests.trajectory.writing.test_reported import TOOLACE
from workbench.chat.message import Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message
from workbench.label.app.labelling import LabellingRole, open_for_labelling
from workbench.records.label import AddedCall, Verdict

pytestmark = pytest.mark.slow


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, _):
        yield services


def as_imported(services, tmp_path, form, count, **options):
    """Import odd rows and export them in their own format; return both files' bytes."""
    file, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    file.write_bytes(b"".join(odd_lines(form, count)))
    done = bring(services, file, form)
    assert [(row.number, row.problem, row.pointer) for row in done if row.problem] == []
    assert sum(row.is_new for row in done) == count
    summary = export(services, out, format=form, **options)
    assert summary.losses == Counter()
    return file.read_bytes(), out.read_bytes()


@pytest.mark.parametrize("form", [*NINE, *READ_ONLY])
def test_unchanged_rows_are_exported_byte_for_byte(services, tmp_path, form):
    before, after = as_imported(services, tmp_path, form, 16, is_raw=True)
    assert after == before


@pytest.mark.long
@pytest.mark.parametrize("form", [*NINE, *READ_ONLY])
def test_500_unchanged_rows_are_exported_byte_for_byte(services, tmp_path, form):
    before, after = as_imported(services, tmp_path, form, 500, is_raw=True)
    assert after == before


@pytest.mark.parametrize("form", NINE)
def test_without_raw_the_valid_rows_are_exported_byte_for_byte(services, tmp_path, form):
    before, after = as_imported(services, tmp_path, form, 16, skips=True)
    lines = before.splitlines(keepends=True)
    unchanged = [line for line in after.splitlines(keepends=True) if line in lines]
    assert len(unchanged) >= 8


def test_a_json_array_gives_rows_with_the_same_values_and_key_order(services, tmp_path):
    rows = [json.loads(line) for line in odd_lines("openai", 5)]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows, indent=2))
    assert all(row.is_new for row in bring(services, file))
    export(services, tmp_path / "out.jsonl", format="openai", is_raw=True)
    assert [json.dumps(row) for row in lines_of(tmp_path / "out.jsonl")] == [json.dumps(row) for row in rows]


def test_a_corrected_call_is_the_only_change_of_its_row(services, tmp_path):
    """An annotator can correct arguments that are not JSON, whatever the format."""
    row = json.loads(odd_lines("openai", 1, broken=1.0)[0])
    row["messages"][1]["tool_calls"][0]["function"]["arguments"] = "{city Rome"
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row) + "\n")
    (imported,) = bring(services, file)
    path = services.sessions.path(imported.session_id)
    assert path[1].message.calls[0].arguments_text == "{city Rome"
    corrected = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    label(services, imported.session_id, path[1].id, verdict=Verdict.BAD_ANSWER, correction=corrected)
    export(services, tmp_path / "out.jsonl", format="openai", includes_stale=True)
    (written,) = lines_of(tmp_path / "out.jsonl")
    call = written["messages"][1]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"city": "Rome"}
    assert call["id"] == row["messages"][1]["tool_calls"][0]["id"]
    del written["messages"][1], row["messages"][1]
    assert written == row


ODD_LINES = {
    "openai": b'{"meta" :{"n":1.0},"messages":[ {"content":"Hi","role":"user","name":"ann","rating":null},'
    b' {"role":"assistant","content":"Helo","loss":true,"id":"m1"}, {"role":"user","content":"M\\u00fcnchen?"},\t'
    b'{"loss":false,"role":"assistant","content":"Yes.","rating":5.0,"meta":{"a":[1,{}]}}], "n":1e2}',
    "sharegpt": b'{"source":"x","conversations":[{"value":"Hi","from":"human","images":["a.png"]},'
    b'{"from":"gpt","value":"Helo","train":true},{"from":"user","value":"And?"} ,'
    b'{"train":false,"from":"gpt","value":"<think>\\nSo\\n</think>\\nYes.","rating":5}],"tools":"[ ]"}',
    "llamafactory": b'{"system":"Be brief.","conversations":[{"value":"Hi","from":"human","images":["a.png"]},'
    b'{"from":"gpt","value":"Helo"},{"from":"human","value":"And?"} ,{"from":"gpt","value":"Yes.","rating":5}]}',
}


@pytest.mark.parametrize("form", ODD_LINES)
def test_correcting_one_message_leaves_the_bytes_of_all_others_alone(services, tmp_path, form):
    file, out, line = tmp_path / "rows.jsonl", tmp_path / "out.jsonl", ODD_LINES[form]
    file.write_bytes(line + b"\n")
    (imported,) = bring(services, file)
    [wrong] = [one for one in services.sessions.path(imported.session_id) if one.message.text == "Helo"]
    label(services, imported.session_id, wrong.id, verdict=Verdict.BAD_ANSWER, correction="Hello")
    summary = export(services, out, format=form, includes_stale=True)
    assert summary.corrected_messages == 1
    before, after = json.loads(line), lines_of(out)[0]
    key = "messages" if form == "openai" else "conversations"
    del before[key][1], after[key][1]
    assert after == before
    pieces = line.split(b"{")
    [changed] = [place for place, piece in enumerate(pieces) if b"Helo" in piece]
    written = out.read_bytes()
    assert written.startswith(b"{".join(pieces[:changed])) and written.endswith(
        b"{".join(pieces[changed + 1 :]) + b"\n"
    )


W = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALLS = [
    {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}}
]
# What the format has no place for, or writes in another way, in entries that nobody corrects.
PARTLY_CORRECTED = {
    "sharegpt": {
        "conversations": [
            {"from": "human", "value": "Hi", "loss": False},
            {"from": "gpt", "value": "Hello", "loss": False, "rating": 3},
            {"from": "human", "value": "And?"},
            {"from": "gpt", "value": "Helo"},
        ],
        "tools": [W],
    },
    "llamafactory": {
        "conversations": [
            {"from": "human", "value": "Hi", "loss": 0},
            {
                "from": "function_call",
                "value": '{"name": "get_weather","arguments":{"city":"Rome"}}',
                "loss": 0,
            },
            {"from": "observation", "value": "7"},
            {"from": "gpt", "value": "Helo"},
        ],
        "tools": json.dumps([W]),
    },
    "trl": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Hi", "cache_control": {"a": 1}}],
                "weight": 1,
            },
            {"role": "assistant", "content": "Hello", "loss": False},
            {"role": "user", "content": "And?", "name": "ann"},
            {"role": "assistant", "content": "Helo"},
        ]
    },
    "ms-swift": {
        "messages": [
            {"role": "user", "content": "Hi", "loss": None},
            {
                "role": "tool_call",
                "content": {"name": "get_weather", "arguments": {"city": "Rome"}},
                "loss": 0,
            },
            {"role": "tool_response", "content": "7"},
            {"role": "assistant", "content": "Helo"},
        ],
        "tools": [W],
    },
    "llamafactory-v1": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "value": "Hi"}], "loss_weight": 1.0, "id": 4},
            {"role": "assistant", "content": [{"type": "text", "value": "Hello"}], "loss_weight": 0.0},
            {"role": "user", "content": [{"type": "text", "value": "And?"}]},
            {"role": "assistant", "content": [{"type": "text", "value": "Helo"}]},
        ]
    },
    "openai-preference": {
        "input": {
            "messages": [
                {"role": "user", "content": "Hi", "weight": 0},
                {"role": "assistant", "content": None, "tool_calls": CALLS, "audio": {"id": "a"}},
                {"role": "tool", "tool_call_id": "c1", "content": "7"},
                {"role": "assistant", "content": "Helo"},
                {"role": "user", "content": "And?"},
            ],
            "tools": [W],
            "tool_choice": "auto",
        },
        "preferred_output": [{"role": "assistant", "content": "Good.", "weight": 1}],
        "non_preferred_output": [{"role": "assistant", "content": "Bad."}],
    },
}


@pytest.mark.parametrize("form", PARTLY_CORRECTED)
def test_what_the_format_would_write_otherwise_stays_in_entries_that_nobody_corrected(
    services, tmp_path, form
):
    line, out = json.dumps(PARTLY_CORRECTED[form]), tmp_path / "out.jsonl"
    (tmp_path / "rows.jsonl").write_text(line + "\n", encoding="utf-8")
    (imported,) = bring(services, tmp_path / "rows.jsonl", form)
    [wrong] = [one for one in services.sessions.path(imported.session_id) if one.message.text == "Helo"]
    label(services, imported.session_id, wrong.id, verdict=Verdict.BAD_ANSWER, correction="Hullo")
    summary = export(services, out, format=form, includes_stale=True)
    # A correction also gives a preference row of its own, which is written completely.
    assert form == "openai-preference" or summary.losses == Counter()
    [written] = [one for one in lines_of(out) if "Bad" in json.dumps(one) or form != "openai-preference"]
    assert without_text(written, "Hullo", form) == without_text(PARTLY_CORRECTED[form], "Helo", form)


def without_text(row, text, form):
    """Return the row without the message that has a text, as JSON text."""
    lists = row["input"] if form == "openai-preference" else row
    key = next(key for key in ("conversations", "messages") if key in lists)
    others = [message for message in lists[key] if text not in json.dumps(message)]
    assert len(others) == len(lists[key]) - 1
    rest = {**lists, key: others}
    return json.dumps({**row, "input": rest} if lists is not row else rest)


@pytest.mark.parametrize("to", ["openai", "sharegpt", "trl", "raw"])
def test_keys_and_masks_of_imported_messages_are_exported_or_reported(services, tmp_path, to):
    file, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    file.write_bytes(ODD_LINES["openai"] + b"\n")
    (imported,) = bring(services, file)
    [wrong] = [one for one in services.sessions.path(imported.session_id) if one.message.text == "Helo"]
    label(services, imported.session_id, wrong.id, verdict=Verdict.BAD_ANSWER, correction="Hello")
    lost = export(services, out, format=to, includes_stale=True).losses.keys()
    text = json.dumps(lines_of(out)[0])
    assert json.loads(text)["meta"] == {"n": 1.0}
    for key, value in (("name", "ann"), ("id", "m1"), ("rating", 5.0), ("meta", {"a": [1, {}]})):
        assert f'"{key}": {json.dumps(value)}' in text or f"key {key}" in lost
    assert ("loss-mask" in lost) is (to == "trl")


@pytest.mark.parametrize("form", ["xlam", "toolace", "glaive", "llamafactory", "openai", "trl"])
def test_a_call_that_cannot_be_parsed_is_shown_byte_for_byte(services, tmp_path, form):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"".join(odd_lines(form, 12, broken=1.0)))
    done = bring(services, file, form)
    assert [row.problem for row in done if row.problem] == []
    for row, imported in zip(lines_of(file), done, strict=True):
        messages = [stored.message for stored in services.sessions.path(imported.session_id)]
        shown = [
            message.text + "".join(call.arguments_text or "" for call in message.calls)
            for message in messages
            if message.role is Role.ASSISTANT
        ]
        assert any(part and part in text for part in broken_parts(row, form) for text in shown)


def broken_parts(row, form):
    if form == "xlam":
        return [row["answers"]]
    if form == "glaive":
        return ["<functioncall>"]
    if form in ("toolace", "llamafactory"):
        return [row["conversations"][1]["value"]]
    calls = [call for message in row["messages"] for call in message.get("tool_calls") or []]
    arguments = [call["function"]["arguments"] for call in calls]
    return [item if isinstance(item, str) else json.dumps(item) for item in arguments]


def test_the_tools_of_toolace_are_offered_in_label_and_check_its_calls(services, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(TOOLACE) + "\n")
    (imported,) = bring(services, file)
    role = LabellingRole(annotator="", project="", is_deciding=False)
    view = open_for_labelling(services, imported.session_id, role)
    (call,) = read_message(view.path[1].message, tools=view.tools).calls
    assert view.tools.names == (call.name,) == ("Get_Weather",)
    assert [(finding.code, finding.pointer) for finding in call.findings] == [("schema-type", "/days/0")]


def test_a_read_only_format_takes_only_unchanged_rows(services, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"".join(odd_lines("openai", 1, broken=0)))
    bring(services, file)
    with pytest.raises(BadInput, match="can only be read, and there are no unchanged imported rows"):
        export(services, tmp_path / "out.jsonl", format="xlam")


ASKED = (
    '{"role":"user" ,"content":"Rome?", "name":"ann"}',
    '{"role":"assistant","content":null, "tool_calls":[{"id":"c1","type":"function","function":'
    '{"name":"get_weather","arguments":"{\\"city\\":\\"Rome\\"}"}},{"id":"c2","type":"function","function":'
    '{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]}',
    '{"role":"tool","tool_call_id":"c2","content":"\\u0037"}',
    '{"content":"8","role":"tool","tool_call_id":"c1"}',
    '{"role":"assistant","content":"Seven  ", "rating":1.0}',
    '{"role":"user","content":"And M\\u00fcnchen?"}',
    '{"role":"assistant","content":"Helo"}',
)


def line_of_entries(*entries):
    return f'{{"tools":{json.dumps([W])} ,"messages":[ {" , ".join(entries)} ],"n":1e2}}'


@pytest.mark.parametrize("place", [4, 6])
def test_results_in_another_order_stay_where_they_are_if_another_message_is_corrected(
    services, tmp_path, place
):
    (tmp_path / "rows.jsonl").write_text(line_of_entries(*ASKED) + "\n")
    (imported,) = bring(services, tmp_path / "rows.jsonl")
    path = services.sessions.path(imported.session_id)
    label(services, imported.session_id, path[place].id, verdict=Verdict.BAD_ANSWER, correction="Hullo")
    export(
        services,
        tmp_path / "out.jsonl",
        format="openai",
        includes_stale=True,
        ignored_codes=("result-order",),
    )
    before, after = line_of_entries(*ASKED), (tmp_path / "out.jsonl").read_text()
    start, end = before.split(ASKED[place])
    assert after.startswith(start) and after.endswith(end + "\n")
    assert json.loads(after)["messages"][place]["content"] == "Hullo"


def add_call(services, imported, message, city, *, call, is_before=False):
    added = AddedCall(
        call=ToolCall(name="get_weather", arguments={"city": city}), result="5", is_before=is_before
    )
    label(services, imported.session_id, message.id, call=call, correction=added)


def test_a_call_that_is_added_before_an_answer_leaves_the_bytes_of_all_others_alone(services, tmp_path):
    (tmp_path / "rows.jsonl").write_text(line_of_entries(*ASKED) + "\n")
    (imported,) = bring(services, tmp_path / "rows.jsonl")
    path = services.sessions.path(imported.session_id)
    add_call(services, imported, path[6], "M", call=0, is_before=True)
    export(services, tmp_path / "out.jsonl", format="openai", includes_stale=True)
    start, end = line_of_entries(*ASKED).split(ASKED[6])
    after = (tmp_path / "out.jsonl").read_text()
    assert after.startswith(start) and after.endswith(f"{ASKED[6]}{end}\n")
    added = json.loads(f"[{after[len(start) : -len(end) - len(ASKED[6]) - 3]}]")
    assert [message["role"] for message in added] == ["assistant", "tool"]
    assert json.loads(added[0]["tool_calls"][0]["function"]["arguments"]) == {"city": "M"}
    assert added[1]["content"] == "5" and added[1]["tool_call_id"] == added[0]["tool_calls"][0]["id"]


def test_a_call_that_is_added_beside_others_changes_their_message_and_adds_its_result(services, tmp_path):
    entries = (*ASKED[:2], ASKED[3], ASKED[2], *ASKED[4:])
    (tmp_path / "rows.jsonl").write_text(line_of_entries(*entries) + "\n")
    (imported,) = bring(services, tmp_path / "rows.jsonl")
    path = services.sessions.path(imported.session_id)
    add_call(services, imported, path[1], "Bern", call=2)
    export(services, tmp_path / "out.jsonl", format="openai", includes_stale=True)
    after = (tmp_path / "out.jsonl").read_text()
    before = line_of_entries(*entries)
    assert after.startswith(before.split(entries[1])[0])
    assert f" , {entries[2]} , {entries[3]} , " in after
    assert after.endswith(f"{entries[4]}{before.split(entries[4])[1]}\n")
    messages = json.loads(after)["messages"]
    assert [len(message.get("tool_calls", ())) for message in messages] == [0, 3, 0, 0, 0, 0, 0, 0]
    assert messages[4]["content"] == "5" and messages[4]["tool_call_id"] == messages[1]["tool_calls"][2]["id"]


def test_a_call_that_is_added_to_hermes_texts_changes_only_the_entries_of_its_round(services, tmp_path):
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    values = [
        ("human", "Rome?"),
        ("gpt", call),
        ("tool", "<tool_response>\n7\n</tool_response>"),
        ("gpt", "Seven."),
    ]
    entries = [f'{{"value":{json.dumps(value)} , "from":"{speaker}"}}' for speaker, value in values]
    line = f'{{"tools":{json.dumps(json.dumps([W]))},"conversations":[ {" , ".join(entries)}],"n":1e2}}'
    (tmp_path / "rows.jsonl").write_text(line + "\n")
    (imported,) = bring(services, tmp_path / "rows.jsonl")
    path = services.sessions.path(imported.session_id)
    add_call(services, imported, path[1], "Oslo", call=1)
    export(services, tmp_path / "out.jsonl", format="sharegpt", includes_stale=True, is_raw=True)
    after = (tmp_path / "out.jsonl").read_text()
    assert after.startswith(line.split(entries[1])[0]) and after.endswith(
        f"{entries[3]}{line.split(entries[3])[1]}\n"
    )
    changed = [entry["value"] for entry in json.loads(after)["conversations"][1:3]]
    assert [text.count("<tool_call>") for text in changed] == [2, 0]
    assert [text.count("<tool_response>") for text in changed] == [0, 2]
