"""What the Label tab shows, as plain values."""
