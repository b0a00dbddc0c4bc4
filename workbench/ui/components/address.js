follow((value) => {
  if (!value) return;
  const address = new URL(location.href);
  if (value.session) address.searchParams.set("session", value.session);
  else address.searchParams.delete("session");
  if (address.href !== location.href) history.replaceState(history.state, "", address);
});
