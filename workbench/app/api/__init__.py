"""The functions that programs and agents are offered, wherever they are served."""
