// The prompt and the completion, byte for byte: the text of the element is exactly their text. Events:
// `ask_raw`, once the pane is visible, and `compare_prompt`.
import { copyText, hint, icon, iconButton, node, pieces, saveFile } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
import { followAsked } from "./asking.js";

const labelOf = (/** @type {RawSection} */ part) => part.label + " " + part.note;

const section = (/** @type {RawSection} */ part) => {
  const pre = node("pre", {}, pieces(part.pieces));
  const element = node("section", {
    class: "hw-section r-" + part.role,
    "data-role": part.label,
    "data-note": part.note,
  });
  const toggle = () => {
    const isFolded = element.classList.toggle("is-folded");
    fold.setAttribute("aria-expanded", String(!isFolded));
  };
  const attributes = { type: "button", class: "hw-fold", "aria-expanded": "true", onclick: toggle };
  const fold = node("button", { ...attributes, "aria-label": "Fold " + labelOf(part) }, icon("chevron"));
  element.append(fold, pre);
  return element;
};

// Updates the sizes of a section whose text is unchanged, so that folds and the scroll position stay.
const updateSize = (/** @type {RawSection} */ part, /** @type {PageElement} */ element) => {
  element.dataset.note = part.note;
  element.querySelector(".hw-fold").setAttribute("aria-label", "Fold " + labelOf(part));
};

const NOTHING = { id: "", key: "" };

/** @param {Part<RawView, RawEvents>} part */
export const mount = (part) => {
  const { element, triggerLatest } = part;
  const head = node("div", { class: "hw-bar" });

  const body = node("div", {
    class: "hw-raw",
    role: "region",
    "aria-label": "Prompt and completion",
    tabindex: 0,
  });

  element.replaceChildren(head, body);
  let isWrapped = true;
  let showsSpace = false;
  let text = "";
  let shown = "";
  let isFresh = false;
  let compared = NOTHING;
  // Scrolls to the selected call, or else to the end. A hidden pane does so once it becomes visible.
  const pane = element.closest("[role=tabpanel]") || body;

  const showEnd = () => {
    if (!isFresh || body.offsetParent === null) return;
    isFresh = false;
    const picked = body.querySelector(".is-picked");
    if (picked) picked.scrollIntoView({ block: "center" });
    else pane.scrollTop = pane.scrollHeight;
  };

  new ResizeObserver(showEnd).observe(body);

  const setClasses = () => {
    body.classList.toggle("is-wrapped", isWrapped);
    body.classList.toggle("shows-space", showsSpace);
  };

  // `isOn` is the state of the button, `turn` switches it.
  /** @param {string} name @param {string} label @param {boolean} isOn @param {() => void} turn */
  const toggle = (name, label, isOn, turn) => {
    const onClick = (/** @type {PageEvent} */ { currentTarget: button }) => {
      turn();
      setClasses();
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    };
    return iconButton(name, label, onClick, { "aria-pressed": String(isOn) });
  };

  const foldAll = () => {
    const folds = [...body.querySelectorAll(".hw-fold")];
    const areAllFolded = folds.every((fold) => fold.getAttribute("aria-expanded") === "false");
    for (const fold of folds)
      if ((fold.getAttribute("aria-expanded") === "true") !== areAllFolded) fold.click();
  };

  const save = (/** @type {RawView} */ value) =>
    saveFile("prompt-" + (value.message_id || "sent") + ".txt", text, "text/plain;charset=utf-8");

  const compare = (/** @type {RawView} */ value) => {
    const ask = () => {
      compared = { id: value.message_id, key: choice.value };
      triggerLatest("compare_prompt", compared);
    };
    const choice = node(
      "select",
      { class: "hw-input hw-compare", "aria-label": "Compare with", onchange: ask },
      html`<option value="">Compare with …</option>${value.others.map(
        (other) => html`<option value=${other.key}>${other.label}</option>`,
      )}`,
    );
    const isOffered = value.others.some((other) => other.key === compared.key);
    if (compared.id === value.message_id && isOffered) {
      // The pane was redrawn, for example for another call of this message. The chosen comparison stays.
      choice.value = compared.key;
      ask();
    }
    return choice;
  };

  const drawHead = (/** @type {RawView} */ value) => {
    const copy = iconButton("copy", "Copy the prompt and completion", () => copyText(text, copy));
    render(
      html`<span class="hw-badge b-${value.badge}" title=${value.badge_meaning}>${value.badge}</span><span
        class="hw-note">${value.summary}</span><span class="hw-gap"></span>${[
          value.others.length ? compare(value) : "",
          toggle("wrap", "Wrap long lines", isWrapped, () => (isWrapped = !isWrapped)),
          toggle("space", "Show whitespace", showsSpace, () => (showsSpace = !showsSpace)),
          iconButton("fold", "Fold or unfold all", foldAll),
          iconButton("save", "Download the prompt and completion", () => save(value)),
          copy,
        ]}`,
      head,
    );
  };

  followAsked(part, "ask_raw", (value) => {
    if (!value || value.sections.length === 0) {
      shown = "";
      render("", head);
      body.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    if (compared.id !== value.message_id) compared = NOTHING;
    const json = JSON.stringify([value.message_id, value.sections.map((part) => part.pieces)]);
    drawHead(value);
    if (json === shown) {
      value.sections.forEach((part, place) =>
        updateSize(part, /** @type {HTMLElement} */ (body.children[place])),
      );
      return;
    }
    shown = json;
    text = value.sections.map((part) => part.pieces.map((piece) => piece.text).join("")).join("");
    body.replaceChildren(...value.sections.map(section));
    setClasses();
    isFresh = true;
    requestAnimationFrame(showEnd);
  });
};
