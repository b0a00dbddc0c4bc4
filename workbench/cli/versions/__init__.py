"""`workbench versions`: look at versions, bring them back, name them, take them from files and write them there."""
