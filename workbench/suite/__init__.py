"""Cases with expectations, played and scored: reading, scoring, runs, statistics, comparison, reports."""
