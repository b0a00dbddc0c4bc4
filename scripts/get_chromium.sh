#!/bin/sh
# Gets a Chromium for the browser tests where Debian's packages can give one; says so where they cannot.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "no Chromium, and no right to install one: browser tests will be skipped (apt-get install chromium)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "no Chromium, and no apt-get: browser tests will be skipped"; exit 0; }
echo "getting Chromium for the browser tests"
if $as_root apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1; then
    echo "Chromium: $(chromium --version 2>/dev/null)"
else
    echo "apt-get could not install Chromium: browser tests will be skipped"
fi
exit 0
