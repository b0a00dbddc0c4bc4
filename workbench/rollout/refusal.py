"""What a model is told when its call cannot be run."""

import json

from workbench.hermes.reading import CallStatus, ReadCall
from workbench.toolspec.spec import OfferedTools


def refusal_text(call: ReadCall, tools: OfferedTools) -> str | None:
    """A well-formed JSON error for a call of an unknown tool or with wrong arguments; None where it can be run."""
    if call.status is CallStatus.READY:
        return None
    if call.status is CallStatus.UNKNOWN_TOOL:
        return json.dumps(
            {"error": f"Unknown tool: {call.name}", "available_tools": list(tools.names)}, ensure_ascii=False
        )
    broken = [finding.message for finding in call.findings if finding.code.startswith("schema-")]
    return json.dumps({"error": "Invalid arguments", "problems": broken}, ensure_ascii=False)
