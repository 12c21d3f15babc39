#!/usr/bin/env bash
# Installs what the tests need and runs all of them, in the order in which a mistake is found soonest. The first step
# that fails ends the run. All output is kept under build/bin/test/.
set -euo pipefail
unset CDPATH
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
. build/machine.sh
. build/make.sh

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
logs=build/bin/test
number=0

# The tests see none of the person's own Kuang: neither the data directory nor the switches that decide over settings.
unset KUANG_SHADOW_WALK KUANG_FORCE_OPEN_SHADOW
KUANG_HOME=$(mktemp -d)
export KUANG_HOME KUANG_REQUIRE_BROWSER=1
trap 'rm -rf -- "$KUANG_HOME"' EXIT

# step NAME COMMAND… runs one step under a heading, with its time, and keeps its output.
step() {
  local name=$1 code began=$SECONDS
  shift
  number=$((number + 1))
  log=$logs/$(printf '%02d-%s.log' "$number" "${name//[^a-zA-Z0-9]/-}")
  printf '\n=== %d. %s\n' "$number" "$name"
  # Not in a condition: there the shell would forget to stop at the first error inside the step.
  set +e
  (
    set -e
    "$@"
  ) 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  set -e
  if ((code)); then
    printf '\nFAILED: %s (exit %d, %d s). Its output is kept in %s\n' "$name" "$code" $((SECONDS - began)) "$log"
    exit 1
  fi
  printf '\n--- %s: ok, %d s\n' "$name" $((SECONDS - began))
}

go_files() { find . \( -name node_modules -o -path ./build/bin \) -prune -o -name '*.go' -print0; }
format() {
  local unformatted
  unformatted=$(go_files | xargs -0 gofmt -l)
  [[ -z $unformatted ]] || fail "not formatted (gofmt -w): ${unformatted//$'\n'/ }"
}
scripts() { shellcheck build/*.sh .ci/run; }
race() { go test -race -vet=off -count=1 -timeout 15m ./...; }
desktop_code() {
  go vet -tags "$desktop_tags" ./...
  go run "$staticcheck" -tags "$desktop_tags" . ./app
}
panel_script() { (cd frontend && npm run "$1"); }

prepare() {
  check_go
  check_node
  need_tests
  install_missing
  printf '%s, node %s, %s\n' "${go_version:?}" "$(node --version)" "$("$(find_browser)" --version 2>/dev/null)"
}

rm -rf -- "$logs"
mkdir -p "$logs"
step "what the tests need" prepare
check_go # In this shell too: it may have found Go outside PATH.
step "shellcheck" scripts
step "gofmt" format
step "vet" go vet ./...
step "staticcheck" go run "$staticcheck" ./...
step "go test -race" race
go_log=$log
step "npm ci" install_node_modules
step "svelte-check" panel_script check
step "vitest" panel_script test
vitest_log=$log
step "vite build" build_panel
step "vet and staticcheck of the desktop" desktop_code
step "panel in a real browser" build/panel-test.sh
panel_log=$log
step "desktop in a real window" build/desktop-smoke.sh
smoke_log=$log

plain() { sed 's/\x1b\[[0-9;]*m//g' -- "$1"; }
printf '\n=== All %d steps passed in %d min %d s. The closing lines of the runners:\n' \
  "$number" $((SECONDS / 60)) $((SECONDS % 60))
plain "$go_log" | grep -E '^(ok|\?)[[:space:]]' || true
plain "$vitest_log" | grep -E '^ *(Test Files|Tests) ' || true
plain "$panel_log" | grep -E '^ *[0-9]+ (passed|skipped|flaky)' || true
plain "$smoke_log" | grep -E '^smoke: ' || true
