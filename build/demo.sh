#!/usr/bin/env bash
# An agent that has nothing but HTTP finishes a job inside a closed shadow root. Each step is printed with what was sent
# and what came back; the first answer that is not as promised ends the demo with an error.
set -euo pipefail
unset CDPATH
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
. build/machine.sh
. build/make.sh
. build/processes.sh

check_go
need_server
need curl has curl
need jq has jq
install_missing
build_server

KUANG_HOME=$(mktemp -d)
export KUANG_HOME
unset KUANG_SHADOW_WALK KUANG_FORCE_OPEN_SHADOW
kuang=build/bin/kuang-server
secret=gift-note-5b0e7f
trap 'end_started; rm -rf -- "$KUANG_HOME"' EXIT

title() { printf '\n%s\n' "$*"; }
wrong() { fail "the demo stops here: $*"; }
is() { # is WHAT FOUND WANTED
  [[ $2 == "$3" ]] || wrong "$1 is '$2', and should be '$3'."
  printf '   ok: %s is %s\n' "$1" "$2"
}
holds_not() { # holds_not WHAT TEXT FORBIDDEN
  [[ $2 != *"$3"* ]] || wrong "$1 holds $3."
  printf '   ok: %s does not hold %s\n' "$1" "$3"
}

# start_kuang sets url, token and app from the line that Kuang prints when it is ready.
start_kuang() {
  local ready=$KUANG_HOME/ready.json
  : >"$ready"
  "$kuang" serve --headless --port 0 >"$ready" 2>>"$KUANG_HOME/demo.log" &
  app=$!
  started+=("$app")
  ready_or_gone() { [[ -s $ready ]] || ! kill -0 "$app" 2>/dev/null; }
  within 60 ready_or_gone || true
  if [[ ! -s $ready ]]; then
    cat "$KUANG_HOME/demo.log" >&2
    wrong "Kuang did not come up."
  fi
  printf '   %s\n' "$(<"$ready")"
  url=$(jq -r .url "$ready")
  token=$(<"$(jq -r .token_file "$ready")")
}

stop_kuang() {
  local code=0
  end "$app" || code=$?
  is "Kuang's exit status after SIGTERM" "$code" 0
}

# send METHOD PATH [JSON] sets status and body.
send() {
  local arguments=(-sS -X "$1" -H "Authorization: Bearer $token" -w '\n%{http_code}')
  [[ -z ${3:-} ]] || arguments+=(-H 'Content-Type: application/json' --data-binary "$3")
  body=$(curl "${arguments[@]}" "$url$2") || wrong "$2 cannot be reached."
  status=${body##*$'\n'}
  body=${body%$'\n'*}
}

# call VERB JSON sends one call and shows both ways. A secret is sent as it is and shown as it should be shown.
call() {
  printf '   > POST /v1/%s %s\n' "$1" "${2//$secret/(secret)}"
  send POST "/v1/$1" "$2"
  printf '   < %s %s\n' "$status" "$body"
}
must() {
  call "$@"
  [[ $status == 200 ]] || wrong "$1 answered $status."
}
read_out() { jq -r "$1" <<<"$body"; }
page() { # page EXPRESSION asks the page itself
  must evaluate_javascript "$(jq -nc --arg e "$1" '{expression: $e}')"
  value=$(read_out '.value')
}
middle() { read_out '.sealed[0].rect | "\(.x + .w / 2) \(.y + .h / 2)"'; }

title "1. Kuang starts, and says so in one line"
start_kuang
"$kuang" fixtures --port 0 >"$KUANG_HOME/fixtures" 2>/dev/null &
started+=($!)
within 20 test -s "$KUANG_HOME/fixtures" || wrong "the sample pages are not served."
pages=$(<"$KUANG_HOME/fixtures")

title "2. The agent opens a page with a closed shadow root"
must navigate "$(jq -nc --arg u "$pages/closed-root.html" '{url: $u}')"
is "the page's status" "$(read_out .status)" 200

title "3. The page's own script cannot see into the root"
page 'document.querySelector("order-card").shadowRoot === null'
is "shadowRoot === null" "$value" true

title "4. Kuang can: it finds the button, and tells what it is and where, never what it holds"
confirm='{"role":"button","name":"Confirm order","sealed":true}'
must find "$confirm"
is "the number of controls found" "$(read_out '.sealed | length')" 1
is "its role" "$(read_out '.sealed[0].role')" button
is "its name" "$(read_out '.sealed[0].name')" "Confirm order"
is "its source" "$(read_out '.sealed[0].source')" ax
holds_not "the answer" "$body" '"value"'
read -r x y <<<"$(middle)"

title "5. The page has not noticed"
page 'document.querySelector("order-card").shadowRoot === null'
is "shadowRoot === null" "$value" true

title "6. The agent clicks at that place, and the component counts one trusted click"
must act "{\"action\":\"click\",\"x\":$x,\"y\":$y}"
page 'document.querySelector("order-card").clicks'
is "the component's count" "$value" 1

title "7. The agent types a secret into the sealed field"
must find '{"role":"textbox","name":"Gift note","sealed":true}'
is "the number of fields found" "$(read_out '.sealed | length')" 1
read -r x y <<<"$(middle)"
must act "{\"action\":\"type\",\"x\":$x,\"y\":$y,\"text\":\"$secret\",\"secret\":true}"
holds_not "the answer" "$body" "$secret"
page 'document.querySelector("order-card").noteLength'
is "the length of what the field holds" "$value" ${#secret}

title "8. The run log has all of it, without the secret"
send GET /v1/runs
run=$(read_out '.runs[0].id')
send GET "/v1/runs/$run"
read_out '.entries | reverse | .[] | "   \(.at)  \(.verb)  \(.outcome)  \(.duration_ms) ms"'
is "the number of calls" "$(read_out '.entries | length')" 9
holds_not "the run log" "$body" "$secret"
[[ $body == *"[redacted]"* ]] || wrong "the run log does not show that something was left out."
echo '   ok: where it stood, the log says [redacted]'

title "9. The person turns sealed reading off (no agent can: settings have no way in over HTTP)"
stop_kuang
echo '{"shadow":{"axSealed":false}}' >"$KUANG_HOME/shadow-walk.json"
start_kuang

title "10. The same call is refused, and says where it can be allowed"
must navigate "$(jq -nc --arg u "$pages/closed-root.html" '{url: $u}')"
call find "$confirm"
is "the status" "$status" 400
is "the code" "$(read_out .error.code)" SEALED_DISABLED
is "the setting" "$(read_out .error.setting)" shadow.axSealed
is "the place" "$(read_out .error.where)" "Settings → Shadow Walk → Shadow DOM"
send GET /v1/runs
is "the newest run's outcome" "$(read_out '.runs[0].outcome')" refused
stop_kuang

printf '\nAll as promised.\n'
