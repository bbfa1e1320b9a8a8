#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Removes what `make install` wrote: the files of its manifest, below DESTDIR, and folders of ours that are empty then.
set -eu
manifest=${1:?usage: scripts/uninstall.sh install_manifest.txt}
[ -f "$manifest" ] || { echo "uninstall: no $manifest: nothing was installed from here" >&2; exit 1; }
while IFS= read -r file || [ -n "$file" ]; do
  rm -f -- "${DESTDIR:-}$file"
  folder=$(dirname -- "${DESTDIR:-}$file")
  while [[ $folder = *applebottom* ]] && rmdir -- "$folder" 2>/dev/null; do folder=$(dirname -- "$folder"); done
done <"$manifest"
echo "removed $(grep -c . "$manifest") files"
