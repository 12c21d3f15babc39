package browser

import (
	"path/filepath"
	"strings"
)

// symptoms are what Chromium prints when it cannot start, with what to do about it. Its output is all it gives, so
// there is nothing better to read than text.
func symptoms() []symptom {
	return []symptom{
		{"error while loading shared libraries", "The browser lacks a library.", "Reinstall it with its dependencies (on Debian: apt install --reinstall chromium)."},
		{"Missing X server or $DISPLAY", "The browser found no display for its window.", "Start Kuang in a desktop session, or with --headless."},
		{"cannot open display", "The browser found no display for its window.", "Start Kuang in a desktop session, or with --headless."},
		{"Failed to connect to Wayland display", "The browser found no display for its window.", "Start Kuang in a desktop session, or with --headless."},
		{"No usable sandbox", "The system does not let the browser set up its sandbox.", "Allow unprivileged user namespaces for it, or install the distribution's own package."},
		{"ProcessSingleton", "The browser profile is in use by another browser.", "Close that browser and press Restart."},
		{"No space left on device", "The disk is full.", "Free some space and press Restart."},
		{"Remote debugging pipe file descriptors are not open", "The browser was not given its control pipe; a wrapper script closed it.", "Point KUANG_BROWSER to the browser's own program."},
	}
}

type symptom struct{ sign, what, fix string }

// diagnose explains a browser that ended at its start from what it printed.
func diagnose(path, output string) Problem {
	last := lastLine(output)
	for _, s := range symptoms() {
		if strings.Contains(output, s.sign) {
			return Problem{What: s.what + quoteLine(lineWith(output, s.sign)), Fix: s.fix}
		}
	}
	p := Problem{
		What: "The browser " + path + " ended while it started." + quoteLine(last),
		Fix:  "Run it from a terminal to see what is missing, then press Restart.",
	}
	if strings.HasPrefix(path, "/snap/") || strings.Contains(filepath.ToSlash(output), "/snap/") {
		p.Fix = "A snap cannot use hidden folders: set KUANG_HOME to a folder without a dot in its path, or install another package."
	}
	return p
}

func lineWith(output, sign string) string {
	for line := range strings.SplitSeq(output, "\n") {
		if strings.Contains(line, sign) {
			return line
		}
	}
	return ""
}

func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return lines[len(lines)-1]
}

// maxLine is how much of a line of Chromium's output is shown, in bytes; some name whole command lines.
const maxLine = 240

func quoteLine(line string) string {
	line = strings.TrimSpace(line)
	if line == "" {
		return ""
	}
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return " It said: “" + line + "”."
}
