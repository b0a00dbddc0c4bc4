"""The recipe for a sampling field, followed in a copy of the checkout: one file changes."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from tests.recipes.checkout_copy import CheckoutCopy, text_of

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROW = """| `top_a` | 0 | 0 to 1 | Drop tokens less likely than this share of the likeliest one, squared; 0 keeps all | `llama-server` |
"""
LAST_FIELD = "    max_tokens: int = field("

USED = """
import json
from dataclasses import asdict, replace

import workbench
from workbench.chat.message import Conversation
from workbench.cli.sampling_options import sampling_option
from workbench.engines.remote.request.openai_request import build_request
from workbench.engines.remote.server import Server, ServerKind
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.store.rows import sampling_value
from workbench.ui.present.setup import sampling_words
from workbench.ui.present.sampling_form import SamplingView, declared_fields
from workbench.ui.present.setup import parse_setup, show_setup

[field] = [field for field in declared_fields() if field["name"] == "top_a"]
sampling = Sampling(top_a=0.3)
request = GenerationRequest(prompt="Hi", sampling=sampling, conversation=Conversation(messages=()))
bodies = {kind: build_request(request, Server(name="", base_url="", kind=kind), "m").body for kind in ServerKind}
setup = RunConfig(contract_name="minimal", contract_text="", tools_text="[]", sampling=sampling)
shown = show_setup(setup)
try:
    form = SamplingView(values={**shown["sampling"].values, "top_a": 2})
    refusal = parse_setup((shown | {"sampling": form}).values())
except BadInput as error:
    refusal = str(error)
print(json.dumps({
    "package": workbench.__file__,
    "field": [field["label"], field["id"], field["most"], field["kind"]],
    "survives the page": parse_setup(shown.values()) == setup,
    "refusal": refusal,
    "sent": {kind: body["top_a"] for kind, body in bodies.items() if "top_a" in body},
    "survives the store": sampling_value(json.loads(json.dumps(asdict(sampling)))) == sampling,
    "stored before": sampling_value({"temperature": 0.5}).top_a,
    "in words": sampling_words(sampling),
    "option": [sampling_option("top_a").min, sampling_option("top_a").help],
}))
"""


def test_a_sampling_field(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A sampling field")
    example = re.search(r"^   top_a: .*?^   \)$", text_of("A sampling field"), re.MULTILINE | re.DOTALL)
    assert example
    copy.insert("workbench/rollout/sampling.py", indent(example[0], " ") + "\n", before=LAST_FIELD)
    copy.insert("docs/reference/generation.md", ROW, before="| `stop` |")
    assert copy.run_tests("tests/docs/test_declarations.py") > 3
    report = json.loads(copy.python("-c", USED).splitlines()[-1])
    assert Path(report.pop("package")).is_relative_to(copy.root)
    assert report == {
        "field": ["Top a", "play-top-a", 1, "number"],
        "survives the page": True,
        "refusal": "field 'top a': 2 is more than 1 (write a number from 0 to 1)",
        "sent": {"llama-server": 0.3},
        "survives the store": True,
        "stored before": 0.0,
        "in words": "temperature 0, top_p 0.95, top_k 40, seed 0, at most 256 tokens, top_a 0.3",
        "option": [
            0.0,
            "Drop tokens less likely than this share of the likeliest one, squared; 0 keeps all",
        ],
    }
