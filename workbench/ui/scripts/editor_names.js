// Names Gradio's code editors for screen readers, and adds tooltips to the labels of fields; draws nothing.

const EVERYWHERE = { childList: true, subtree: true };

export const mount = ({ props }) => {
  // Returns whether all editors and labels were found. Gradio draws those of a tab when the tab is opened.
  const addNames = () => {
    const { names, tooltips } = props.value;
    let isDone = true;
    for (const [id, label] of names) {
      const editor = document.querySelector("#" + id + " .cm-content");
      // The tab stop makes an editor that scrolls reachable by keyboard.
      if (editor) {
        editor.setAttribute("aria-label", label);
        editor.setAttribute("tabindex", "0");
      } else isDone = false;
    }
    for (const [id, term] of tooltips) {
      const label = document.querySelector("#" + id + ' [data-testid="block-info"]');
      if (label) label.title = window.hermesWorkbench.terms[term];
      else isDone = false;
    }
    return isDone;
  };

  if (!props.value || addNames()) return;
  const watcher = new MutationObserver(() => {
    if (addNames()) watcher.disconnect();
  });
  watcher.observe(document.body, EVERYWHERE);
};
