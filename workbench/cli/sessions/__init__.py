"""`workbench export` and `import`: sessions as rows, and rows as sessions."""
