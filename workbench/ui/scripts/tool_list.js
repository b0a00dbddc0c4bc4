// All tools by toolset, with the reason if a tool is unavailable. Event: `open_tool`.
import { node } from "./dom.js";
import { store, stored } from "./storage.js";

const OPEN = "hermes-workbench:tool";

export const mount = ({ element, follow, trigger }) => {
  const note = node("p", { class: "hw-line t-quiet", role: "status" });
  const list = node("div", {});

  element.replaceChildren(
    node("button", { type: "button", class: "hw-act", onclick: () => open("") }, "New tool"),
    note,
    list,
  );

  const open = (name) => {
    const draft = stored(OPEN + ":draft:" + name) || {};
    trigger("open_tool", { name, spec: draft.spec || "", rules: draft.rules || "" });
  };

  const line = (tool) =>
    node(
      "li",
      {},
      node(
        "button",
        {
          type: "button",
          class: "hw-session hw-tool",
          "data-tool": tool.name,
          title: tool.title,
          "aria-current": tool.is_open ? "true" : null,
          onclick: () => open(tool.name),
        },
        node("span", { class: "hw-title hw-mono" }, tool.name),
      ),
      tool.reason
        ? node(
            "p",
            { class: "hw-line hw-reason" },
            node("span", { class: "hw-word" }, "unavailable"),
            node("span", {}, tool.reason),
          )
        : null,
    );

  follow((value) => {
    if (!value) return list.replaceChildren();
    const names = value.groups.flatMap((group) => group.tools.map((tool) => tool.name));
    if (value.wants_open) {
      const last = stored(OPEN + ":open");
      return open(
        last !== null && (names.includes(last) || stored(OPEN + ":draft:" + last)) ? last : value.open_name,
      );
    }
    store(OPEN + ":open", value.open_name);
    note.textContent = value.is_draft ? "The editors show your unsaved draft." : "";
    list.replaceChildren(
      ...value.problems.map((problem) =>
        node(
          "p",
          { class: "hw-line t-error", role: "alert" },
          node("span", { class: "hw-word" }, "not loaded"),
          node("span", {}, problem),
        ),
      ),
      ...value.groups.flatMap((group) => [
        node("h2", { class: "hw-day" }, group.name),
        node("ul", { class: "hw-sessions" }, group.tools.map(line)),
      ]),
    );
  });
};
