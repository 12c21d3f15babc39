# Builds the panel and the binaries, each only when something it is made of changed. Sourced by the scripts beside it,
# after machine.sh; every function works in the repository's root, which is the current folder.
# shellcheck shell=bash

stamps=build/bin/.stamps
desktop_tags=desktop,production,webkit2_41
export GOFLAGS="-buildvcs=false ${GOFLAGS:-}" # An archive of the sources has no git to ask, and root may not ask another's.
export CGO_ENABLED=1                          # SQLite is C, and so is the window.

# digest prints one hash over the names and contents of the files whose names it reads, each ended by a NUL.
digest() { LC_ALL=C sort -z | xargs -0 -r sha256sum -- | sha256sum | cut -d ' ' -f 1; }

# files lists all files under the given paths that exist.
files() {
  local path
  for path in "$@"; do
    [[ ! -e $path ]] || find "$path" -name node_modules -prune -o -type f "${only[@]}" -print0
  done
}
only=()

# A stamp is the hash of what went in and of what came out, so a result that somebody changed or removed is made again.
stamp_holds() { [[ -f $1 && $(<"$1") == "$2 $(files "${@:3}" | digest)" ]]; } # stamp_holds STAMP INPUT OUTPUT…
stamp() {
  mkdir -p "$(dirname -- "$1")"
  printf '%s %s\n' "$2" "$(files "${@:3}" | digest)" >"$1"
}

install_node_modules() {
  local stamp=frontend/node_modules/.kuang-stamp input
  input=$(printf '%s %s' "$(node --version)" "$(files frontend/package.json frontend/package-lock.json | digest)")
  if [[ -f $stamp && $(<"$stamp") == "$input" ]]; then return; fi
  say "Installing the panel's packages (npm ci)"
  (cd frontend && npm ci --include=dev --no-audit --no-fund >&2) || fail "npm ci failed; its own message stands above."
  printf '%s\n' "$input" >"$stamp"
}

build_panel() {
  local input
  install_node_modules
  input=$({
    find frontend \( -name node_modules -o -path frontend/dist -o -path frontend/e2e -o -path frontend/.svelte-kit \
      -o -path frontend/test-results -o -path frontend/playwright-report \) -prune -o -type f -print0
  } | digest)
  if stamp_holds "$stamps/panel" "$input" frontend/dist; then return; fi
  say "Building the panel (vite)"
  (cd frontend && npm run build >&2) || fail "The panel did not build; the message stands above."
  stamp "$stamps/panel" "$input" frontend/dist
}

# build_binary NAME [TAGS] builds build/bin/NAME. Go's own cache decides how much of it is compiled again.
build_binary() {
  local name=$1 tags=${2:-} input only=(! -name '*_test.go')
  local output=build/bin/$name version
  version=$(product_version)
  input=$({
    printf '%s %s %s\n' "${go_version:?check_go tells}" "$tags" "$version"
    files app assets backend frontend/dist frontend/embed.go settings go.mod go.sum main.go | digest
  } | sha256sum | cut -d ' ' -f 1)
  if stamp_holds "$stamps/$name" "$input" "$output"; then return; fi
  say "Building $output"
  mkdir -p build/bin
  go build -tags "$tags" -ldflags "-s -w -X kuang/app.version=$version" -o "$output" . >&2 ||
    fail "$output did not build; the compiler's message stands above."
  stamp "$stamps/$name" "$input" "$output"
}

build_desktop() {
  build_panel
  build_binary kuang "$desktop_tags"
}
build_server() { build_binary kuang-server; }

# product_version is the version in wails.json, with the commit where there is one.
product_version() {
  local version commit
  version=$(sed -n 's/.*"productVersion": *"\([^"]*\)".*/\1/p' wails.json)
  commit=$(git rev-parse --short HEAD 2>/dev/null) || commit=
  printf '%s%s\n' "$version" "${commit:++$commit}"
}

# one_at_a_time makes a second start wait for the first one's build.
one_at_a_time() {
  mkdir -p build/bin
  exec 9>build/bin/.lock
  flock 9
}
