// Mounts the page's own components. Gradio calls `mount` as soon as the element of a component exists, but the module
// that draws it may load later. Until then, values from the server are queued and drawn in order, and keys that
// nothing has handled are pressed again once all modules are loaded.
//
// *Gradio 6.31:* `assets/core` (js/core/src/dependency.ts, `dispatch`, `DependencyManager`).
window.hermesWorkbench = (() => {
  const pressed = [];
  let loading = 0;
  window.addEventListener("keydown", (event) => loading && event.isTrusted && pressed.push(event), true);
  const pressAgain = () => {
    for (const event of pressed.splice(0))
      if (!event.defaultPrevented) event.target.dispatchEvent(new KeyboardEvent("keydown", event));
  };

  // Creates the object that a component's `mount` gets.
  const partOf = (element, trigger, props, watch) => {
    const values = [];
    let draw = (value) => values.push(value);
    const onValue = () => draw(props.value || null);
    onValue();
    watch("value", onValue);
    // Calls `drawn` with every value, starting with the first. null means that there is no value.
    const follow = (drawn) => {
      draw = drawn;
      values.splice(0).forEach(draw);
    };
    // For events of which only the last one counts. While an event is being answered, Gradio drops newer events of the
    // same name and then fires the answered one again with its old data. All events of a name share one data object
    // here, so the repeated event has the newest data.
    const last = {};
    const triggerLatest = (name, data) => {
      last[name] = Object.assign(last[name] || {}, data);
      trigger(name, last[name]);
    };
    return { element, props, trigger, triggerLatest, follow };
  };

  // Ends an event before it is sent: Gradio drops one whose function throws, and neither shows the error nor runs what
  // follows the event.
  const drop = (reason) => {
    throw new Error(reason);
  };

  // For events of which only the last one counts (`gradio_parts/listen.py`). Gradio regards an event as being answered only once it is
  // sent. Fields that change together, such as those of an example, would therefore send one event each, and the answer
  // to the first could arrive after the answers to all later ones. So each waits for the others, and the last is sent.
  // `event` is the name of the event.
  const latest = {};
  const newest = async (event, values) => {
    latest[event] = values;
    await new Promise((resolve) => setTimeout(resolve));
    return latest[event] === values ? values : drop("a newer event has the newest values");
  };

  // All scripts are one module (`script_files.py`). To import it again for each component would take a browser longer.
  let scripts = null;
  const mount = async (script, element, trigger, props, watch) => {
    const part = partOf(element, trigger, props, watch);
    shared.mountedAt ??= performance.now();
    loading += 1;
    try {
      scripts ??= import(new URL("SCRIPTS_ADDRESS", document.baseURI));
      (await scripts).default[script].mount(part);
    } finally {
      loading -= 1;
      if (loading === 0) pressAgain();
    }
  };

  // Tabs other than the first are sent when they are first needed (`split_config.py`). Each is asked for once, again if
  // no answer came in time.
  const ANSWER_MS = 15000;
  const askedAt = {};
  let ask = null;
  const wanted = [];
  const askFor = (tab) => (ask ? ask(tab) : wanted.push(tab));
  const attachTabLoader = (asking) => {
    ask = asking;
    wanted.splice(0).forEach(ask);
  };
  const hasTab = (tab) => document.querySelector(`#${tab} [id^="${tab.replace("page-tab-", "")}-"]`) !== null;

  // Tabs whose form was filled from the browser's storage. Until then, an answer that chooses something else for the
  // form would be overwritten.
  const filled = new Set();
  const waiting = {};

  // Asks for a tab unless it is there, and resolves once it is, or was not sent in time. Meanwhile, the tab says so.
  const loadTab = async (tab, { isFilled = false } = {}) => {
    const isReady = () => hasTab(tab) && (!isFilled || filled.has(tab));
    if (isReady()) return;
    const until = Date.now() + ANSWER_MS;
    if (!hasTab(tab) && !(Date.now() - askedAt[tab] < ANSWER_MS)) {
      askedAt[tab] = Date.now();
      askFor(tab);
    }
    waiting[tab] = (waiting[tab] || 0) + 1;
    document.getElementById(tab)?.setAttribute("aria-busy", "true");
    while (!isReady() && Date.now() < until) await new Promise(requestAnimationFrame);
    waiting[tab] -= 1;
    if (!waiting[tab]) document.getElementById(tab)?.removeAttribute("aria-busy");
  };
  const shared = { mount, newest, drop, attachTabLoader, loadTab, filled, chartsAddress: "CHARTS_ADDRESS" };
  return shared;
})();
