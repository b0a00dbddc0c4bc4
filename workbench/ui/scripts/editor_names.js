// Gives each of Gradio's code editors a name of its own for screen readers; draws nothing.

export const mount = ({ props }) => {
  const names = () => (props.value ? props.value.names : []);

  const nameEditors = () => {
    let isDone = true;
    for (const [id, label] of names()) {
      const editor = document.querySelector("#" + id + " .cm-content");
      // With a place of its own among the keys' stops, so that what scrolls in it can be reached.
      if (editor) {
        editor.setAttribute("aria-label", label);
        editor.setAttribute("tabindex", "0");
      } else isDone = false;
    }
    return isDone;
  };

  if (!nameEditors()) {
    const watcher = new MutationObserver(() => {
      if (nameEditors()) watcher.disconnect();
    });
    watcher.observe(document.body, { childList: true, subtree: true });
  }
};
