#!/usr/bin/env bash
# The real desktop window on a display of its own: the browser chip turns to running, and a person's clicks arm
# force-open. Screenshots of both states are kept in build/bin/.
set -euo pipefail
unset CDPATH
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
. build/machine.sh
. build/make.sh
. build/processes.sh

check_go
check_node
need_tests
install_missing
build_desktop

KUANG_HOME=$(mktemp -d)
unset KUANG_SHADOW_WALK KUANG_FORCE_OPEN_SHADOW NO_AT_BRIDGE
trap 'end_started; rm -rf -- "$KUANG_HOME"' EXIT

start_display 1500x1000
start_session_bus
openbox >/dev/null 2>&1 &
started+=($!)
mkdir -p build/bin/test
/usr/bin/python3 build/desktop_smoke.py --kuang build/bin/kuang --home "$KUANG_HOME" --pictures build/bin \
  --log build/bin/test/desktop-app.log
