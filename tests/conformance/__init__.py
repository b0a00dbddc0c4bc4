"""Other people's test suites, run on the workbench: `make conformance`."""
