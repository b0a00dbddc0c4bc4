"""Tables of the programs that may run without approval, with their options and arguments."""
