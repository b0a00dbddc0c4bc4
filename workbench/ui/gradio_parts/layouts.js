// Draws Gradio's columns and forms as plain elements, and its states, which show nothing, not at all.
//
// For each of its components, Gradio makes some forty observed properties, several effects and a progress display. A
// third of the components of this page are layouts, of which only the visibility ever changes.
//
// *Gradio 6.31:* `assets/core` (js/core/src/init_utils.ts, `get_component`), `assets/Blocks`
// (js/core/src/MountComponents.svelte), `assets/Index` (js/column/BaseColumn.svelte, js/form/BaseForm.svelte,
// js/state/Index.svelte).
{
  // Gradio's tabs load the style sheet of its columns, which has this name. page.css has the rules of its forms.
  const COLUMN = "column svelte-siq5d6";
  const offer = (draw) => ({ component: async () => ({ default: draw }) });
  const layout = (className) =>
    offer((anchor, { shared_props: shared, children }) => {
      const block = document.createElement("div");
      block.className = [className, ...(shared.elem_classes ?? [])].join(" ");
      if (shared.elem_id) block.id = shared.elem_id;
      block.style.minWidth = `min(${shared.min_width ?? 0}px, 100%)`;
      block.style.flexGrow = shared.scale ?? "";
      // Gradio takes what is in a hidden part out of the page, but does not know this element, and draws another later.
      const set = (update) => update.visible === false && block.remove();
      shared.register_component(shared.id, set, async () => null);
      anchor.before(block);
      children?.(block.appendChild(document.createComment("")));
    });
  const state = offer((anchor, { shared_props: shared }) => {
    // Its value stays on the server.
    shared.register_component(
      shared.id,
      () => {},
      async () => null,
    );
  });
  window.__GRADIO__CC__ = { column: layout(COLUMN), form: layout("form"), state };
}
