"""Statistics of rows."""

from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT, TRL, changed
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.sets.stats import RowStats, describe_distribution


def stats_of(*rows):
    stats = RowStats()
    for number, row in enumerate(rows, start=1):
        stats.add(detect_format(row).read(row), len, "a.jsonl", number)
    return stats


def test_rows_of_all_formats_are_counted_alike():
    found = stats_of(SHAREGPT, AGENT, OPENAI, TRL).to_json()
    assert found["formats"] == {"hermes-agent": 1, "openai": 1, "sharegpt": 1, "trl": 1}
    assert (found["calls"], found["calls_by_tool"], found["tools"]) == (8, {"get_weather": 8}, 2)
    assert (found["no_call_share"], found["parallel_share"]) == (0.5, 0.5)
    assert found["turns"] == {"least": 1, "p50": 1, "p90": 1, "p99": 1, "most": 1}
    assert found["fixes"] == {}
    assert 0 < found["trained_share"] < 1


def test_fixes_that_a_reader_needs_are_counted_by_code():
    text = SHAREGPT["conversations"][2]["value"]
    in_text = changed(SHAREGPT, "conversations", 2, "value", to=text.replace("2}", "2,}"))
    in_structure = changed(
        OPENAI, "messages", 2, "tool_calls", 0, "function", "arguments", to='{"city": "Paris",}'
    )
    found = stats_of(in_text, in_structure)
    assert dict(found.fixes) == {"trailing-comma": 2}
    assert (found.rows, found.unmeasured) == (2, 0)  # safe fixes make such arguments measurable


def test_the_longest_row_has_its_place():
    longer = changed(SHAREGPT, "conversations", 1, "value", to="Why? " * 50)
    found = stats_of(SHAREGPT, longer, SHAREGPT)
    assert (found.longest.file, found.longest.row) == ("a.jsonl", 2)
    assert found.longest.tokens == max(found.lengths) == found.to_json()["tokens"]["most"]


def test_percentiles_are_numbers_from_the_data():
    assert describe_distribution({}) == {}
    assert describe_distribution({7: 1}) == {"least": 7, "p50": 7, "p90": 7, "p99": 7, "most": 7}
    assert describe_distribution(dict.fromkeys(range(1, 101), 1)) == {
        "least": 1,
        "p50": 50,
        "p90": 90,
        "p99": 99,
        "most": 100,
    }
