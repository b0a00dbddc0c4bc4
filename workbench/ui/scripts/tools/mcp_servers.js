// The MCP servers: state, cause and standard error of each. Events: `retry_server`, `edit_server`, `remove_server`,
// `restore_server`.
import { node } from "../shared/dom.js";

/** @param {Part<McpServersView, McpServersEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  let shown = { servers: [], problems: [] };
  // The server whose form is open, with what was typed, and the one that is being worked on.
  let form = null;
  let busy = "";
  let isSaving = false;

  const button = (word, server, onclick) =>
    node(
      "button",
      {
        type: "button",
        class: "hw-act",
        "aria-label": word + " " + server.name,
        disabled: Boolean(busy),
        onclick,
      },
      word,
    );

  const act = (event, server, data) => {
    busy = server.name;
    draw();
    trigger(event, { name: server.name, ...data });
  };

  const edit = (server) => {
    form = { name: server.name, new_name: server.name, text: server.text };
    draw();
    element.querySelector(".hw-mcp-form input").focus();
  };

  const close = () => {
    form = null;
    draw();
  };

  const editing = (server) => {
    const name = node("input", {
      type: "text",
      class: "hw-input",
      "aria-label": "Name of " + server.name,
      value: form.new_name,
      maxlength: 100,
      oninput: () => (form.new_name = name.value),
    });
    const text = node(
      "textarea",
      {
        class: "hw-input hw-mono",
        "aria-label": "Configuration of " + server.name,
        rows: 6,
        spellcheck: "false",
        oninput: () => (form.text = text.value),
      },
      form.text,
    );
    return node(
      "form",
      {
        class: "hw-mcp-form",
        onsubmit: (event) => {
          event.preventDefault();
          isSaving = true;
          act("edit_server", server, { new_name: form.new_name, text: form.text });
        },
        onkeydown: (event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          close();
        },
      },
      name,
      text,
      node(
        "p",
        { class: "hw-line" },
        node("button", { type: "submit", class: "hw-act", disabled: Boolean(busy) }, "Save server"),
        node("button", { type: "button", class: "hw-act", onclick: close }, "Cancel"),
      ),
    );
  };

  const line = (server) =>
    node(
      "li",
      { "data-server": server.name },
      node(
        "p",
        { class: "hw-line" },
        node("span", { class: "hw-title hw-mono", title: server.place }, server.name),
        node(
          "span",
          { class: "hw-note", role: "status" },
          busy === server.name ? "connecting…" : [server.status, server.meaning].filter(Boolean).join(", "),
        ),
      ),
      server.cause ? node("p", { class: "hw-line t-error" }, node("span", {}, server.cause)) : null,
      server.stderr.length
        ? node(
            "details",
            {},
            node("summary", {}, "Standard error"),
            node("pre", { class: "hw-mono", tabindex: "0" }, server.stderr.join("\n")),
          )
        : null,
      form?.name === server.name
        ? editing(server)
        : node(
            "p",
            { class: "hw-line" },
            server.is_off ? null : button("Retry", server, () => act("retry_server", server)),
            button("Edit", server, () => edit(server)),
            button("Remove", server, () => act("remove_server", server)),
          ),
    );

  const draw = () => {
    const { removed } = shown;
    element.replaceChildren(
      ...shown.problems.map((problem) =>
        node("p", { class: "hw-line t-error", role: "alert" }, node("span", {}, problem)),
      ),
      ...(removed
        ? [
            node(
              "p",
              { class: "hw-line hw-undo", role: "status" },
              node("span", { class: "hw-title" }, "Removed: " + removed.name),
              button("Undo", removed, () => act("restore_server", removed, { text: removed.text })),
            ),
          ]
        : []),
      shown.servers.length
        ? node("ul", { class: "hw-mcp-servers" }, shown.servers.map(line))
        : node("p", { class: "hw-line t-quiet" }, "No servers yet."),
    );
  };

  follow((value) => {
    shown = value || { servers: [], problems: [] };
    busy = "";
    // The form stays open if its changes could not be saved.
    if (isSaving && shown.editing !== form?.name) form = null;
    isSaving = false;
    draw();
  });
};
