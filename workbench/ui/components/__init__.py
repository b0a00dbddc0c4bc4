"""Components of the page. `Drawn` components are drawn by a script of `ui/scripts/`, which sets text as text."""
