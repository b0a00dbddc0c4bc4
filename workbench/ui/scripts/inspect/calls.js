// The calls of one completion, each with its arguments, findings and result. Event: `pick`.
import { hint, node, term } from "../shared/dom.js";

const row = (label, ...content) =>
  node("div", { class: "hw-row" }, node("span", { class: "hw-label" }, label), node("div", {}, content));

/** @param {Part<CallsView, CallsEvents>} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    if (!value || value.calls.length === 0) {
      element.replaceChildren(hint(value ? value.hint : ""));
      return;
    }
    const nameOf = (call) =>
      value.message_id
        ? node(
            "button",
            {
              type: "button",
              class: "hw-mono k-call hw-pick",
              "aria-pressed": String(call.is_selected),
              title: "Show this call in the other panes",
              onclick: () => trigger("pick", { id: value.message_id, call: call.index }),
            },
            node("strong", {}, call.name),
          )
        : node("strong", { class: "hw-mono k-call" }, call.name);
    element.replaceChildren(
      ...value.calls.map((call) =>
        node(
          "article",
          { class: "hw-item" + (call.is_selected ? " is-selected" : ""), "data-call": call.index },
          node(
            "header",
            {},
            nameOf(call),
            node("span", { class: "hw-status s-" + call.tone }, call.status),
            node("span", { class: "hw-gap" }),
            node("span", { class: "hw-note" }, call.note),
          ),
          row("arguments", node("pre", {}, call.arguments)),
          call.findings.length
            ? row(
                term("finding", "findings"),
                call.findings.map((finding) =>
                  node(
                    "div",
                    { class: "hw-finding t-" + finding.severity },
                    finding.message,
                    finding.place ? node("span", { class: "hw-note hw-mono" }, finding.place) : null,
                  ),
                ),
              )
            : null,
          call.result === null && !call.no_result
            ? null
            : call.result === null
              ? row("result", node("span", { class: "hw-note" }, call.no_result))
              : row(
                  call.is_error ? "failed" : "result",
                  node("pre", { class: call.is_error ? "t-error" : "" }, call.result),
                ),
        ),
      ),
    );
  });
};
