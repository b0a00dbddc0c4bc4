"""Logging in with an account: passwords checked at a bounded rate, logins that expire, the form."""
