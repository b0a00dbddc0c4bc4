"""Which programs may run without approval, with which options and arguments."""
