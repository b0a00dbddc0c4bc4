"""Write a suite of requests over tools that the embedded model was trained on: `python scripts/trained_suite.py`.

60 requests of the training families: 36 need one call, 8 several, 8 lack a value, 8 cannot be fulfilled. The same count
and seed give the same suite.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.contract.contract import Contract
from workbench.toolspec.yaml_text import dump_yaml
from workbench.training.everyday.family import FamilySplit
from workbench.training.everyday.rows import EverydayOptions
from workbench.training.synth.conversations import ContractShare, SynthConversation, draw_rows

_SHARES: Final = {"single": 0.6, "parallel": 0.14, "missing": 0.13, "near_miss": 0.13}
_CONTRACT: Final = Contract(name="none", title="None", family="hermes-lines", text="{{ tools }}")


def suite_document(count: int, seed: int) -> JsonObject:
    """Return a suite of `count` requests. Those with the same tools are side by side, for the prefix cache."""
    drawn = [case for kind in _SHARES for case in islice(_cases(kind, seed), round(count * _SHARES[kind]))]
    cases = sorted(drawn, key=lambda case: dump_yaml(case["tool_specs"]))
    return {
        "suite": "trained",
        "description": "Requests over tools that the embedded model was trained on.",
        "defaults": {"max_rounds": 1},
        "cases": cases,
    }


def _cases(kind: str, seed: int) -> Iterator[JsonObject]:
    options = EverydayOptions(
        split=FamilySplit.TRAIN,
        contracts=(ContractShare(_CONTRACT, 1.0),),
        kinds=((kind, 1.0),),
        lengths=((1, 1.0),),
        most_tools=2,
    )
    for number, drawn in enumerate(draw_rows(seed, 1000, options), start=1):
        if drawn.trajectory.tools.specs:
            yield _case(f"{kind}-{number}", kind, drawn)


def _case(name: str, kind: str, drawn: SynthConversation) -> JsonObject:
    messages = drawn.trajectory.messages
    answer = next(message for message in messages if message.role is Role.ASSISTANT)
    calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in answer.calls]
    expected = {"calls": calls} if calls else {"asks": True} if kind == "missing" else {"no_call": True}
    date = (messages[0].text or messages[0].prose[0].text).rpartition("\n\n")[2]
    return {
        "id": name,
        "prompt": messages[1].prose[0].text,
        "tags": [kind],
        "tool_specs": [spec.document for spec in drawn.trajectory.tools.specs],
        "expect": [expected],
        **({"system": date} if date.startswith("Today is ") else {}),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=43)
    given = parser.parse_args()
    sys.stdout.write(dump_yaml(suite_document(given.count, given.seed)))
