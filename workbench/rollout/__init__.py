"""One conversation turn, played as a stream of events: prompt, completion, reading, results, and again."""
