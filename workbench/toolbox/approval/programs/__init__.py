"""Which programs may run unasked, with which options and arguments."""
