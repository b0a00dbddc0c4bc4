// Errors, warnings and notes, one line each. Events: `add_toolset`, `import_tools`.
import { codedText } from "./dom.js";
import { html, nothing, render } from "./lit_html.js";

/** @param {Part<NoticeView, NoticeEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let editor = "";
  follow((value) => {
    // `drafts/gutter.js` marks the lines of the editor.
    editor = value?.editor || editor;
    if (editor)
      window.dispatchEvent(new CustomEvent("hw:problems", { detail: { editor, lines: value?.lines || [] } }));
    render(
      value?.lines.map(
        (line) =>
          html`<p class="hw-line t-${line.tone}" role=${line.tone === "error" ? "alert" : nothing}><span
            class="hw-word">${line.word}</span><span>${codedText(line)}${line.link ? html` <a href=${line.link}>${line.link_text}</a>` : nothing}</span>${
              line.toolset
                ? html` <button type="button" class="hw-act" @click=${() => trigger("add_toolset", { toolset: line.toolset })}>Add the toolset ${line.toolset}</button>`
                : nothing
            }${
              line.offer
                ? html` <button type="button" class="hw-act" @click=${() => trigger("import_tools", {})}>${line.offer}</button>`
                : nothing
            }</p>`,
      ),
      element,
    );
  });
};
