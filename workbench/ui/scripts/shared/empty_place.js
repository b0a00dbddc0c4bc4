// What an empty place is for, with an example and the button that opens it (`present/empty_places.py`).
import { node } from "./dom.js";
import { press, pressUnseen } from "./page.js";

const loadDemo = () => pressUnseen("play-demo");

/** @type {Record<string, (example: string, tries?: number) => unknown>} */
const SHOW = {
  suites: () => window.hermesWorkbench.router.goTo("suites", { suite: "everyday" }),
  label: loadDemo,
  explore: () => {
    addEventListener("hw:demo", () => press("explore-sessions"), { once: true });
    loadDemo();
  },
  data: () => press("data-check"),
  // The field is drawn later than the button, on a busy machine.
  import: (example, tries = 200) => {
    const field = document.querySelector("#import-file input[type=file]");
    if (!field) return void (tries && setTimeout(SHOW.import, 50, example, tries - 1));
    const files = new DataTransfer();
    files.items.add(new File([example], "example.jsonl"));
    field.files = files.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  },
};

// `show` opens the example if other parts of the page do not. `more` is added below the button.
/** @param {string} name @param {...Drawable} more */
export const emptyPlace = (name, show = SHOW[name], ...more) => {
  const { heading, text, example, button } = window.hermesWorkbench.emptyPlaces[name];
  return node(
    "div",
    { class: "hw-empty" },
    node("h2", {}, heading),
    node("p", {}, text),
    node("p", {}, "Example: ", example),
    node("button", { type: "button", class: "hw-button is-primary", onclick: () => show(example) }, button),
    more,
  );
};
