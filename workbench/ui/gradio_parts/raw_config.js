// Keeps Svelte from observing the parts of the page's configuration that never change.
//
// Gradio stores the configuration as state, so every read of a property makes an observed copy of the property first,
// and Gradio reads the targets of all events for each component, twice. Svelte observes plain objects and lists only,
// not those of a class, nor what is in these. The values of components stay plain, since they do change. Of the tree of
// components, only those are observed to which tabs are added, or in which something is hidden at first.
//
// *Gradio 6.31:* `assets/index` (svelte, `proxy`; client/js/src/client.ts, `get_page_config`), `assets/core`
// (js/core/src/init.svelte.ts, `create_node`, `find_attached_events`, `find_node_by_id`, `traverse`).
{
  class Unobserved {}
  class UnobservedList extends Array {}
  const leave = (part) =>
    Object.setPrototypeOf(part, (Array.isArray(part) ? UnobservedList : Unobserved).prototype);
  // A page that is not made by Gradio, such as that of a script's test, has none.
  const { components = [], dependencies = [], page = {} } = window.gradio_config ?? {};
  leave(dependencies);
  for (const component of components) [component.props, component].forEach(leave);
  const byId = new Map(components.map((component) => [component.id, component]));
  // The parts of the layout in which nothing ever appears.
  const settled = new Set();
  const settle = ({ id, children }) => {
    const { type = "", props = {} } = byId.get(id) ?? {};
    const isShown = (props.visible ?? true) === true;
    const isSettled = children.map(settle).every(Boolean) && isShown && !type.startsWith("tab");
    if (isSettled) settled.add(id);
    Object.setPrototypeOf(children, Layouts.prototype);
    return isSettled;
  };
  // Gradio makes the tree from the layout by `map`.
  class Layouts extends Array {
    map(make) {
      const nodes = Array.from(this, (layout) => make(layout));
      for (const node of nodes) if (settled.has(node.id)) leave(node);
      return nodes;
    }
  }
  for (const shown of Object.values(page)) {
    settle(shown.layout);
    [shown.components, shown.dependencies].forEach(leave);
  }
  leave(components);
}
