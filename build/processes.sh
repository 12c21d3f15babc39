# What a script starts it ends, by process id, and it waits by asking instead of sleeping. Sourced by the scripts beside
# it, after machine.sh.
# shellcheck shell=bash

started=() # process ids, in the order of their start

# end_started ends what this script started, last first, and waits until each is gone: 20 s, then by force.
end_started() {
  local i
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do
    kill "${started[i]}" 2>/dev/null || continue
    within 20 gone "${started[i]}" || kill -KILL "${started[i]}" 2>/dev/null || true
    wait "${started[i]}" 2>/dev/null || true
  done
  started=()
}
# end PROCESS ends one of them and answers its exit status.
end() {
  local id others=() code=0
  for id in "${started[@]}"; do
    [[ $id == "$1" ]] || others+=("$id")
  done
  started=("${others[@]}")
  kill "$1"
  wait "$1" || code=$?
  return "$code"
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# within SECONDS COMMAND… asks ten times a second until COMMAND succeeds, and fails when it has not in that time.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# start_display WIDTHxHEIGHT starts Xvfb on a free display number and sets DISPLAY.
start_display() {
  local number
  number=$(mktemp)
  Xvfb -displayfd 3 -screen 0 "$1x24" -nolisten tcp -noreset 3>"$number" 2>/dev/null &
  started+=($!)
  within 20 test -s "$number" || fail "Xvfb did not start within 20 s."
  DISPLAY=:$(<"$number")
  export DISPLAY
  unset WAYLAND_DISPLAY
  rm -f -- "$number"
}

# start_session_bus starts a D-Bus session of its own, which GTK's accessibility tree is reached over.
start_session_bus() {
  local address
  address=$(mktemp)
  dbus-daemon --session --nofork --print-address=3 3>"$address" 2>/dev/null &
  started+=($!)
  within 20 test -s "$address" || fail "dbus-daemon did not start within 20 s."
  DBUS_SESSION_BUS_ADDRESS=$(<"$address")
  export DBUS_SESSION_BUS_ADDRESS
  rm -f -- "$address"
}
