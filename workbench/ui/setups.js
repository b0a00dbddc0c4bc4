// The setup in use, in the browser's storage, so that a reload starts with it. Gradio's events call these functions.
Object.assign(
  window.hermesWorkbench,
  (() => {
    const KEY = "hermes-workbench:setup";
    const WAIT_MS = 150;
    let waiting = 0;
    let collecting = 0;

    const read = () => {
      try {
        return localStorage.getItem(KEY) || "";
      } catch {
        return "";
      }
    };

    // `applied` is the setup as the preset had it, as JSON, to say whether it was changed since.
    const current = { values: null, defaults: "", preset: "", applied: "" };

    // The values with the text of the contract that is shown, which Gradio reports a moment later. Null while the page
    // opens, or while another contract does: Gradio sets its fields one after the other.
    const settled = (values) => {
      const { documents } = window.hermesWorkbench;
      if (!documents?.idOf("play-contract-text")) return null;
      const shown = documents.named("play-contract-text", "contract");
      if (!shown) return values;
      return shown[0] === values.contract_name ? { ...values, contract_text: shown[1] } : null;
    };

    const write = () => {
      clearTimeout(waiting);
      waiting = 0;
      if (!current.values || !current.defaults) return;
      const { defaults, preset } = current;
      const values = settled(current.values);
      if (!values) return;
      try {
        localStorage.setItem(KEY, JSON.stringify({ ...values, defaults, preset, applied: current.applied }));
      } catch {
        // Storage is full or forbidden.
      }
      window.dispatchEvent(new Event("hw:setup"));
    };

    // A change just before the page is left is stored, too.
    window.addEventListener("pagehide", write);

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
      // A field has another value; `keepSetup` then gets those of all fields. While the page opens, most fields
      // report a value, some of them more than once, so the end of the opening calls `keepSetup` instead.
      setupChanged: () => {
        if (current.values && !collecting)
          collecting = setTimeout(() => {
            collecting = 0;
            window.dispatchEvent(new Event("hw:collect-setup"));
          });
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
          const stored = JSON.parse(read() || "{}");
          current.preset = stored.preset || "";
          current.applied = stored.applied || "";
        } catch {
          // This page did not write it.
        }
        return [read()];
      },
      presetInUse: () => current.preset,
      // Remembers the setup in use as that of the preset.
      keepApplied: (setup) => {
        current.applied = setup === undefined ? JSON.stringify(current.values) : setup;
        write();
      },
      appliedSetup: () => current.applied,
      isPresetChanged: () =>
        Boolean(current.applied && current.values && current.applied !== JSON.stringify(current.values)),
    };
  })(),
);
