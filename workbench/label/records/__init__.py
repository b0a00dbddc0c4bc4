"""Labelling as plain values: projects, queues, actions, agreement and quality."""
