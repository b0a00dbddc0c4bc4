const said = node("span", { class: "hw-note", role: "status" });
element.replaceChildren(said);
let last = props.value ? props.value.serial : null;
follow(async (value) => {
  if (!value || value.serial === last) return;
  last = value.serial;
  await copyText(value.text, node("span", {}, ""));
  said.textContent = "Copied.";
  setTimeout(() => { said.textContent = ""; }, 2000);
});
