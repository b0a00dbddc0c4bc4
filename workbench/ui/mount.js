// Mounts the page's own components. Gradio calls `mount` as soon as the element of a component is there; the module that
// draws it may arrive later. Until then every value that the server sends is kept and drawn in its order, and a key that
// nothing has answered to is pressed again once all modules are there.
window.hermesWorkbench = (() => {
  const pressed = [];
  let arriving = 0;
  window.addEventListener("keydown", (event) => arriving && event.isTrusted && pressed.push(event), true);
  const pressAgain = () => {
    for (const event of pressed.splice(0))
      if (!event.defaultPrevented) event.target.dispatchEvent(new KeyboardEvent("keydown", event));
  };

  // What a component is given to work with.
  const partOf = (element, trigger, props, watch) => {
    const values = [];
    let draw = (value) => values.push(value);
    const hear = () => draw(props.value || null);
    hear();
    watch("value", hear);
    // Draws each value, from the one that the page came with on; null where there is none.
    const follow = (drawn) => {
      draw = drawn;
      values.splice(0).forEach(draw);
    };
    // For events of which only the last counts. While one is answered, Gradio drops the others and then fires the one
    // that is answered once more, with what that one had said (gradio 6.31, js/core/src/dependency.ts): all of them say
    // it by one object, so that it says what the last one did.
    const last = {};
    const triggerLatest = (name, data) => {
      last[name] = Object.assign(last[name] || {}, data);
      trigger(name, last[name]);
    };
    return { element, props, trigger, triggerLatest, follow };
  };

  const mount = async (address, element, trigger, props, watch) => {
    const part = partOf(element, trigger, props, watch);
    arriving += 1;
    try {
      const component = await import(new URL(address, document.baseURI));
      component.mount(part);
    } finally {
      arriving -= 1;
      if (arriving === 0) pressAgain();
    }
  };
  return { mount };
})();
