"""The Data tab: export sessions to training rows, and import rows as sessions."""
