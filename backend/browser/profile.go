package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockFile is the symbolic link HOST-PID that a running Chromium keeps in its profile on Linux and macOS.
const lockFile = "SingletonLock"

// ProfileHolder says which process of this machine uses the profile. A lock that a dead browser left behind holds
// nothing.
func ProfileHolder(profile string) (pid int, held bool) {
	host, pid, ok := profileLock(profile)
	if !ok || host != hostname() || !alive(pid) || !usesProfile(pid, profile) {
		return 0, false
	}
	return pid, true
}

// profileProblem explains why a browser cannot be started on the profile, or is nil. Chromium itself would hand its
// work to the browser that holds the profile, or end with a code that says nothing.
func profileProblem(profile string) *Problem {
	if pid, held := ProfileHolder(profile); held {
		return &Problem{
			What: fmt.Sprintf("The browser profile %s is in use by the running process %d.", profile, pid),
			Fix:  "Close that browser, or the other Kuang that started it, and press Restart.",
		}
	}
	if host, pid, ok := profileLock(profile); ok && host != hostname() {
		return &Problem{
			What: fmt.Sprintf("The browser profile %s is locked by process %d on the machine %s.", profile, pid, host),
			Fix:  fmt.Sprintf("Close that browser, or, when it is gone for good, remove %s and press Restart.", filepath.Join(profile, lockFile)),
		}
	}
	return nil
}

func profileLock(profile string) (host string, pid int, ok bool) {
	link, err := os.Readlink(filepath.Join(profile, lockFile))
	if err != nil {
		return "", 0, false
	}
	i := strings.LastIndexByte(link, '-')
	if i < 0 {
		return "", 0, false
	}
	pid, err = strconv.Atoi(link[i+1:])
	if err != nil || pid <= 0 {
		return "", 0, false
	}
	return link[:i], pid, true
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// usesProfile tells a browser on the profile from a process that was given a dead browser's number. Where the command
// line of a process cannot be read, the lock is believed.
func usesProfile(pid int, profile string) bool {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return true
	}
	return strings.Contains(string(line)+"\x00", "--user-data-dir="+profile+"\x00")
}
