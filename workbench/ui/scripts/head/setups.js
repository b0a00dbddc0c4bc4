// The setup in use, in the browser's storage, so that a reload starts with it. Gradio's events call these functions.
Object.assign(
  window.hermesWorkbench,
  (() => {
    const KEY = "hermes-workbench:setup";
    const WAIT_MS = 150;
    const LOOK_MS = 300;
    let waiting = 0;

    const read = () => {
      try {
        return localStorage.getItem(KEY) || "";
      } catch {
        return "";
      }
    };

    // `applied` is the setup as the preset had it, as JSON, to say whether it was changed since.
    /** @type {{ values: Record<string, any> | null; defaults: string; preset: string; applied: string }} */
    const current = { values: null, defaults: "", preset: "", applied: "" };

    // The values with the text of the contract that is shown, which Gradio reports a moment later. Null while the page
    // opens, or while another contract does: Gradio sets its fields one after the other.
    const settled = (/** @type {PlaceValues} */ values) => {
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

    // What the fields of the setup show, which is compared to find a change; `keepSetup` then gets the values. A
    // listener of Gradio for each field would be a quarter of the page's events, among which Gradio looks up those of
    // each component.
    let shown = "";
    const showsNow = () =>
      Array.from(document.querySelectorAll("#play-setup :is(input, textarea, select)"), (field) =>
        field.type === "checkbox" ? field.checked : field.value,
      ).join("\n");
    const look = () => {
      if (!current.values) return;
      const now = showsNow();
      if (now === shown) return;
      shown = now;
      window.dispatchEvent(new Event("hw:collect-setup"));
    };
    // What a person changes is found at once, what the server changes within a moment.
    for (const name of ["input", "change", "click", "keyup"])
      window.addEventListener(
        name,
        (event) =>
          /** @type {Partial<Element>} */ (event.target).closest?.("#play-setup") && setTimeout(look),
        true,
      );
    setInterval(look, LOOK_MS);

    const later = () => {
      clearTimeout(waiting);
      waiting = setTimeout(write, WAIT_MS);
    };

    return {
      /** @type {SetupFunctions["keepSetup"]} */
      keepSetup: (names, values) => {
        current.values = Object.fromEntries(
          names.flatMap((/** @type {string} */ name, index) => {
            const value = values[index];
            if (name === "sampling") return Object.entries(value?.values || {});
            return [[name, name === "disabled_tools" ? value?.disabled || [] : value]];
          }),
        );
        shown = showsNow();
        later();
        return [];
      },
      // The defaults of the server, and the preset that the setup was started from (`preset_bar.js`).
      keepSetupOrigin: (/** @type {string} */ defaults, /** @type {string} */ preset) => {
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
      keepApplied: (/** @type {string=} */ setup) => {
        current.applied = setup === undefined ? JSON.stringify(current.values) : setup;
        write();
      },
      appliedSetup: () => current.applied,
      isPresetChanged: () =>
        Boolean(current.applied && current.values && current.applied !== JSON.stringify(current.values)),
    };
  })(),
);
