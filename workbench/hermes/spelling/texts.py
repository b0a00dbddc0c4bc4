"""The sentences with which each family's own template introduces the tools; `{tools}` is filled.

They are facts of the formats, byte for byte as the models were trained, odd blanks and stray braces included.
"""

from typing import Final

HERMES_3_TOOLS: Final = (
    "You are a function calling AI model. You are provided with function signatures within "
    "<tools></tools> XML tags. You may call one or more functions to assist with the user query. Don't "
    "make assumptions about what values to plug into functions. Here are the available tools: <tools> "
    "{tools} </tools>Use the following pydantic model json schema for each tool call you will make: "
    '{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", '
    '"type": "object"}}, "required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}\n'
    "For each function call return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags as follows:\n"
    "<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-dict>}\n'
    "</tool_call>"
)
"""*Source:* tool_use template of Hermes-2-Pro and Hermes-3."""

NOUS_PYTHON_TOOLS: Final = (
    "You are a function calling AI model. You are provided with function signatures within "
    "<tools></tools> XML tags. You may call one or more functions to assist with the user query. Don't "
    "make assumptions about what values to plug into functions. Here are the available tools: <tools> "
    "{tools} </tools> Use the following pydantic model json schema for each tool call you will make: "
    "{'title': 'FunctionCall', 'type': 'object', 'properties': {'arguments': {'title': 'Arguments', "
    "'type': 'object'}, 'name': {'title': 'Name', 'type': 'string'}}, 'required': ['arguments', 'name']} "
    "For each function call return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags as follows:\n"
    "<tool_call>\n"
    "{'arguments': <args-dict>, 'name': <function-name>}\n"
    "</tool_call>"
)
"""*Source:* README of Hermes-Function-Calling."""

QWEN_JSON_TOOLS: Final = (
    "# Tools\n\n"
    "You may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n"
    "<tools>\n{tools}\n</tools>\n\n"
    "For each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n"
    "<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)
"""*Source:* chat templates of Qwen2.5 and Qwen3."""

_QWEN_XML_RULES: Final = (
    "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n"
    "<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\n"
    "This is the value for the second parameter\nthat can span\nmultiple lines\n</parameter>\n"
    "</function>\n</tool_call>\n\n"
    "<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be "
    "nested within <tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function "
    "call, but NOT after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge "
    "and do not tell the user about function calls\n"
    "</IMPORTANT>"
)

QWEN_CODER_TOOLS: Final = (
    f"You have access to the following functions:\n\n<tools>\n{{tools}}\n</tools>\n\n{_QWEN_XML_RULES}"
)
"""*Source:* chat template of Qwen3-Coder."""

QWEN_36_TOOLS: Final = f"# Tools\n\n{QWEN_CODER_TOOLS}"
"""*Source:* chat template of Qwen3.6."""

PLAIN_TOOLS: Final = (
    "You can call tools. Their signatures stand within <tools></tools> tags:\n\n"
    "<tools>\n{tools}\n</tools>\n\n"
    "To call one, write a JSON object with its name and arguments within <tool_call></tool_call> tags:\n"
    "<tool_call>\n"
    '{"name": <tool-name>, "arguments": <arguments-object>}\n'
    "</tool_call>"
)
"""Ours, for the two families of the seeds, which publish no template."""

QWEN_25_SYSTEM: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
"""*Source:* chat template of Qwen2.5."""
QWEN_CODER_SYSTEM: Final = (
    "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
)
"""*Source:* chat template of Qwen3-Coder."""
