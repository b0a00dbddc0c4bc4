"""Check what browsers and programs send to the page before a handler sees it."""
