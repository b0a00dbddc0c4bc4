"""The Compare tab: two to four columns answer a turn side by side, and people vote."""
