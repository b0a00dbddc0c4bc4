"""`workbench versions`: show, compare, restore, tag, import and export versions."""
