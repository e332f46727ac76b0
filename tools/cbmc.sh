#!/bin/sh
# Unpacks CBMC of Debian 13, and the libraries that it needs, into a folder; nothing is installed.
#
#   tools/cbmc.sh PLACE
#
# apt reads a list of packages of its own, from where it takes those of Debian 12, and checks their signatures. The sources of the
# machine stay as they are.
set -eu

place=$1
rm -rf "$place"
mkdir -p "$place/lists/partial" "$place/archives/partial"
site=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Created-By: Packages' | sort -u | head -n 1)
[ -n "$site" ] || {
    echo "cbmc.sh: apt has no source of Debian 12 from where it could take a package of Debian 13" >&2
    exit 1
}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site trixie main" >"$place/sources.list"
: >"$place/status"

own_apt() {
    apt-get -q -o Dir::Etc::sourcelist="$place/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$place/lists" \
        -o Dir::State::status="$place/status" -o Dir::Cache="$place" -o Dir::Cache::archives="$place/archives" \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Debug::NoLocking=1 "$@"
}

own_apt update
cd "$place/archives"
own_apt download cbmc minisat libc6 libgcc-s1 libgmp10 libstdc++6 zlib1g
for package in *.deb; do dpkg-deb -x "$package" "$place/unpacked"; done
mv "$place/unpacked" "$place/root"
rm -rf "$place/archives" "$place/lists" "$place"/*.bin
