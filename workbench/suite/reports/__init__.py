"""Reports of a run as JSON, JUnit XML, Markdown and HTML."""
