"""The Tools tab: the list, the two editors, and the bench where a call is tried."""
