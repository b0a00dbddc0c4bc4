"""A model's own chat template: rendered in a sandbox, checked by probes, held against our prompt."""
