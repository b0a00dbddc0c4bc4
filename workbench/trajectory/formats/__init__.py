"""The row formats: what each looks like, how it is read, what it can hold, how it is written."""
