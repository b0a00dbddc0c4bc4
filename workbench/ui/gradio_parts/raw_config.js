// Keeps Svelte from observing the parts of the page's configuration that never change.
//
// Gradio stores the configuration as state, so every read of a property makes an observed copy of the property first,
// and Gradio reads the targets of all events for each component, twice. Svelte observes plain objects and lists only,
// not those of a class. The values of components stay plain, since they do change, and so does the layout, to which
// tabs are added.
//
// *Gradio 6.31:* `assets/index` (svelte, `proxy`; client/js/src/client.ts, `get_page_config`), `assets/core`
// (js/core/src/init.svelte.ts, `find_attached_events`).
{
  class Unobserved {}
  class UnobservedList extends Array {}
  const leave = (part) =>
    Object.setPrototypeOf(part, (Array.isArray(part) ? UnobservedList : Unobserved).prototype);
  const leaveAll = (part) => {
    if (part === null || typeof part !== "object") return;
    Object.values(part).forEach(leaveAll);
    leave(part);
  };
  // A page that is not made by Gradio, such as that of a script's test, has none.
  const { components = [], dependencies = [], page = {} } = window.gradio_config ?? {};
  leaveAll(dependencies);
  for (const component of components) [component.props, component].forEach(leave);
  for (const shown of Object.values(page)) [shown.components, shown.dependencies].forEach(leave);
  leave(components);
}
