"""The page's theme: Gradio's Base with system fonts, small sizes and an ink accent."""

from typing import Any, Final, cast

from gradio.themes import Base, colors, sizes

SANS: Final = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif")
"""The font of interface text."""
MONO: Final = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")
"""The font of text that a model reads or writes."""


class WorkbenchTheme(Base):
    """A quiet, dense theme without an accent colour, since colours carry meaning on this page (`page.css`)."""

    def __init__(self) -> None:
        super().__init__(
            primary_hue=colors.zinc,
            secondary_hue=colors.zinc,
            neutral_hue=colors.zinc,
            spacing_size=sizes.spacing_sm,
            radius_size=sizes.radius_sm,
            text_size=sizes.text_sm,
            font=SANS,
            font_mono=MONO,
        )
        self.name = "workbench"
        cast(Any, self).set(**_SURFACES, **_TEXT, **_FIELDS, **_BUTTONS)


_SURFACES: Final = {
    "body_background_fill": "#ffffff",
    "body_background_fill_dark": "#151517",
    "background_fill_primary": "#ffffff",
    "background_fill_primary_dark": "#151517",
    "background_fill_secondary": "#f7f7f8",
    "background_fill_secondary_dark": "#1c1c1f",
    "border_color_primary": "#e2e2e6",
    "border_color_primary_dark": "#303036",
    "block_background_fill": "transparent",
    "block_background_fill_dark": "transparent",
    "block_border_width": "0px",
    "block_border_width_dark": "0px",
    "block_shadow": "none",
    "block_padding": "0px",
    "block_radius": "4px",
    "block_label_shadow": "none",
    "panel_background_fill": "transparent",
    "panel_background_fill_dark": "transparent",
    "panel_border_width": "0px",
    "layout_gap": "12px",
    "form_gap_width": "8px",
    "container_radius": "4px",
}
_TEXT: Final = {
    "body_text_color": "#1b1b1f",
    "body_text_color_dark": "#e7e7ea",
    "body_text_color_subdued": "#5f5f68",
    "body_text_color_subdued_dark": "#a3a3ad",
    "body_text_size": "13px",
    "block_title_text_size": "12px",
    "block_title_text_weight": "500",
    "block_title_text_color": "*body_text_color_subdued",
    "block_title_text_color_dark": "*body_text_color_subdued",
    "block_title_background_fill": "transparent",
    "block_title_background_fill_dark": "transparent",
    "block_title_padding": "0px",
    "block_label_text_size": "12px",
    "block_label_text_color": "*body_text_color_subdued",
    "block_label_text_color_dark": "*body_text_color_subdued",
    "block_label_background_fill": "transparent",
    "block_label_background_fill_dark": "transparent",
    "block_label_border_width": "0px",
    "block_label_border_width_dark": "0px",
    "block_label_padding": "0px",
    "block_info_text_size": "12px",
    "block_info_text_color": "*body_text_color_subdued",
    "block_info_text_color_dark": "*body_text_color_subdued",
}
_FIELDS: Final = {
    "input_background_fill": "#ffffff",
    "input_background_fill_dark": "#1c1c1f",
    "input_border_color": "#8b8b95",
    "input_border_color_dark": "#6b6b75",
    "input_border_color_focus": "#1b1b1f",
    "input_border_color_focus_dark": "#e7e7ea",
    "input_border_width": "1px",
    "input_border_width_dark": "1px",
    "input_shadow": "none",
    "input_shadow_focus": "none",
    "input_padding": "4px 8px",
    "input_radius": "4px",
    "input_text_size": "13px",
    "input_placeholder_color": "#6a6a73",
    "input_placeholder_color_dark": "#94949e",
    "checkbox_label_background_fill": "transparent",
    "checkbox_label_background_fill_dark": "transparent",
    "checkbox_label_background_fill_hover": "transparent",
    "checkbox_label_background_fill_hover_dark": "transparent",
    "checkbox_label_background_fill_selected": "transparent",
    "checkbox_label_background_fill_selected_dark": "transparent",
    "checkbox_label_border_width": "0px",
    "checkbox_label_border_width_dark": "0px",
    "checkbox_label_padding": "2px 0px",
    "checkbox_label_shadow": "none",
    "checkbox_label_text_color_selected": "*body_text_color",
    "checkbox_label_text_color_selected_dark": "*body_text_color",
    "checkbox_border_color": "#8b8b95",
    "checkbox_border_color_dark": "#6b6b75",
    "checkbox_background_color_selected": "#1b1b1f",
    "checkbox_background_color_selected_dark": "#7c7c88",
    "checkbox_border_color_selected": "#1b1b1f",
    "checkbox_border_color_selected_dark": "#7c7c88",
}
_BUTTONS: Final = {
    "button_border_width": "1px",
    "button_primary_background_fill": "#1b1b1f",
    "button_primary_background_fill_dark": "#e7e7ea",
    "button_primary_background_fill_hover": "#3a3a42",
    "button_primary_background_fill_hover_dark": "#ffffff",
    "button_primary_text_color": "#ffffff",
    "button_primary_text_color_dark": "#151517",
    "button_primary_border_color": "transparent",
    "button_primary_border_color_dark": "transparent",
    "button_secondary_background_fill": "transparent",
    "button_secondary_background_fill_dark": "transparent",
    "button_secondary_background_fill_hover": "*background_fill_secondary",
    "button_secondary_background_fill_hover_dark": "#26262b",
    "button_secondary_border_color": "#b5b5bd",
    "button_secondary_border_color_dark": "#4a4a53",
    "button_small_padding": "4px 10px",
    "button_small_radius": "4px",
    "button_small_text_size": "12px",
    "button_small_text_weight": "500",
    "button_medium_padding": "5px 12px",
    "button_medium_radius": "4px",
    "button_medium_text_size": "13px",
    "button_medium_text_weight": "500",
    "button_transition": "none",
}
