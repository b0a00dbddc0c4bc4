"""The Compare tab: its form, the columns side by side, and answers in progress."""
