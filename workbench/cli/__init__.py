"""The command line: each command hands its work to `workbench.app` and prints the outcome."""
