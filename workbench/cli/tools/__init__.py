"""`workbench tools`: see, check, import, export and call tools."""
