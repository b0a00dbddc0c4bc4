// Errors, warnings and notes, one line each.
import { html, nothing, render } from "./lit_html.js";

/** @param {Part<NoticeView>} part */
export const mount = ({ element, follow }) =>
  follow((value) =>
    render(
      value?.lines.map(
        (line) =>
          html`<p class="hw-line t-${line.tone}" role=${line.tone === "error" ? "alert" : nothing}><span
            class="hw-word">${line.word}</span><span>${line.text}${line.link ? html` <a href=${line.link}>Open</a>` : nothing}</span></p>`,
      ),
      element,
    ),
  );
