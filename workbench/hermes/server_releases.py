"""The releases of servers that the replicas of their parsers, and the flags that we advise, were checked against.

`make conformance` downloads these releases and compares: the calls of both parsers for each text, and the names that
the server accepts for `--tool-call-parser`.
"""

from typing import Final

VLLM: Final = "0.33.0"
SGLANG: Final = "0.5.23"
