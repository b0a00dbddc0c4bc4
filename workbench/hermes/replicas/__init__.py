"""Small replicas of other projects' parsers, written from their descriptions without using their code."""
