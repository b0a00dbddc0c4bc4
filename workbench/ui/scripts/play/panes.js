// Buttons for the columns Sessions, Setup and Inspector, shown if the window is too narrow for all of them.
import { node } from "../shared/dom.js";

const names = [
  ["sessions", "Sessions"],
  ["setup", "Setup"],
  ["inspector", "Inspector"],
];

const columns = () => document.getElementById("play-columns");

/** @param {Part<null>} part */
export const mount = ({ element }) => {
  const buttons = names.map(([name, label]) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-pane p-" + name,
        "aria-expanded": "false",
        "aria-controls": "play-" + name,
        onclick: () => {
          const target = columns();
          if (target.dataset.pane === name) delete target.dataset.pane;
          else target.dataset.pane = name;
        },
      },
      label,
    ),
  );

  element.replaceChildren(...buttons);

  const update = () =>
    names.forEach(([name], place) =>
      buttons[place].setAttribute("aria-expanded", String(columns().dataset.pane === name)),
    );

  new MutationObserver(update).observe(columns(), { attributes: true, attributeFilter: ["data-pane"] });
};
