// Labelling projects in the Label tab: the form of a project, the assignment of rows, the progress of the annotators,
// and the labels of others beside the decision.
import { node, once } from "../shared/dom.js";
import { html, render } from "../shared/lit_html.js";
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

/** @param {Desk} desk */
export const addProject = (desk) => {
  const { state } = desk;
  const dialog = node("dialog", { class: "hw-keys hw-project", "aria-label": "Team and guidelines" });
  const close = () => dialog.close();

  // What was entered in the form, until the server has saved it.
  /** @type {{ place: string; values: FormValues } | null} */
  let entered = null;
  const forgetForm = () => {
    entered = null;
  };

  const manage = (/** @type {ManageOrder} */ fields) => {
    state.manage = fields;
    desk.inTurn(desk.refresh);
    close();
  };

  const letModelLabel = (/** @type {ManageOrder} */ fields) => {
    const model = String(fields.model).trim();
    close();
    if (!model) return desk.showError("Enter the name of a model.");
    desk.onceStored(() => {
      desk.letModelLabel(model);
      desk.drawBar();
    });
  };

  const button = (/** @type {string} */ text, /** @type {() => void} */ work) =>
    html`<button type="button" class="hw-button" @click=${work}>${text}</button>`;

  const show = (/** @type {Drawable} */ parts) => {
    dialog.replaceChildren(once(parts));
    dialog.showModal();
  };

  /** @param {FormValues} values @param {boolean} isNew */
  const fields = (values, isNew) =>
    FIELDS.map(([name, label, kind, attributes]) => {
      const field = node(kind, {
        class: "hw-input",
        "data-name": name,
        disabled: name === "name" && !isNew,
        ...attributes,
      });
      field.value = values[name] || (name === "overlap" ? "1" : "");
      return html`<label class="hw-question"><span>${label}</span>${field}</label>`;
    });

  const valuesOf = () => {
    const named = [...dialog.querySelectorAll("[data-name]")];
    return Object.fromEntries(
      named.map((field) => [field.dataset.name, field.type === "checkbox" ? field.checked : field.value]),
    );
  };

  const assignment = () => {
    const assign = () =>
      manage({ what: "assign", limit: dialog.querySelector("[aria-label='Number of rows']").value });
    return html`<fieldset><legend>Assign rows</legend>
      <p class="hw-note">All of your rows that match the filter, in its order: ${desk.filterText() || "no filter"}</p>
      <label class="hw-question"><span>Number of rows</span><input class="hw-input" type="number" min="1"
        aria-label="Number of rows" placeholder="all"></label>
      ${button("Assign rows", assign)}
      <p class="hw-note"
        >Rows of this project that match the filter can be taken back, unless an annotator has started them.</p>
      ${button("Remove assignments", () => manage({ what: "unassign" }))}</fieldset>`;
  };

  // A project is deleted by the second of two buttons.
  const deletion = (/** @type {string} */ name) => {
    const part = node("fieldset", {});
    const offer = () => render(html`<legend>Delete project</legend>${button("Delete project", ask)}`, part);
    const ask = () => {
      render(
        html`<legend>Delete project</legend>
          <p>Its labels and assignments no longer count anywhere. It can be restored for 30 days. Rows stay.</p>
          <div class="hw-project-acts">${button("Delete “" + name + "”", () => manage({ what: "delete", name }))}${button(
            "Cancel",
            offer,
          )}</div>`,
        part,
      );
      part.querySelector("button").focus();
    };
    offer();
    return part;
  };

  const restoration = (/** @type {string[]} */ names) =>
    html`<fieldset><legend>Deleted projects</legend>${names.map((name) =>
      button("Restore “" + name + "”", () => manage({ what: "restore", name })),
    )}</fieldset>`;

  // Shows the form of the current project, or that of a new one.
  const openProject = (/** @type {boolean} */ isNew) => {
    const { project } = desk.view();
    const place = isNew ? "" : project.name;
    const values = entered?.place === place ? entered.values : isNew ? {} : project.form;
    const save = () => {
      entered = { place, values: valuesOf() };
      manage({ what: "save", ...entered.values });
    };
    show(html`<h2>${isNew ? "New project" : project.name}</h2>${fields(values, isNew)}<label class="hw-check"><input
      type="checkbox" data-name="requires_verdicts" .checked=${Boolean(values.requires_verdicts)}>every call and answer
      needs a verdict</label><div class="hw-project-acts">${button("Save project", save)}${button("Cancel", close)}</div>${
        isNew
          ? project.deleted.length
            ? restoration(project.deleted)
            : ""
          : [assignment(), reviewParts(desk, manage, button, true, letModelLabel), deletion(project.name)]
      }`);
  };

  // Shows reviewers of somebody else's project its lots, and how often annotators are right.
  const openReview = () =>
    show(
      html`<h2>${desk.view().project.name}</h2>${reviewParts(desk, manage, button, false, letModelLabel)}<div
        class="hw-project-acts">${button("Close", close)}</div>`,
    );

  const projectActs = () => {
    const { project } = desk.view();
    return [
      actButton("New project", "", () => openProject(true)),
      project.name && Object.keys(project.form).length
        ? actButton("Edit project and assign rows", "", () => openProject(false))
        : "",
      project.role === "reviewer" ? actButton("Lots and gold rows", "", openReview) : "",
    ];
  };

  // Takes over the label of an annotator as the decision.
  const take = (/** @type {LabelTargetView} */ target, /** @type {LabelView} */ label) => {
    const correction = fieldOf(label, "correction");
    if (target.is_added) return desk.change(target, { correction });
    const answers = Object.entries(label.answers).map(([name, answer]) => ["answer:" + name, answer]);
    desk.change(target, { correction, verdict: label.verdict || null, ...Object.fromEntries(answers) });
  };

  // The labels of others on a target. Somebody who decides can take one of them over.
  const otherLabels = (/** @type {LabelTargetView} */ target) =>
    target.others.map(({ name, label, summary }) => {
      const word = WORDS[label.verdict];
      return html`<section class="hw-other${target.is_disputed ? " is-disputed" : ""}" aria-label="Label of ${name}"
        ><strong>${name}</strong><span class="hw-other-text">${
          word ? summary.replace(label.verdict, word) : summary
        }</span>${drawCorrection(label)}${
          state.seat.is_deciding && name !== "final"
            ? actButton("Use this label", "", () => take(target, label))
            : ""
        }</section>`;
    });

  Object.assign(desk, { projectDialog: dialog, projectActs, otherLabels, forgetForm });
};
