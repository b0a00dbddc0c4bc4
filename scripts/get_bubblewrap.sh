#!/bin/sh
# Gets Bubblewrap for the tests of the terminal's sandbox where Debian's packages can give one; says so where they cannot.
set -u
command -v bwrap >/dev/null && exit 0
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "no Bubblewrap, and no right to install it: its tests will be skipped (apt-get install bubblewrap)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "no Bubblewrap, and no apt-get: its tests will be skipped"; exit 0; }
echo "getting Bubblewrap for the tests of the terminal's sandbox"
if $as_root apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null 2>&1; then
    bwrap --version
else
    echo "apt-get could not install Bubblewrap: its tests will be skipped"
fi
exit 0
