"""The tabs of the page: each builds its parts, answers their events and wires the two."""
