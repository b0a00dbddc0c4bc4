#!/bin/sh
# Install Chromium with apt-get, for the browser tests. If that is not possible, say so and succeed.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "Chromium is missing and cannot be installed without root: browser tests will be skipped (apt-get install chromium)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "Chromium and apt-get are missing: browser tests will be skipped"; exit 0; }
echo "Installing Chromium for the browser tests"
if $as_root apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1; then
    echo "Chromium: $(chromium --version 2>/dev/null)"
else
    echo "apt-get could not install Chromium: browser tests will be skipped"
fi
exit 0
