#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proof from nothing: a fresh Debian folder with git, make and ca-certificates only, a clone of the current commit in it, `make run`
# and `make test` under chroot. Needs root, debootstrap and Linux.
# usage: scripts/bare_machine.sh [--keep] [--folder DIR] [--suite NAME] [--mirror URL] [--commit REV] [TARGET...]
#   --keep    leave the folder for the next run, which then starts from its bare state again   --folder  where (default: a new one in /tmp)
#   --suite   Debian or Ubuntu release (default: bookworm)   --mirror  default: this machine's own for that release   TARGET  default: run test
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
keep='' folder='' suite=bookworm mirror='' commit=HEAD targets=()
usage() { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --keep) keep=1 ;;
    --folder | --suite | --mirror | --commit)
      [ $# -gt 1 ] || usage
      declare "${1#--}=$2"
      shift ;;
    -*) usage ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ "${#targets[@]}" -gt 0 ] || targets=(run test)
say() { echo "bare_machine: $*"; }
[ "$(id -u)" = 0 ] || { say "chroot needs root" >&2; exit 2; }
for tool in debootstrap unshare chroot git; do
  command -v $tool >/dev/null || { say "$tool is missing (apt-get install debootstrap util-linux coreutils git)" >&2; exit 2; }
done
commit=$(git -C "$here" rev-parse --verify "$commit^{commit}")
[ -n "$folder" ] || folder=${TMPDIR:-/tmp}/bare_machine.$suite.$([ -n "$keep" ] && echo kept || echo $$)
system=$folder/system pristine=$folder/pristine.tar

# The package archive and how to reach it, as this machine does.
# shellcheck disable=SC2016
indexes=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages')
if [ -z "$mirror" ]; then
  mirror=$(awk -v suite="$suite" '$2 == suite { print $1; exit }' <<<"$indexes")
  [ -n "$mirror" ] || { say "this machine's apt sources have no $suite: give --mirror URL" >&2; exit 2; }
fi
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$folder"' EXIT
mkdir -p "$folder"
if [ ! -f "$pristine" ]; then
  say "debootstrap $suite from $mirror"
  rm -rf --one-file-system "$system"
  debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$system" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -20 "$folder/debootstrap.log" >&2; exit 1; }
  { echo "deb $mirror $suite main"
    # its updates and security archives, where this machine has them; packages of the machine's own suites must not be newer
    awk -v suite="$suite" '$3 == "main" && ($2 == suite "-updates" || $2 == suite "-security") { print "deb", $1, $2, "main" }' <<<"$indexes" | sort -u
  } >"$system/etc/apt/sources.list"
  grep -qi ubuntu <<<"$mirror" && sed -i 's/ main$/ main universe/' "$system/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::[A-Za-z:-]+ ".*";$' >"$system/etc/apt/apt.conf.d/50machine" || true
  tar -C "$system" --one-file-system -cf "$pristine" .
else
  say "using $pristine"
  rm -rf --one-file-system "$system"
  mkdir -p "$system"
  tar -C "$system" -xf "$pristine"
fi
for file in /etc/resolv.conf /etc/hosts; do [ -f $file ] && cat $file >"$system$file"; done
mkdir -p "$system/usr/local/share/ca-certificates"
cp -r /usr/local/share/ca-certificates/. "$system/usr/local/share/ca-certificates/" 2>/dev/null || true
git clone -q --no-hardlinks "$here" "$system/opt/apple-bottom"
git -C "$system/opt/apple-bottom" checkout -q --detach "$commit"

# Own mount and process namespaces: nothing stays mounted or running, whatever happens inside.
environment=(HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
inside() { # command line
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount -t sysfs sys "$1/sys" && mount --rbind /dev "$1/dev" &&
      exec chroot "$1" env -i "${@:3}" bash -c "$2"' bash "$system" "$1" "${environment[@]}" </dev/null
}
inside 'update-ca-certificates' >/dev/null 2>&1 || true
# shellcheck disable=SC2016
say "$(inside '. /etc/os-release; echo "$PRETTY_NAME: $(dpkg-query -W | wc -l) packages, no c++: $(command -v c++ || echo right), no cmake: $(command -v cmake || echo right)"')"
status=0
for target in "${targets[@]}"; do
  began=$(date +%s)
  if inside "cd /opt/apple-bottom && make $target" >"$folder/$target.log" 2>&1; then result="exit 0"; else result="exit $?" status=1; fi
  say "make $target: $result after $(($(date +%s) - began)) s; its last lines${keep:+ (all: $folder/$target.log)}:"
  tail -n 25 "$folder/$target.log"
done
[ -n "$keep" ] && say "kept: $folder"
exit $status
