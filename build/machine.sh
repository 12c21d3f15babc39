# What the machine must have: named when it is missing, installed on Debian and Ubuntu. Sourced by the scripts beside it.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
fail() {
  printf '\nError: %s\n' "$*" >&2
  exit 1
}

missing=() # Debian package names, in the order they were asked for

# need PACKAGE TEST… notes PACKAGE as missing when TEST fails: what counts is whether the thing works, not how it came.
# A package that is here is never missing, since installing it once more would mend nothing.
need() {
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || installed "$package" || missing+=("$package")
}
installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
has() { command -v -- "$1"; }
has_library() { pkg-config --exists "$1"; }
has_header() { printf '#include <%s>\n' "$1" | "${CC:-gcc}" -E -x c -o /dev/null -; }

# find_browser prints the Chromium that Kuang will drive. Snaps are passed over: a snap may not write to the hidden
# folders of a home, where Kuang keeps its browser profile.
find_browser() {
  local name path
  if [[ -n ${KUANG_BROWSER:-} ]]; then
    command -v -- "$KUANG_BROWSER"
    return
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable microsoft-edge microsoft-edge-stable \
    brave-browser brave; do
    path=$(command -v "$name") || continue
    is_snap "$path" && continue
    printf '%s\n' "$path"
    return 0
  done
  return 1
}

# is_snap also knows Ubuntu's chromium-browser, a script that only starts the snap or says how to get it.
is_snap() {
  [[ $1 == /snap/* || $(readlink -f -- "$1") == /usr/bin/snap ]] ||
    { [[ $(head -c 2 -- "$1" | tr -d '\0') == '#!' ]] && grep -q /snap/bin/ -- "$1"; }
}

need_browser() {
  if [[ -n ${KUANG_BROWSER:-} ]]; then
    find_browser >/dev/null || fail "KUANG_BROWSER names $KUANG_BROWSER, which is not a program that can be started."
  elif ! find_browser >/dev/null; then
    missing+=(chromium chromium-sandbox fonts-liberation)
  fi
}

# need_server: what the headless server is built from and needs when it runs.
need_server() {
  need_browser
  need gcc has "${CC:-gcc}"
  need libc6-dev has_header stdio.h
}

# need_desktop: the panel's window on top of that. pkg-config answers for the libraries, so it comes first.
need_desktop() {
  need_server
  need pkg-config has pkg-config
  need libgtk-3-dev has_library gtk+-3.0
  need libwebkit2gtk-4.1-dev has_library webkit2gtk-4.1
}

# need_tests: a display of their own, a window manager, a pointer, pictures, and the accessibility tree to check against.
need_tests() {
  need_desktop
  need curl has curl
  need jq has jq
  need shellcheck has shellcheck
  need xvfb has Xvfb
  need openbox has openbox
  need xdotool has xdotool
  need imagemagick has import
  need dbus-daemon has dbus-run-session
  need at-spi2-core test -x /usr/libexec/at-spi-bus-launcher
  need python3-gi /usr/bin/python3 -c 'import gi'
  need gir1.2-atspi-2.0 /usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0")'
}

# install_missing names what is missing, then installs it.
install_missing() {
  ((${#missing[@]})) || return 0
  local root_do=() candidate
  say "Missing on this machine (Debian's package names):"
  say "  ${missing[*]}"
  if ! debian_like; then
    fail "Kuang installs packages on Debian 12 and Ubuntu 24.04 only. Install the above with this system's own package manager, then start again."
  fi
  if ((EUID != 0)); then
    has sudo >/dev/null || fail "Installing needs root, and sudo is not here. As root: apt-get install ${missing[*]}"
    root_do=(sudo)
  fi
  say "Installing with apt-get; this can take a few minutes."
  "${root_do[@]}" apt-get update -qq >&2 || say "apt-get update failed; trying with the package lists that are here."
  if [[ " ${missing[*]} " == *" chromium "* ]]; then
    candidate=$(LC_ALL=C apt-cache policy chromium | awk '$1 == "Candidate:" { print $2 }')
    [[ -n $candidate && $candidate != "(none)" && $candidate != *snap* ]] || fail "$(browser_by_hand)"
  fi
  "${root_do[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "${missing[@]}" >&2 ||
    fail "apt-get could not install: ${missing[*]}. Its own message stands above."
  missing=()
}

browser_by_hand() {
  cat <<'TEXT'
this system has no Chromium package of its own: Ubuntu ships Chromium as a snap only, and
a snap may not write to hidden folders of a home, where Kuang keeps its browser profile.
Install Google Chrome, Microsoft Edge or Brave from its maker's .deb file, then start again.
Any other Chromium will do as well: KUANG_BROWSER=/path/to/it
TEXT
}

debian_like() (
  has apt-get >/dev/null && [[ -r /etc/os-release ]] || exit 1
  # shellcheck source=/dev/null
  . /etc/os-release
  [[ " ${ID:-} ${ID_LIKE:-} " == *" debian "* || " ${ID:-} ${ID_LIKE:-} " == *" ubuntu "* ]]
)

at_least() { printf '%s\n%s\n' "$1" "$2" | sort -V -C; } # at_least WANTED FOUND

# check_go finds Go also where its own installer puts it, and lets a newer Go fetch the one that go.mod asks for. It sets
# go_version.
check_go() {
  local found
  has go >/dev/null || [[ ! -x /usr/local/go/bin/go ]] || PATH=$PATH:/usr/local/go/bin
  has go >/dev/null || fail "Go is not installed, or not in PATH. Kuang needs Go 1.26 or newer: https://go.dev/dl/"
  found=$(go env GOVERSION 2>/dev/null) || found=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || found=unknown
  at_least 1.26 "${found#go}" ||
    fail "Kuang needs Go 1.26 or newer, and this is ${found#go} ($(command -v go)): https://go.dev/dl/"
  export go_version=$found
}

# check_node asks for what Vite asks for.
check_node() {
  local found
  has node >/dev/null || fail "Node is not installed, or not in PATH. Kuang's panel is built with Node 20.19 or newer: https://nodejs.org/"
  has npm >/dev/null || fail "npm is not in PATH. It comes with Node, or as a package of its own (Debian: npm)."
  found=$(node --version)
  at_least 20.19 "${found#v}" ||
    fail "Kuang's panel is built with Node 20.19 or newer, and this is ${found#v} ($(command -v node)): https://nodejs.org/"
}
