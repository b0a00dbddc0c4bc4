from . import cpu as cpu
