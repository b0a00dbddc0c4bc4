// Draws text fields, number fields and checkboxes as plain elements. A text field is a line, a password, or lines that
// grow with their text.
//
// Gradio's fields are made of six components each, with a progress display, and its text field lays out the page each
// time that it fits its height to the text. CSS does the latter (`field-sizing` in page.css), where the browser can.
//
// *Gradio 6.31:* `assets/core` (js/core/src/init_utils.ts, `get_component`), `assets/Index` (js/number/Index.svelte,
// js/checkbox/Index.svelte), `components.textbox.Textbox` (js/textbox/Index.svelte, js/textbox/shared/Textbox.svelte),
// `components.number.Number`, `components.checkbox.Checkbox`.
{
  const make = (tag, parent, attributes) =>
    parent.appendChild(Object.assign(document.createElement(tag), attributes));

  // Fits the height of a text to its lines; page.css limits it. 2 is the width of both borders.
  const fit = (area) => {
    if (area.tagName !== "TEXTAREA" || CSS.supports("field-sizing", "content")) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  };

  // What differs between the fields: the element, the value that it shows, and how it shows one.
  const KINDS = {
    textbox: {
      input: ({ type, lines, max_lines: most, placeholder }) => {
        if (type === "password" || (lines === 1 && most === 1)) return ["input", { type, placeholder }];
        const style = `--lines: ${lines}; --max-lines: ${most ?? Math.max(lines, 20)}`;
        return ["textarea", { rows: lines, placeholder, style }];
      },
      read: (input) => input.value,
      write: (input, value) => input.value !== (value ?? "") && (input.value = value ?? ""),
      empty: "",
    },
    number: {
      input: ({ minimum, maximum, step }) => ["input", { type: "number", min: minimum, max: maximum, step }],
      read: (input) => (input.value === "" ? null : Number(input.value)),
      write: (input, value) => (input.value = value ?? ""),
      empty: null,
    },
    checkbox: {
      input: () => ["input", { type: "checkbox" }],
      read: (input) => input.checked,
      write: (input, value) => (input.checked = value),
      empty: false,
    },
  };

  const field = (kind) => {
    const { input: inputOf, read, write, empty } = KINDS[kind];
    return (anchor, { shared_props: shared, props: own }) => {
      const isFramed = shared.container ?? true;
      const isNamed = kind === "checkbox" || (shared.show_label ?? true);
      const block = make("div", document.createDocumentFragment(), { id: shared.elem_id || "" });
      block.className = ["block hw-field", isFramed ? "padded" : "", ...(shared.elem_classes ?? [])].join(
        " ",
      );
      block.style.cssText = `min-width: min(${shared.min_width ?? 0}px, 100%); flex-grow: ${shared.scale ?? ""}`;
      const label = make("label", block, { className: kind === "checkbox" ? "hw-switch" : "" });
      const name = make("span", label, { className: isNamed ? "" : "sr-only", textContent: shared.label });
      if (own.info) make("div", label, { className: "hw-field-info", textContent: own.info });
      const [tag, attributes] = inputOf(own);
      const input = make(tag, label, {});
      for (const [attribute, value] of Object.entries(attributes))
        if (value !== null && value !== undefined) input.setAttribute(attribute, value);
      if (kind === "checkbox") label.append(name);
      else name.dataset.testid = "block-info";

      let value = own.value ?? empty;
      const tell = (event) => shared.dispatcher(shared.id, event, null);
      const take = (newest) => {
        if (newest === value) return;
        value = newest;
        // All values of an answer are set before a handler reads them.
        setTimeout(() => tell("change"));
      };
      const set = (update) => {
        if (update.visible === false) block.remove();
        if ("interactive" in update) input.disabled = !update.interactive;
        if (!("value" in update)) return;
        take(update.value ?? empty);
        write(input, value);
        fit(input);
      };
      input.addEventListener("input", () => {
        fit(input);
        take(read(input));
        tell("input");
      });
      input.addEventListener("keydown", (event) => {
        if (tag !== "input" || event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        tell("submit");
      });
      write(input, value);
      input.disabled = shared.interactive === false;
      shared.register_component(shared.id, set, async () => ({ value }));
      anchor.before(block);
    };
  };
  for (const kind of Object.keys(KINDS))
    window.__GRADIO__CC__[kind] = { component: async () => ({ default: field(kind) }) };
}
