"""The Compare tab: a turn answered by two to four columns, side by side, and voted on."""
