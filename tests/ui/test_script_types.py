"""The types of what Python shares with the scripts of the page."""

from tests.ui.script_types import declarations, values_of, views
from workbench.ui.script_files import script_paths


def test_the_types_of_each_folder_are_those_of_its_views_and_events():
    stale = {
        path.parent.name
        for path, text in declarations().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    assert not stale, "Views or events changed. Run `python -m tests.ui.script_types`, then `make check`."


def test_each_script_of_a_component_names_the_type_of_its_value():
    for script, path in script_paths().items():
        text = path.read_text(encoding="utf-8")
        assert ("export const mount" in text) == ("/** @param {Part<" in text), script
        assert values_of(script) <= set(views()), script
