"""What we hand to a trainer: conversations as rows, with a proof that strict reads them."""
