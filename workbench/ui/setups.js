// The setup in use, in the browser's storage, so that a reload starts with it. Gradio's events call these functions.
Object.assign(
  window.hermesWorkbench,
  (() => {
    const KEY = "hermes-workbench:setup";
    const WAIT_MS = 150;
    let waiting = 0;

    const read = () => {
      try {
        return localStorage.getItem(KEY) || "";
      } catch {
        return "";
      }
    };

    const current = { values: null, defaults: "", preset: "" };

    const write = () => {
      clearTimeout(waiting);
      waiting = 0;
      if (!current.values || !current.defaults) return;
      const { values, defaults, preset } = current;
      try {
        localStorage.setItem(KEY, JSON.stringify({ ...values, defaults, preset }));
      } catch {
        // Storage is full or forbidden.
      }
    };

    // A change just before the page is left is stored, too.
    window.addEventListener("pagehide", () => waiting && write());

    const later = () => {
      clearTimeout(waiting);
      waiting = setTimeout(write, WAIT_MS);
    };

    return {
      keepSetup: (names, values) => {
        current.values = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        later();
        return [];
      },
      // The defaults of the server, and the preset that the setup was started from (`preset_bar.js`).
      keepSetupOrigin: (defaults, preset) => {
        Object.assign(current, { defaults, preset });
        later();
      },
      setupInUse: () => current.values && { ...current.values },
      readSetup: () => {
        try {
          current.preset = JSON.parse(read() || "{}").preset || "";
        } catch {
          // This page did not write it.
        }
        return [read()];
      },
      presetInUse: () => current.preset,
    };
  })(),
);
