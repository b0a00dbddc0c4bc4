"""Rows as people have them: calls that cannot be parsed, odd key order, nulls, Unicode, escapes and spaces."""

import json
from random import Random

CITIES = ("Rome", "Zürich", "東京", 'São "Paulo"', "🦉 town", "a\\b", "line\nbreak")
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city — now",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
BROKEN_ARGUMENTS = ("{'city': 'Rome'}", '{"city": "Rome",}', '{"city": "Rome"', "city=Rome", '["Rome"]')
NINE = (
    "sharegpt",
    "hermes-agent",
    "hermes-function-calling-v1",
    "openai",
    "trl",
    "llamafactory",
    "raw",
    "dpo",
    "kto",
)
READ_ONLY = ("xlam", "toolace", "glaive")


def odd_lines(form: str, count: int, *, seed: int = 1, broken: float = 0.2) -> list[bytes]:
    """Lines of a file, each with its line ending; about `broken` of the rows have a call that cannot be parsed."""
    random = Random(f"{form} {seed}")
    return [
        _line(random, ROWS[form](random, number, is_broken=random.random() < broken))
        for number in range(count)
    ]


def _line(random: Random, row: dict) -> bytes:
    items = list(row.items())
    if random.random() < 0.5:
        random.shuffle(items)
    if random.random() < 0.3:
        items.append(("note", random.choice([None, "ü", {"b": 1, "a": None}, 1.0, 1e22, [1, 2.50]])))
    separators = random.choice([(", ", ": "), (",", ":"), (" , ", " : ")])
    text = json.dumps(dict(items), ensure_ascii=random.random() < 0.5, separators=separators)
    space = random.choice(["", "", " ", "\t"])
    return (text + space).encode() + random.choice([b"\n", b"\r\n"])


def _city(random: Random) -> str:
    return random.choice(CITIES)


def _question(random: Random, number: int) -> str:
    return f"Row {number}: weather in {_city(random)}?{random.choice(['', ' ', chr(0x200B), '  now'])}"


def _body(random: Random, *, is_broken: bool) -> str:
    if is_broken:
        return random.choice(
            [
                "{'name': 'get_weather', 'arguments': {'city': 'Rome'}}",
                '{"name": "get_weather", "arguments": {"city": "Rome"',
                '{"name": "get_weather" "arguments": {}}}',
                "get_weather(city='Rome')",
            ]
        )
    body = {"name": "get_weather", "arguments": {"city": _city(random)}}
    if random.random() < 0.3:
        body = dict(reversed(body.items()))
    return json.dumps(body, ensure_ascii=random.random() < 0.5)


def _tagged(random: Random, *, is_broken: bool) -> str:
    gap = random.choice(["\n", "", " \n"])
    return f"<tool_call>{gap}{_body(random, is_broken=is_broken)}{gap}</tool_call>"


def _sharegpt(random: Random, number: int, *, is_broken: bool, result: str = '{"t": 20}') -> dict:
    entries = [
        {"from": "human", "value": _question(random, number)},
        {"value": _tagged(random, is_broken=is_broken), "from": "gpt"},
        {"from": "tool", "value": f"<tool_response>\n{result}\n</tool_response>"},
        {"from": "gpt", "value": f"It is {number} °C.", "weight": 1},
    ]
    if random.random() < 0.5:
        listed = json.dumps([TOOL])
        entries.insert(0, {"from": "system", "value": f"Use <tools>{listed}</tools> with care {{x}}."})
    return {"conversations": entries, "tools": json.dumps([TOOL]), "id": number}


def _agent(random: Random, number: int, *, is_broken: bool) -> dict:
    content = random.choice(["plain", {"t": 1.50, "b": None}, [1, 2]])
    separators = random.choice([(", ", ": "), (",", ":")])
    record = {"tool_call_id": f"call_{number}", "name": "get_weather", "content": content}
    row = _sharegpt(random, number, is_broken=is_broken, result=json.dumps(record, separators=separators))
    return {**row, "completed": True, "tool_stats": {"get_weather": {"count": 1, "success": 1, "failure": 0}}}


def _v1(random: Random, number: int, *, is_broken: bool) -> dict:
    result = random.choice(
        ['{"name": "get_weather", "content": {"t": 20}}', "{'name': 'get_weather', 'content': {'t': None}}"]
    )
    row = _sharegpt(random, number, is_broken=is_broken, result=result)
    return {**row, "category": "c", "subcategory": "s", "task": f"t{number}"}


def _chat(random: Random, number: int, *, is_broken: bool, as_text: bool) -> list[dict]:
    arguments = {"city": _city(random)}
    written = json.dumps(arguments, ensure_ascii=False) if as_text else arguments
    if is_broken:
        written = random.choice(BROKEN_ARGUMENTS) if as_text else random.choice([["Rome"], None, 7])
    function = {"arguments": written, "name": "get_weather"}
    call = {"id": f"call_{number}", "function": function, "type": "function"}
    answer = {"role": "assistant", "tool_calls": [call]}
    if random.random() < 0.5:
        answer = {"content": random.choice([None, "", "Well:"]), **answer}
    return [
        {"role": "user", "content": _question(random, number)},
        answer,
        {"role": "tool", "tool_call_id": f"call_{number}", "content": '{"t": 20}', "name": "get_weather"},
        {"content": "It is 20 °C.", "role": "assistant", "tool_calls": None},
    ]


def _openai(random: Random, number: int, *, is_broken: bool) -> dict:
    return {"messages": _chat(random, number, is_broken=is_broken, as_text=True), "tools": [TOOL], "x": None}


def _trl(random: Random, number: int, *, is_broken: bool) -> dict:
    good = _chat(random, number, is_broken=False, as_text=False)
    more = _chat(random, number + 100_000, is_broken=True, as_text=False)[:3] if is_broken else []
    return {"messages": [*good, *more, *([good[-1]] if more else [])], "tools": [TOOL], "source": None}


def _llamafactory(random: Random, number: int, *, is_broken: bool) -> dict:
    return {
        "conversations": [
            {"from": "human", "value": _question(random, number)},
            {"from": "function_call", "value": _body(random, is_broken=is_broken)},
            {"from": "observation", "value": '{"t": 20}'},
            {"from": "gpt", "value": "20 °C"},
        ],
        "tools": json.dumps([TOOL["function"]]),
        "system": random.choice(["", "Be brief."]),
    }


def _raw(random: Random, number: int, *, is_broken: bool) -> dict:
    turns = [
        ("user", _question(random, number)),
        ("assistant", _tagged(random, is_broken=is_broken)),
        ("tool", '<tool_response>\n{"t": 20}\n</tool_response>'),
        ("assistant", "20 °C"),
    ]
    text = "".join(f"<|im_start|>{role}\n{body}<|im_end|>\n" for role, body in turns)
    return {"text": text, "tools": json.dumps([TOOL]), "loss_spans": None}


def _dpo(random: Random, number: int, *, is_broken: bool) -> dict:
    question, call, *_ = _chat(random, number, is_broken=is_broken, as_text=False)
    rejected = [{"role": "assistant", "content": f"No {number}."}]
    return {"chosen": [call], "rejected": rejected, "prompt": [question], "tools": [TOOL]}


def _kto(random: Random, number: int, *, is_broken: bool) -> dict:
    question, call, *_ = _chat(random, number, is_broken=is_broken, as_text=False)
    label = random.random() < 0.5
    return {"prompt": [question], "completion": [call], "label": label, "tools": [TOOL]}


def _xlam(random: Random, number: int, *, is_broken: bool) -> dict:
    parameters = {"city": {"type": "str", "description": "d"}, "days": {"type": "int, optional"}}
    tools = [{"name": "get_weather", "description": "d", "parameters": parameters}]
    answers = f"[{_body(random, is_broken=is_broken)}]"
    return {"id": number, "query": _question(random, number), "tools": json.dumps(tools), "answers": answers}


def _toolace(random: Random, number: int, *, is_broken: bool) -> dict:
    parameters = {"type": "dict", "properties": {"city": {"type": "str"}}, "required": ["city"]}
    tools = json.dumps([{"name": "Get Weather", "description": "d", "parameters": parameters}])
    call = '[Get Weather(city="Rome"]' if is_broken else f"[Get Weather(city={json.dumps(_city(random))})]"
    return {
        "system": f"Functions:\n{tools}\nReturn [func(a=b)].",
        "conversations": [
            {"from": "user", "value": _question(random, number)},
            {"from": "assistant", "value": call},
        ],
    }


def _glaive(random: Random, number: int, *, is_broken: bool) -> dict:
    arguments = "{bad" if is_broken else json.dumps({"city": "Rome"})
    chat = (
        f"USER: {_question(random, number)}\n\n\nASSISTANT: <functioncall> "
        f'{{"name": "get_weather", "arguments": \'{arguments}\'}} <|endoftext|>\n\n\n'
        'FUNCTION RESPONSE: {"t": 20}\n\n\nASSISTANT: It is 20. <|endoftext|>\n\n\n'
    )
    function = json.dumps(TOOL["function"])
    return {"system": f"SYSTEM: Use these functions -\n{function}\n", "chat": chat}


ROWS = {
    "sharegpt": _sharegpt,
    "hermes-agent": _agent,
    "hermes-function-calling-v1": _v1,
    "openai": _openai,
    "trl": _trl,
    "llamafactory": _llamafactory,
    "raw": _raw,
    "dpo": _dpo,
    "kto": _kto,
    "xlam": _xlam,
    "toolace": _toolace,
    "glaive": _glaive,
}
