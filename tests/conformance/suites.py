"""All suites, in the order of the table."""

from tests.conformance.llama_chat import LLAMA_CHAT, LLAMA_CHAT_OTHERS
from tests.conformance.outcome import Suite

SUITES: tuple[Suite, ...] = (LLAMA_CHAT, LLAMA_CHAT_OTHERS)
