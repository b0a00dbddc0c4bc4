// A secret that identifies this browser, and logging in and out. Gradio's events call these functions; each returns the
// list of values that the event passes on. If the browser's storage is forbidden, every page has another secret.
Object.assign(
  window.hermesWorkbench,
  (() => {
    const SECRET = "hermes-workbench:browser";

    const read = () => {
      try {
        return localStorage.getItem(SECRET) || "";
      } catch {
        return "";
      }
    };

    const secret = () => {
      if (read()) return read();
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      const created = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      try {
        localStorage.setItem(SECRET, created);
      } catch {
        // Storage is full or forbidden.
      }
      return created;
    };

    return {
      // Returns the secret, which is created if there is none.
      secret: () => [secret()],

      // Returns the secret, or the empty text.
      readSecret: () => [read()],

      // Logs out with a form, because any website could include a link that logs out.
      signInOrOut: (/** @type {string} */ label, /** @type {string} */ signIn) => {
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
