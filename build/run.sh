#!/usr/bin/env bash
# Installs what is missing, builds what changed and starts Kuang.
set -euo pipefail
unset CDPATH
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
started_in=$PWD
cd -- "$root"
. build/machine.sh
. build/make.sh

usage() {
  cat <<'TEXT'
Usage: build/run.sh [--headless] [flags of kuang]

Installs what is missing, builds what changed and opens the panel. Without a display it starts the headless server.

  --headless  start the headless server: no window, the agent API alone
  --help      show this

Everything else is passed on, such as --port 7500.
TEXT
}

headless=
flags=()
for argument in "$@"; do
  case $argument in
    --headless) headless=yes ;;
    -h | --help) usage && exit 0 ;;
    *) flags+=("$argument") ;;
  esac
done
if [[ -z $headless && -z ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
  say "No display here (DISPLAY and WAYLAND_DISPLAY are not set): starting the headless server."
  headless=yes
fi

check_go
if [[ $headless ]]; then
  need_server
  install_missing
  one_at_a_time
  build_server
  start=("$root/build/bin/kuang-server" serve --headless)
else
  check_node
  need_desktop
  install_missing
  one_at_a_time
  build_desktop
  start=("$root/build/bin/kuang")
fi

cd -- "$started_in"
exec "${start[@]}" "${flags[@]}" 9>&-
