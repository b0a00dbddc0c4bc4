"""What browsers and programs send to the page, checked before a handler sees it."""
