// Text that was not sent or saved yet, and a secret that identifies this browser, in the browser's storage. Gradio's
// events call these functions; each returns the list of values that the event passes on. If storage is full or
// forbidden, drafts are lost with the page.
Object.assign(
  window.hermesWorkbench,
  (() => {
    const PREFIX = "hermes-workbench:";

    const read = (key) => {
      try {
        return localStorage.getItem(PREFIX + key) || "";
      } catch {
        return "";
      }
    };

    const keep = (key, text) => {
      try {
        localStorage.setItem(PREFIX + key, text || "");
      } catch {
        // Storage is full or forbidden.
      }
      return [];
    };

    // Invalid JSON was not written by this page and is ignored.
    const parsed = (text) => {
      try {
        return JSON.parse(text || "{}");
      } catch {
        return {};
      }
    };

    const sessionOfAddress = () => window.hermesWorkbench.router.session();

    const draftKey = () => "draft:" + sessionOfAddress();

    const secret = () => {
      const stored = read("browser");
      if (stored) return stored;
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      const created = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      keep("browser", created);
      return created;
    };

    return {
      keepText: keep,
      readText: (key, text) => [text || read(key)],

      // Stores the draft of a named contract, suite or tool.
      keepNamed: (kind, name, text) => (name ? keep(kind + ":draft:" + name, text) : []),

      // Stores one field of the draft of the session in the address bar. An empty value removes it.
      keepField: (field, value) =>
        keep(draftKey(), JSON.stringify({ ...parsed(read(draftKey())), [field]: value || undefined })),

      dropDraft: () => {
        try {
          localStorage.removeItem(PREFIX + draftKey());
        } catch {
          // Storage is forbidden.
        }
        return [];
      },

      // Returns the draft of that session as JSON, with the message that is being edited (`message_pane.js`), and the
      // secret of this browser.
      readDraft: () => {
        const editing = read("editing");
        const isHere = sessionOfAddress() && parsed(editing).session === sessionOfAddress();
        const draft = read(draftKey());
        return [isHere ? JSON.stringify({ ...parsed(draft), editing }) : draft, secret()];
      },

      readKept: (key) => [read(key), read("browser")],
      readSecret: () => [read("browser")],

      // Logs out with a form, because any website could include a link that logs out.
      signInOrOut: (label, signIn) => {
        window.parent?.postMessage({ type: "SET_SCROLLING", enabled: true }, "*");
        const query = "?_target_url=" + encodeURIComponent("/" + location.search);
        if (label === signIn) return void location.assign("/login/huggingface" + query);
        const form = document.createElement("form");
        form.method = "post";
        form.action = "/logout" + query;
        document.body.append(form);
        form.submit();
      },
    };
  })(),
);
