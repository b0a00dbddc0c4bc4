// Labelling projects in the Label tab: the form of a project, the assignment of rows, the progress of the annotators,
// and the labels of others beside the decision.
import { node, once } from "../shared/dom.js";
import { html } from "../shared/lit_html.js";
import { actButton } from "./label_form.js";
import { fieldOf } from "./label_overlay.js";
import { WORDS } from "./label_panel.js";
import { reviewParts } from "./label_review.js";
import { drawCorrection } from "./label_conversation.js";

/** @type {[name: string, label: string, kind: string, attributes: object][]} */
const FIELDS = [
  ["name", "Name", "input", {}],
  ["annotators", "Annotators", "input", { placeholder: "ann, ben" }],
  ["reviewers", "Reviewers, who decide disagreements", "input", { placeholder: "cleo" }],
  ["overlap", "Annotators per row", "input", { type: "number", min: 1 }],
  ["guidelines", "Guidelines (Markdown)", "textarea", { rows: 4 }],
  [
    "questions",
    "Questions, one per line",
    "textarea",
    { rows: 3, placeholder: "polite*=Is it polite?|yes|no" },
  ],
];
const EMPTY = { overlap: "1" };

/** @param {Desk} desk */
export const addProject = (desk) => {
  const { state } = desk;
  const dialog = node("dialog", { class: "hw-keys hw-project", "aria-label": "Team and guidelines" });
  const close = () => dialog.close();

  // What was entered in the form, until the server has saved it.
  let entered = null;
  const forgetForm = () => {
    entered = null;
  };

  const manage = (fields) => {
    state.manage = fields;
    desk.inTurn(desk.refresh);
    close();
  };

  const letModelLabel = ({ model }) => {
    close();
    if (!model.trim()) return desk.showError("Enter the name of a model.");
    desk.onceStored(() => {
      desk.letModelLabel(model.trim());
      desk.drawBar();
    });
  };

  const drawField = ([name, label, kind, attributes], values, isFixed) => {
    const field = node(kind, { class: "hw-input", "data-name": name, disabled: isFixed, ...attributes });
    field.value = values[name] || EMPTY[name] || "";
    return node("label", { class: "hw-question" }, node("span", {}, label), field);
  };

  const button = (text, work) => node("button", { type: "button", class: "hw-button", onclick: work }, text);

  const valuesOf = () => {
    const values = { what: "save" };
    for (const field of dialog.querySelectorAll("[data-name]"))
      values[field.dataset.name] = field.type === "checkbox" ? field.checked : field.value;
    return values;
  };

  const assignment = () => {
    const limit = node("input", {
      class: "hw-input",
      type: "number",
      min: 1,
      "aria-label": "Number of rows",
      placeholder: "all",
    });
    return node(
      "fieldset",
      {},
      node("legend", {}, "Assign rows"),
      node(
        "p",
        { class: "hw-note" },
        "All of your rows that match the filter, in its order: ",
        desk.filterText() || "no filter",
      ),
      node("label", { class: "hw-question" }, node("span", {}, "Number of rows"), limit),
      button("Assign rows", () => manage({ what: "assign", limit: limit.value })),
      node(
        "p",
        { class: "hw-note" },
        "Rows of this project that match the filter can be taken back, unless an annotator has started them.",
      ),
      button("Remove assignments", () => manage({ what: "unassign" })),
    );
  };

  // A project is deleted by the second of two buttons.
  const deletion = (name) => {
    const part = node("fieldset", {});
    const ask = () => {
      const confirm = button("Delete “" + name + "”", () => manage({ what: "delete", name }));
      part.replaceChildren(
        node("legend", {}, "Delete project"),
        node(
          "p",
          {},
          "Its labels and assignments no longer count anywhere. It can be restored for 30 days. Rows stay.",
        ),
        node("div", { class: "hw-project-acts" }, confirm, button("Cancel", offer)),
      );
      confirm.focus();
    };
    const offer = () =>
      part.replaceChildren(node("legend", {}, "Delete project"), button("Delete project", ask));
    offer();
    return part;
  };

  const restoration = (names) =>
    node(
      "fieldset",
      {},
      node("legend", {}, "Deleted projects"),
      names.map((name) => button("Restore “" + name + "”", () => manage({ what: "restore", name }))),
    );

  // Shows the form of the current project, or that of a new one.
  const openProject = (isNew) => {
    const project = state.view.project;
    const stored = isNew ? {} : project.form;
    const place = isNew ? "" : project.name;
    const values = entered && entered.place === place ? entered.values : stored;
    const required = node("input", { type: "checkbox", "data-name": "requires_verdicts" });
    required.checked = Boolean(values.requires_verdicts);
    dialog.replaceChildren(
      node("h2", {}, isNew ? "New project" : project.name),
      ...FIELDS.map((field) => drawField(field, values, field[0] === "name" && !isNew)),
      node("label", { class: "hw-check" }, required, "every call and answer needs a verdict"),
      node(
        "div",
        { class: "hw-project-acts" },
        button("Save project", () => {
          entered = { place, values: valuesOf() };
          manage(entered.values);
        }),
        button("Cancel", close),
      ),
      ...(isNew
        ? []
        : [
            assignment(),
            once(html`${reviewParts(desk, manage, button, true, letModelLabel)}`),
            deletion(project.name),
          ]),
      ...(isNew && project.deleted.length ? [restoration(project.deleted)] : []),
    );
    dialog.showModal();
  };

  // Shows reviewers of somebody else's project its lots, and how often annotators are right.
  const openReview = () => {
    dialog.replaceChildren(
      node("h2", {}, state.view.project.name),
      once(html`${reviewParts(desk, manage, button, false)}`),
      node("div", { class: "hw-project-acts" }, button("Close", close)),
    );
    dialog.showModal();
  };

  const projectActs = () => {
    const project = state.view.project;
    const act = (text, isNew) => actButton(text, "", () => openProject(isNew));
    return [
      act("New project", true),
      project.name && Object.keys(project.form).length ? act("Edit project and assign rows", false) : null,
      project.role === "reviewer" ? actButton("Lots and gold rows", "", openReview) : null,
    ].filter(Boolean);
  };

  // Takes over the label of an annotator as the decision.
  const take = (target, label) => {
    const correction = fieldOf(label, "correction");
    if (target.is_added) return desk.change(target, { correction });
    const answers = Object.entries(label.answers).map(([name, answer]) => ["answer:" + name, answer]);
    desk.change(target, { correction, verdict: label.verdict || null, ...Object.fromEntries(answers) });
  };

  // The labels of others on a target. Somebody who decides can take one of them over.
  const otherLabels = (target) =>
    target.others.map((other) =>
      node(
        "section",
        {
          class: "hw-other" + (target.is_disputed ? " is-disputed" : ""),
          "aria-label": "Label of " + other.name,
        },
        node("strong", {}, other.name),
        node(
          "span",
          { class: "hw-other-text" },
          WORDS[other.label.verdict]
            ? other.summary.replace(other.label.verdict, WORDS[other.label.verdict])
            : other.summary,
        ),
        drawCorrection(other.label),
        state.seat.is_deciding && other.name !== "final"
          ? actButton("Use this label", "", () => take(target, other.label))
          : null,
      ),
    );

  Object.assign(desk, { projectDialog: dialog, projectActs, otherLabels, forgetForm });
};
