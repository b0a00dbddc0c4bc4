"""A model's own chat template: rendered in a sandbox, probed, and compared with our prompt."""
