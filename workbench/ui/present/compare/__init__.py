"""What the Compare tab shows: its form, the columns side by side, and what is being written."""
