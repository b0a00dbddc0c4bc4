"""Tools that the loop answers itself: plan, memory, search of sessions, a nested rollout."""
