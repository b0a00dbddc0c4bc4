"""Sessions as trees of messages in a database: tables, rows to values and back, migrations."""
