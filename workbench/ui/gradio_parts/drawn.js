// The browser's side of `Drawn`: makes an element, lets a script draw in it, and passes on values and events.
//
// Gradio has a table of components besides its own, and calls one of them as a compiled Svelte component: with the node
// that it goes before, and its properties. `gr.HTML` compiles two templates, and makes a style sheet and a progress
// display, for each component.
//
// *Gradio 6.31:* `assets/Blocks` (js/core/src/init_utils.ts, `get_component`; js/utils/src, `class Gradio`).
window.__GRADIO__CC__ = {
  ...window.__GRADIO__CC__,
  drawn: {
    component: async () => ({
      default: (anchor, { shared_props: shared, props: own }) => {
        const block = document.createElement("div");
        const element = document.createElement("div");
        block.id = shared.elem_id || "";
        element.className = shared.elem_classes.join(" ");
        block.className = `block ${element.className}`;
        block.append(element);

        // A copy, because Gradio's objects are observed ones, which are slow and can change.
        const props = { value: JSON.parse(JSON.stringify(own.value ?? null)) };
        const watchers = [];
        let isWaiting = false;
        const tell = () => {
          isWaiting = false;
          for (const onValue of watchers) onValue();
        };
        // Gradio reports a value again when anything else of the component has changed, and the script may have set
        // another one. Of values that arrive at the same moment, the last one counts.
        const set = (update) => {
          if (!("value" in update)) return;
          const newest = JSON.stringify(update.value ?? null);
          if (newest === JSON.stringify(props.value)) return;
          props.value = JSON.parse(newest);
          if (!isWaiting) queueMicrotask(tell);
          isWaiting = true;
        };
        shared.register_component(shared.id, set, async () => ({ value: props.value }));
        anchor.before(block);
        window.hermesWorkbench.mount(
          own.script,
          element,
          (name, data = {}) =>
            shared.dispatcher(window.gradio_config.layout.id, `${name} ${shared.id}`, data),
          props,
          (_, onValue) => watchers.push(onValue),
        );
      },
    }),
  },
};
