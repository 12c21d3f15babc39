package browser

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// envBrowser names the browser to use when the settings name none.
const envBrowser = "KUANG_BROWSER"

// candidate is a place where a browser may be.
type candidate struct{ product, path string }

// Locate finds the program to start: name when it is not empty, else the variable KUANG_BROWSER, else the first of
// Chromium, Chrome, Edge and Brave. A browser that was named is never replaced by another one. The error is an
// *UnavailableError.
func Locate(name string, env func(string) string) (path, product string, tried []string, err error) {
	for _, named := range []struct{ value, source string }{
		{name, "the browser settings"},
		{env(envBrowser), envBrowser},
	} {
		if named.value == "" {
			continue
		}
		path, err := exec.LookPath(named.value)
		if err != nil {
			return "", "", []string{named.value}, &UnavailableError{Problem{
				What:  "The browser " + named.value + ", named by " + named.source + ", cannot be started: it is missing or not executable.",
				Fix:   "Correct the path, or clear it so that an installed browser is found.",
				Tried: []string{named.value},
			}}
		}
		return path, productOf(path), []string{named.value}, nil
	}
	for _, c := range candidates(runtime.GOOS, env) {
		tried = append(tried, c.path)
		if path, err := exec.LookPath(c.path); err == nil {
			return path, c.product, tried, nil
		}
	}
	return "", "", tried, &UnavailableError{Problem{
		What:  "No Chromium, Chrome, Edge or Brave was found on this machine.",
		Fix:   "Install one (on Debian: apt install chromium), or set " + envBrowser + " to the program's path.",
		Tried: tried,
	}}
}

// candidates are the usual places on the operating system goos, in order of preference.
func candidates(goos string, env func(string) string) []candidate {
	const (
		chromium = "Chromium"
		chrome   = "Google Chrome"
		edge     = "Microsoft Edge"
		brave    = "Brave"
	)
	switch goos {
	case "darwin":
		const apps = "/Applications/"
		return []candidate{
			{chromium, apps + "Chromium.app/Contents/MacOS/Chromium"},
			{chrome, apps + "Google Chrome.app/Contents/MacOS/Google Chrome"},
			{edge, apps + "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
			{brave, apps + "Brave Browser.app/Contents/MacOS/Brave Browser"},
		}
	case "windows":
		var found []candidate
		for _, c := range []candidate{
			{chromium, `Chromium\Application\chrome.exe`},
			{chrome, `Google\Chrome\Application\chrome.exe`},
			{edge, `Microsoft\Edge\Application\msedge.exe`},
			{brave, `BraveSoftware\Brave-Browser\Application\brave.exe`},
		} {
			for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
				if dir := env(root); dir != "" {
					found = append(found, candidate{c.product, dir + `\` + c.path})
				}
			}
		}
		return found
	default:
		return []candidate{
			{chromium, "chromium"}, {chromium, "chromium-browser"},
			{chrome, "google-chrome"}, {chrome, "google-chrome-stable"},
			{edge, "microsoft-edge"}, {edge, "microsoft-edge-stable"},
			{brave, "brave-browser"}, {brave, "brave"},
		}
	}
}

// productOf names the browser by its program's file name.
func productOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	switch {
	case strings.Contains(name, "edge"):
		return "Microsoft Edge"
	case strings.Contains(name, "brave"):
		return "Brave"
	case strings.Contains(name, "chromium"):
		return "Chromium"
	case strings.Contains(name, "chrome"):
		return "Google Chrome"
	}
	return "Chromium"
}
