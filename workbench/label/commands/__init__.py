"""The commands of `workbench labels`."""
