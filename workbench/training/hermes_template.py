"""A Hermes chat template for training: it renders like the family `hermes-lines`, and marks what the model writes."""

from typing import Any, Final

TEMPLATE: Final = r"""
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|im_start|>assistant\n' }}
        {%- generation %}
            {%- if message.reasoning_content %}
                {{- '<think>' + message.reasoning_content + '</think>' }}
            {%- endif %}
            {{- message.content or '' }}
            {%- for call in message.tool_calls or [] %}
                {%- set function = call.function if call.function is defined else call %}
                {{- '\n' if message.content or message.reasoning_content or not loop.first }}
                {{- '<tool_call>\n{"name": ' + function.name | tojson + ', "arguments": ' }}
                {{- function.arguments if function.arguments is string else function.arguments | tojson }}
                {{- '}\n</tool_call>' }}
            {%- endfor %}
            {{- '<|im_end|>' }}
        {%- endgeneration %}
        {{- '\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user' if loop.first or messages[loop.index0 - 1].role != 'tool' }}
        {{- '\n<tool_response>\n' + message.content + '\n</tool_response>' }}
        {{- '<|im_end|>\n' if loop.last or messages[loop.index0 + 1].role != 'tool' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{{- '<|im_start|>assistant\n' if add_generation_prompt }}
"""
"""Tools are not written: a contract's system message has them. Only `{% generation %}` counts for the loss."""
_RESPONSE: Final = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*", "content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""How transformers reads a completion back into a message. *Source:* TRL 1.16, `chat_template_utils.qwen3_template`."""


def hermes_tokenizer(tokenizer: Any) -> Any:
    """Set the chat template of a tokenizer of transformers, and how it reads calls. Return the tokenizer."""
    tokenizer.chat_template = TEMPLATE.strip()
    tokenizer.response_template = _RESPONSE
    return tokenizer
