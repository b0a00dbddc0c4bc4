"""A small correct chat template, and variants with one fault."""

GOOD = """\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{% endif %}
    {{- '<tools>' }}
    {%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{% endfor %}
    {{- '\\n</tools><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'system' and loop.first %}{% continue %}{% endif %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.role == 'tool' %}
        {{- '<tool_response>\\n' + message.content + '\\n</tool_response>' }}
    {%- else %}
        {%- if message.reasoning_content %}{{- '<think>' + message.reasoning_content + '</think>' }}{% endif %}
        {{- message.content or '' }}
        {%- for call in message.tool_calls or [] %}
            {%- set arguments = call.function.arguments %}
            {{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- arguments if arguments is string else arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
    {%- endif %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}
"""


def changed(before: str, after: str) -> str:
    """Return `GOOD` with one piece replaced."""
    assert before in GOOD, before
    return GOOD.replace(before, after)
