"""`workbench versions`: show, restore, tag, import and export versions."""
