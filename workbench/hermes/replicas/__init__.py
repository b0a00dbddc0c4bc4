"""Small replicas of other parsers' rules, written from their descriptions, without their code."""
