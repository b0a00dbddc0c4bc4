"""All suites, in the order of the table."""

from tests.conformance.bfcl_scores import BFCL_SCORES
from tests.conformance.json_repair_tests import JSON_REPAIR_ARGUMENTS
from tests.conformance.llama_chat import LLAMA_CHAT, LLAMA_CHAT_OTHERS
from tests.conformance.outcome import Suite
from tests.conformance.vllm_tests import VLLM_SUITES

SUITES: tuple[Suite, ...] = (*VLLM_SUITES, LLAMA_CHAT, LLAMA_CHAT_OTHERS, JSON_REPAIR_ARGUMENTS, BFCL_SCORES)
