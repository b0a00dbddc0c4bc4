"""Tags of the format that rules look for in content."""

import re
from typing import Final

RESULT_TAG: Final = re.compile(r"</?tool_response>")
"""What wraps a result."""
TOOL_TAG: Final = re.compile(r"</?tool_(?:response|call)>")
"""What wraps a result or a call."""
