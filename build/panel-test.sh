#!/usr/bin/env bash
# The whole panel in a real browser against the real services: a dev-tagged binary serves the panel and its bindings on
# a local port, and Playwright drives it. Arguments are passed on to Playwright.
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
build_panel
build_binary kuang-dev desktop,dev,webkit2_41

KUANG_HOME=$(mktemp -d)
log=build/bin/test/panel-app.log
mkdir -p "$(dirname -- "$log")"
export KUANG_HOME
trap 'end_started; rm -rf -- "$KUANG_HOME"' EXIT

free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
running() { kill -0 "$app" 2>/dev/null || fail "Kuang ended early; its log: $log"; }
answers() {
  running
  [[ -s $KUANG_HOME/endpoint.json ]] && curl -fsS -o /dev/null "$KUANG_PANEL_URL" 2>/dev/null
}

start_display 1360x960
start_session_bus # Else GTK starts one that outlives the test.
# Wails reads these three from the environment in dev builds.
devserver=localhost:$(free_port)
assetdir=$PWD/frontend/dist devserver=$devserver loglevel=Warning build/bin/kuang-dev --port 0 >"$log" 2>&1 &
app=$!
started+=("$app")
export KUANG_PANEL_URL=http://$devserver/
within 60 answers || fail "The panel did not answer at $KUANG_PANEL_URL within 60 s; its log: $log"
KUANG_API_URL=$(jq -r .url "$KUANG_HOME/endpoint.json")
export KUANG_API_URL KUANG_TOKEN_FILE=$KUANG_HOME/token

cd frontend
npm run e2e -- "$@"
