"""The Play tab: setup, sessions, conversation and inspector side by side."""
