// A completion as written, as fixed, or with its changes, and examples if there is no completion.
// Events: `example`, `open_kind`.
import { copyText, iconButton, node } from "../shared/dom.js";
import { emptyPlace } from "../shared/empty_place.js";

const WAYS = [
  ["written", "As written", "after"],
  ["changes", "Changes", null],
  ["fixed", "Fixed", "before"],
];

const drawPiece = (piece) => {
  if (piece.change === "")
    return piece.kind === "text" ? piece.text : node("span", { class: "k-" + piece.kind }, piece.text);
  const title = piece.code + (piece.is_guess ? " (guess)" : "");
  return node(
    piece.change === "before" ? "del" : "ins",
    { title, class: piece.is_guess ? "is-guess" : "" },
    piece.text,
  );
};

const drawSection = (part, leftOut) => {
  const shownPieces = part.pieces.filter((piece) => piece.change !== leftOut);
  if (shownPieces.length === 0) return null;
  return node(
    "section",
    { class: "hw-segment" + (part.label ? "" : " is-blank"), "aria-label": part.label || null },
    node("pre", { class: "k-label-" + part.kind, "data-label": part.label }, shownPieces.map(drawPiece)),
  );
};

/** @param {Part<ReadTextView, ReadTextEvents>} part */
export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const head = node("div", { class: "hw-bar" });
  const body = node("div", { class: "hw-read" });
  const empty = node("div", {});
  element.replaceChildren(head, body, empty);
  let way = "changes"; // without fixes, all three are the same text
  let shown = null;

  const textWithout = (change) =>
    shown.sections
      .map((part) =>
        part.pieces
          .filter((piece) => piece.change !== change)
          .map((piece) => piece.text)
          .join(""),
      )
      .join("");

  const drawText = () => {
    const leftOut = WAYS.find(([name]) => name === way)[2];
    body.className = "hw-read is-" + way;
    body.replaceChildren(...shown.sections.map((part) => drawSection(part, leftOut)).filter(Boolean));
  };

  const wayButtons = () => {
    const buttons = WAYS.map(([name, label]) =>
      node(
        "button",
        {
          type: "button",
          class: "hw-way",
          "aria-pressed": String(name === way),
          onclick: () => {
            way = name;
            for (const [place, [other]] of WAYS.entries())
              buttons[place].setAttribute("aria-pressed", String(other === way));
            drawText();
          },
        },
        label,
      ),
    );
    return node("div", { class: "hw-ways", role: "group", "aria-label": "Text view" }, buttons);
  };

  const drawHead = () => {
    const label = shown.has_fixes ? "Copy the fixed text" : "Copy text";
    const copy = iconButton("copy", label, () => copyText(textWithout("before"), copy));
    head.replaceChildren(
      ...[
        shown.has_fixes ? wayButtons() : null,
        node("span", { class: "hw-note", role: "status" }, shown.summary),
        node("span", { class: "hw-gap" }),
        node("span", { class: "hw-note" }, label),
        copy,
      ].filter(Boolean),
    );
  };

  const drawEmpty = (view) =>
    empty.replaceChildren(
      emptyPlace(
        "inspect",
        () => trigger("example", { index: 1 }),
        node(
          "ul",
          {},
          view.examples.map((example, index) =>
            node(
              "li",
              {},
              node(
                "button",
                { type: "button", class: "hw-example", onclick: () => trigger("example", { index }) },
                node("span", {}, example.title),
                node("span", { class: "hw-note" }, example.lesson),
              ),
            ),
          ),
        ),
      ),
    );

  window.hermesWorkbench.router.onPlace("inspect", (values) => {
    const { dialect = "", level = "", finish = "", toolset = "" } = values;
    triggerLatest("open_kind", { dialect, level, finish, toolset });
  });

  follow((value) => {
    shown = value;
    const isEmpty = !value || value.sections.length === 0;
    head.hidden = body.hidden = isEmpty;
    empty.hidden = !isEmpty;
    if (isEmpty) {
      if (value) drawEmpty(value.empty);
      return;
    }
    drawHead();
    drawText();
  });
};
