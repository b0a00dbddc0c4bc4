#!/bin/sh
# Install a PostgreSQL server with apt-get, for the tests of the store. If that is not possible, say so and succeed.
set -u
command -v initdb >/dev/null && exit 0
for found in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$found" ] && exit 0
done
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "PostgreSQL is missing and cannot be installed without root: its tests will be skipped (apt-get install postgresql)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "PostgreSQL and apt-get are missing: its tests will be skipped"; exit 0; }
echo "Installing PostgreSQL for the tests of the store"
# Debian would create and start a cluster. The tests create their own.
if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    $as_root mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
fi
if $as_root apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends postgresql >/dev/null 2>&1; then
    echo "PostgreSQL: $(ls -d /usr/lib/postgresql/*/bin)"
else
    echo "apt-get could not install PostgreSQL: its tests will be skipped"
fi
exit 0
