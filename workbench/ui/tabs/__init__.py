"""The tabs of the page: each builds its parts, handles their events, and connects the two."""
