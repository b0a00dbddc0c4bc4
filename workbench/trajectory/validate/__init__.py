"""What is wrong with training rows: each rule a function from a row to findings, with their places."""
