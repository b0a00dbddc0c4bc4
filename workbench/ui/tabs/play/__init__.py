"""The Play tab: run configuration, sessions, conversation and inspector."""
