"""Comparisons: several columns answer the same turns side by side, as branches of one session, and people vote."""
