// The list of contracts or suites. A text opens with its draft, if the browser has one. Events: `open_text`,
// `new_text`.
import { node } from "./dom.js";
import { storedText, storeText } from "./storage.js";

// The tab of each kind of text.
const TABS = { contract: "contracts", suite: "suites" };

export const mount = ({ element, follow, trigger, triggerLatest }) => {
  const { router } = window.hermesWorkbench;
  let kind = "";
  // The router's request that is being answered.
  let request = 0;
  // The text in the editor, and whether a text was requested and has not arrived yet.
  let current = "";
  let isRequested = false;
  const list = node("ul", { class: "hw-sessions" });
  const note = node("p", { class: "hw-line t-quiet", role: "status" });

  const field = node("input", {
    class: "hw-input",
    placeholder: "New name",
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        make();
      }
    },
  });

  const make = () => {
    if (field.value.trim()) trigger("new_text", { name: field.value.trim() });
    field.value = "";
  };

  element.replaceChildren(
    list,
    node(
      "div",
      { class: "hw-save" },
      field,
      node("button", { type: "button", class: "hw-act", onclick: make }, "New"),
    ),
    note,
  );

  const place = () => "hermes-workbench:" + kind;
  const open = (name, version) => {
    isRequested = true;
    const draft = storedText(place() + ":draft:" + name) || "";
    triggerLatest("open_text", { name, draft, version: Number(version) || null });
  };

  // A version that the address names stays there as long as its text is open.
  const report = () => {
    if (element.offsetParent === null) return;
    const known = router.valuesOf(TABS[kind]);
    router.here(TABS[kind], known[kind] === current ? known : { [kind]: current }, { request });
  };

  const openPlace = (values, number) => {
    if (!values[kind]) return false;
    request = number;
    open(values[kind], values.version);
  };

  const first = (names) => {
    const last = storedText(place() + ":open");
    open(names.includes(last) || (last && storedText(place() + ":draft:" + last)) ? last : names[0] || "");
  };

  const opened = (value) => {
    current = value.open_name;
    isRequested = false;
    if (current) storeText(place() + ":open", current);
    report();
    request = 0;
    note.textContent = value.is_draft ? "The editor shows your unsaved draft." : "";
  };

  follow((value) => {
    if (!value) return;
    if (!kind) {
      kind = value.kind;
      router.onPlace(TABS[kind], openPlace);
      new ResizeObserver(() => current && report()).observe(element);
    }
    list.setAttribute("aria-label", kind[0].toUpperCase() + kind.slice(1) + "s");
    field.setAttribute("aria-label", "Name of a new " + kind);
    if (value.is_look && current && current !== value.open_name) return;
    if (value.is_look && !value.open_name) return isRequested || first(value.rows.map((row) => row.name));
    if (value.is_look) current = value.open_name;
    else opened(value);
    list.replaceChildren(
      ...value.rows.map((row) =>
        node(
          "li",
          {},
          node(
            "button",
            {
              type: "button",
              class: "hw-session",
              ["data-" + kind]: row.name,
              "aria-current": row.is_open ? "true" : null,
              onclick: () => router.goTo(TABS[kind], { [kind]: row.name }),
            },
            node("span", { class: "hw-title hw-mono" }, row.name),
            node("span", { class: "hw-note" }, row.note),
          ),
        ),
      ),
    );
  });
};
