"""The rows behind a figure."""

import json

import numpy as np

from tests.bench.data_rows import lines
from workbench.trajectory.compress import estimate_tokens
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.sets.row_facts import facts_of
from workbench.trajectory.sets.row_index import MarkKind, Range, RowFilter, RowIndex, RowMark, shuffled
from workbench.trajectory.validate.parsed_row import parse_texts

ROWS = [json.loads(line) for line in lines(120, own_tools=False)]
FACTS = [facts_of(parse_texts(detect_format(row).read(row)), estimate_tokens) for row in ROWS]


def index_of_rows():
    index = RowIndex()
    for place, facts in enumerate(FACTS):
        index.add(place * 100, place + 1, facts)
    index.add(12_000, 121, None)
    return index


def found(index, **conditions):
    return index.matching(RowFilter(**conditions)).tolist()


def test_every_bar_has_exactly_its_rows():
    index = index_of_rows()
    counts = index.counts(MarkKind.TOOL)
    assert set(counts) == {(name,) for facts in FACTS for name in facts.called}
    for (name,), number in counts.items():
        rows = [place for place, facts in enumerate(FACTS) if name in facts.called]
        assert found(index, marks=(RowMark(MarkKind.TOOL, (name,)),)) == rows
        assert number == len(rows)
    for value in {value for facts in FACTS for value in facts.values}:
        rows = [place for place, facts in enumerate(FACTS) if value in facts.values]
        assert found(index, marks=(RowMark(MarkKind.VALUE, tuple(value)),)) == rows


def test_ranges_include_both_ends_and_leave_out_rows_without_a_length():
    index = index_of_rows()
    lengths = [facts.tokens for facts in FACTS]
    middle = sorted(lengths)[60]
    longer = [place for place, tokens in enumerate(lengths) if tokens >= middle]
    assert found(index, tokens=Range(middle, None)) == longer
    assert found(index, tokens=Range(middle, middle)) == [p for p in longer if lengths[p] == middle]
    assert found(index, calls=Range(2, 2)) == [p for p, facts in enumerate(FACTS) if len(facts.called) == 2]
    assert found(index, turns=Range(0, 0)) == [120]


def test_all_conditions_must_be_met_and_an_unknown_mark_has_no_rows():
    index = index_of_rows()
    index.add_findings(3, ["schema-enum", "schema-enum"])
    index.add_findings(5, ["schema-enum"])
    index.add_findings(3, ["near-duplicate-row"])
    code = RowMark(MarkKind.FINDING, ("schema-enum",))
    assert found(index, marks=(code,)) == [3, 5]
    assert found(index, marks=(code, RowMark(MarkKind.FINDING, ("near-duplicate-row",)))) == [3]
    assert found(index, marks=(code, RowMark(MarkKind.TOOL, ("nobody",)))) == []
    assert index.counts(MarkKind.FINDING) == {("schema-enum",): 2, ("near-duplicate-row",): 1}


def test_an_empty_index_has_no_rows_and_no_counts():
    assert found(RowIndex()) == []
    assert RowIndex().counts(MarkKind.TOOL) == {}


def test_a_sample_depends_on_the_seed_and_not_on_the_other_rows():
    rows = np.arange(1_000)
    once, again, other = shuffled(rows, 7), shuffled(rows, 7), shuffled(rows, 8)
    assert once.tolist() == again.tolist() != other.tolist()
    assert sorted(once.tolist()) == rows.tolist()
    even = [row for row in once.tolist() if row % 2 == 0]
    assert shuffled(rows[::2], 7).tolist() == even
    assert 400 < np.mean(once[:100]) < 600
