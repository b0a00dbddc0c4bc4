"""What a tool promises: specs as offered to a model, their soundness, and arguments held against them."""
