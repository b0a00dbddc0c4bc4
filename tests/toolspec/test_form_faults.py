"""Problems of a file are described in plain words, never in Pydantic's."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.toolspec.form_faults import first_fault, form_faults


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    city: str = ""
    days: int = Field(default=1, ge=1, le=7)


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=9)
    not_: bool = Field(default=False, alias="not")
    inner: Inner = Inner()
    many: list[Inner] = []
    named: dict[str, Inner] = {}
    either: int | Inner = 1
    mode: Literal["a", "b"] = "a"
    share: float = Field(default=0.5, gt=0, lt=1)

    @model_validator(mode="after")
    def _is_usable(self) -> "Form":
        if self.name == "both":
            raise ValueError("give a or b")
        return self


ROWS: list[tuple[Any, list[tuple[str, str]]]] = [
    ({"name": "x", "iner": {}}, [("iner", "unknown key 'iner'; did you mean 'inner'?")]),
    ({"nme": "x"}, [("nme", "unknown key 'nme'; did you mean 'name'?")]),
    ({"name": "x", "many": [{"citi": 1}]}, [("many.0.citi", "unknown key 'citi'; did you mean 'city'?")]),
    ({"name": "x", "named": {"a": {"day": 1}}}, [("named.a.day", "unknown key 'day'; did you mean 'days'?")]),
    ({"name": "x", "either": {"day": 1}}, [("either.day", "unknown key 'day'; did you mean 'days'?")]),
    ({"name": "x", "either": "many"}, [("either", "must be a whole number or an object")]),
    ({"name": "x", "inner": {"zz": 1}}, [("inner.zz", "unknown key 'zz'; known keys: city, days")]),
    ({"name": "x", "nott_": True}, [("nott_", "unknown key 'nott_'; did you mean 'not'?")]),
    ({}, [("name", "'name' is missing")]),
    ({"name": ""}, [("name", "must not be empty")]),
    ({"name": "x" * 10}, [("name", "must be at most 9 characters long")]),
    ({"name": 3}, [("name", "must be a text")]),
    ({"name": "x", "inner": {"days": "two"}}, [("inner.days", "must be a whole number")]),
    ({"name": "x", "inner": {"days": 0}}, [("inner.days", "must be at least 1")]),
    ({"name": "x", "inner": {"days": 8}}, [("inner.days", "must be at most 7")]),
    ({"name": "x", "inner": 3}, [("inner", "must be an object")]),
    ({"name": "x", "many": 3}, [("many", "must be a list")]),
    ({"name": "x", "mode": "c"}, [("mode", "must be 'a' or 'b'")]),
    ({"name": "x", "share": 0}, [("share", "must be more than 0.0")]),
    ({"name": "x", "not": "perhaps"}, [("not", "must be true or false")]),
    ({"name": "both"}, [("", "give a or b")]),
    (3, [("", "must be an object")]),
]


@pytest.mark.parametrize(("value", "expected"), ROWS, ids=[str(row[0]) for row in ROWS])
def test_each_problem_is_described_in_plain_words(value: Any, expected: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        Form.model_validate(value)
    faults = form_faults(caught.value, Form)
    assert [(".".join(map(str, fault.place)), fault.problem) for fault in faults] == expected
    assert first_fault(caught.value, Form) == expected[0]


def test_unknown_keys_come_first_and_all_problems_are_reported() -> None:
    with pytest.raises(ValidationError) as caught:
        Form.model_validate({"name": 3, "mode": "c", "mood": 1, "iner": 1})
    places = [fault.place for fault in form_faults(caught.value, Form)]
    assert places == [("mood",), ("iner",), ("name",), ("mode",)]


def test_a_further_known_key_is_suggested_at_the_top_only() -> None:
    with pytest.raises(ValidationError) as caught:
        Form.model_validate({"name": "x", "row": 1, "inner": {"row": 1}})
    problems = [fault.problem for fault in form_faults(caught.value, Form, also_known=("rows",))]
    assert sorted(problems) == [
        "unknown key 'row'; did you mean 'rows'?",
        "unknown key 'row'; known keys: city, days",
    ]
