"""Reports of a run: JSON, JUnit, Markdown, HTML."""
