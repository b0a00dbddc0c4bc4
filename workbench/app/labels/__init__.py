"""Labelling: verdicts and corrections, projects and their queue, how far labellers agree, what is stale."""
