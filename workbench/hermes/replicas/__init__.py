"""What others would have got from the same text: small replicas of their rules, none of their code."""
