"""Mock rules as rows of a form, and back."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.services import services_for
from workbench.errors import BadInput
from workbench.toolbox.rule_rows import RuleRow, rule_rows, with_rule_rows
from workbench.toolspec.yaml_text import dump_yaml, load_yaml

RULES = """# The weather.
mocks:
- when: {city: Oslo}   # far north
  result: {celsius: 4}
  latency_ms: 20
# for all other cities
- when:
    city: {regex: "(?i)rome"}
  template: '{"celsius": {{ city | length }}}'

- error: no such city
returns: {type: object}
"""


def rows_of(text):
    rows = rule_rows(text)
    assert rows is not None
    return list(rows)


def test_rules_are_rows_of_short_texts():
    assert rows_of(RULES) == [
        RuleRow(when="city: Oslo", kind="result", answer="{celsius: 4}", was=0),
        RuleRow(
            when="city: {regex: '(?i)rome'}",
            kind="template",
            answer='{"celsius": {{ city | length }}}',
            was=1,
        ),
        RuleRow(kind="error", answer="no such city", was=2),
    ]
    assert rule_rows("") == ()
    assert rule_rows("- error: closed") == (RuleRow(kind="error", answer="closed", was=0),)
    assert rule_rows("mocks: 3") is None
    assert rule_rows("mocks: [") is None
    effects = "- {result: done, effects: [{remove: /a}]}"
    assert rows_of(effects)[0].effects == "[{remove: /a}]"


def test_a_changed_row_is_written_and_all_other_text_stays():
    rows = rows_of(RULES)
    rows[0] = replace(rows[0], answer="{celsius: 5}")
    changed = with_rule_rows(RULES, rows)
    assert "- when: {city: Oslo}   # far north" not in changed
    assert load_yaml(changed)["mocks"][0] == {
        "when": {"city": "Oslo"},
        "result": {"celsius": 5},
        "latency_ms": 20,
    }
    assert changed.partition("# for all")[2] == RULES.partition("# for all")[2]
    assert changed.startswith("# The weather.\nmocks:\n- when:")


def test_unchanged_rows_change_nothing():
    assert with_rule_rows(RULES, rows_of(RULES)) == RULES
    assert with_rule_rows(
        "mocks:\n  -\n    error: closed\n", rows_of("mocks:\n  -\n    error: closed\n")
    ) == ("mocks:\n  -\n    error: closed\n")


def test_rows_are_added_removed_and_ordered_and_answer_in_another_way():
    first, second, third = rows_of(RULES)
    assert load_yaml(with_rule_rows(RULES, [third, first]))["mocks"] == [
        {"error": "no such city"},
        {"when": {"city": "Oslo"}, "result": {"celsius": 4}, "latency_ms": 20},
    ]
    added = with_rule_rows(RULES, [first, second, third, RuleRow(when="city: Bonn", answer="warm")])
    assert load_yaml(added)["mocks"][3] == {"when": {"city": "Bonn"}, "result": "warm"}
    assert "returns: {type: object}" in added
    failing = with_rule_rows(RULES, [replace(first, kind="error", answer="down"), second, third])
    assert load_yaml(failing)["mocks"][0] == {"when": {"city": "Oslo"}, "error": "down", "latency_ms": 20}
    assert load_yaml(with_rule_rows("", [RuleRow(kind="error", answer="no")])) == {"mocks": [{"error": "no"}]}
    assert load_yaml(with_rule_rows(RULES, []))["mocks"] == []
    flow = "mocks: [{error: closed}]"
    assert load_yaml(with_rule_rows(flow, [*rows_of(flow), RuleRow(answer="1")]))["mocks"][1] == {"result": 1}


@pytest.mark.parametrize("row", [RuleRow(when="city: ["), RuleRow(answer="{a"), RuleRow(effects="]")])
def test_a_cell_that_is_not_yaml_is_named(row: RuleRow):
    with pytest.raises(BadInput, match="rule 1, "):
        with_rule_rows("", [row])


def test_the_rules_of_all_shipped_tools_stay_as_they_are(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        names = [tool.name for tool in services.tools.availability()]
        texts = [services.studio.open_tool(name).rules_text for name in names]
    assert sum(map(bool, texts)) > 20
    for text in filter(None, texts):
        rows = rows_of(text)
        assert with_rule_rows(text, rows) == text
        new = [replace(row, was=None) for row in rows]
        plain = [{key: rule[key] for key in rule if key != "latency_ms"} for rule in load_yaml(text)["mocks"]]
        assert load_yaml(with_rule_rows(text, new))["mocks"] == plain


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.slow
@given(
    st.lists(
        st.fixed_dictionaries({"when": st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=2)})
        | st.just({}),
        max_size=3,
    ),
    VALUES,
    st.text(max_size=9),
)
@example([{"when": {"a": "0E0"}}] * 2, "0E0", "")
@example([{"when": {"1": "0E0"}}] * 2, ["0E0", {"1": "1e3"}], "")
def test_every_rule_is_the_same_after_its_row(rules, value, text):
    answered = [
        {**rule, **({"result": value} if number % 2 else {"template": text})}
        for number, rule in enumerate(rules)
    ]
    written = dump_yaml({"mocks": answered})
    rows = rows_of(written)
    assert with_rule_rows(written, rows) == written or not rows
    again = load_yaml(with_rule_rows(written, [replace(row, was=None) for row in rows]))
    assert again == {"mocks": answered}
