let last = props.value ? props.value.serial : null;
follow((value) => {
  if (!value || value.serial === last) return;
  last = value.serial;
  const address = URL.createObjectURL(new Blob([value.text], { type: "application/x-ndjson" }));
  const link = node("a", { href: address, download: value.name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
});
