#!/bin/sh
# Unpack nginx and Caddy from their Debian packages into artifacts/proxies, for the tests behind a proxy. Nothing is
# installed, so no service is started. If that is not possible, say so and succeed.
set -u
cd "$(dirname "$0")/.."
folder=$PWD/artifacts/proxies
for program in nginx caddy; do
    command -v "$program" >/dev/null && continue
    [ -x "$folder/usr/sbin/$program" ] || [ -x "$folder/usr/bin/$program" ] && continue
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "$program and apt-get are missing: tests behind it will be skipped"; continue; }
    echo "Unpacking $program for the tests behind a proxy"
    mkdir -p "$folder"
    package=$(mktemp -d)
    fetch() { (cd "$package" && apt-get download -qq "$program" >/dev/null 2>&1); }
    # Without lists of packages, apt-get finds nothing.
    fetch || { apt-get update -qq >/dev/null 2>&1 || sudo -n apt-get update -qq >/dev/null 2>&1; fetch; }
    dpkg-deb -x "$package"/*.deb "$folder" 2>/dev/null
    if ls "$folder"/usr/*bin/"$program" >/dev/null 2>&1; then
        echo "$program: $folder"
    else
        echo "apt-get could not get $program: tests behind it will be skipped (apt-get install $program)"
    fi
    rm -rf "$package"
done
exit 0
