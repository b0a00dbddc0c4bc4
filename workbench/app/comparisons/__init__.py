"""Comparisons: turns answered by several columns side by side, as branches of one session, and voted on."""
