"""The basic values: messages, calls, results, spans, findings and fixes. They know no format."""
