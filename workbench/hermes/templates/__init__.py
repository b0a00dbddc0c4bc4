"""A model's own chat template: rendered in a sandbox, checked, and compared with our prompt."""
