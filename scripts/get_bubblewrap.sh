#!/bin/sh
# Install Bubblewrap with apt-get, for the tests of the terminal's sandbox. If that is not possible, say so and succeed.
set -u
command -v bwrap >/dev/null && exit 0
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "Bubblewrap is missing and cannot be installed without root: its tests will be skipped (apt-get install bubblewrap)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "Bubblewrap and apt-get are missing: its tests will be skipped"; exit 0; }
echo "Installing Bubblewrap for the tests of the terminal's sandbox"
if $as_root apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null 2>&1; then
    bwrap --version
else
    echo "apt-get could not install Bubblewrap: its tests will be skipped"
fi
exit 0
