follow((value) => {
  if (!value) return;
  const address = new URL(location.href);
  for (const name of ["session", "shared", "message"]) {
    if (value[name]) address.searchParams.set(name, value[name]);
    else address.searchParams.delete(name);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
});
