"""The Suites tab: pick, run, watch, drill into a case, compare."""
