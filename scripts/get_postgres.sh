#!/bin/sh
# Gets a PostgreSQL server for the store's tests where Debian's packages can give one; says so where they cannot.
set -u
command -v initdb >/dev/null && exit 0
for found in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$found" ] && exit 0
done
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo -n"
    [ -n "$as_root" ] || { echo "no PostgreSQL, and no right to install one: its tests will be skipped (apt-get install postgresql)"; exit 0; }
fi
command -v apt-get >/dev/null || { echo "no PostgreSQL, and no apt-get: its tests will be skipped"; exit 0; }
echo "getting PostgreSQL for the store's tests"
# Debian would make a cluster and start it at once; the tests make one of their own.
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
