"""Basic values, independent of any format: messages, tool calls, spans, findings and fixes."""
