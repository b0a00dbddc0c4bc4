"""A run as a report: JSON, JUnit, Markdown, HTML."""
