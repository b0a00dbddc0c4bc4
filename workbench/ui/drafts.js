// What the browser keeps for the person who uses it: text that was not sent or saved yet, and the secret that tells this
// browser from others. Gradio's events call these functions; each returns the list of values that the event goes on with.
// Where storage is full or forbidden, drafts live as long as the page.
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
        // Full or forbidden.
      }
      return [];
    };

    // JSON that cannot be read was not written by this page.
    const parsed = (text) => {
      try {
        return JSON.parse(text || "{}");
      } catch {
        return {};
      }
    };

    const sessionOfAddress = () => new URLSearchParams(location.search).get("session") || "";

    const draftKey = () => "draft:" + sessionOfAddress();

    const secret = () => {
      const kept = read("browser");
      if (kept) return kept;
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      keep("browser", made);
      return made;
    };

    return {
      keepText: keep,
      readText: (key, text) => [text || read(key)],

      // The text of a named contract, suite or tool.
      keepNamed: (kind, name, text) => (name ? keep(kind + ":draft:" + name, text) : []),

      // One field of the draft of the session that the address bar names; without a value it is forgotten.
      keepField: (field, value) =>
        keep(draftKey(), JSON.stringify({ ...parsed(read(draftKey())), [field]: value || undefined })),

      dropDraft: () => {
        try {
          localStorage.removeItem(PREFIX + draftKey());
        } catch {
          // Forbidden.
        }
        return [];
      },

      // The draft of that session as JSON text, with the message that is edited (`message_pane.js`); and the secret.
      readDraft: () => {
        const editing = read("editing");
        const isHere = sessionOfAddress() && parsed(editing).session === sessionOfAddress();
        const draft = read(draftKey());
        return [isHere ? JSON.stringify({ ...parsed(draft), editing }) : draft, secret()];
      },

      readKept: (key) => [read(key), read("browser")],
      readSecret: () => [read("browser")],

      // Logs out by a form: a link that logs out could be put on any page.
      signInOrOut: (label, signIn) => {
        window.parent?.postMessage({ type: "SET_SCROLLING", enabled: true }, "*");
        const query = "?_target_url=/" + location.search;
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
